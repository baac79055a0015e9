package main

import (
	"strings"

	"github.com/ai-session-handler/ai-session-handler/engine/binding"
	"github.com/ai-session-handler/ai-session-handler/engine/plan"
	"github.com/ai-session-handler/ai-session-handler/engine/run"
)

// manifestFacts say what binds the plan, and whether it still means what was
// accepted.
type manifestFacts struct {
	Path           string   `json:"path"`            // empty where there is none
	Name           string   `json:"name"`            // of the block that binds the plan, empty where none does
	SHA256         string   `json:"binding_sha256"`  // as it is now, empty where nothing binds the plan
	AcceptedSHA256 string   `json:"accepted_sha256"` // empty where nothing bound it
	Changed        bool     `json:"changed"`         // for a phase that is left
	ChangedPhases  []string `json:"changed_phases"`
}

// readManifest compares what the manifest means now with what was accepted.
func (s *planStatus) readManifest(h *history, subject *subject, snapshot *plan.Snapshot) {
	m := &s.Manifest
	m.Path, m.ChangedPhases = subject.manifest.Path, []string{}
	accepted := h.state.Manifest
	if accepted != nil {
		m.AcceptedSHA256 = accepted.BindingSHA256
	}
	if s.untold = len(subject.broken) > 0 || subject.problems.HasErrors(); s.untold {
		return
	}
	bound := subject.bound()
	if bound != nil {
		m.Name, m.SHA256 = subject.block.Name, binding.Digest(bound.Binding)
	}
	if len(h.state.CommittedOutcomes) == 0 && h.state.ActiveAttempt == nil || snapshot == nil {
		return
	}
	switch change := run.CompareManifest(h.state, bound, snapshot.PhaseIDs()); {
	case change.Bound:
		m.Changed = true
		s.Problems = append(s.Problems, boundText(bound != nil)+"; run refuses until that is accepted with --accept-manifest-change")
	case len(change.Left) > 0:
		m.Changed, m.ChangedPhases = true, change.Left
		s.Problems = append(s.Problems, "the manifest changed for "+strings.Join(change.Left, ", ")+"; run refuses until it is accepted with --accept-manifest-change")
	}
}

// boundText tells a change between a plan that is bound and one that is not.
func boundText(now bool) string {
	if now {
		return "no manifest bound the plan when it ran last, and one does now"
	}
	return "a manifest bound the plan when it ran last, and none does now"
}

func (s *planStatus) manifestText() string {
	m := s.Manifest
	switch {
	case s.untold:
		return "what it says is unknown, see the problem above; accepted: " + orNone(m.AcceptedSHA256)
	case m.Name == "" && m.AcceptedSHA256 == "":
		return "none binds the plan"
	case m.Name == "":
		return "the accepted binding is " + m.AcceptedSHA256
	}
	text := m.Path + ", plan " + m.Name + ", binding " + m.SHA256
	switch {
	case m.AcceptedSHA256 == "":
		return text + " (not accepted yet)"
	case m.Changed:
		return text + " (accepted: " + m.AcceptedSHA256 + ")"
	case m.SHA256 != m.AcceptedSHA256:
		return text + " (accepted: " + m.AcceptedSHA256 + ", the same for all phases left)"
	}
	return text + " (as accepted)"
}
