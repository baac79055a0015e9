package run_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/ai-session-handler/ai-session-handler/engine/enginetest"
	"github.com/ai-session-handler/ai-session-handler/engine/fsx"
	"github.com/ai-session-handler/ai-session-handler/engine/lock"
	"github.com/ai-session-handler/ai-session-handler/engine/run"
	"github.com/ai-session-handler/ai-session-handler/engine/workspace"
)

// episode is one invocation of the handler in the life of a plan.
type episode struct {
	Name    string
	Edit    string // added to the plan before
	Options run.Options
	Timeout int      // in seconds, of a manifest that binds the plan; 0: none does
	Comment string   // in that manifest
	Agent   []string // what the agent does
	Program string   // the agent, where it is not the fake one
	Resolve bool     // instead of a run, a person decides about the unresolved attempt
	Fault   fault
	Want    string // how the invocation ends
}

// fault strikes once: at the first point that matches At behind the nth that
// matches Behind. Both are regular expressions; no At is no fault.
type fault struct {
	Behind string
	Nth    int
	At     string
	Kill   bool // or else the operation fails with EIO
}

func (f fault) seam() fsx.Seam {
	behind, at, left := regexp.MustCompile(f.Behind), regexp.MustCompile(f.At), f.Nth
	struck := f.At == ""
	return func(p fsx.Point) error {
		if left > 0 && behind.MatchString(p.String()) {
			left--
		}
		if struck || left > 0 || !at.MatchString(p.String()) {
			return nil
		}
		struck = true
		if f.Kill {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {} // the signal is on its way
		}
		return syscall.EIO
	}
}

// unsynced fails to make the nth replacement of the state durable.
func unsynced(n int) fault {
	return fault{Behind: "^after rename state.json$", Nth: n, At: "^before syncdir [.]$"}
}

// killedUnsynced is the same with a handler that is killed.
func killedUnsynced(n int) fault {
	f := unsynced(n)
	f.Kill = true
	return f
}

// life is the scenario: what happens to a plan of three phases, with every
// transition of the state, and with crashes at the moments at which what is
// visible to the next invocation is not yet durable.
var life = []episode{
	{
		Name:  "killed with directories made and not synced",
		Fault: fault{At: "^after mkdir plans/.*/outcomes$", Kill: true}, Want: killed,
	},
	{
		Name:  "killed with the snapshot in place and its directory not synced",
		Fault: fault{At: "^after rename snapshots/", Kill: true}, Want: killed,
	},
	{
		Name:  "the first attempt can't be prepared",
		Fault: unsynced(1), Want: unprepared,
	},
	{
		Name:    "a phase that completes",
		Options: run.Options{MaxPhases: 1},
		Agent:   []string{"out=one\\n", "err=two\\n", "complete=done"}, Want: capped,
	},
	{Name: "a blocked phase", Agent: []string{"blocked=no"}, Want: stopped},
	{Name: "no retry", Want: refused},
	{
		Name:    "a program that does not exist",
		Options: run.Options{RetryStopped: true}, Program: "/nowhere/agent", Want: stopped,
	},
	{
		Name:    "an identity that can't be recorded",
		Options: run.Options{RetryStopped: true},
		Fault:   unsynced(2), Want: stopped,
	},
	{
		Name: "a changed plan, and an outcome that can't be written",
		Edit: "more\n", Options: run.Options{RetryStopped: true, AcceptPlanChange: true},
		Agent: []string{"complete=done"},
		Fault: fault{At: "^before create outcomes/"}, Want: unresolved,
	},
	{Name: "no retry of an unresolved attempt", Want: refused},
	{Name: "a decision", Resolve: true, Want: stopped},
	{
		Name: "another outcome that can't be written", Options: run.Options{RetryStopped: true},
		Agent: []string{"complete=done"},
		Fault: fault{At: "^before create outcomes/"}, Want: unresolved,
	},
	{
		Name:    "an abandoned attempt, a phase that completes, and a worker whose handler is killed",
		Options: run.Options{RetryStopped: true}, Agent: []string{"phase-3:forever", "complete=done"},
		Fault: fault{Behind: "^after release worker$", Nth: 2, At: ".", Kill: true}, Want: killed,
	},
	{
		Name:    "killed with the last phase completed in a state that is not durable",
		Options: run.Options{RetryStopped: true}, Agent: []string{"complete=done"},
		Fault: killedUnsynced(3), Want: killed,
	},
	{Name: "nothing left", Want: complete},
	{Name: "a plan that came to be bound", Timeout: 60, Want: refused},
	{Name: "an accepted manifest with nothing left", Timeout: 60, Options: run.Options{AcceptManifestChange: true}, Want: complete},
	{Name: "a manifest with another text", Timeout: 60, Comment: "# more", Want: complete},
	{Name: "no manifest any more", Options: run.Options{AcceptManifestChange: true}, Want: complete},
	{Name: "a changed plan with nothing left", Edit: "still more\n", Options: run.Options{AcceptPlanChange: true}, Want: complete},
	{
		Name: "killed with the history moved aside and its directory not synced", Options: run.Options{Fresh: true},
		Fault: fault{At: "^after rename plans/", Kill: true}, Want: killed,
	},
	{Name: "a new history", Agent: []string{"clarify=what"}, Timeout: 60, Want: stopped},
	{
		Name: "a changed manifest, and an attempt that can't be prepared", Agent: []string{"complete=done"}, Timeout: 70,
		Options: run.Options{RetryStopped: true, AcceptManifestChange: true}, Fault: unsynced(1), Want: unprepared,
	},
	{
		Name: "a changed manifest, and an outcome that can't be written", Agent: []string{"complete=done"}, Timeout: 70,
		Options: run.Options{RetryStopped: true, AcceptManifestChange: true},
		Fault:   fault{At: "^before create outcomes/"}, Want: unresolved,
	},
	{Name: "another new history", Options: run.Options{Fresh: true}, Agent: []string{"complete=done"}, Want: complete},
}

