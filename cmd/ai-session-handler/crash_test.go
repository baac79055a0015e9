package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ai-session-handler/ai-session-handler/engine/enginetest"
	"github.com/ai-session-handler/ai-session-handler/engine/lock"
	"github.com/ai-session-handler/ai-session-handler/engine/proc/procfs"
	"github.com/ai-session-handler/ai-session-handler/engine/state"
	"github.com/ai-session-handler/ai-session-handler/engine/workspace"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

const patience = 30 * time.Second

// repo is a workspace with a plan, driven through the real binary.
type repo struct {
	t       *testing.T
	ws      string
	plan    string
	phases  int
	program string // the product where it is not the one of the scripts
}

func newRepo(t *testing.T, phases int) *repo {
	t.Helper()
	ws := enginetest.Workspace(t)
	return &repo{t: t, ws: ws, plan: enginetest.WritePlan(t, ws, "p.md", phases), phases: phases}
}

// newPlainRepo is one for tests of very many runs: without the race detector,
// which the scripts and the other tests have.
func newPlainRepo(t *testing.T, phases int) *repo {
	t.Helper()
	r := newRepo(t, phases)
	if raceDetector {
		r.program = enginetest.BuildPlainTest(t, "ai-session-handler", ".")
	}
	return r
}

func (r *repo) path(name string) string { return filepath.Join(r.ws, name) }

// ended is how one process of the product ended.
type ended struct {
	code   int // -1 when a signal ended it
	signal syscall.Signal
	out    string
	err    string
}

// command is the product with the fake agent, which runs steps.
func (r *repo) command(env []string, args ...string) *exec.Cmd {
	cmd := exec.Command(cmp.Or(r.program, "ai-session-handler"), args...)
	cmd.Dir = r.ws
	cmd.Env = append(append(os.Environ(), "HANDLER_TEST_GRACE=400ms"), env...)
	return cmd
}

func (r *repo) runArgs(steps []string, flags ...string) []string {
	template := enginetest.BuildFakeAgent(r.t)
	for _, step := range steps {
		template += " '" + step + "'"
	}
	return append([]string{"run", "--plan", r.plan, "--agent-cmd", template}, flags...)
}

func (r *repo) exec(env []string, args ...string) ended {
	r.t.Helper()
	return r.finish(r.command(env, args...))
}

func (r *repo) finish(cmd *exec.Cmd) ended {
	r.t.Helper()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		r.t.Fatal(err)
	}
	status := cmd.ProcessState.Sys().(syscall.WaitStatus)
	e := ended{code: cmd.ProcessState.ExitCode(), out: out.String(), err: errs.String()}
	if status.Signaled() {
		e.signal = status.Signal()
	}
	return e
}

// inProcess runs a command that only reads, without a process of its own.
func (r *repo) inProcess(args ...string) ended {
	r.t.Helper()
	var files [2]*os.File
	for i := range files {
		var err error
		if files[i], err = os.CreateTemp(r.t.TempDir(), ""); err != nil {
			r.t.Fatal(err)
		}
		defer files[i].Close()
	}
	e := ended{code: Main(context.Background(), args, os.Environ(), nil, files[0], files[1])}
	for i, text := range []*string{&e.out, &e.err} {
		data, err := os.ReadFile(files[i].Name())
		if err != nil {
			r.t.Fatal(err)
		}
		*text = string(data)
	}
	return e
}

func (r *repo) run(steps []string, flags ...string) ended {
	r.t.Helper()
	return r.exec(nil, r.runArgs(steps, flags...)...)
}

// settled waits until no supervisor holds the workspace any more.
func (r *repo) settled() {
	r.t.Helper()
	enginetest.WaitUntil(r.t, "the workspace is free", patience, func() bool {
		l, _, err := lock.Acquire(context.Background(), r.ws)
		if err == nil {
			_ = l.Close()
		}
		return err == nil
	})
}

func (r *repo) store() (state.Store, bool) {
	r.t.Helper()
	located, err := workspace.Locate(r.plan)
	if err != nil {
		r.t.Fatal(err)
	}
	handler, err := workspace.OpenHandlerDir(r.ws, false, nil)
	if errors.Is(err, fs.ErrNotExist) {
		return state.Store{}, false
	}
	if err != nil {
		r.t.Fatal(err)
	}
	defer handler.Close()
	dir, err := located.OpenPlanDir(handler, false)
	if errors.Is(err, fs.ErrNotExist) {
		return state.Store{}, false
	}
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = dir.Close() })
	return state.Store{Dir: dir}, true
}

