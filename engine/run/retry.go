package run

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ai-session-handler/ai-session-handler/engine/plan"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// repeatable are the only ends of an attempt that may be repeated without a
// person, whatever a binding says: the worker's own failures, of which the whole
// end was seen.
var repeatable = []record.Status{record.AgentFailed, record.MissingMarker, record.InvalidMarker, record.Timeout, record.IdleTimeout}

// repeats holds when the binding of a phase says to run it again after the last
// of the attempts made in this invocation. What still lives of a worker may
// change files, so there must be nothing.
func (v *invocation) repeats(o record.Outcome, made int) bool {
	retry := v.job.Binding.For(o.Phase.ID).Retry
	return retry != nil && made < retry.MaxAttempts && len(o.Survivors) == 0 &&
		slices.Contains(repeatable, o.Status) && slices.Contains(retry.On, o.Status)
}

// waitToRepeat waits before the next attempt of a phase. The state on disk says
// stopped meanwhile, as it would without a retry.
func (v *invocation) waitToRepeat(p plan.Phase, o record.Outcome, made int) error {
	retry := v.job.Binding.For(p.ID).Retry
	ended := fmt.Sprintf("attempt %d of %d ended %s", made, retry.MaxAttempts, o.Status)
	next := "the next begins now"
	if retry.Delay > 0 {
		next = fmt.Sprintf("the next begins in %v", retry.Delay)
	}
	v.observePhase(p, record.Event{Kind: record.RetryScheduled, AttemptID: o.AttemptID, Status: o.Status, Message: ended + "; " + next})
	if retry.Delay > 0 {
		select {
		case <-v.r.after(retry.Delay):
		case <-v.ctx.Done():
		}
	}
	return v.interrupted("while " + p.ID + " waited to be run again: " + ended)
}

func (r *Runner) after(d time.Duration) <-chan time.Time {
	if r.After == nil {
		return time.After(d)
	}
	return r.After(d)
}

// HaltedError means that the invocation was to end while no worker ran. Nothing
// more was launched.
type HaltedError struct {
	Err   error  // why
	Where string // where the invocation stood
	Again string // the command that goes on
}

func (e *HaltedError) Error() string {
	return fmt.Sprintf("%v %s\n  next: %s", e.Err, e.Where, e.Again)
}

func (e *HaltedError) Unwrap() error { return e.Err }

// interrupted returns an error when the invocation is to end.
func (v *invocation) interrupted(where string) error {
	if err := context.Cause(v.ctx); err != nil {
		return &HaltedError{err, where, v.again()}
	}
	return nil
}