// live plays the life of a plan in a workspace of its own and returns the plan
// and everything that passed the seam.
func live(t *testing.T) (workspace.Plan, []enginetest.Step) {
	t.Helper()
	located, err := workspace.Locate(enginetest.WritePlan(t, enginetest.Workspace(t), "p.md", 3))
	if err != nil {
		t.Fatal(err)
	}
	log := enginetest.PowerLog{Root: located.Root}
	for _, e := range life {
		e.play(t, located, log)
	}
	steps, err := log.Read()
	if err != nil {
		t.Fatal(err)
	}
	return located, nameAttempts(steps)
}

// nameAttempts says which attempt it is that has a supervisor or is released.
func nameAttempts(steps []enginetest.Step) []enginetest.Step {
	attempt := ""
	for i, s := range steps {
		switch s.Mark {
		case markStarted:
			attempt = s.Attempt
		case markSupervised, markReleased:
			steps[i].Attempt = attempt
		}
	}
	return steps
}

func (e episode) play(t *testing.T, located workspace.Plan, log enginetest.PowerLog) {
	t.Helper()
	text, err := os.ReadFile(located.Path)
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, e.Edit...)
	err = errors.Join(os.WriteFile(located.Path, text, 0o600), log.Mark(markPlan, "", string(text)),
		log.Mark(markManifest, "", e.manifestText()), log.Mark(markRun, "", e.Name))
	if e.Options.Fresh {
		err = errors.Join(err, log.Mark(markFresh, "", ""))
	}
	if err != nil {
		t.Fatal(err)
	}
	if got := e.start(t, located); got != e.Want {
		t.Fatalf("%s: got %s, want %s", e.Name, got, e.Want)
	}
	// A supervisor that outlives its handler holds the lock until it is done.
	enginetest.WaitUntil(t, "the workspace is free", 30*time.Second, func() bool {
		l, _, err := lock.Acquire(context.Background(), located.Root)
		if err == nil {
			_ = l.Close()
		}
		return err == nil
	})
	steps, err := log.Read()
	if err == nil && (e.Want == killed || e.Want == unresolved) && supervised(steps) {
		err = log.Mark(markSettled, "", "")
	}
	if err != nil {
		t.Fatal(err)
	}
}

// supervised holds when the last invocation started a supervisor.
func supervised(steps []enginetest.Step) bool {
	for _, s := range slices.Backward(steps) {
		if s.Mark == markSupervised || s.Mark == markRun {
			return s.Mark == markSupervised
		}
	}
	return false
}

// start runs the handler and returns how it ended.
func (e episode) start(t *testing.T, located workspace.Plan) string {
	t.Helper()
	if e.Program == "" {
		e.Program = enginetest.BuildFakeAgent(t)
	}
	spec, err := json.Marshal(invocation{e, located.Path})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), handlerEnv+"="+string(spec))
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.Sys().(syscall.WaitStatus).Signaled() {
		return killed
	}
	if err != nil {
		t.Fatalf("%s: %v\n%s", e.Name, err, out)
	}
	steps, err := enginetest.PowerLog{Root: located.Root}.Read()
	if err != nil {
		t.Fatal(err)
	}
	return steps[len(steps)-2].Text // the result, before the end
}
