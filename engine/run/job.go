// Package run is the one loop over the phases of a plan: it chooses the next
// phase, launches one fresh worker for it, judges how that ended, and makes
// each step durable in an order that leaves no room for a phase run twice or
// called done without proof. It reads no configuration: everything it needs is
// in a [Job]. See docs/state-and-recovery.md and docs/session-lifecycle.md.
package run

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/kballard/go-shellquote"

	"github.com/ai-session-handler/ai-session-handler/engine/binding"
	"github.com/ai-session-handler/ai-session-handler/engine/fsx"
	"github.com/ai-session-handler/ai-session-handler/engine/plan"
	"github.com/ai-session-handler/ai-session-handler/engine/proc"
	"github.com/ai-session-handler/ai-session-handler/engine/stream"
	"github.com/ai-session-handler/ai-session-handler/engine/workspace"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// Job is one invocation: a plan, how its phases run, and what the user asked
// for. The environment is a copy taken at the start.
type Job struct {
	Plan        workspace.Plan
	Binding     binding.Binding // what runs: the manifest's, with what the command line overrides
	Manifest    *Manifest       // what Binding was made of; nil where no manifest binds the plan
	Source      Source
	Environ     []string
	Options     Options
	Secrets     *stream.Secrets // values to mask, those of all phases; nil masks nothing
	SecretNames []string        // of the variables whose values Secrets masks
	Console     Console
	Observe     func(record.Event) // called from several goroutines, never nil
	Hurry       <-chan struct{}    // each receive shortens the grace of a worker being ended
	Command     []string           // the command line that goes on with the plan, for messages
}

// Again is the command line that goes on with the plan, with more flags, ready
// to be pasted into a shell.
func (j Job) Again(flags ...string) string {
	return shellquote.Join(append(slices.Clone(j.Command), flags...)...)
}

// Source reads the plan and its manifest again while the loop runs. The snapshot
// must be of the same path each time; an error, *plan.Error included, ends the
// loop.
type Source interface {
	Current(ctx context.Context) (Sources, error)
}

// Sources is what a run depends on, as it is now.
type Sources struct {
	Plan     *plan.Snapshot
	Manifest *Manifest // nil where no manifest binds the plan
}

// Options are the decisions of the person who started the invocation.
type Options struct {
	MaxPhases            int  // successful phases after which to end, 0 for no cap
	RetryStopped         bool // run the stopped or unresolved phase again
	AcceptPlanChange     bool // take the changed plan as it is now
	AcceptManifestChange bool // take the changed manifest as it is now
	Fresh                bool // start a new history, moving an old one aside
}

func (o Options) flags() []string {
	var flags []string
	for _, one := range []struct {
		given bool
		flag  string
	}{
		{o.Fresh, "--fresh"},
		{o.AcceptPlanChange, "--accept-plan-change"},
		{o.AcceptManifestChange, "--accept-manifest-change"},
		{o.RetryStopped, "--retry-stopped"},
	} {
		if one.given {
			flags = append(flags, one.flag)
		}
	}
	return flags
}

// Console shows a worker's output while it runs. Writes to the two streams
// never overlap. They may drop bytes and say so with an error, which is noted
// in the transcript and never ends or delays a run.
type Console interface {
	Stdout() io.Writer
	Stderr() io.Writer
	EndAttempt()
}

// End says why an invocation ended in order.
type End int

// The ends of an invocation.
const (
	Complete End = iota // no phase is left
	Capped              // MaxPhases reached, phases are left
	Paused              // the binding says to pause after this phase, phases are left
	Stopped             // an attempt ended with another status than phase-complete
)

// Result is how an invocation ended. Outcome is of the last attempt and null
// when there was none.
type Result struct {
	End     End
	PlanDir string // absolute
	Outcome *record.Outcome
	Path    string // of the outcome, relative to PlanDir
}

// InterruptedError is the cause of a context that a signal ended.
type InterruptedError struct{ Signal os.Signal }

func (e *InterruptedError) Error() string {
	return fmt.Sprintf("interrupted by signal %q", e.Signal)
}

// Runner runs jobs, and records what a person decides. Clock is never nil, nor
// is Launcher where something runs.
type Runner struct {
	Launcher      *proc.Launcher
	Clock         func() time.Time
	Seam          fsx.Seam
	ProgressEvery time.Duration                        // between two progress events of a phase
	After         func(time.Duration) <-chan time.Time // for the delay of a retry; nil is time.After
}

