package main

import (
	"errors"
	"path/filepath"
	"slices"
	"time"

	"github.com/kballard/go-shellquote"

	"github.com/ai-session-handler/ai-session-handler/engine/plan"
	"github.com/ai-session-handler/ai-session-handler/engine/proc"
	"github.com/ai-session-handler/ai-session-handler/engine/run"
	"github.com/ai-session-handler/ai-session-handler/engine/state"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

type statusCmd struct {
	readFlags
	planFlags
}

// Help is the long help of the command.
func (*statusCmd) Help() string {
	return `Reads the durable state and nothing else: it takes no lock, changes nothing, and works
during a run. A plan, manifest or configuration that is broken, changed or gone is
reported beside the state, never instead of it. Without a name and --plan it lists
every plan and pipeline of the manifest, and the other plans that have a history.

EXIT STATUS
  0    the state was reported
  5    the state itself can't be read`
}

// statusFormat is the format word of status as JSON.
const statusFormat = "ai-session-handler/status/1"

// The words for where a plan stands.
const (
	standsNew       = "new"        // nothing has run
	standsIdle      = "idle"       // phases are left, the next may run
	standsComplete  = "complete"   // no phase is left
	standsStopped   = "stopped"    // a person must act
	standsRunning   = "running"    // a handler is at work
	standsAbandoned = "unresolved" // an attempt's handler is gone
	standsUnknown   = "unknown"    // whether its handler lives can't be seen
	standsOffPlan   = "unreadable" // the plan can't be read, and nothing else says more
)

// planStatus is what status knows.
type planStatus struct {
	Format        string        `json:"format"`
	Stands        string        `json:"stands"`
	Plan          planFacts     `json:"plan"`
	PlanWorkspace string        `json:"plan_workspace"`
	StatePath     string        `json:"state_path"`
	StateExists   bool          `json:"state_exists"`
	Manifest      manifestFacts `json:"manifest"`
	Problems      []string      `json:"problems"` // of plan, manifest, configuration and workspace
	NextPhase     *record.Phase `json:"next_phase"`
	NextWorkspace string        `json:"next_execution_workspace"`
	Phases        []phaseStatus `json:"phases"`
	Handler       *handlerFacts `json:"handler"`
	Active        *activeStatus `json:"active_attempt"`
	Stop          *record.Stop  `json:"stop"`
	Transcript    string        `json:"latest_transcript"`
	Outcome       string        `json:"latest_committed_outcome"`
	GoOn          string        `json:"go_on"` // the command that goes on, empty when there is none
	command       []string      // that goes on with the plan
	untold        bool          // what the manifest says can't be told: a problem says why
	refused       bool          // run would refuse, whatever its flags: a problem says why
}

type planFacts struct {
	Path           string `json:"path"`
	SHA256         string `json:"sha256"` // as it is now, empty when it can't be read
	AcceptedSHA256 string `json:"accepted_sha256"`
	Changed        bool   `json:"changed"`
}

type phaseStatus struct {
	ID       string        `json:"id"`
	Title    string        `json:"title"`
	Status   string        `json:"status"` // of the last attempt; "pending" without one, "active" in progress
	Attempts int           `json:"attempts"`
	Last     string        `json:"last_attempt"`
	InPlan   *bool         `json:"in_plan"` // null when the plan can't be read
	status   record.Status // of the last attempt
}

type handlerFacts struct {
	PID   int    `json:"pid"`
	Alive string `json:"alive"` // "yes", "no" or "unknown"
}

type activeStatus struct {
	record.ActiveAttempt
	Worker    string            `json:"worker"`    // in words
	End       *record.Exit      `json:"exit"`      // what its supervisor wrote down
	Remaining []record.Leftover `json:"remaining"` // processes that carry its id
	ElapsedMS int64             `json:"elapsed_ms"`
}

// Run runs the command.
func (c *statusCmd) Run(a *app) error {
	if !c.given() {
		return statusOfAll(a)
	}
	subject, err := c.subject(a.reading())
	if err != nil {
		return err
	}
	h, err := openHistory(subject.plan.Path)
	if err != nil {
		return err
	}
	defer h.close()
	s := gather(a, h, subject)
	if a.json {
		return a.JSON(s)
	}
	a.Result(s.text())
	return nil
}

func gather(a *app, h *history, subject *subject) *planStatus {
	s := &planStatus{
		Format: statusFormat, PlanWorkspace: h.plan.Root, StatePath: h.plan.StatePath(), StateExists: h.found,
		Plan: planFacts{Path: h.plan.Path}, Problems: []string{}, Phases: []phaseStatus{},
	}
	snapshot := s.readSources(a, h, subject)
	s.readManifest(h, subject, snapshot)
	if h.found {
		s.readState(h, snapshot)
	}
	s.addPhases(snapshot, h.state)
	s.place(h, snapshot)
	return s
}

// readSources reads the plan; what is wrong with it, the manifest and the
// configuration is a problem, not an error.
func (s *planStatus) readSources(a *app, h *history, subject *subject) *plan.Snapshot {
	for _, err := range subject.broken {
		s.refuse(err.Error())
	}
	if text := subject.brokenManifest(); text != "" {
		s.refuse(text)
	}
	if subject.plan.Root != subject.root {
		s.refuse("the plan belongs to another plan workspace, " + subject.plan.Root + ", and can't be run by this manifest")
	}
	var err error
	if s.command, err = subject.runCommand(a, h); err != nil {
		s.Problems = append(s.Problems, "under which limits, stop rules and masks the latest attempt ran can't be read, so the command to go on lacks them: "+err.Error())
	}
	outer, err := h.plan.OuterRoots()
	if err != nil {
		s.refuse(err.Error())
	}
	for _, root := range outer {
		s.refuse("a history of this plan lies in an outer plan workspace: " + root)
	}
	snapshot, err := plan.Read(h.plan.Path)
	if err != nil {
		s.refuse(err.Error())
		return nil
	}
	s.Plan.SHA256 = snapshot.SHA256
	s.checkMoved(h, snapshot)
	return snapshot
}

// checkMoved says so where run would ask whether the plan was moved.
func (s *planStatus) checkMoved(h *history, snapshot *plan.Snapshot) {
	if h.found || h.handler == nil {
		return
	}
	moved, err := run.MovedFrom(h.handler, h.plan, snapshot)
	if err != nil {
		s.refuse(err.Error())
	}
	for _, old := range moved {
		s.refuse("this plan has no history, but that of a plan that is gone lies beside it: " + old + "; run says what can be done")
	}
}

// again is the command that goes on with the plan.
func (s *planStatus) again(flags ...string) string {
	return shellquote.Join(append(slices.Clone(s.command), flags...)...)
}

func (s *planStatus) refuse(why string) { s.Problems, s.refused = append(s.Problems, why), true }

func (s *planStatus) readState(h *history, snapshot *plan.Snapshot) {
	st := h.state
	s.Plan.AcceptedSHA256 = st.Plan.SHA256
	s.Plan.Changed = snapshot != nil && s.Plan.SHA256 != st.Plan.SHA256
	if s.Plan.Changed {
		s.checkChange(h, snapshot)
	}
	if st.Plan.Path != h.plan.Path {
		s.refuse("the state belongs to a plan at another path: " + st.Plan.Path)
	}
	s.Stop = st.Stop
	if i := st.Invocation; i != nil {
		s.Handler = &handlerFacts{i.PID, aliveWord(proc.InvocationAlive(*i))}
	}
	if last := st.LastRun; last != nil {
		s.Transcript, s.Outcome = h.path(last.TranscriptPath), h.path(last.OutcomePath)
	}
	if st.ActiveAttempt != nil {
		active, err := activeOf(h, *st.ActiveAttempt)
		if err != nil {
			s.Problems = append(s.Problems, err.Error())
		}
		s.Active = active
		s.Transcript = h.path(st.ActiveAttempt.TranscriptPath)
	}
}

// checkChange says what can be done about a plan that changed.
func (s *planStatus) checkChange(h *history, snapshot *plan.Snapshot) {
	if _, err := state.AcceptPlan(h.state, snapshot.SHA256, time.Now(), snapshot.PhaseIDs()); err != nil {
		s.refuse("the plan changed and can't be accepted: " + err.Error() + "; put them back, or start a new history: " + s.again("--fresh"))
		return
	}
	s.Problems = append(s.Problems, "the plan changed since it was accepted; run refuses until it is accepted with --accept-plan-change")
}

func aliveWord(l proc.Liveness) string {
	return map[proc.LivenessState]string{proc.Alive: "yes", proc.Dead: "no", proc.Unknown: "unknown"}[l.State]
}

// activeOf tells what is known about the active attempt. With an error it is not
// all.
func activeOf(h *history, a record.ActiveAttempt) (*activeStatus, error) {
	remaining, remainingErr := proc.Remaining(a.ID)
	s := &activeStatus{
		ActiveAttempt: a, Worker: run.DescribeWorker(a), Remaining: append([]record.Leftover{}, remaining...),
		ElapsedMS: time.Since(a.StartedAt).Milliseconds(),
	}
	exit, found, exitErr := h.store.ReadExit(a.ID)
	if exitErr == nil && found {
		s.End = &exit
	}
	return s, errors.Join(remainingErr, exitErr)
}

// addPhases lists the plan's phases, then those that only the state knows.
func (s *planStatus) addPhases(snapshot *plan.Snapshot, st record.State) {
	at := map[string]int{}
	add := func(id, title string, inPlan bool) int {
		i, known := at[id]
		if !known {
			i = len(s.Phases)
			at[id] = i
			s.Phases = append(s.Phases, phaseStatus{ID: id, Title: title, Status: "pending"})
			if snapshot != nil {
				s.Phases[i].InPlan = &inPlan
			}
		}
		return i
	}
	if snapshot != nil {
		for _, p := range snapshot.Phases {
			add(p.ID, p.Title, true)
		}
	}
	for _, c := range st.CommittedOutcomes {
		p := &s.Phases[add(c.PhaseID, "", false)]
		p.Attempts, p.Last, p.Status, p.status = p.Attempts+1, c.AttemptID, string(c.Status), c.Status
	}
	if a := st.ActiveAttempt; a != nil {
		p := &s.Phases[add(a.Phase.ID, a.Phase.Title, false)]
		p.Attempts, p.Last, p.Status = p.Attempts+1, a.ID, "active"
	}
}

// place decides where the plan stands and how to go on.
func (s *planStatus) place(h *history, snapshot *plan.Snapshot) {
	st := h.state
	s.findNext(h, snapshot)
	handlerAlive := s.Handler != nil && s.Handler.Alive == "yes"
	switch {
	case handlerAlive && s.NextPhase != nil: // a stopped phase may be about to be run again
		s.Stands = standsRunning
	case st.ActiveAttempt != nil && s.Handler != nil && s.Handler.Alive == "unknown":
		s.Stands, s.GoOn = standsUnknown, s.again("--retry-stopped")
	case st.ActiveAttempt != nil:
		s.Stands, s.GoOn = standsAbandoned, s.again("--retry-stopped")
	case st.Stop != nil:
		s.Stands, s.GoOn = standsStopped, s.again("--retry-stopped")
	case snapshot == nil:
		s.Stands = standsOffPlan
	case s.NextPhase == nil:
		s.Stands = standsComplete
	case len(st.CommittedOutcomes) == 0:
		s.Stands, s.GoOn = standsNew, s.again()
	default:
		s.Stands, s.GoOn = standsIdle, s.again()
	}
	switch {
	case s.refused:
		s.GoOn = ""
	case s.GoOn != "":
		s.GoOn += s.acceptFlags()
	}
}

// acceptFlags are what run asks for before it goes on.
func (s *planStatus) acceptFlags() (flags string) {
	if s.Plan.Changed {
		flags += " --accept-plan-change"
	}
	if s.Manifest.Changed {
		flags += " --accept-manifest-change"
	}
	return flags
}

func (s *planStatus) findNext(h *history, snapshot *plan.Snapshot) {
	if current := h.state.CurrentPhase; current != nil {
		s.NextPhase = current
	}
	if snapshot == nil {
		return
	}
	if s.NextPhase != nil {
		if _, ok := snapshot.Phase(s.NextPhase.ID); !ok {
			s.refuse(s.NextPhase.ID + " is not in the plan any more; put it back, or start a new history: " + s.again("--fresh"))
		}
	}
	for _, p := range snapshot.Phases {
		if s.NextPhase == nil && !slices.Contains(h.state.CompletedPhaseIDs, p.ID) {
			s.NextPhase = &record.Phase{ID: p.ID, Title: p.Title}
		}
		if s.NextPhase != nil && s.NextPhase.ID == p.ID {
			s.setWorkspace(h, p)
		}
	}
}

func (s *planStatus) setWorkspace(h *history, p plan.Phase) {
	dir, err := h.plan.Execution(p.ID, p.Workspace)
	if err != nil {
		s.refuse(err.Error())
		dir = filepath.Join(h.plan.Root, p.Workspace)
	}
	if a := h.state.ActiveAttempt; a != nil && err == nil && dir != a.ExecutionWorkspace {
		s.refuse("the unresolved attempt ran in " + a.ExecutionWorkspace + ", but " + p.ID + " now declares " + dir + "; restore its ### Workspace section")
	}
	s.NextWorkspace = dir
}
