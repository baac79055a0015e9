package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/kballard/go-shellquote"

	"github.com/ai-session-handler/ai-session-handler/engine/proc"
	"github.com/ai-session-handler/ai-session-handler/engine/run"
	"github.com/ai-session-handler/ai-session-handler/engine/termtext"
)

// preview shows what run would do next.
func preview(ctx context.Context, to printer, runner *run.Runner, job run.Job) error {
	p, err := runner.Preview(ctx, job)
	if err != nil {
		return err
	}
	if p.Changes != "" {
		to.Result("the plan changed since it was accepted; with --accept-plan-change a run goes on with it:\n  " + termtext.Indented(p.Changes, "  "))
	}
	if !p.Found {
		to.Result("nothing is left to do: all phases are complete")
		return nil
	}
	program, err := proc.LookPath(p.Argv[0], p.Workspace, job.Environ)
	if err != nil {
		program = fmt.Sprintf("%s: %v", p.Argv[0], err)
	}
	to.Result(strings.Join([]string{
		fmt.Sprintf("next phase:          %s %s (%d left)", p.Phase.ID, termtext.Line(p.Phase.Title), p.Remaining),
		"plan:                " + job.Plan.Path,
		"execution workspace: " + p.Workspace,
		"agent:               " + job.Binding.Agent,
		"program:             " + program,
		"argv:                " + shellquote.Join(p.Argv...),
		fmt.Sprintf("prompt:              %d bytes on stdin", p.PromptBytes),
		"environment names:   " + strings.Join(p.EnvNames, " "),
		"locks:               " + strings.Join(p.Locks, " "),
		"timeout:             " + limitText(p.Limits.Timeout),
		"idle timeout:        " + limitText(p.Limits.IdleTimeout),
		"output limit:        " + sizeText(p.Limits.OutputMax),
		"stop rules:          " + wordList(job.Binding.StopOn),
		"masked variables:    " + wordList(job.Binding.Secrets),
		"nothing was written or started",
	}, "\n"))
	return nil
}

func wordList(words []string) string {
	if len(words) == 0 {
		return "none"
	}
	return fmt.Sprintf("%q", words)
}

func limitText(limit time.Duration) string {
	if limit == 0 {
		return "none"
	}
	return limit.String()
}