// Run runs the remaining phases of a job. The error is a *Refusal when nothing
// was launched or nothing more may be, a *SystemError likewise, a *PrepareError
// or an *UnresolvedError when an attempt or its end could not be made durable, a
// *plan.Error, a *lock.HeldError, an error of the Source, in a *SourceError once
// something ran, or a *HaltedError when ctx ended while no worker ran.
func (r *Runner) Run(ctx context.Context, job Job) (Result, error) {
	v, err := r.begin(ctx, job)
	if err != nil {
		return Result{}, systemError(err, job.Again(job.Options.flags()...))
	}
	defer v.close()
	v.observe(record.Event{Kind: record.InvocationStarted})
	if v.retry && v.state.LastRun == nil && v.state.ActiveAttempt == nil {
		v.observe(record.Event{Kind: record.HistoryStarted, Message: "there is nothing to retry: this plan has no history, and one begins now"})
	}
	result, err := v.loop()
	if err != nil {
		err = systemError(err, v.again())
	}
	v.observe(record.Event{Kind: record.InvocationEnded, Message: endMessage(result, err)})
	return result, err
}

// endMessage says in one sentence why an invocation ended.
func endMessage(r Result, err error) string {
	switch {
	case err != nil:
		return err.Error()
	case r.End == Complete:
		return "all phases are complete"
	case r.End == Capped:
		return "the cap of phases is reached"
	case r.End == Paused:
		return "paused after " + r.Outcome.Phase.ID + ", as the manifest says"
	}
	return fmt.Sprintf("%s is stopped: %s", r.Outcome.Phase.ID, r.Outcome.Status)
}

// loop runs phases until none is left, one stops or is to be paused after, or
// the cap is reached.
func (v *invocation) loop() (Result, error) {
	var last Result
	for done := 0; ; done++ {
		next, found, err := v.choose()
		if err != nil {
			return last, err
		}
		if !found {
			return v.complete(last)
		}
		if end, ends := v.endsEarly(last, done); ends {
			last.End = end
			return last, nil
		}
		if last, err = v.runPhase(next, done > 0); err != nil || last.End == Stopped {
			return last, err
		}
	}
}

// endsEarly holds when the invocation ends though a phase is left.
func (v *invocation) endsEarly(last Result, done int) (End, bool) {
	switch {
	case last.Outcome != nil && v.job.Binding.For(last.Outcome.Phase.ID).PauseAfter:
		return Paused, true
	case v.job.Options.MaxPhases > 0 && done >= v.job.Options.MaxPhases:
		return Capped, true
	}
	return Complete, false
}

// complete reports that no phase is left, unless the plan says otherwise now.
func (v *invocation) complete(last Result) (Result, error) {
	if last.Outcome != nil {
		if err := v.checkSource(); err != nil {
			return last, err
		}
	}
	if err := v.saveAccepted(); err != nil {
		return last, err
	}
	last.End, last.PlanDir = Complete, v.planPath()
	return last, nil
}

// runPhase makes attempts of one phase until it is complete or its binding does
// not say to repeat it. again means that a phase ran before it in this
// invocation.
func (v *invocation) runPhase(p plan.Phase, again bool) (Result, error) {
	for made := 1; ; made++ {
		result, err := v.runOnce(p, again || made > 1)
		if err != nil || result.End != Stopped || !v.repeats(*result.Outcome, made) {
			return result, err
		}
		if err := v.waitToRepeat(p, *result.Outcome, made); err != nil {
			return result, err
		}
	}
}

// runOnce launches one attempt. again means that one ran before it in this
// invocation: plan and manifest are looked at again first.
func (v *invocation) runOnce(p plan.Phase, again bool) (Result, error) {
	if err := v.interrupted("between two phases"); err != nil {
		return Result{}, err
	}
	if again {
		if err := v.checkSource(); err != nil {
			return Result{}, err
		}
	}
	target, err := v.aim(p)
	if err != nil {
		return Result{}, err
	}
	defer target.close()
	outcome, path, err := v.attempt(target)
	if err != nil {
		return Result{}, err
	}
	result := Result{End: Stopped, PlanDir: v.planPath(), Outcome: &outcome, Path: path}
	if outcome.Status == record.PhaseComplete {
		result.End = Complete
	}
	return result, nil
}
