package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/ai-session-handler/ai-session-handler/engine/enginetest"
	"github.com/ai-session-handler/ai-session-handler/engine/lock"
	"github.com/ai-session-handler/ai-session-handler/engine/proc/procfs"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

func (r *repo) resolveArgs(id string) []string {
	return []string{"attempts", "resolve", id, "--as", "failed", "--note", "why", "--plan", r.plan}
}

// resolvePoints are the steps of a decision.
func resolvePoints(t *testing.T) []enginetest.NamedPoint {
	t.Helper()
	r := unresolvedRepo(t)
	log := filepath.Join(t.TempDir(), "log")
	if e := r.exec([]string{enginetest.FaultEnv + "=log=" + log}, r.resolveArgs("2")...); e.code != exitOK {
		t.Fatalf("%+v", e)
	}
	points, err := enginetest.PointsOf(log)
	if err != nil {
		t.Fatal(err)
	}
	at := func(text string) int {
		return slices.IndexFunc(points, func(p enginetest.NamedPoint) bool { return p.Text == text })
	}
	if outcome, state := at("after syncdir outcomes"), at("before rename state.json"); outcome < 0 || state < outcome {
		t.Errorf("the state is replaced before the outcome is durable: %v", points)
	}
	return points
}

// TestResolveKilledAtEveryStep leaves the attempt unresolved, or decided.
func TestResolveKilledAtEveryStep(t *testing.T) {
	t.Parallel()
	for i, point := range resolvePoints(t) {
		if slices.Contains(harmless, strings.Fields(point.Text)[1]) {
			continue
		}
		t.Run(fmt.Sprintf("%03d %s", i+1, point.Text), func(t *testing.T) {
			t.Parallel()
			r := unresolvedRepo(t)
			e := r.exec([]string{fmt.Sprintf("%s=kill=%s", enginetest.FaultEnv, point.ID)}, r.resolveArgs("2")...)
			if e.signal != syscall.SIGKILL {
				t.Fatalf("it was not killed: %+v", e)
			}
			st := r.state()
			switch {
			case st.ActiveAttempt != nil && len(st.CommittedOutcomes) == 0:
				r.wants(r.exec(nil, r.resolveArgs("2")...), exitOK)
			case st.ActiveAttempt == nil && len(st.CommittedOutcomes) == 1:
				r.wants(r.exec(nil, r.resolveArgs("2")...), exitInvalid, "it is recorded as agent-failed")
			default:
				t.Fatalf("half a decision: %+v", st)
			}
			r.decided()
		})
	}
}

// TestResolveFailingAtEveryStep leaves the attempt unresolved, and says so, but
// where the decision can do without what failed.
func TestResolveFailingAtEveryStep(t *testing.T) {
	t.Parallel()
	for i, point := range resolvePoints(t) {
		t.Run(fmt.Sprintf("%03d %s", i+1, point.Text), func(t *testing.T) {
			t.Parallel()
			r := unresolvedRepo(t)
			e := r.exec([]string{fmt.Sprintf("%s=fail=%s:%d", enginetest.FaultEnv, point.ID, syscall.EIO)}, r.resolveArgs("2")...)
			switch e.code {
			case exitOK: // it could do without, as without the exit record
				if !slices.Contains(harmless, strings.Fields(point.Text)[1]) {
					t.Errorf("a decision without this step: %+v", e)
				}
				r.decided()
				return
			case exitInvalid: // before it began to decide
				r.wants(e, exitInvalid, "input/output error")
			default:
				r.wants(e, exitFailed, "could not record the decision: ", "input/output error", "the attempt is still unresolved\n")
			}
			if st := r.state(); st.ActiveAttempt == nil || e.out != "" {
				t.Errorf("%+v, stdout %q", st, e.out)
			}
			r.wants(r.exec(nil, r.resolveArgs("2")...), exitOK)
			r.decided()
		})
	}
}

// decided checks what a decision leaves, and that the plan comes to its end.
func (r *repo) decided() {
	r.t.Helper()
	st := r.state()
	if st.ActiveAttempt != nil || st.Stop == nil || st.Stop.Reason != record.AgentFailed || len(st.CommittedOutcomes) != 1 || len(st.CompletedPhaseIDs) != 0 {
		r.t.Errorf("%+v", st)
	}
	if ran := r.ledger(); len(ran) > 0 {
		r.t.Errorf("something ran: %v", ran)
	}
	steps := []string{"ledger=ledger", "complete=done"}
	r.wants(r.run(steps), exitInvalid, "phase-1 is stopped: agent-failed")
	r.wants(r.run(steps, "--retry-stopped"), exitOK)
	if ran := r.ledger(); ran["phase-1"] != 1 || ran["phase-2"] != 1 {
		r.t.Errorf("ran %v", ran)
	}
}

