package state

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ai-session-handler/ai-session-handler/engine/binding"
	"github.com/ai-session-handler/ai-session-handler/engine/workspace"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

var (
	digest  = strings.Repeat("ab", 32)
	planned = record.AcceptedPlan{Path: "/ws/p.md", SHA256: digest, AcceptedAt: time.Unix(0, 0).UTC()}
	holder  = record.Invocation{PID: 7, StartTime: 8, BootID: "b"}
	process = record.Process{PID: 9, PGID: 9, BootID: "b", StartTime: 10}
)

func attempt(id, phase string) record.ActiveAttempt {
	return record.ActiveAttempt{
		ID: id, Phase: record.Phase{ID: phase, Title: "T"},
		Plan:          record.SourceDigest{Path: planned.Path, SHA256: planned.SHA256},
		BindingSHA256: digest, ExecutionWorkspace: "/ws", StartedAt: time.Unix(1, 0).UTC(),
		PromptPath: workspace.PromptFile(id), TranscriptPath: workspace.TranscriptFile(id),
		OutcomePath: workspace.OutcomeFile(id), Agent: "a", Argv: []string{"a"}, StopOn: []string{}, SecretEnv: []string{},
	}
}

func outcome(id, phase string, status record.Status) record.Outcome {
	return record.Outcome{AttemptID: id, Phase: record.Phase{ID: phase, Title: "T"}, Status: status, Summary: "words"}
}

// decided is an outcome that a person gave an attempt.
func decided(id, phase string, status record.Status) record.Outcome {
	o, note := outcome(id, phase, status), "it hung"
	o.Note = &note
	return o
}

func must(t interface{ Fatal(...any) }, s record.State, err error) record.State {
	if err != nil {
		t.Fatal(err)
	}
	if problems := Validate(s); len(problems) > 0 {
		t.Fatal(fmt.Sprint(problems))
	}
	return s
}

func running(t *testing.T) record.State {
	t.Helper()
	s := must(t, New(planned), nil)
	next, err := Prepare(s, attempt("a1", "phase-1"), holder)
	s = must(t, next, err)
	next, err = Start(s, process)
	return must(t, next, err)
}

func TestEveryStatusLeadsToItsState(t *testing.T) {
	for _, status := range record.Statuses() {
		next, err := Finish(running(t), outcome("a1", "phase-1", status), workspace.OutcomeFile("a1"))
		s := must(t, next, err)
		if s.ActiveAttempt != nil || s.LastRun.Status != status || len(s.CommittedOutcomes) != 1 {
			t.Errorf("%s: %+v", status, s)
		}
		done := slices.Equal(s.CompletedPhaseIDs, []string{"phase-1"})
		if done != (status == record.PhaseComplete) || done != (s.Stop == nil) {
			t.Errorf("%s: completed %v, stop %+v", status, s.CompletedPhaseIDs, s.Stop)
		}
		if s.Stop != nil && (s.Stop.ClarificationRequest != nil) != (status == record.NeedsClarification) {
			t.Errorf("%s: stop %+v", status, s.Stop)
		}
	}
}