// state reads the state and checks that what it links is there.
func (r *repo) state() record.State {
	r.t.Helper()
	store, ok := r.store()
	if !ok {
		return record.State{}
	}
	st, _, err := store.Load()
	if err != nil {
		r.t.Fatalf("the state is not valid: %v", err)
	}
	for _, c := range st.CommittedOutcomes {
		o, err := store.ReadOutcome(c.Path)
		if err != nil || o.AttemptID != c.AttemptID || o.Status != c.Status {
			r.t.Errorf("linked outcome %s: %+v, %v", c.Path, o, err)
		}
		r.checkArtifacts(o)
	}
	return st
}

func (r *repo) checkArtifacts(o record.Outcome) {
	r.t.Helper()
	for _, a := range o.Artifacts {
		located, _ := workspace.Locate(r.plan)
		data, err := os.ReadFile(filepath.Join(filepath.Dir(located.StatePath()), a.Path))
		if err != nil || fmt.Sprintf("%x", sha256.Sum256(data)) != a.SHA256 || int64(len(data)) != a.Bytes {
			r.t.Errorf("artifact %s does not match its outcome: %v", a.Path, err)
		}
	}
}

// ledger counts how often each phase's agent executed.
func (r *repo) ledger() map[string]int {
	r.t.Helper()
	counts := map[string]int{}
	data, err := os.ReadFile(r.path("ledger"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		if line != "" {
			counts[strings.Fields(line)[0]]++
		}
	}
	return counts
}

// files hashes every artifact, to see that none changes later.
func (r *repo) files() map[string]string {
	r.t.Helper()
	sums := map[string]string{}
	_ = filepath.WalkDir(r.path(workspace.DirName), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && d.Name() != workspace.StateFile && d.Name() != workspace.EventsFile && !strings.HasSuffix(path, ".tmp") {
			data, _ := os.ReadFile(path)
			sums[path] = fmt.Sprintf("%x", sha256.Sum256(data))
		}
		return nil
	})
	return sums
}

