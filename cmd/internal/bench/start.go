package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/ai-session-handler/ai-session-handler/engine/plan"
)

const (
	versionTarget = 10 * time.Millisecond
	statusTarget  = 15 * time.Millisecond
	attempts      = 100 // of the plan whose status is shown
)

// measureStart measures how long a command takes that does next to nothing, and
// one that reads a history.
func measureStart(l *lab) ([]line, error) {
	dir, err := l.workspace(plan.Template("Benchmark", attempts))
	if err != nil {
		return nil, err
	}
	if _, err := l.measure(dir, l.handler, "run", "-q", "--plan", "p.md", "--agent-cmd", l.agent)(); err != nil {
		return nil, err
	}
	samples, err := interleave(quickRuns*l.runs, l.measure(dir, l.trivial),
		l.measure(dir, l.handler, "--version"), l.measure(dir, l.handler, "status", "--plan", "p.md"))
	if err != nil {
		return nil, err
	}
	const reference = "a trivial static program"
	return []line{
		atMost("start-up, --version", samples[1], versionTarget, samples[0], reference),
		atMost(fmt.Sprintf("status of a plan with %d attempts", attempts), samples[2], statusTarget, samples[0], reference),
	}, nil
}

const (
	planSize   = 1_000_000
	planTarget = 50 * time.Millisecond
)

// measureParse measures reading and checking a plan of 1 MB.
func measureParse(l *lab) ([]line, error) {
	text, phases := longPlan()
	dir, err := l.workspace(text)
	if err != nil {
		return nil, err
	}
	samples, err := interleave(quickRuns*l.runs, l.measure(dir, l.handler, "--version"),
		l.measure(dir, l.handler, "plan", "lint", filepath.Join(dir, "p.md")))
	if err != nil {
		return nil, err
	}
	what := fmt.Sprintf("plan lint of 1 MB, %d phases", phases)
	return []line{atMost(what, samples[1], planTarget, samples[0], "start-up")}, nil
}

// longPlan is a plan of phases of about 6 KB, as long ones have in practice.
func longPlan() (text []byte, phases int) {
	const prose = "The worker reads the handler first, then moves the `check` behind the lock, so that\n" +
		"no two of them *ever* see the same state. See [the design](docs/design.md) for why.\n\n" +
		"- Change the signature, keeping the old one for a release\n\n" +
		"```go\nfunc (s *Store) Load(ctx context.Context) (State, error) { return s.read(ctx) }\n```\n\n"
	body := "\n### Workspace\n\n.\n\n### Goal\n\n" + strings.Repeat(prose, 10) + "### Validation\n\n" + strings.Repeat(prose, 8)
	for len(text) < planSize {
		phases++
		text = fmt.Appendf(text, "## Phase %d: Title of the phase\n%s", phases, body)
	}
	return text, phases
}

// atMost is the line of something that is to take no longer than the target.
func atMost(what string, s sample, target time.Duration, reference sample, of string) line {
	return line{
		what: what, figure: ms(s.median()) + " ms", spread: s.spread(),
		reference: fmt.Sprintf("%s ms, %s", ms(reference.median()), of),
		ratio:     fmt.Sprintf("%.1f", float64(s.median())/float64(reference.median())),
		target:    fmt.Sprintf("≤ %s ms", fmt.Sprint(target.Milliseconds())), verdict: judge(s.median() <= target, s.min() <= target),
	}
}