// TestResolveIsRefusedBesideALivingProcess has one that escaped when handler
// and supervisor were killed together.
func TestResolveIsRefusedBesideALivingProcess(t *testing.T) {
	t.Parallel()
	r := newRepo(t, 1)
	steps := []string{"session=session.pid,term", "touch=ready", "forever"}
	p := r.killHandlerBesideAStoppedSupervisor(steps)
	r.refuses(r.resolveArgs("2"), " is in use by ")
	_ = syscall.Kill(p.SupervisorPID, syscall.SIGKILL)
	r.settled()
	enginetest.WaitUntil(t, "the leader is dead", patience, func() bool { return !enginetest.Alive(p.PID) })
	session := enginetest.ReadPid(t, r.path("session.pid"))
	r.refuses(r.resolveArgs("2"), "still has live processes", fmt.Sprintf("process %d (exe), started by the attempt", session))
	_ = syscall.Kill(session, syscall.SIGKILL)
	enginetest.WaitUntil(t, "it is dead", patience, func() bool { return !enginetest.Alive(session) })
	r.wants(r.exec(nil, r.resolveArgs("2")...), exitOK)
}

// TestResolveIsRefusedWhileTheWorkerLives has a worker that outlived both, by
// the identity on disk alone: it gave its environment up.
func TestResolveIsRefusedWhileTheWorkerLives(t *testing.T) {
	t.Parallel()
	r := newRepo(t, 1)
	p := r.killHandlerBesideAStoppedSupervisor([]string{"ignore=TERM", "daemon=daemon.pid", "touch=ready", "forever"})
	_ = syscall.Kill(p.SupervisorPID, syscall.SIGKILL)
	r.settled()
	daemon := enginetest.ReadPid(t, r.path("daemon.pid"))
	st := r.state()
	st.ActiveAttempt.Process = identityOf(t, daemon)
	store, _ := r.store()
	if err := store.Save(st); err != nil {
		t.Fatal(err)
	}
	r.refuses(r.resolveArgs("2"), fmt.Sprintf("process %d, the worker", daemon))
	_ = syscall.Kill(daemon, syscall.SIGKILL)
	enginetest.WaitUntil(t, "it is dead", patience, func() bool { return !enginetest.Alive(daemon) })
	r.wants(r.exec(nil, r.resolveArgs("2")...), exitOK)
}

// TestResolveTakesBothLocks has somebody else in the execution workspace.
func TestResolveTakesBothLocks(t *testing.T) {
	t.Parallel()
	r := newRepo(t, 1)
	r.write("sub/AGENTS.md", "")
	r.write("docs/plans/p.md", "## Phase 1: One\n\n### Workspace\n\nsub\n")
	r.exec([]string{enginetest.FaultEnv + "=kill-at=after_release_worker"}, r.runArgs(worker)...)
	for _, dir := range []string{r.ws, r.path("sub")} {
		r.settled()
		var held *lock.Lock
		enginetest.WaitUntil(t, dir+" is free", patience, func() (ok bool) {
			l, _, err := lock.Acquire(context.Background(), dir)
			held = l
			return err == nil
		})
		r.refuses(r.resolveArgs("2"), fmt.Sprintf("%s is in use by process %d; wait until it has ended, nothing was changed", dir, os.Getpid()))
		_ = held.Close()
	}
	r.wants(r.exec(nil, r.resolveArgs("2")...), exitOK)
}

// TestResolveOfAMovedRepository is refused as a run is.
func TestResolveOfAMovedRepository(t *testing.T) {
	t.Parallel()
	r := unresolvedRepo(t)
	moved := r.ws + "-moved"
	if err := os.Rename(r.ws, moved); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(moved) })
	r.plan, r.ws = strings.Replace(r.plan, r.ws, moved, 1), moved
	r.refuses(r.resolveArgs("2"), "the history kept for this plan is that of a plan at another path")
}

// TestAnAttemptOfAnotherPIDNamespace has a handler and a worker whose life can't
// be seen: that is said wherever a person decides, and nobody waits for ever.
func TestAnAttemptOfAnotherPIDNamespace(t *testing.T) {
	t.Parallel()
	r := unresolvedRepo(t)
	st := r.state()
	st.Invocation.PidNS++
	st.ActiveAttempt.Process.PidNS++
	store, _ := r.store()
	if err := store.Save(st); err != nil {
		t.Fatal(err)
	}
	r.wants(r.exec(nil, "attempts", "tail", "-f", "--plan", r.plan), exitOK,
		"whether the handler lives can't be seen from here: it belongs to another PID namespace",
		"unresolved: its worker ended without its handler, and its result is not on disk; its end: signal ",
		"the run has ended\n")
	if e := r.exec(nil, "status", "--plan", r.plan); !strings.Contains(e.out, "\nto decide without a run: ai-session-handler attempts resolve ") {
		t.Errorf("%s%s", e.out, e.err)
	}
	r.wants(r.exec(nil, r.resolveArgs("")...), exitInvalid, "the ID is empty")
	r.wants(r.exec(nil, r.resolveArgs("2")...), exitOK,
		fmt.Sprintf("warning: its worker: process %d, whether it lives is unknown: it belongs to another PID namespace; make sure that it does not run\n", st.ActiveAttempt.Process.PID))
}

// identityOf is what a state records of a worker.
func identityOf(t *testing.T, pid int) *record.Process {
	t.Helper()
	s, err := procfs.ReadStat(pid)
	if err != nil {
		t.Fatal(err)
	}
	return &record.Process{PID: pid, PGID: s.PGID, BootID: procfs.BootID(), PidNS: procfs.PidNS(), StartTime: s.StartTime}
}