// checkGone fails for each process whose pid file lies in the workspace.
func (r *repo) checkGone() {
	r.t.Helper()
	matches, _ := filepath.Glob(r.path("*.pid"))
	for _, path := range matches {
		if pid := enginetest.ReadPid(r.t, path); enginetest.Alive(pid) {
			r.t.Errorf("%s: process %d lives", filepath.Base(path), pid)
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		_ = os.Remove(path)
	}
	for _, pid := range procfs.PIDs() {
		environ, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		if bytes.Contains(environ, []byte("AI_SESSION_HANDLER_PLAN_WORKSPACE="+r.ws+"\x00")) && enginetest.Alive(pid) {
			r.t.Errorf("process %d of the worker's tree lives", pid)
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// worker is an agent that leaves a command in a session of its own behind. It
// prints once, so that every run passes the same points.
var worker = []string{"ledger=ledger", "pid=worker.pid", "session=session.pid,session.term", "out=working\\n<phase-complete>done</phase-complete>\\n"}

// points records all points that a fault variable sees in a run.
func points(t *testing.T, env string, phases int, steps []string) []enginetest.NamedPoint {
	t.Helper()
	r := newPlainRepo(t, phases)
	log := filepath.Join(t.TempDir(), "log")
	if e := r.exec([]string{env + "=log=" + log}, r.runArgs(steps)...); e.code != 0 {
		t.Fatalf("the run without a fault: %+v", e)
	}
	list, err := enginetest.PointsOf(log)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// unresolvedRepo has an attempt whose handler was killed once its worker was
// let go. Nothing of it lives.
func unresolvedRepo(t *testing.T) *repo {
	t.Helper()
	r := newPlainRepo(t, 2)
	e := r.exec([]string{enginetest.FaultEnv + "=kill-at=after_release_worker"}, r.runArgs([]string{"forever"})...)
	if e.signal != syscall.SIGKILL {
		t.Fatalf("%+v", e)
	}
	r.settled()
	return r
}

// harmless are the operations after which nothing is on disk, and no process
// exists or knows something, that was not so before: to be killed there is to be
// killed after the step before.
var harmless = []string{"open", "stat", "list", "read", "locate", "identify", "harden", "lock", "pipe", "connect", "pidfd", "receive"}

// TestHandlerKilledAtEveryStep kills the handler before and after every durable
// step of a run of two phases, then asks the real next commands.
func TestHandlerKilledAtEveryStep(t *testing.T) {
	t.Parallel()
	all := points(t, enginetest.FaultEnv, 2, worker)
	for _, must := range []string{"before create prompts/", "after rename state.json", "before start supervisor", "after release worker", "before create outcomes/", "after syncdir transcripts"} {
		if !slices.ContainsFunc(all, func(p enginetest.NamedPoint) bool { return strings.HasPrefix(p.Text, must) }) {
			t.Errorf("no point %q among %d", must, len(all))
		}
	}
	for i, point := range all {
		if slices.Contains(harmless, strings.Fields(point.Text)[1]) {
			continue
		}
		t.Run(fmt.Sprintf("%03d %s", i+1, point.Text), func(t *testing.T) {
			t.Parallel()
			r := newPlainRepo(t, 2)
			e := r.exec([]string{fmt.Sprintf("%s=kill=%s", enginetest.FaultEnv, point.ID)}, r.runArgs(worker)...)
			if e.signal != syscall.SIGKILL {
				t.Fatalf("the handler was not killed: %+v", e)
			}
			r.afterCrash(worker)
		})
	}
}

// TestAnAcceptanceThatFailedIsForgotten fails the write that would have carried
// the accepted plan to disk after it got there.
func TestAnAcceptanceThatFailedIsForgotten(t *testing.T) {
	t.Parallel()
	r := newRepo(t, 2)
	if e := r.run(worker, "--max-phases", "1"); e.code != exitOK {
		t.Fatalf("%+v", e)
	}
	text, err := os.ReadFile(r.plan)
	if err == nil {
		err = os.WriteFile(r.plan, append(text, "more\n"...), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	fault := fmt.Sprintf("%s=fail-at=after_rename_state.json:%d", enginetest.FaultEnv, syscall.EIO)
	if e := r.exec([]string{fault}, r.runArgs(worker, "--accept-plan-change")...); e.code != exitFailed || !strings.Contains(e.err, "nothing was launched") {
		t.Errorf("%+v", e)
	}
	if e := r.run(worker); e.code != exitInvalid || !strings.Contains(e.err, "the plan changed since it was accepted") {
		t.Errorf("the next run: %+v", e)
	}
}

// afterCrash checks every promise about a run that crashed or failed, and
// brings the plan to its end as the documents say, with an agent that does these
// steps.
func (r *repo) afterCrash(steps []string) {
	r.t.Helper()
	r.checkLeft()
	r.goOn(steps)
}

// checkLeft checks what a crashed or failed run left.
func (r *repo) checkLeft() {
	r.t.Helper()
	r.settled()
	r.checkGone()
	for phase, n := range r.ledger() {
		if n != 1 {
			r.t.Errorf("%s ran %d times", phase, n)
		}
	}
	r.checkStatus(r.state())
}

// goOn brings the plan to its end, over a refusal where there must be one.
func (r *repo) goOn(steps []string) {
	r.t.Helper()
	st, before := r.state(), r.ledger()
	artifacts := r.files()
	e := r.run(steps)
	if current := st.CurrentPhase; current != nil {
		r.checkRefusal(e, st, before)
		e = r.run(steps, "--retry-stopped")
	}
	if e.code != 0 {
		r.t.Fatalf("the plan does not come to its end: %+v", e)
	}
	r.checkGone()
	r.checkEnd(st, before)
	for path, sum := range r.files() {
		if old, known := artifacts[path]; known && old != sum && !unlinked(st, path) {
			r.t.Errorf("%s changed", path)
		}
		delete(artifacts, path)
	}
	for path := range artifacts {
		r.t.Errorf("%s is gone", path)
	}
}

// unlinked holds for the record of an abandoned attempt that a crash kept from
// being linked: it is nobody's evidence, and the next retry writes its own.
func unlinked(st record.State, path string) bool {
	for _, c := range st.CommittedOutcomes {
		if strings.HasSuffix(path, c.Path) {
			return false
		}
	}
	return strings.HasSuffix(path, ".abandoned.json")
}

func (r *repo) checkStatus(st record.State) {
	r.t.Helper()
	e := r.inProcess("status", "--plan", r.plan)
	want := "next phase: phase-"
	switch {
	case st.ActiveAttempt != nil:
		want = "unresolved: " + st.ActiveAttempt.Phase.ID
	case st.Stop != nil:
		want = "stopped: " + st.Stop.PhaseID
	case len(st.CompletedPhaseIDs) == r.phases:
		want = "complete: "
	}
	if e.code != 0 || !strings.HasPrefix(e.out, want) {
		r.t.Errorf("status, want %q: %+v", want, e)
	}
}

func (r *repo) checkRefusal(e ended, st record.State, before map[string]int) {
	r.t.Helper()
	if e.code != exitInvalid || !strings.Contains(e.err, st.CurrentPhase.ID) || !strings.Contains(e.err, "--retry-stopped") {
		r.t.Errorf("an attempt that did not end well is not refused: %+v", e)
	}
	if now := r.ledger(); fmt.Sprint(now) != fmt.Sprint(before) {
		r.t.Errorf("a refused run ran something: %v, then %v", before, now)
	}
	if a := st.ActiveAttempt; a != nil && a.Status == record.Prepared && before[a.Phase.ID] != 0 {
		r.t.Error("an agent executed before its identity was durable")
	}
}

// checkEnd compares the ledger with what the state at the crash allows: a
// phase ran once, or again after the explicit retry of an attempt that did not
// end well.
func (r *repo) checkEnd(atCrash record.State, before map[string]int) {
	r.t.Helper()
	st := r.state()
	if len(st.CompletedPhaseIDs) != r.phases || st.ActiveAttempt != nil || st.Stop != nil {
		r.t.Errorf("at the end: %+v", st)
	}
	for phase, n := range r.ledger() {
		want := 1
		if current := atCrash.CurrentPhase; current != nil && current.ID == phase {
			want += before[phase]
		}
		if n != want {
			r.t.Errorf("%s ran %d times, want %d", phase, n, want)
		}
	}
	for i, old := range atCrash.CommittedOutcomes {
		if st.CommittedOutcomes[i] != old {
			r.t.Errorf("outcome %+v was lost", old)
		}
	}
}

// TestRetryKilledAtEveryStep kills the handler at every durable step of a retry
// of an unresolved attempt.
func TestRetryKilledAtEveryStep(t *testing.T) {
	t.Parallel()
	crashed := func(t *testing.T) *repo {
		r := newPlainRepo(t, 2)
		e := r.exec([]string{enginetest.FaultEnv + "=kill-at=after_release_worker"}, r.runArgs(worker)...)
		if e.signal != syscall.SIGKILL {
			t.Fatalf("%+v", e)
		}
		r.settled()
		r.checkGone()
		_ = os.Remove(r.path("ledger"))
		return r
	}
	log := filepath.Join(t.TempDir(), "log")
	first := crashed(t)
	if e := first.exec([]string{enginetest.FaultEnv + "=log=" + log}, first.runArgs(worker, "--retry-stopped")...); e.code != 0 {
		t.Fatalf("%+v", e)
	}
	all, err := enginetest.PointsOf(log)
	if err != nil {
		t.Fatal(err)
	}
	for i, point := range all {
		if strings.Contains(point.Text, "release worker") {
			break // from here on it is an attempt like any other
		}
		if slices.Contains(harmless, strings.Fields(point.Text)[1]) {
			continue
		}
		t.Run(fmt.Sprintf("%03d %s", i+1, point.Text), func(t *testing.T) {
			t.Parallel()
			r := crashed(t)
			e := r.exec([]string{fmt.Sprintf("%s=kill=%s", enginetest.FaultEnv, point.ID)}, r.runArgs(worker, "--retry-stopped")...)
			if e.signal != syscall.SIGKILL {
				t.Fatalf("the handler was not killed: %+v", e)
			}
			r.afterCrash(worker)
		})
	}
}

// TestSupervisorKilledAtEveryStep kills the supervisor before and after each of
// its steps: the handler records a failed launch or an interrupted attempt,
// nothing survives, and the phase runs again only when somebody says so.
func TestSupervisorKilledAtEveryStep(t *testing.T) {
	t.Parallel()
	steps := append([]string{"daemon=daemon.pid"}, worker...)
	seen := map[string]bool{}
	for _, point := range points(t, enginetest.SupervisorFaultEnv, 2, steps) {
		if seen[point.Text] {
			continue
		}
		seen[point.Text] = true
		held, ended := seen["after send held"], seen["after send ended"]
		t.Run(point.Text, func(t *testing.T) {
			t.Parallel()
			r := newPlainRepo(t, 2)
			at := "^" + strings.ReplaceAll(point.Text, " ", "_") + "$"
			e := r.exec([]string{enginetest.SupervisorFaultEnv + "=kill-at=" + at}, r.runArgs(steps)...)
			r.checkGone()
			if ended { // and reported to the handler, which needs nothing else
				if e.code != exitOK {
					t.Errorf("%+v", e)
				}
				return
			}
			reason, says := record.Interrupted, "interrupted: the supervisor of the worker was killed"
			if !held {
				reason, says = record.LaunchFailed, "launch-failed: could not launch agent command"
			}
			if e.code != exitFailed || !strings.Contains(e.err, says) {
				t.Errorf("%+v", e)
			}
			if st := r.state(); st.Stop == nil || st.Stop.Reason != reason {
				t.Errorf("stop %+v", st.Stop)
			}
			if e := r.run(steps); e.code != exitInvalid || !strings.Contains(e.err, fmt.Sprintf("phase-1 is stopped: %s", reason)) {
				t.Errorf("run without a retry: %+v", e)
			}
			if e := r.run(steps, "--retry-stopped"); e.code != 0 {
				t.Errorf("retry: %+v", e)
			}
			r.checkGone()
		})
	}
	for _, must := range []string{"before let-go worker", "after kill descendant", "after send ended"} {
		if !seen[must] {
			t.Errorf("no point %q", must)
		}
	}
}

// TestNoGroupIsSignalledWhoseLeaderIsReaped kills the handler when the worker's
// end is reported: its group's id may be somebody else's by then.
func TestNoGroupIsSignalledWhoseLeaderIsReaped(t *testing.T) {
	t.Parallel()
	r := newRepo(t, 1)
	log := filepath.Join(t.TempDir(), "log")
	e := r.exec([]string{enginetest.FaultEnv + "=kill-at=before_create_outcomes/", enginetest.SupervisorFaultEnv + "=log=" + log}, r.runArgs(worker)...)
	if e.signal != syscall.SIGKILL {
		t.Fatalf("%+v", e)
	}
	r.settled()
	all, err := enginetest.PointsOf(log)
	if err != nil {
		t.Fatal(err)
	}
	reaped := slices.IndexFunc(all, func(p enginetest.NamedPoint) bool { return p.Text == "after wait worker" })
	if reaped < 0 {
		t.Fatalf("it was not reaped: %v", all)
	}
	for _, p := range all[reaped:] {
		if strings.Contains(p.Text, "signal ") {
			t.Errorf("%s after its leader was reaped", p.Text)
		}
	}
	r.afterCrash(worker)
}

// killHandlerBesideAStoppedSupervisor starts a worker whose steps make the file
// ready, and kills the handler. Stopped, the supervisor does nothing about it.
func (r *repo) killHandlerBesideAStoppedSupervisor(steps []string) record.Process {
	r.t.Helper()
	cmd := r.command(nil, r.runArgs(steps)...)
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	enginetest.WaitUntil(r.t, "the worker is ready", patience, func() bool { return exists(r.path("ready")) })
	p := *r.state().ActiveAttempt.Process
	_ = syscall.Kill(p.SupervisorPID, syscall.SIGSTOP)
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	return p
}

// TestHandlerAndSupervisorKilledTogether leaves a command alive that escaped
// into its own session: it is found and named, and refuses the retry.
func TestHandlerAndSupervisorKilledTogether(t *testing.T) {
	t.Parallel()
	r := newRepo(t, 1)
	steps := []string{"ledger=ledger", "pid=worker.pid", "session=session.pid,term", "touch=ready", "forever"}
	p := r.killHandlerBesideAStoppedSupervisor(steps)
	_ = syscall.Kill(p.SupervisorPID, syscall.SIGKILL)
	r.settled()
	enginetest.WaitUntil(t, "the leader is dead", patience, func() bool { return !enginetest.Alive(p.PID) })
	session := enginetest.ReadPid(t, r.path("session.pid"))
	if !enginetest.Alive(session) {
		t.Fatal("nothing escaped; the test shows nothing")
	}
	before := r.ledger()
	e := r.run(steps, "--retry-stopped")
	if e.code != exitInvalid || !strings.Contains(e.err, fmt.Sprintf("process %d (exe), started by the attempt", session)) {
		t.Errorf("retry beside a living process: %+v", e)
	}
	blind := fmt.Sprintf("%s=fail-at=before_list_processes:%d", enginetest.FaultEnv, syscall.EMFILE)
	if e := r.exec([]string{blind}, r.runArgs([]string{"complete=done"}, "--retry-stopped")...); e.code != exitInvalid || !strings.Contains(e.err, "can't be seen") {
		t.Fatalf("retry without a look at the processes: %+v", e)
	}
	if e := r.run(steps, "--fresh"); e.code != exitInvalid || !strings.Contains(e.err, "live processes") {
		t.Errorf("a new history beside a living process: %+v", e)
	}
	if e := r.exec(nil, "status", "--plan", r.plan); e.code != 0 || !strings.Contains(e.out, fmt.Sprintf("still alive: process %d", session)) {
		t.Errorf("status: %+v", e)
	}
	if fmt.Sprint(r.ledger()) != fmt.Sprint(before) {
		t.Error("something ran")
	}
	_ = syscall.Kill(session, syscall.SIGKILL)
	enginetest.WaitUntil(t, "it is dead", patience, func() bool { return !enginetest.Alive(session) })
	if e := r.run([]string{"complete=done"}, "--retry-stopped"); e.code != 0 {
		t.Errorf("retry: %+v", e)
	}
}

// TestALivingSupervisorKeepsTheRetryOut kills only the handler while the
// supervisor is kept from acting: its lock refuses the next run.
func TestALivingSupervisorKeepsTheRetryOut(t *testing.T) {
	t.Parallel()
	r := newRepo(t, 1)
	p := r.killHandlerBesideAStoppedSupervisor([]string{"touch=ready", "forever"})
	if e := r.run([]string{"complete=done"}, "--retry-stopped"); e.code != exitInvalid || !strings.Contains(e.err, "is in use by") {
		t.Errorf("retry: %+v", e)
	}
	_ = syscall.Kill(p.SupervisorPID, syscall.SIGCONT)
	r.settled()
	if e := r.exec(nil, "status", "--plan", r.plan); !strings.Contains(e.out, "its end: signal terminated") || !strings.Contains(e.out, "the handler went away") {
		t.Errorf("status: %+v", e)
	}
	if e := r.run([]string{"complete=done"}, "--retry-stopped"); e.code != 0 {
		t.Errorf("retry: %+v", e)
	}
	r.checkGone()
}

// TestAnIdentityOfAnotherBootOrAReusedPIDIsDead plants the identity of a living
// stranger with another boot id, and with another start time.
func TestAnIdentityOfAnotherBootOrAReusedPIDIsDead(t *testing.T) {
	t.Parallel()
	stranger := exec.Command("sleep", "1000")
	if err := stranger.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stranger.Process.Kill(); _ = stranger.Wait() }()
	self, err := procfs.ReadStat(stranger.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*record.Process){
		"another boot": func(p *record.Process) { p.BootID, p.StartTime = "another", self.StartTime },
		"a reused PID": func(p *record.Process) { p.StartTime = self.StartTime + 1 },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t, 1)
			r.exec([]string{enginetest.FaultEnv + "=kill-at=after_release_worker"}, r.runArgs([]string{"forever"})...)
			r.settled()
			st := r.state()
			p := *st.ActiveAttempt.Process
			p.PID, p.PidfdInode = self.PID, 0
			change(&p)
			st.ActiveAttempt.Process = &p
			store, _ := r.store()
			if err := store.Save(st); err != nil {
				t.Fatal(err)
			}
			if e := r.run([]string{"complete=done"}, "--retry-stopped"); e.code != 0 {
				t.Errorf("retry: %+v", e)
			}
			if !enginetest.Alive(self.PID) {
				t.Fatal("a stranger was signalled")
			}
		})
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
