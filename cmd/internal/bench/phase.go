package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/ai-session-handler/ai-session-handler/engine/plan"
)

const (
	phases      = 1000
	chunk       = 100 // phases between two measurements of the reference
	phaseTarget = 25 * time.Millisecond
	phaseAim    = 12 * time.Millisecond
	growthLimit = 10 * time.Microsecond
)

// measurePhases runs a plan of 1,000 phases whose worker does nothing, so that
// from one worker to the next is what a phase costs.
func measurePhases(l *lab) ([]line, error) {
	dir, err := l.workspace(plan.Template("Benchmark", phases))
	if err != nil {
		return nil, err
	}
	clock := filepath.Join(dir, "clock")
	run := l.measure(dir, l.handler, "run", "-q", "--plan", "p.md", "--max-phases", fmt.Sprint(chunk), "--agent-cmd", l.agent+" -clock "+clock)
	var reference sample
	for done := 0; done < phases; done += chunk {
		progress("phases %d to %d", done+1, done+chunk)
		if _, err := run(); err != nil {
			return nil, err
		}
		more, err := l.unavoidable(filepath.Join(dir, fmt.Sprint("reference", done)))
		if err != nil {
			return nil, err
		}
		reference = append(reference, more...)
	}
	took, err := periods(clock)
	if err != nil {
		return nil, err
	}
	return phaseLines(took, reference), nil
}

func phaseLines(took, reference sample) []line {
	of := fmt.Sprintf("its %d syncs and %d process starts", syncs, starts)
	first := atMost("a phase, the first 100", took[:chunk-1], phaseTarget, reference, of)
	last := atMost("a phase, the last 100", took[len(took)-chunk+1:], phaseTarget, reference, of)
	first.target += fmt.Sprintf(", aim %d", phaseAim.Milliseconds())
	last.target = first.target
	growth := slope(took, chunk/2)
	return []line{first, last, {
		what: "growth per earlier attempt", figure: fmt.Sprintf("%.1f µs", float64(growth)/1e3),
		target: fmt.Sprintf("≤ %d µs", growthLimit.Microseconds()), verdict: judge(growth.Abs() <= growthLimit, growth < 0),
	}}
}

// periods reads from one worker to the next of the same run.
func periods(clock string) (sample, error) {
	text, err := os.ReadFile(clock)
	if err != nil {
		return nil, err
	}
	var took sample
	var last int64
	for i, field := range strings.Fields(string(text)) {
		at, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return nil, err
		}
		if i%chunk > 0 {
			took = append(took, time.Duration(at-last))
		}
		last = at
	}
	if len(took) != phases-phases/chunk {
		return nil, fmt.Errorf("%d times are noted, not %d", len(took), phases-phases/chunk)
	}
	return took, nil
}

// What no order of durable steps can do without, see docs/performance.md.
const (
	syncs  = 14
	starts = 3
)

// unavoidable measures what a phase has to wait for: files of about the same
// size made durable in the same way, and processes started one after another.
func (l *lab) unavoidable(dir string) (sample, error) {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, err
	}
	var s sample
	for i := range 2 * quickRuns {
		took, err := timed(func() error { return errors.Join(syncLikeAPhase(dir, i), l.startLikeAPhase()) })
		if err != nil {
			return nil, err
		}
		s = append(s, took)
	}
	return s, nil
}

func (l *lab) startLikeAPhase() error {
	for range starts {
		if err := exec.Command(l.trivial).Run(); err != nil {
			return err
		}
	}
	return nil
}

// syncLikeAPhase replaces one file three times, and makes four: three with
// their entries, one of which grows again at the end, as a transcript does.
func syncLikeAPhase(dir string, i int) error {
	name := func(what string) string { return filepath.Join(dir, fmt.Sprint(what, i)) }
	return errors.Join(
		replace(dir, 20_000),
		makeFile(name("prompt"), 8_000), syncDir(dir),
		makeFile(name("transcript"), 1_000), syncDir(dir),
		replace(dir, 20_000),
		makeFile(name("transcript"), 100), makeFile(name("index"), 100),
		makeFile(name("outcome"), 2_000), syncDir(dir),
		replace(dir, 20_000),
	)
}

func replace(dir string, size int) error {
	next := filepath.Join(dir, "next")
	return errors.Join(makeFile(next, size), os.Rename(next, filepath.Join(dir, "state")), syncDir(dir))
}

// makeFile makes a file, or makes it longer, and syncs it.
func makeFile(name string, size int) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, size))
	return errors.Join(err, f.Sync(), f.Close())
}

func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