func TestRefusedTransitionsChangeNothing(t *testing.T) {
	run := running(t)
	done := must(t, func() record.State {
		s, _ := Finish(run, outcome("a1", "phase-1", record.PhaseComplete), workspace.OutcomeFile("a1"))
		return s
	}(), nil)
	stopped, _ := Finish(run, outcome("a1", "phase-1", record.Blocked), workspace.OutcomeFile("a1"))
	for name, transition := range map[string]func() (record.State, error){
		"prepare over an unresolved attempt": func() (record.State, error) { return Prepare(run, attempt("a2", "phase-1"), holder) },
		"prepare a completed phase":          func() (record.State, error) { return Prepare(done, attempt("a2", "phase-1"), holder) },
		"prepare past a stop":                func() (record.State, error) { return Prepare(stopped, attempt("a2", "phase-2"), holder) },
		"start what is running":              func() (record.State, error) { return Start(run, process) },
		"start nothing":                      func() (record.State, error) { return Start(done, process) },
		"finish another attempt": func() (record.State, error) {
			return Finish(run, outcome("a2", "phase-1", record.Blocked), workspace.OutcomeFile("a2"))
		},
		"resolve as complete": func() (record.State, error) {
			return Resolve(run, decided("a1", "phase-1", record.PhaseComplete), workspace.AbandonedFile("a1"))
		},
		"resolve as blocked": func() (record.State, error) {
			return Resolve(run, decided("a1", "phase-1", record.Blocked), workspace.AbandonedFile("a1"))
		},
		"resolve without a note": func() (record.State, error) {
			return Resolve(run, outcome("a1", "phase-1", record.AgentFailed), workspace.AbandonedFile("a1"))
		},
		"resolve another attempt": func() (record.State, error) {
			return Resolve(run, decided("a2", "phase-1", record.AgentFailed), workspace.AbandonedFile("a2"))
		},
		"resolve what has ended": func() (record.State, error) {
			return Resolve(stopped, decided("a1", "phase-1", record.AgentFailed), workspace.AbandonedFile("a1"))
		},
		"abandon as complete": func() (record.State, error) {
			return Abandon(run, outcome("a1", "phase-1", record.PhaseComplete), workspace.AbandonedFile("a1"))
		},
	} {
		if _, err := transition(); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if diff := cmp.Diff(running(t), run); diff != "" {
		t.Errorf("a transition changed its argument:\n%s", diff)
	}
}

// TestResolveStopsThePhase has the note where a person looks, and nowhere a
// worker is told of.
func TestResolveStopsThePhase(t *testing.T) {
	for _, status := range []record.Status{record.AgentFailed, record.Interrupted} {
		s, err := Resolve(running(t), decided("a1", "phase-1", status), workspace.AbandonedFile("a1"))
		s = must(t, s, err)
		if s.ActiveAttempt != nil || s.Stop == nil || s.Stop.Reason != status || *s.Stop.Message != "words\nnote: it hung" {
			t.Errorf("%s: active %+v, stop %+v", status, s.ActiveAttempt, s.Stop)
		}
		if s.LastRun.Summary != "words" || s.LastRun.OutcomePath != workspace.AbandonedFile("a1") || len(s.CompletedPhaseIDs) > 0 {
			t.Errorf("%s: %+v", status, s.LastRun)
		}
		again, err := Prepare(s, attempt("a2", "phase-1"), holder)
		must(t, again, err)
	}
}

func TestAcceptPlanKeepsCompletedPhases(t *testing.T) {
	done, _ := Finish(running(t), outcome("a1", "phase-1", record.PhaseComplete), workspace.OutcomeFile("a1"))
	other := strings.Repeat("cd", 32)
	s, err := AcceptPlan(done, other, time.Unix(5, 0), []string{"phase-1", "phase-9"})
	if s = must(t, s, err); s.Plan.SHA256 != other {
		t.Error("not accepted")
	}
	_, err = AcceptPlan(done, other, time.Unix(5, 0), []string{"phase-2"})
	var missing *MissingPhasesError
	if !errors.As(err, &missing) || !slices.Equal(missing.IDs, []string{"phase-1"}) {
		t.Errorf("got %v", err)
	}
}

// manifestOf is an accepted manifest that differs by the agent.
func manifestOf(agent string) *record.AcceptedManifest {
	b := binding.Binding{Source: "p.md", Default: binding.Phase{Agent: agent}}
	return &record.AcceptedManifest{
		Sources: []record.SourceDigest{{Path: "ai-session-handler.hcl", SHA256: digest}},
		Binding: b.Record(), BindingSHA256: b.Digest(), AcceptedAt: time.Unix(3, 0).UTC(),
	}
}

func TestAcceptManifestChangesNothingElse(t *testing.T) {
	for _, before := range []record.State{New(planned), running(t)} {
		bound := must(t, AcceptManifest(before, manifestOf("a")), nil)
		if bound.Manifest.Binding.Default.Agent != "a" || before.Manifest != nil {
			t.Errorf("bound %+v, before %+v", bound.Manifest, before.Manifest)
		}
		if diff := cmp.Diff(before, must(t, AcceptManifest(bound, nil), nil)); diff != "" {
			t.Errorf("bound and unbound it is another:\n%s", diff)
		}
	}
}

func TestEachFaultOfAManifestIsNamed(t *testing.T) {
	for want, spoil := range map[string]func(*record.AcceptedManifest){
		"manifest.binding_sha256: not the digest of manifest.binding": func(m *record.AcceptedManifest) { m.Binding.Default.PauseAfter = true },
		"manifest.binding_sha256: not a SHA-256 in lowercase hex":     func(m *record.AcceptedManifest) { m.BindingSHA256 = strings.ToUpper(m.BindingSHA256) },
		"manifest.sources[0].path: not a relative path":               func(m *record.AcceptedManifest) { m.Sources[0].Path = "/ws/ai-session-handler.hcl" },
		"manifest.sources[1].path: not a relative path":               func(m *record.AcceptedManifest) { m.Sources = append(m.Sources, record.SourceDigest{SHA256: digest}) },
		"manifest.sources[0].sha256: not a SHA-256":                   func(m *record.AcceptedManifest) { m.Sources[0].SHA256 = "ab" },
	} {
		m := manifestOf("a")
		spoil(m)
		if got := (&InvalidError{Problems: Validate(AcceptManifest(New(planned), m))}).Error(); !strings.Contains(got, want) {
			t.Errorf("got %q, want %q in it", got, want)
		}
	}
}

func TestEachFaultOfAHistoryIsNamed(t *testing.T) {
	done := func() record.State {
		s, _ := Finish(running(t), outcome("a1", "phase-1", record.PhaseComplete), workspace.OutcomeFile("a1"))
		return s
	}
	for want, spoil := range map[string]func(*record.State){
		"completed_phase_ids[1]: empty or repeated":           func(s *record.State) { s.CompletedPhaseIDs = []string{"phase-1", "phase-1"} },
		"completed_phase_ids[0]: empty or repeated":           func(s *record.State) { s.CompletedPhaseIDs[0] = "" },
		"committed_outcomes[1].attempt_id: repeated":          func(s *record.State) { s.CommittedOutcomes = append(s.CommittedOutcomes, s.CommittedOutcomes[0]) },
		`committed_outcomes[0].status: unknown status "done"`: func(s *record.State) { s.CommittedOutcomes[0].Status = "done" },
		"committed_outcomes[0].path: not the outcome file":    func(s *record.State) { s.CommittedOutcomes[0].Path = "outcomes/a2.json" },
		"phase-2 has no committed phase-complete outcome":     func(s *record.State) { s.CompletedPhaseIDs = []string{"phase-1", "phase-2"} },
		"phase-1 has a phase-complete outcome and is missing": func(s *record.State) { s.CompletedPhaseIDs = []string{} },
		"current_phase: phase-1 is completed":                 func(s *record.State) { s.CurrentPhase = &record.Phase{ID: "phase-1"} },
	} {
		s := done()
		spoil(&s)
		if got := (&InvalidError{Problems: Validate(s)}).Error(); !strings.Contains(got, want) {
			t.Errorf("got %q, want %q in it", got, want)
		}
	}
}

// TestModel drives random sequences of runs, crashes, retries and stops against
// a model that knows only what a user must be able to rely on.
func TestModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &model{t: t, state: New(planned), phases: []string{"phase-1", "phase-2", "phase-3"}}
		t.Repeat(map[string]func(*rapid.T){
			"prepare": m.prepare, "start": m.start, "finish": m.finish, "abandon": m.abandon, "resolve": m.resolve, "bind": m.bind, "": m.check,
		})
	})
}

