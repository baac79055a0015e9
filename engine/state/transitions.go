// Package state owns what a plan's state may become, and how it is kept.
//
//	idle ─Prepare─► prepared ─Start─► running ─Finish─► idle or stopped
//	prepared or running, handler gone ─Abandon─► stopped (interrupted)
//	prepared or running, handler gone ─Resolve─► stopped (agent-failed or interrupted)
//
// The transitions are pure functions over record.State: they never touch the
// disk, the clock or a process. [Store] keeps their results. See
// docs/state-and-recovery.md.
package state

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// New is the state of a plan of which nothing has run and that no manifest binds.
func New(plan record.AcceptedPlan) record.State {
	return record.State{
		Format:            record.StateFormat,
		Plan:              plan,
		CompletedPhaseIDs: []string{},
		CommittedOutcomes: []record.CommittedOutcome{},
	}
}

// AcceptPlan makes other bytes of the same plan the accepted ones. phaseIDs are
// those of the new plan; completed phases must all be among them. The error is
// a *MissingPhasesError.
func AcceptPlan(s record.State, sha256 string, at time.Time, phaseIDs []string) (record.State, error) {
	var missing []string
	for _, id := range s.CompletedPhaseIDs {
		if !slices.Contains(phaseIDs, id) {
			missing = append(missing, id)
		}
	}
	if len(missing) > 0 {
		return s, &MissingPhasesError{missing}
	}
	s.Plan.SHA256, s.Plan.AcceptedAt = sha256, at
	return s, nil
}

// MissingPhasesError means that completed phases are not in a changed plan.
type MissingPhasesError struct{ IDs []string }

func (e *MissingPhasesError) Error() string {
	return "completed phases are not in it any more: " + strings.Join(e.IDs, ", ")
}

// AcceptManifest makes m the manifest's meaning that the plan is run with; null
// where no manifest binds it.
func AcceptManifest(s record.State, m *record.AcceptedManifest) record.State {
	s.Manifest = m
	return s
}

// Prepare puts an attempt in place before anything of it may happen. It clears
// a stop, which the caller has been told to retry, and refuses to replace an
// attempt whose end is unknown.
func Prepare(s record.State, a record.ActiveAttempt, by record.Invocation) (record.State, error) {
	switch {
	case s.ActiveAttempt != nil:
		return s, fmt.Errorf("attempt %s is unresolved", s.ActiveAttempt.ID)
	case slices.Contains(s.CompletedPhaseIDs, a.Phase.ID):
		return s, fmt.Errorf("%s is completed", a.Phase.ID)
	case s.Stop != nil && s.Stop.PhaseID != a.Phase.ID:
		return s, fmt.Errorf("%s is stopped, not %s", s.Stop.PhaseID, a.Phase.ID)
	}
	a.Status, a.Process = record.Prepared, nil
	phase := a.Phase
	s.ActiveAttempt, s.CurrentPhase, s.Invocation, s.Stop = &a, &phase, &by, nil
	return s, nil
}

// Start records the identity of the worker, which is still held.
func Start(s record.State, p record.Process) (record.State, error) {
	if s.ActiveAttempt == nil || s.ActiveAttempt.Status != record.Prepared {
		return s, fmt.Errorf("no attempt is prepared")
	}
	a := *s.ActiveAttempt
	a.Status, a.Process = record.Running, &p
	s.ActiveAttempt = &a
	return s, nil
}

// Finish resolves the active attempt by its outcome, which lies durable at
// path. Only phase-complete advances the plan; everything else stops it.
func Finish(s record.State, o record.Outcome, path string) (record.State, error) {
	if s.ActiveAttempt == nil || s.ActiveAttempt.ID != o.AttemptID {
		return s, fmt.Errorf("attempt %s is not active", o.AttemptID)
	}
	return settle(s, o, path), nil
}

// Abandon resolves an attempt whose end nobody saw. Its outcome says so and
// lies durable at path; its result stays unknown.
func Abandon(s record.State, o record.Outcome, path string) (record.State, error) {
	if o.Status != record.Interrupted {
		return s, fmt.Errorf("an abandoned attempt is interrupted, not %s", o.Status)
	}
	return Finish(s, o, path)
}

// Resolve records what a person decided about an attempt whose end nobody saw:
// that it failed, or was interrupted, since only a run completes a phase. Its
// outcome carries the person's note and lies durable at path.
func Resolve(s record.State, o record.Outcome, path string) (record.State, error) {
	switch {
	case o.Status != record.AgentFailed && o.Status != record.Interrupted:
		return s, fmt.Errorf("a person can decide that an attempt failed or was interrupted, not that it is %s", o.Status)
	case o.Note == nil:
		return s, fmt.Errorf("a decision about attempt %s needs a note", o.AttemptID)
	}
	return Finish(s, o, path)
}

func settle(s record.State, o record.Outcome, path string) record.State {
	a := s.ActiveAttempt
	s.CommittedOutcomes = append(slices.Clone(s.CommittedOutcomes), record.CommittedOutcome{
		AttemptID: o.AttemptID, PhaseID: o.Phase.ID, Status: o.Status, Path: path,
	})
	s.LastRun = &record.LastRun{
		AttemptID: o.AttemptID, PhaseID: o.Phase.ID, Status: o.Status,
		StartedAt: o.StartedAt, FinishedAt: o.FinishedAt,
		ExecutionWorkspace: o.ExecutionWorkspace,
		PromptPath:         a.PromptPath, TranscriptPath: a.TranscriptPath,
		OutcomePath: path, Summary: o.Summary,
	}
	s.ActiveAttempt = nil
	if o.Status == record.PhaseComplete {
		s.CompletedPhaseIDs = append(slices.Clone(s.CompletedPhaseIDs), o.Phase.ID)
		s.CurrentPhase = nil
		return s
	}
	s.Stop = stopOf(o)
	return s
}

func stopOf(o record.Outcome) *record.Stop {
	stop := &record.Stop{Reason: o.Status, PhaseID: o.Phase.ID, AttemptID: o.AttemptID}
	text := o.Summary
	if o.Note != nil {
		text += "\nnote: " + *o.Note
	}
	if o.Status == record.NeedsClarification {
		stop.ClarificationRequest = &text
	} else {
		stop.Message = &text
	}
	return stop
}
