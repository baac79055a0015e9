package run_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ai-session-handler/ai-session-handler/engine/binding"
	"github.com/ai-session-handler/ai-session-handler/engine/run"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// retrying is a lab whose phase-1 does what the file steps says, up to three
// times. Its clock stands still; waits notes each delay and calls then.
func retrying(t *testing.T, phases int, steps string) (l *lab, waits *[]time.Duration, then *func()) {
	t.Helper()
	l = newLab(t, phases)
	l.write("steps", steps)
	l.set("phase-1", func(p *binding.Phase) {
		*p = l.phase("read-stdin=prompt", "@steps")
		p.Retry = &binding.Retry{On: []record.Status{record.AgentFailed, record.MissingMarker, record.Blocked}, MaxAttempts: 3, Delay: time.Minute}
	})
	waits, then = new([]time.Duration), new(func())
	*then = func() {}
	l.runner.After = func(d time.Duration) <-chan time.Time {
		*waits = append(*waits, d)
		(*then)()
		over := make(chan time.Time, 1)
		over <- time.Now()
		return over
	}
	return l, waits, then
}

func TestAFailedPhaseIsRunAgain(t *testing.T) {
	l, waits, then := retrying(t, 3, "exit=7")
	*then = func() {
		if st := l.state(); st.Stop == nil || st.Stop.Reason != record.AgentFailed || st.ActiveAttempt != nil {
			t.Errorf("while it waits the state is no stop: %+v", st)
		}
		if len(*waits) == 2 {
			l.write("steps", "complete=done")
		}
	}
	l.ends(run.Capped, run.Options{MaxPhases: 2}) // which counts successes
	l.wantsAttempts("phase-1 agent-failed", "phase-1 agent-failed", "phase-1 phase-complete", "phase-2 phase-complete")
	if !slices.Equal(*waits, []time.Duration{time.Minute, time.Minute}) {
		t.Errorf("waited %v", *waits)
	}
	var said []string
	for _, e := range l.told(record.RetryScheduled) {
		said = append(said, fmt.Sprintf("%s %s %s: %s", e.Phase.ID, e.AttemptID, e.Status, e.Message))
	}
	all := l.outcomes()
	want := []string{
		"phase-1 " + all[0].AttemptID + " agent-failed: attempt 1 of 3 ended agent-failed; the next begins in 1m0s",
		"phase-1 " + all[1].AttemptID + " agent-failed: attempt 2 of 3 ended agent-failed; the next begins in 1m0s",
	}
	if !slices.Equal(said, want) {
		t.Errorf("told %q, want %q", said, want)
	}
	if prompt := l.read("prompt"); !strings.Contains(prompt, all[1].AttemptID) || !strings.Contains(prompt, "agent command exited with code 7") {
		t.Errorf("the last prompt does not tell of the attempt before: %s", prompt)
	}
	for _, o := range all {
		for _, a := range o.Artifacts {
			if !strings.Contains(a.Path, o.AttemptID) {
				t.Errorf("%s has the evidence %s", o.AttemptID, a.Path)
			}
		}
		if len(o.Artifacts) != 3 {
			t.Errorf("%s has %d artifacts", o.AttemptID, len(o.Artifacts))
		}
	}
}

func TestTheLastAttemptStopsThePhase(t *testing.T) {
	l, waits, _ := retrying(t, 2, "exit=7")
	l.ends(run.Stopped, run.Options{})
	l.wantsAttempts("phase-1 agent-failed", "phase-1 agent-failed", "phase-1 agent-failed")
	l.refuses(run.Options{}, "phase-1 is stopped")
	l.ends(run.Stopped, run.Options{RetryStopped: true}) // a new invocation counts anew
	if got := len(l.outcomes()); got != 6 || len(*waits) != 4 {
		t.Errorf("%d attempts, %d waits", got, len(*waits))
	}
}

// TestABlockedPhaseIsNotRunAgain though its binding says so.
func TestABlockedPhaseIsNotRunAgain(t *testing.T) {
	l, _, _ := retrying(t, 1, "blocked=no")
	l.ends(run.Stopped, run.Options{})
	l.wantsAttempts("phase-1 blocked")
}

func TestWithoutADelayNothingIsWaitedFor(t *testing.T) {
	l, waits, _ := retrying(t, 1, "exit=7")
	l.set("phase-1", func(p *binding.Phase) { p.Retry.Delay = 0 })
	l.ends(run.Stopped, run.Options{})
	if told := l.told(record.RetryScheduled); len(*waits) != 0 || len(told) != 2 || !strings.HasSuffix(told[0].Message, "; the next begins now") {
		t.Errorf("waited %v, told %+v", *waits, told)
	}
}

// TestSourcesAreReadAgainBeforeARetry changes plan and manifest while the phase
// waits.
func TestSourcesAreReadAgainBeforeARetry(t *testing.T) {
	for want, change := range map[string]func(l *lab){
		"the plan changed":     func(l *lab) { l.editPlan() },
		"the manifest changed": func(l *lab) { l.set("phase-1", longer) },
	} {
		l, _, then := retrying(t, 1, "exit=7")
		*then = func() { change(l) }
		_, err := l.run(run.Options{})
		l.wantsRefusal(err, want, " --retry-stopped")
		l.wantsAttempts("phase-1 agent-failed")
	}
	l, _, then := retrying(t, 1, "exit=7")
	*then = func() { l.failure = errors.New("error[E101]") }
	if _, err := l.run(run.Options{}); !errors.Is(err, l.failure) || !strings.HasSuffix(err.Error(), "then: again --retry-stopped") {
		t.Errorf("got %v", err)
	}
}

// TestASignalEndsTheWait leaves the stop that is on disk.
func TestASignalEndsTheWait(t *testing.T) {
	l, _, _ := retrying(t, 1, "exit=7")
	ctx, cancel := context.WithCancelCause(context.Background())
	l.runner.After = func(time.Duration) <-chan time.Time {
		cancel(&run.InterruptedError{Signal: syscall.SIGINT})
		return nil
	}
	_, err := l.runIn(ctx, run.Options{})
	var interrupted *run.InterruptedError
	if !errors.As(err, &interrupted) {
		t.Fatalf("got %v", err)
	}
	want := "interrupted by signal \"interrupt\" while phase-1 waited to be run again: attempt 1 of 3 ended agent-failed\n  next: again --retry-stopped"
	if err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
	l.wantsAttempts("phase-1 agent-failed")
	if st := l.state(); st.Stop == nil || st.ActiveAttempt != nil {
		t.Errorf("%+v", st)
	}
}

// TestARealTimerIsUsedInTheProduct needs no clock of a test.
func TestARealTimerIsUsedInTheProduct(t *testing.T) {
	l, _, _ := retrying(t, 1, "exit=7")
	l.runner.After = nil
	l.set("phase-1", func(p *binding.Phase) { p.Retry.Delay = time.Millisecond })
	l.ends(run.Stopped, run.Options{})
	l.wantsAttempts("phase-1 agent-failed", "phase-1 agent-failed", "phase-1 agent-failed")
}