type model struct {
	t        *rapid.T
	state    record.State
	phases   []string
	attempts int
	ended    int
	active   string
	started  bool
	stopped  string
	done     []string
	agent    string // of the manifest, empty for none
}

func (m *model) bind(t *rapid.T) {
	m.agent = rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "agent")
	var accepted *record.AcceptedManifest
	if m.agent != "" {
		accepted = manifestOf(m.agent)
	}
	m.state = AcceptManifest(m.state, accepted)
}

func (m *model) prepare(t *rapid.T) {
	phase := rapid.SampledFrom(m.phases).Draw(t, "phase")
	m.attempts++
	id := fmt.Sprintf("a%d", m.attempts)
	s, err := Prepare(m.state, attempt(id, phase), holder)
	allowed := m.active == "" && !slices.Contains(m.done, phase) && (m.stopped == "" || m.stopped == phase)
	if allowed != (err == nil) {
		t.Fatalf("prepare %s: allowed %v, got %v", phase, allowed, err)
	}
	if allowed {
		m.state, m.active, m.started, m.stopped = s, id, false, ""
	}
}

func (m *model) start(t *rapid.T) {
	s, err := Start(m.state, process)
	allowed := m.active != "" && !m.started
	if allowed != (err == nil) {
		t.Fatalf("start: allowed %v, got %v", allowed, err)
	}
	if allowed {
		m.state, m.started = s, true
	}
}

