package run

import (
	"errors"
	"fmt"
	"strings"
	"syscall"

	"github.com/kballard/go-shellquote"

	"github.com/ai-session-handler/ai-session-handler/engine/plan"
	"github.com/ai-session-handler/ai-session-handler/engine/proc"
	"github.com/ai-session-handler/ai-session-handler/engine/state"
	"github.com/ai-session-handler/ai-session-handler/engine/termtext"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// Refusal means that nothing was launched, or nothing more, and why. The
// history is as it was.
type Refusal struct {
	What  string   // what is wrong
	Facts []string // "name: value", what a person needs to decide
	Block string   // more of that, in lines; empty where there is none
	Next  []string // what to do, commands included
}

// Error returns lines for a person. What others wrote may have several, too;
// each of those but the first is indented farther than the runner's own.
func (e *Refusal) Error() string {
	const deeper = "    "
	lines := []string{termtext.Indented(e.What, deeper)}
	for _, fact := range e.Facts {
		lines = append(lines, "  "+termtext.Indented(fact, deeper))
	}
	if e.Block != "" {
		lines = append(lines, deeper+termtext.Indented(e.Block, deeper))
	}
	for _, next := range e.Next {
		lines = append(lines, "  next: "+next)
	}
	return strings.Join(lines, "\n")
}

func (e *Refusal) fact(name, format string, args ...any) {
	e.Facts = append(e.Facts, name+": "+fmt.Sprintf(format, args...))
}

func (v *invocation) refuseStopped() error {
	s := v.state.Stop
	r := &Refusal{What: fmt.Sprintf("%s is stopped: %s", s.PhaseID, s.Reason)}
	if s.ClarificationRequest != nil {
		r.fact("clarification", "%s", v.job.Secrets.Mask(*s.ClarificationRequest))
	}
	if s.Message != nil {
		r.fact("message", "%s", v.job.Secrets.Mask(*s.Message))
	}
	last := v.state.LastRun
	r.fact("execution workspace", "%s", last.ExecutionWorkspace)
	r.fact("transcript", "%s", v.path(last.TranscriptPath))
	r.fact("outcome", "%s", v.path(last.OutcomePath))
	if _, ok := v.snapshot.Phase(s.PhaseID); !ok {
		r.fact("plan", "%s is not in it any more", s.PhaseID)
		r.Next = []string{"put " + s.PhaseID + " back, or start a new history: " + v.job.Again("--fresh")}
		return r
	}
	flags := v.withAccepted("--retry-stopped")
	r.Next = []string{"look at what it left, settle what stopped it, then run it again: " + v.job.Again(flags...)}
	return r
}

func (v *invocation) refuseUnresolved() error {
	a := v.state.ActiveAttempt
	r := v.unresolved(fmt.Sprintf("%s has an unresolved attempt %s (%s): its handler ended before its result was on disk", a.Phase.ID, a.ID, a.Status))
	r.Next = []string{
		"look at what it left and make sure nothing of it still runs, then run it again: " + v.job.Again("--retry-stopped"),
		"or decide about it without a run: " + shellquote.Join("ai-session-handler", "attempts", "resolve", a.ID,
			"--as", "interrupted", "--note", "TEXT", "--plan", v.job.Plan.Path),
	}
	return r
}

// unresolved gathers what is known about the active attempt.
func (v *invocation) unresolved(what string) *Refusal {
	a := v.state.ActiveAttempt
	r := &Refusal{What: what}
	r.fact("execution workspace", "%s", a.ExecutionWorkspace)
	r.fact("prompt", "%s", v.path(a.PromptPath))
	r.fact("transcript", "%s", v.path(a.TranscriptPath))
	r.fact("planned outcome (uncommitted)", "%s", v.path(a.OutcomePath))
	r.fact("worker", "%s", DescribeWorker(*a))
	if exit, found, err := v.store.ReadExit(a.ID); err != nil {
		r.fact("its end", "can't be read: %v", err)
	} else if found {
		r.fact("its end", "%s", DescribeExit(exit))
	}
	return r
}

// DescribeWorker says in words what is known about an attempt's worker.
func DescribeWorker(a record.ActiveAttempt) string {
	if a.Process == nil {
		return "was never released: nothing of the agent ran"
	}
	switch l := proc.WorkerAlive(*a.Process); l.State {
	case proc.Alive:
		return fmt.Sprintf("process %d, alive", a.Process.PID)
	case proc.Unknown:
		return fmt.Sprintf("process %d, whether it lives is unknown: %s", a.Process.PID, l.Why)
	default:
		return fmt.Sprintf("process %d, dead", a.Process.PID)
	}
}

// DescribeExit says in words how a worker ended that outlived its handler.
func DescribeExit(e record.Exit) string {
	if !e.Executed {
		return "it never executed: " + e.Cause
	}
	how := "unknown"
	switch {
	case e.Signal != nil:
		how = "signal " + *e.Signal
	case e.ExitCode != nil:
		how = fmt.Sprintf("exit code %d", *e.ExitCode)
	}
	return fmt.Sprintf("%s at %s, because %s", how, e.EndedAt.Format("2006-01-02 15:04:05Z"), e.Cause)
}

// refuseChangedPlan offers to accept a change only where that would help.
func (v *invocation) refuseChangedPlan(now *plan.Snapshot) error {
	var missing *state.MissingPhasesError
	if _, err := state.AcceptPlan(v.state, now.SHA256, v.now(), now.PhaseIDs()); errors.As(err, &missing) {
		return v.refuseMissingPhases(missing, now)
	}
	r := &Refusal{What: "the plan changed since it was accepted: " + v.job.Plan.Path, Block: v.changes(now)}
	r.fact("accepted", "%s", v.state.Plan.SHA256)
	r.fact("now     ", "%s", now.SHA256)
	if current := v.state.CurrentPhase; current != nil {
		if _, ok := now.Phase(current.ID); !ok {
			r.Next = []string{current.ID + " can't be run again, it is not in the plan any more; put it back, or start a new history: " + v.job.Again("--fresh")}
			return r
		}
	}
	r.Next = []string{"read the change; to go on with it: " + v.job.Again(v.withRetry("--accept-plan-change")...)}
	return r
}

// withRetry adds the flag that the state will ask for next.
func (v *invocation) withRetry(flags ...string) []string {
	if v.state.Stop != nil || v.state.ActiveAttempt != nil {
		return append(flags, "--retry-stopped")
	}
	return flags
}

// withAccepted adds the flags of what was accepted and is not on disk, so that
// the next run has to say it again.
func (v *invocation) withAccepted(flags ...string) []string {
	if v.accepted != "" {
		flags = append(flags, "--accept-plan-change")
	}
	if v.manifestAccepted() {
		flags = append(flags, "--accept-manifest-change")
	}
	return flags
}

func (v *invocation) refuseMissingPhases(e *state.MissingPhasesError, now *plan.Snapshot) error {
	return &Refusal{
		What:  "the changed plan can't be accepted: " + e.Error(),
		Block: v.changes(now),
		Next:  []string{"put them back, or start a new history: " + v.job.Again("--fresh")},
	}
}

func (v *invocation) refuseOtherPath() error {
	return &Refusal{
		What:  "the history kept for this plan is that of a plan at another path",
		Facts: []string{"this plan: " + v.job.Plan.Path, "history of: " + v.state.Plan.Path, "state: " + v.job.Plan.StatePath()},
		Next: []string{
			"to carry the history on, move the repository back to where it was",
			"to start a new history, which keeps the old one aside: " + v.job.Again("--fresh"),
		},
	}
}

func (v *invocation) refuseMoved(others []string) error {
	r := &Refusal{What: "this plan has no history, but the history of a plan that is gone lies beside it; was the plan moved?"}
	r.fact("this plan", "%s", v.job.Plan.Path)
	for _, other := range others {
		r.fact("history of", "%s", other)
	}
	r.Next = []string{
		"to carry that history on, move the plan back: " + shellquote.Join("mv", v.job.Plan.Path, others[0]),
		"to start a new history for this plan: " + v.job.Again("--fresh"),
	}
	return r
}

func (v *invocation) refuseOuterRoots(roots []string) error {
	r := &Refusal{What: "this plan already has a history in an outer plan workspace; a nested marker moved the inferred one"}
	r.fact("inferred workspace", "%s (because of %s)", v.job.Plan.Root, v.job.Plan.Marker)
	for _, root := range roots {
		r.fact("history in", "%s", root)
	}
	r.Next = []string{fmt.Sprintf("remove %s/%s if it does not belong there, or move the outer history away, then run again", v.job.Plan.Root, v.job.Plan.Marker)}
	return r
}

// refuseAlive lists the processes of an attempt that still run.
func (v *invocation) refuseAlive(a *record.ActiveAttempt, alive []string) error {
	r := v.unresolved(fmt.Sprintf("attempt %s still has live processes; end them and look at what they left before anything else", a.ID))
	for _, one := range alive {
		r.fact("alive", "%s", one)
	}
	r.Next = []string{"end them, then repeat this command"}
	return r
}

// UnresolvedError means that the end of an attempt could not be made durable:
// the attempt stays unresolved, whatever its worker did.
type UnresolvedError struct {
	Attempt record.ActiveAttempt
	PlanDir string         // absolute
	Seen    record.Outcome // of the attempt, which is not on record
	Doing   string         // what failed
	Err     error
	Deleted bool // the history is gone: somebody deleted it while the worker ran
}

func (e *UnresolvedError) Error() string {
	return fmt.Sprintf("%s: could not %s: %v", record.ExecutionIOFailed, e.Doing, e.Err)
}

func (e *UnresolvedError) Unwrap() error { return e.Err }

// PrepareError means that an attempt could not be prepared on disk. Nothing
// was launched.
type PrepareError struct {
	Err   error
	Again string // the command that goes on
}

func (e *PrepareError) Error() string {
	return fmt.Sprintf("%s: could not prepare the attempt: %v; nothing was launched\n  next: make room or repair the file system, then: %s", record.ExecutionIOFailed, e.Err, e.Again)
}

func (e *PrepareError) Unwrap() error { return e.Err }

// SystemError means that the operating system kept the history or the plan from
// being read, or a directory from being locked. Nothing was launched, or nothing
// more.
type SystemError struct {
	Err   error
	Again string // the command that goes on
}

func (e *SystemError) Error() string {
	return fmt.Sprintf("%v\n  next: settle that, then: %s", e.Err, e.Again)
}

func (e *SystemError) Unwrap() error { return e.Err }

// systemError makes a *SystemError of a bare error.
func systemError(err error, again string) error {
	if !IsBare(err) {
		return err
	}
	return &SystemError{err, again}
}

// IsBare holds for an error of the operating system that nobody has wrapped who
// knows how to go on.
func IsBare(err error) bool {
	var (
		errno      syscall.Errno
		system     *SystemError
		prepare    *PrepareError
		unresolved *UnresolvedError
		broken     *plan.Error
	)
	wrapped := errors.As(err, &system) || errors.As(err, &prepare) || errors.As(err, &unresolved) || errors.As(err, &broken)
	return errors.As(err, &errno) && !wrapped
}
