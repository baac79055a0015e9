package run

import (
	"errors"
	"fmt"

	"github.com/ai-session-handler/ai-session-handler/engine/state"
)

// readSources reads plan and manifest under the lock.
func (v *invocation) readSources() error {
	sources, err := v.job.Source.Current(v.ctx)
	if err != nil {
		return err
	}
	v.snapshot = sources.Plan
	if err := v.checkResolved(sources.Manifest); err != nil {
		return err
	}
	v.job.Manifest = sources.Manifest // the same meaning, perhaps other bytes
	return v.refuseSecretSources()
}

func (v *invocation) acceptPlan() error {
	sha := v.snapshot.SHA256
	if v.state.Plan.SHA256 == sha {
		return nil
	}
	if !v.job.Options.AcceptPlanChange {
		return v.refuseChangedPlan(v.snapshot)
	}
	next, err := state.AcceptPlan(v.state, sha, v.now(), v.snapshot.PhaseIDs())
	var missing *state.MissingPhasesError
	if errors.As(err, &missing) {
		return v.refuseMissingPhases(missing, v.snapshot)
	}
	v.accepted = fmt.Sprintf("the changed plan is accepted: %.12s is now %.12s", v.state.Plan.SHA256, sha)
	v.changed = v.changes(v.snapshot)
	v.state = next
	return err
}

// checkSource refuses to go on when the plan is not what it was at the start, or
// the manifest means something else for the phases left.
func (v *invocation) checkSource() error {
	current, err := v.job.Source.Current(v.ctx)
	if err != nil {
		return v.sourceError(err)
	}
	if current.Plan.SHA256 != v.snapshot.SHA256 {
		return v.refuseChangedPlan(current.Plan)
	}
	return v.takeManifest(current.Manifest, false)
}

// SourceError means that plan or manifest can't be used as they are now, which
// they could when the invocation began. Nothing more was launched.
type SourceError struct {
	Err   error  // of the Source
	Again string // the command that goes on
}

func (e *SourceError) Error() string {
	return fmt.Sprintf("%v\nnothing more was run\n  next: correct that, then: %s", e.Err, e.Again)
}

func (e *SourceError) Unwrap() error { return e.Err }

// sourceError leaves an error of the operating system for [systemError].
func (v *invocation) sourceError(err error) error {
	if IsBare(err) {
		return err
	}
	return &SourceError{err, v.again()}
}

// saveAccepted makes durable what was accepted and no attempt carried to disk.
func (v *invocation) saveAccepted() error {
	if v.accepted == "" && v.manifest == nil {
		return nil
	}
	v.events.in(v.dir)
	err := v.keepSnapshot()
	if err == nil {
		err = v.save(v.state)
	}
	if err != nil {
		return v.unprepared(err)
	}
	return nil
}