func (m *model) finish(t *rapid.T) {
	status := rapid.SampledFrom(record.Statuses()).Draw(t, "status")
	m.end(t, outcome(m.active, m.activePhase(), status), Finish, workspace.OutcomeFile(m.active))
}

func (m *model) abandon(t *rapid.T) {
	m.end(t, outcome(m.active, m.activePhase(), record.Interrupted), Abandon, workspace.AbandonedFile(m.active))
}

func (m *model) resolve(t *rapid.T) {
	status := rapid.SampledFrom(record.Statuses()).Draw(t, "status")
	o, path := decided(m.active, m.activePhase(), status), workspace.AbandonedFile(m.active)
	if status == record.AgentFailed || status == record.Interrupted {
		m.end(t, o, Resolve, path)
		return
	}
	if _, err := Resolve(m.state, o, path); err == nil {
		t.Fatalf("resolved as %s", status)
	}
}

func (m *model) activePhase() string {
	if m.active == "" {
		return ""
	}
	return m.state.ActiveAttempt.Phase.ID
}

func (m *model) end(t *rapid.T, o record.Outcome, transition func(record.State, record.Outcome, string) (record.State, error), path string) {
	s, err := transition(m.state, o, path)
	if (m.active != "") != (err == nil) {
		t.Fatalf("end: active %q, got %v", m.active, err)
	}
	if m.active == "" {
		return
	}
	m.state, m.active, m.ended = s, "", m.ended+1
	if o.Status == record.PhaseComplete {
		m.done = append(m.done, o.Phase.ID)
	} else {
		m.stopped = o.Phase.ID
	}
}

func (m *model) check(t *rapid.T) {
	s := must(t, m.state, nil)
	if !slices.Equal(s.CompletedPhaseIDs, append([]string{}, m.done...)) {
		t.Fatalf("completed %v, want %v", s.CompletedPhaseIDs, m.done)
	}
	if (s.Stop != nil) != (m.stopped != "") || (s.ActiveAttempt != nil) != (m.active != "") {
		t.Fatalf("stop %+v, active %+v", s.Stop, s.ActiveAttempt)
	}
	if (s.Manifest == nil) != (m.agent == "") || s.Manifest != nil && s.Manifest.Binding.Default.Agent != m.agent {
		t.Fatalf("manifest %+v, want agent %q", s.Manifest, m.agent)
	}
	if len(s.CommittedOutcomes) != m.ended {
		t.Fatalf("%d outcomes, want %d", len(s.CommittedOutcomes), m.ended)
	}
	data, err := record.Encode(s)
	if err != nil {
		t.Fatal(err)
	}
	var back record.State
	if err := record.Decode(data, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(s, back); diff != "" {
		t.Fatalf("not the same after a round trip:\n%s", diff)
	}
}
