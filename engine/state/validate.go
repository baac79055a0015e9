package state

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ai-session-handler/ai-session-handler/engine/binding"
	"github.com/ai-session-handler/ai-session-handler/engine/workspace"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// Validate returns every way in which a decoded state contradicts itself, as
// "key: what is wrong". A state made by the transitions has none.
func Validate(s record.State) []record.KeyProblem {
	v := &validator{state: s}
	v.plan()
	v.manifest()
	v.history()
	v.position()
	v.attempt()
	v.stop()
	v.lastRun()
	return v.problems
}

type validator struct {
	state    record.State
	problems []record.KeyProblem
}

func (v *validator) require(ok bool, key, format string, args ...any) {
	if !ok {
		v.report(key, format, args...)
	}
}

func (v *validator) report(key, format string, args ...any) {
	v.problems = append(v.problems, record.KeyProblem{Key: key, Message: fmt.Sprintf(format, args...)})
}

func (v *validator) plan() {
	v.require(filepath.IsAbs(v.state.Plan.Path), "plan.path", "not an absolute path")
	v.digest("plan.sha256", v.state.Plan.SHA256)
}

func (v *validator) manifest() {
	m := v.state.Manifest
	if m == nil {
		return
	}
	v.digest("manifest.binding_sha256", m.BindingSHA256)
	v.require(m.BindingSHA256 == binding.Digest(m.Binding), "manifest.binding_sha256", "not the digest of manifest.binding")
	for i, source := range m.Sources {
		key := fmt.Sprintf("manifest.sources[%d]", i)
		v.require(source.Path != "" && !filepath.IsAbs(source.Path), key+".path", "not a relative path")
		v.digest(key+".sha256", source.SHA256)
	}
}

func (v *validator) digest(key, value string) {
	v.require(len(value) == 64 && strings.Trim(value, "0123456789abcdef") == "", key, "not a SHA-256 in lowercase hex")
}

// history looks at every attempt there ever was, and a state is validated each
// time it is saved: what is in order must cost next to nothing here.
func (v *validator) history() {
	completed := v.completed()
	attempts := make(map[string]bool, len(v.state.CommittedOutcomes))
	done := make(map[string]bool, len(v.state.CompletedPhaseIDs))
	for i, c := range v.state.CommittedOutcomes {
		if attempts[c.AttemptID] || !c.Status.Valid() || !isOutcomePath(c.Path, c.AttemptID) {
			v.committed(fmt.Sprintf("committed_outcomes[%d]", i), c, attempts[c.AttemptID])
		}
		attempts[c.AttemptID] = true
		if c.Status == record.PhaseComplete {
			done[c.PhaseID] = true
		}
	}
	for id := range completed {
		if !done[id] {
			v.report("completed_phase_ids", "%s has no committed phase-complete outcome", id)
		}
	}
	for id := range done {
		if !completed[id] {
			v.report("completed_phase_ids", "%s has a phase-complete outcome and is missing", id)
		}
	}
}

func (v *validator) completed() map[string]bool {
	ids := make(map[string]bool, len(v.state.CompletedPhaseIDs))
	for i, id := range v.state.CompletedPhaseIDs {
		if id == "" || ids[id] {
			v.report(fmt.Sprintf("completed_phase_ids[%d]", i), "empty or repeated")
		}
		ids[id] = true
	}
	return ids
}

// committed reports what is wrong with one link.
func (v *validator) committed(key string, c record.CommittedOutcome, repeated bool) {
	v.require(!repeated, key+".attempt_id", "repeated")
	v.require(c.Status.Valid(), key+".status", "unknown status %q", c.Status)
	v.require(isOutcomePath(c.Path, c.AttemptID), key+".path", "not the outcome file of this attempt")
}

func isOutcomePath(path, attempt string) bool {
	if !plainID(attempt) {
		return false
	}
	return path == workspace.OutcomeFile(attempt) || path == workspace.AbandonedFile(attempt)
}

