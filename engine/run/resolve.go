package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/ai-session-handler/ai-session-handler/engine/state"
	"github.com/ai-session-handler/ai-session-handler/engine/workspace"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// Decision is what a person decided about the unresolved attempt of a plan.
type Decision struct {
	Plan      workspace.Plan
	AttemptID string        // in full
	Status    record.Status // agent-failed or interrupted
	Note      string        // why; kept in the outcome and the stop, told to no worker
	Command   []string      // as in Job
}

// Resolve records a decision and runs nothing; the phase stays stopped. It
// holds the locks that a run would, and refuses while anything of the attempt
// lives. The error is a *Refusal or a *lock.HeldError when nothing was changed,
// and an *UnresolvedError when the decision could not be made durable.
func (r *Runner) Resolve(ctx context.Context, d Decision) (Result, error) {
	v := &invocation{r: r, job: Job{Plan: d.Plan, Command: d.Command, Observe: func(record.Event) {}}}
	var err error
	if v.lock, v.ctx, err = r.acquire(ctx, d.Plan.Root); err != nil {
		return Result{}, err
	}
	defer v.close()
	if err := v.openUnresolved(d.AttemptID); err != nil {
		return Result{}, err
	}
	free, err := v.lockItsWorkspace()
	if err != nil {
		return Result{}, err
	}
	defer free()
	if err := v.refuseLiving(); err != nil {
		return Result{}, err
	}
	return v.decide(d)
}

// openUnresolved loads a history in which the attempt with this id is
// unresolved.
func (v *invocation) openUnresolved(id string) error {
	if roots, err := v.job.Plan.OuterRoots(); err != nil || len(roots) > 0 {
		return cmp.Or(err, v.refuseOuterRoots(roots))
	}
	if err := v.openDirs(); err != nil {
		return err
	}
	found, err := v.load()
	switch {
	case err != nil:
		return err
	case found && v.state.Plan.Path != v.job.Plan.Path:
		return v.refuseOtherPath()
	case !found || v.state.ActiveAttempt == nil || v.state.ActiveAttempt.ID != id:
		return v.refuseDecided(id)
	}
	return nil
}

// lockItsWorkspace locks the execution workspace of the unresolved attempt. One
// that is gone can't be in use: whatever the attempt's supervisor still did, it
// would hold the plan workspace for it as well.
func (v *invocation) lockItsWorkspace() (free func(), err error) {
	held, err := v.lockWorkspace(v.state.ActiveAttempt.ExecutionWorkspace)
	if err == nil && held != nil {
		return func() { _ = held.Close() }, nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return func() {}, err
}

// decide makes a decision durable: the outcome first, then the state.
func (v *invocation) decide(d Decision) (Result, error) {
	verdict := "a person decided that it failed"
	if d.Status == record.Interrupted {
		verdict = "a person decided that it was interrupted"
	}
	o := v.unseen(d.Status, verdict)
	o.Note = &d.Note
	err := v.makeDirs()
	var next record.State
	if err == nil {
		next, err = v.settle(o, state.Resolve)
	}
	if err == nil {
		err = v.save(next)
	}
	if err != nil {
		return Result{}, v.stayUnresolved(record.Outcome{}, "record the decision", err)
	}
	return Result{End: Stopped, PlanDir: v.planPath(), Outcome: &o, Path: v.state.LastRun.OutcomePath}, nil
}

// unseen is the outcome of the unresolved attempt, whose end nobody saw, with
// what its supervisor wrote down about it.
func (v *invocation) unseen(status record.Status, verdict string) record.Outcome {
	a := v.state.ActiveAttempt
	cause := "the handler ended without recording how the attempt ended; " + verdict
	switch exit, found, err := v.store.ReadExit(a.ID); {
	case err != nil:
		cause += "; its worker's end can't be read: " + err.Error()
	case found:
		cause += "; its worker's end: " + DescribeExit(exit)
	}
	o := outcomeOf(*a)
	o.Status, o.Summary, o.Cause, o.FinishedAt = status, cause, cause, v.now()
	return o
}

// settle writes the outcome of an attempt whose end nobody saw, and returns the
// state that links it. Whatever lies in its place is linked by nothing: half a
// record of a command that crashed, or one that a worker planted.
func (v *invocation) settle(o record.Outcome, transition func(record.State, record.Outcome, string) (record.State, error)) (record.State, error) {
	v.maskOutcome(&o)
	name := workspace.AbandonedFile(o.AttemptID)
	if err := v.store.ReplaceOutcome(name, o); err != nil {
		return v.state, err
	}
	return transition(v.state, o, name)
}

// refuseDecided says what an attempt is that is not unresolved.
func (v *invocation) refuseDecided(id string) error {
	for _, c := range v.state.CommittedOutcomes {
		if c.AttemptID == id {
			r := &Refusal{What: fmt.Sprintf("attempt %s is not unresolved: it is recorded as %s", id, c.Status)}
			r.fact("outcome", "%s", v.path(c.Path))
			return r
		}
	}
	return &Refusal{What: fmt.Sprintf("there is no attempt %s in the history of %s", id, v.job.Plan.Path)}
}
