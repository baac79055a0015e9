package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/kballard/go-shellquote"

	"github.com/ai-session-handler/ai-session-handler/engine/binding"
	"github.com/ai-session-handler/ai-session-handler/engine/run"
	"github.com/ai-session-handler/ai-session-handler/engine/termtext"
)

// preview shows what run would do next.
func preview(ctx context.Context, to printer, runner *run.Runner, job run.Job) error {
	p, err := runner.Preview(ctx, job)
	if err != nil {
		return err
	}
	previewChanges(to, p)
	if !p.Found {
		to.Result("nothing is left to do: all phases are complete")
		return nil
	}
	to.Result(strings.Join([]string{
		fmt.Sprintf("next phase:          %s %s (%d left)", p.Phase.ID, termtext.Line(p.Phase.Title), p.Remaining),
		"plan:                " + job.Plan.Path,
		"execution workspace: " + p.Workspace,
		"agent:               " + p.How.Agent,
		"program:             " + p.Program,
		"argv:                " + argvText(p.Argv),
		fmt.Sprintf("prompt:              %d bytes on stdin", p.PromptBytes),
		"environment names:   " + strings.Join(p.EnvNames, " "),
		"locks:               " + strings.Join(p.Locks, " "),
		"timeout:             " + binding.LimitText(p.How.Limits.Timeout),
		"idle timeout:        " + binding.LimitText(p.How.Limits.IdleTimeout),
		"output limit:        " + binding.SizeText(p.How.Limits.OutputMax),
		"tree limits:         " + treeText(p.How.Limits.Tree),
		"stop rules:          " + wordList(p.How.StopOn),
		"masked variables:    " + wordList(job.SecretNames),
		"retry:               " + p.How.Retry.String(),
		"pause after it:      " + yesNo(p.How.PauseAfter),
		"manifest:            " + manifestText(p.Manifest),
		"nothing was written or started",
	}, "\n"))
	return nil
}

// previewChanges shows what a run would accept.
func previewChanges(to printer, p run.Preview) {
	if p.Changes != "" {
		to.Result("the plan changed since it was accepted; with --accept-plan-change a run goes on with it:\n  " + termtext.Indented(p.Changes, "  "))
	}
	if p.Manifest.Changes != "" {
		to.Result("the manifest changed since it was accepted; with --accept-manifest-change a run goes on with it:\n  " + termtext.Indented(p.Manifest.Changes, "  "))
	}
}

func treeText(l binding.TreeLimits) string {
	var words []string
	for _, one := range []struct{ name, value string }{
		{"memory", binding.SizeText(l.MemoryMax)}, {"processes", binding.CountText(l.PidsMax)}, {"CPU", binding.CPUText(l.CPUMilli)},
	} {
		if one.value != "none" {
			words = append(words, one.name+" "+one.value)
		}
	}
	if len(words) == 0 {
		return "none"
	}
	if l.BestEffort {
		words = append(words, "best-effort")
	}
	return strings.Join(words, ", ")
}

// argvText are words as a shell would read them. One with characters that are not
// safe to show is quoted as in Go, so that nothing of it is hidden.
func argvText(argv []string) string {
	words := make([]string, len(argv))
	for i, word := range argv {
		if words[i] = shellquote.Join(word); termtext.Line(word) != word {
			words[i] = strconv.Quote(word)
		}
	}
	return strings.Join(words, " ")
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func manifestText(m run.ManifestPreview) string {
	switch {
	case m.SHA256 != "":
		return "binding " + m.SHA256 + ", " + m.Message
	case m.Message != "":
		return "none, " + m.Message
	}
	return "none"
}

func wordList(words []string) string {
	if len(words) == 0 {
		return "none"
	}
	return fmt.Sprintf("%q", words)
}
