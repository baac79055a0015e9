package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/ai-session-handler/ai-session-handler/engine/enginetest"
	"github.com/ai-session-handler/ai-session-handler/engine/workspace"
)

// TestEveryOperationOfASecondPhaseFails is about what a first phase does not do:
// to find a history and read it.
func TestEveryOperationOfASecondPhaseFails(t *testing.T) {
	t.Parallel()
	matrix{
		prepare: func(t *testing.T) *repo {
			r := newPlainRepo(t, 2)
			if e := r.run(quick, "--max-phases", "1"); e.code != exitOK {
				t.Fatalf("%+v", e)
			}
			return r
		},
		points: beyondTheFirst(t),
		goOn:   toTheEnd,
	}.run(t, enginetest.FaultEnv)
}

// TestEveryOperationOfARetryFails resolves an unresolved attempt.
func TestEveryOperationOfARetryFails(t *testing.T) {
	t.Parallel()
	matrix{prepare: unresolved, flags: []string{"--retry-stopped"}, points: beyondTheFirst(t), goOn: toTheEnd}.run(t, enginetest.FaultEnv)
}

// TestEveryOperationOfAFreshStartFails moves a history aside, whole: it is there
// under one name or the other.
func TestEveryOperationOfAFreshStartFails(t *testing.T) {
	t.Parallel()
	matrix{
		prepare: unresolved, flags: []string{"--fresh"}, points: beyondTheFirst(t),
		check: func(r *repo, _ fault, _ ended) {
			if prompts, _ := filepath.Glob(r.path(workspace.DirName + "/plans/*/prompts/*")); len(prompts) == 0 {
				r.t.Error("the old history is gone")
			}
		},
		goOn: toTheEnd,
	}.run(t, enginetest.FaultEnv)
}

// unresolved leaves an attempt that was killed before its supervisor was started.
func unresolved(t *testing.T) *repo {
	r := newPlainRepo(t, 1)
	e := r.exec([]string{enginetest.FaultEnv + "=kill-at=before_start_supervisor"}, r.runArgs(quick)...)
	if e.signal != syscall.SIGKILL {
		t.Fatalf("%+v", e)
	}
	return r
}