// plainID holds for an id that stays inside its directory as a file name.
func plainID(id string) bool {
	return id != "" && !strings.ContainsAny(id, "/\x00") && !strings.HasPrefix(id, ".")
}

func (v *validator) position() {
	s := v.state
	v.require(s.ActiveAttempt == nil || s.Stop == nil, "stop", "set beside an active attempt")
	switch {
	case s.ActiveAttempt != nil:
		v.require(s.CurrentPhase != nil && *s.CurrentPhase == s.ActiveAttempt.Phase, "current_phase", "not the phase of the active attempt")
	case s.Stop != nil:
		v.require(s.CurrentPhase != nil && s.CurrentPhase.ID == s.Stop.PhaseID, "current_phase", "not the stopped phase")
	default:
		v.require(s.CurrentPhase == nil, "current_phase", "set with no attempt and no stop")
	}
	if s.CurrentPhase != nil && slices.Contains(s.CompletedPhaseIDs, s.CurrentPhase.ID) {
		v.report("current_phase", "%s is completed", s.CurrentPhase.ID)
	}
}

func (v *validator) attempt() {
	a := v.state.ActiveAttempt
	if a == nil {
		return
	}
	v.require(plainID(a.ID), "active_attempt.id", "not an attempt id")
	v.require(a.Status == record.Prepared || a.Status == record.Running, "active_attempt.status", "unknown status %q", a.Status)
	v.require((a.Process != nil) == (a.Status == record.Running), "active_attempt.process", "must be there exactly while running")
	v.require(a.Plan.Path == v.state.Plan.Path && a.Plan.SHA256 == v.state.Plan.SHA256, "active_attempt.plan", "not the accepted plan")
	v.digest("active_attempt.binding_sha256", a.BindingSHA256)
	v.require(a.PromptPath == workspace.PromptFile(a.ID), "active_attempt.prompt_path", "not the prompt of this attempt")
	v.require(a.TranscriptPath == workspace.TranscriptFile(a.ID), "active_attempt.transcript_path", "not the transcript of this attempt")
	v.require(a.OutcomePath == workspace.OutcomeFile(a.ID), "active_attempt.outcome_path", "not the outcome of this attempt")
	v.require(filepath.IsAbs(a.ExecutionWorkspace), "active_attempt.execution_workspace", "not an absolute path")
	for _, c := range v.state.CommittedOutcomes {
		v.require(c.AttemptID != a.ID, "active_attempt.id", "already has a committed outcome")
	}
}

func (v *validator) stop() {
	stop := v.state.Stop
	if stop == nil {
		return
	}
	v.require(stop.Reason.Valid() && stop.Reason != record.PhaseComplete, "stop.reason", "not a reason to stop: %q", stop.Reason)
	asks := stop.Reason == record.NeedsClarification
	v.require((stop.ClarificationRequest != nil) == asks, "stop.clarification_request", "must be there exactly for needs-clarification")
	v.require((stop.Message == nil) == asks, "stop.message", "must be there for every reason but needs-clarification")
	last := v.state.LastRun
	v.require(last != nil && last.AttemptID == stop.AttemptID, "stop.attempt_id", "not the last attempt")
}

func (v *validator) lastRun() {
	outcomes, last := v.state.CommittedOutcomes, v.state.LastRun
	if last == nil || len(outcomes) == 0 {
		v.require(last == nil && len(outcomes) == 0, "last_run", "must be there exactly when an outcome is committed")
		return
	}
	c := outcomes[len(outcomes)-1]
	same := c.AttemptID == last.AttemptID && c.PhaseID == last.PhaseID && c.Status == last.Status && c.Path == last.OutcomePath
	v.require(same, "last_run", "not the latest committed outcome")
	v.require(last.PromptPath == workspace.PromptFile(last.AttemptID), "last_run.prompt_path", "not the prompt of this attempt")
	v.require(last.TranscriptPath == workspace.TranscriptFile(last.AttemptID), "last_run.transcript_path", "not the transcript of this attempt")
}