// TestEveryOperationOfAnAcceptanceFails accepts a change of a plan of which no
// phase is left: the run that says so again succeeds.
func TestEveryOperationOfAnAcceptanceFails(t *testing.T) {
	t.Parallel()
	accept := []string{"--accept-plan-change"}
	matrix{
		prepare: func(t *testing.T) *repo {
			r := newPlainRepo(t, 1)
			if e := r.run(quick); e.code != exitOK {
				t.Fatalf("%+v", e)
			}
			text, err := os.ReadFile(r.plan)
			if err == nil {
				err = os.WriteFile(r.plan, append(text, "more\n"...), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			return r
		},
		flags:  accept,
		points: from("stat snapshots/"),
		check: func(r *repo, f fault, e ended) {
			text, err := os.ReadFile(r.plan)
			if err != nil {
				r.t.Fatal(err)
			}
			accepted := r.state().Plan.SHA256 == fmt.Sprintf("%x", sha256.Sum256(text))
			if accepted != (e.code == exitOK) && f.kind != "fail-from" {
				r.t.Errorf("accepted: %v", accepted)
			}
		},
		goOn: func(r *repo) {
			if e := r.run(quick); e.code != exitOK && e.code != exitInvalid {
				r.t.Errorf("the next run: %+v", e)
			}
			if e := r.run(quick, accept...); e.code != exitOK {
				r.t.Errorf("the acceptance again: %+v", e)
			}
			r.checkEnd(r.state(), map[string]int{})
		},
	}.run(t, enginetest.FaultEnv)
}

// TestEveryOperationOfAnExitRecordFails kills the handler and makes its
// supervisor fail: the record of the end is there whole or not at all.
func TestEveryOperationOfAnExitRecordFails(t *testing.T) {
	t.Parallel()
	matrix{
		prepare: onePhase,
		env:     []string{enginetest.FaultEnv + "=kill-at=after_release_worker"},
		points: func(p enginetest.NamedPoint) bool {
			return strings.Contains(p.Text, "/") || strings.Contains(p.Text, "syncdir") || strings.Contains(p.Text, "signal")
		},
		check: func(r *repo, _ fault, _ ended) {
			store, _ := r.store()
			if _, _, err := store.ReadExit(r.state().ActiveAttempt.ID); err != nil {
				r.t.Errorf("the exit record: %v", err)
			}
		},
		goOn: toTheEnd,
	}.run(t, enginetest.SupervisorFaultEnv)
}

// TestEveryOperationOfAReaderFails is about the commands that only read: they say
// what they know and what they could not read, or end with exit code 5.
func TestEveryOperationOfAReaderFails(t *testing.T) {
	t.Parallel()
	r := newPlainRepo(t, 1)
	if e := r.run([]string{"exit=1"}); e.code != exitFailed {
		t.Fatalf("%+v", e)
	}
	for _, args := range [][]string{{"status", "--plan", r.plan}, {"attempts", "show", "--plan", r.plan, "phase-1"}} {
		log := filepath.Join(t.TempDir(), "log")
		whole := r.exec([]string{enginetest.FaultEnv + "=log=" + log}, args...)
		points, err := enginetest.PointsOf(log)
		if err != nil || len(points) == 0 {
			t.Fatalf("%d points, %v", len(points), err)
		}
		for _, point := range points {
			for _, f := range faultsAt(enginetest.FaultEnv, point) {
				e := r.exec([]string{enginetest.FaultEnv + "=" + f.spec()}, args...)
				r.checkNoPanic(e)
				said := strings.Contains(e.out+e.err, f.errno.Error())
				refused := e.code == exitInvalid && strings.Contains(e.err, "next: ")
				first, _, _ := strings.Cut(whole.out, "\n")
				if !said || !refused && (e.code != exitOK || !strings.HasPrefix(e.out, first+"\n")) {
					t.Errorf("%s: %v: %+v", args[0], f, e)
				}
			}
		}
	}
}

// TestAMovedPlanIsNoticedWhateverFails keeps the run of a plan that was moved from
// reading what would tell it so: it launches nothing then either.
func TestAMovedPlanIsNoticedWhateverFails(t *testing.T) {
	t.Parallel()
	r := newPlainRepo(t, 1)
	if e := r.run(quick); e.code != exitOK {
		t.Fatalf("%+v", e)
	}
	moved := filepath.Join(filepath.Dir(r.plan), "moved.md")
	if err := os.Rename(r.plan, moved); err != nil {
		t.Fatal(err)
	}
	r.plan = moved
	log := filepath.Join(t.TempDir(), "log")
	if e := r.exec([]string{enginetest.FaultEnv + "=log=" + log}, r.runArgs(quick)...); e.code != exitInvalid || !strings.Contains(e.err, "was the plan moved?") {
		t.Fatalf("%+v", e)
	}
	points, err := enginetest.PointsOf(log)
	if err != nil || len(points) == 0 {
		t.Fatalf("%d points, %v", len(points), err)
	}
	for _, point := range points {
		for _, f := range faultsAt(enginetest.FaultEnv, point) {
			if e := r.exec([]string{enginetest.FaultEnv + "=" + f.spec()}, r.runArgs(quick)...); e.code != exitInvalid || r.ledger()["phase-1"] != 1 {
				t.Errorf("%v: %+v, %v", f, e, r.ledger())
			}
		}
	}
}

// beyondTheFirst holds for the points that a run of a first phase does not pass,
// up to where the attempt is one like any other.
func beyondTheFirst(t *testing.T) func(enginetest.NamedPoint) bool {
	t.Helper()
	first := map[string]bool{}
	for _, p := range points(t, enginetest.FaultEnv, 1, quick) {
		first[p.Text] = true
	}
	like := from("create prompts/")
	return func(p enginetest.NamedPoint) bool { return !like(p) && !first[p.Text] }
}

// from holds for the points of a log from the first one of an operation on.
func from(operation string) func(enginetest.NamedPoint) bool {
	reached := false
	return func(p enginetest.NamedPoint) bool {
		reached = reached || strings.HasPrefix(p.Text, "before "+operation)
		return reached
	}
}
