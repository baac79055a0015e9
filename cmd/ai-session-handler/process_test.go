package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ai-session-handler/ai-session-handler/engine/enginetest"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// TestNothingSurvives has a worker that ignores SIGTERM and left a
// double-forked daemon in its own session with an empty environment.
func TestNothingSurvives(t *testing.T) {
	t.Parallel()
	hostile := func(last string) []string {
		return []string{"ignore=TERM", "daemon=daemon.pid", "pid=worker.pid", "touch=ready", last}
	}
	signalled := func(s syscall.Signal) func(*repo) {
		return func(r *repo) {
			cmd := r.command([]string{"HANDLER_TEST_GRACE=50ms"}, r.runArgs(hostile("forever"))...)
			if err := cmd.Start(); err != nil {
				r.t.Fatal(err)
			}
			enginetest.WaitUntil(r.t, "the worker is ready", patience, func() bool { return exists(r.path("ready")) })
			_ = cmd.Process.Signal(s)
			_ = cmd.Wait()
		}
	}
	for name, end := range map[string]func(*repo){
		"timeout": func(r *repo) {
			for timeout := 300 * time.Millisecond; !exists(r.path("daemon.pid")); timeout *= 2 { // a busy machine needs longer
				r.exec([]string{"HANDLER_TEST_GRACE=50ms"}, r.runArgs(hostile("forever"), "--retry-stopped", "--timeout", timeout.String())...)
			}
		},
		"success": func(r *repo) { r.exec([]string{"HANDLER_TEST_GRACE=50ms"}, r.runArgs(hostile("complete=done"))...) },
		"Ctrl-C":  signalled(syscall.SIGINT),
		"SIGKILL": signalled(syscall.SIGKILL),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for range 50 {
				r := newRepo(t, 1)
				end(r)
				r.settled()
				if !exists(r.path("daemon.pid")) {
					t.Fatal("there was no daemon; the test shows nothing")
				}
				r.checkGone()
			}
		})
	}
}

// TestProcessesThatCannotBeEnded keeps the supervisor from killing: what is
// left is named, no success is recorded, and the workspace stays locked.
func TestProcessesThatCannotBeEnded(t *testing.T) {
	t.Parallel()
	r := newRepo(t, 1)
	e := r.exec([]string{enginetest.SupervisorFaultEnv + "=fail-at=before_kill:1"}, r.runArgs([]string{"daemon=daemon.pid", "complete=done"})...)
	daemon := enginetest.ReadPid(t, r.path("daemon.pid"))
	if e.code != exitFailed || !strings.Contains(e.err, fmt.Sprintf("still alive: process %d", daemon)) {
		t.Errorf("%+v", e)
	}
	if st := r.state(); st.Stop == nil || st.Stop.Reason != record.ExecutionIOFailed {
		t.Errorf("stop %+v", st.Stop)
	}
	if e := r.run([]string{"complete=done"}, "--retry-stopped"); e.code != exitInvalid || !strings.Contains(e.err, "in use by") {
		t.Errorf("retry beside it: %+v", e)
	}
	_ = syscall.Kill(daemon, syscall.SIGKILL)
	r.settled()
	if e := r.run([]string{"complete=done"}, "--retry-stopped"); e.code != exitOK {
		t.Errorf("retry: %+v", e)
	}
}

// TestALeaderThatCannotBeEnded stands for one that belongs to another user, or
// hangs in the kernel: the worker itself is among what is left.
func TestALeaderThatCannotBeEnded(t *testing.T) {
	t.Parallel()
	r := newRepo(t, 1)
	steps := []string{"ignore=TERM", "pid=leader", "forever"}
	fault := enginetest.SupervisorFaultEnv + "=fail-at=before_(kill|signal.killed):1"
	e := r.exec([]string{fault, "HANDLER_TEST_GRACE=100ms"}, r.runArgs(steps, "--timeout", "0.3")...)
	leader := enginetest.ReadPid(t, r.path("leader"))
	if e.code != exitFailed || !strings.Contains(e.err, "timeout: ") || !strings.Contains(e.err, fmt.Sprintf("still alive: process %d", leader)) {
		t.Errorf("%+v", e)
	}
	if e := r.run([]string{"complete=done"}, "--retry-stopped"); e.code != exitInvalid || !strings.Contains(e.err, "in use by") {
		t.Errorf("retry beside it: %+v", e)
	}
	_ = syscall.Kill(leader, syscall.SIGKILL)
	r.settled()
	if e := r.run([]string{"complete=done"}, "--retry-stopped"); e.code != exitOK {
		t.Errorf("retry: %+v", e)
	}
}

// TestImpatienceDoesNotLoseALeaderThatCannotBeEnded presses Ctrl-C again and
// again.
func TestImpatienceDoesNotLoseALeaderThatCannotBeEnded(t *testing.T) {
	t.Parallel()
	r := newRepo(t, 1)
	fault := enginetest.SupervisorFaultEnv + "=fail-at=before_(kill|signal.killed):1"
	cmd := r.command([]string{fault, "HANDLER_TEST_GRACE=100ms"}, r.runArgs([]string{"ignore=TERM", "pid=leader", "touch=ready", "forever"})...)
	wait := r.start(cmd)
	enginetest.WaitUntil(t, "the worker is ready", patience, func() bool { return exists(r.path("ready")) })
	ended := make(chan int, 1)
	go func() { ended <- wait() }()
	for code := -1; code < 0; {
		_ = cmd.Process.Signal(syscall.SIGINT)
		select {
		case code = <-ended:
		case <-time.After(300 * time.Millisecond):
		}
	}
	leader := enginetest.ReadPid(t, r.path("leader"))
	if e := r.run([]string{"complete=done"}, "--retry-stopped"); e.code != exitInvalid || !strings.Contains(e.err, "in use by") {
		t.Errorf("retry beside it: %+v", e)
	}
	_ = syscall.Kill(leader, syscall.SIGKILL)
	r.settled()
}

// TestAHistoryThatAWorkerDeletes is a worker's rm -rf or git clean -fdx.
func TestAHistoryThatAWorkerDeletes(t *testing.T) {
	t.Parallel()
	r := newRepo(t, 2)
	script := "#!/bin/sh\nif [ $AI_SESSION_HANDLER_PHASE_ID = phase-2 ]; then rm -rf .ai-session-handler; fi\necho '<phase-complete>x</phase-complete>'\n"
	if err := os.WriteFile(r.path("agent.sh"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	e := r.exec(nil, "run", "--plan", r.plan, "--agent-cmd", "./agent.sh")
	if e.code != exitFailed || !strings.Contains(e.err, "the whole history of the plan was deleted") || strings.Contains(e.err, "--retry-stopped") {
		t.Errorf("%+v", e)
	}
	e = r.run([]string{"complete=done"}, "--retry-stopped", "--max-phases", "1")
	if e.code != exitOK || !strings.Contains(e.err, "there is nothing to retry: this plan has no history") {
		t.Errorf("a retry of nothing: %+v", e)
	}
}

// TestAnOutcomeThatCannotBeWritten has a worker plant a file in the place of
// its outcome: the attempt stays unresolved, and how its worker ended is known
// all the same.
func TestAnOutcomeThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	r := newRepo(t, 1)
	script := `echo "{}" >.ai-session-handler/plans/*/outcomes/$AI_SESSION_HANDLER_ATTEMPT_ID.json; echo "<phase-complete>x</phase-complete>"`
	if err := os.WriteFile(r.path("agent.sh"), []byte("#!/bin/sh\ncd "+r.ws+"; dir=$(echo .ai-session-handler/plans/*/outcomes)\n"+strings.ReplaceAll(script, ".ai-session-handler/plans/*/outcomes", "$dir")), 0o700); err != nil {
		t.Fatal(err)
	}
	e := r.exec(nil, "run", "--plan", r.plan, "--agent-cmd", "./agent.sh")
	if e.code != exitFailed || !strings.Contains(e.err, "could not write the outcome") || !strings.Contains(e.err, "unresolved attempt: phase-1") {
		t.Errorf("%+v", e)
	}
	if e := r.exec(nil, "status", "--plan", r.plan); e.code != exitOK || !strings.Contains(e.out, "its end: exit code 0") {
		t.Errorf("status: %+v", e)
	}
	if e := r.run([]string{"complete=done"}, "--retry-stopped"); e.code != exitOK {
		t.Errorf("retry: %+v", e)
	}
}

// TestAWorkerThatStopsItsSupervisor leaves nobody to obey the handler.
func TestAWorkerThatStopsItsSupervisor(t *testing.T) {
	t.Parallel()
	r := newRepo(t, 1)
	steps := []string{"pid=worker.pid", "daemon=daemon.pid", "kill-parent=STOP", "forever"}
	e := r.exec([]string{"HANDLER_TEST_GRACE=50ms"}, r.runArgs(steps, "--timeout", "300ms")...)
	if e.code != exitFailed || !strings.Contains(e.err, "timeout: ") {
		t.Errorf("%+v", e)
	}
	r.settled()
	r.checkGone()
}

// start starts the product with a stdout of the test's own.
func (r *repo) start(cmd *exec.Cmd) (wait func() int) {
	r.t.Helper()
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { _ = cmd.Wait(); close(done) }()
	r.t.Cleanup(func() { _ = cmd.Process.Kill(); <-done })
	return func() int {
		select {
		case <-done:
		case <-time.After(2 * patience):
			r.t.Fatal("it hangs")
		}
		return cmd.ProcessState.ExitCode()
	}
}

func (r *repo) transcript() string {
	r.t.Helper()
	st := r.state()
	path := filepath.Join(filepath.Dir(r.statePath()), st.LastRun.TranscriptPath)
	data, err := os.ReadFile(path)
	if err != nil {
		r.t.Fatal(err)
	}
	return string(data)
}

func (r *repo) statePath() string {
	r.t.Helper()
	matches, _ := filepath.Glob(r.path(".ai-session-handler/plans/*/state.json"))
	if len(matches) != 1 {
		r.t.Fatalf("state files: %v", matches)
	}
	return matches[0]
}

func TestAConsoleNobodyReadsDelaysNothing(t *testing.T) {
	t.Parallel()
	r := newRepo(t, 2)
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = read.Close() }()
	cmd := r.command(nil, r.runArgs([]string{"flood=3M", "out=\\n", "complete=done"})...)
	cmd.Stdout, cmd.Stderr = write, write
	wait := r.start(cmd)
	_ = write.Close()
	if code := wait(); code != exitOK {
		t.Errorf("exit code %d", code)
	}
	text := r.transcript()
	if len(text) < 3<<20 || !strings.Contains(text, "[runner] the console did not take all of stdout") {
		t.Errorf("transcript of %d bytes, its end: %q", len(text), text[len(text)-300:])
	}
	if st := r.state(); len(st.CompletedPhaseIDs) != 2 {
		t.Errorf("state %+v", st)
	}
}

func TestAConsoleThatWentAwayEndsNothing(t *testing.T) {
	t.Parallel()
	r := newRepo(t, 2)
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	_ = read.Close()
	cmd := r.command(nil, r.runArgs([]string{"flood=1M", "out=\\n", "complete=done"})...)
	cmd.Stdout, cmd.Stderr = write, write
	wait := r.start(cmd)
	_ = write.Close()
	if code := wait(); code != exitOK {
		t.Errorf("exit code %d", code)
	}
	if text := r.transcript(); len(text) < 1<<20 {
		t.Errorf("transcript of %d bytes", len(text))
	}
}

// terminal opens a pseudo terminal.
func terminal(t *testing.T) (master, slave *os.File) {
	t.Helper()
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	master = os.NewFile(uintptr(fd), "ptmx")
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return master, slave
}

func TestAClosedTerminal(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		prefix   []string
		code     int
		complete bool
	}{
		"stops the run in order":          {nil, exitSignal + int(syscall.SIGHUP), false},
		"is nothing where HUP is ignored": {[]string{"/bin/sh", "-c", `trap "" HUP; exec "$@"`, "sh"}, exitOK, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, 1)
			master, slave := terminal(t)
			cmd := r.command(nil, r.runArgs([]string{"pid=worker.pid", "out=x", "touch=ready", "wait-file=go", "out=y\\n", "complete=done"})...)
			if test.prefix != nil {
				cmd.Args = append(test.prefix, append([]string{cmd.Path}, cmd.Args[1:]...)...)
				cmd.Path = test.prefix[0]
			}
			cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
			wait := r.start(cmd)
			_ = slave.Close()
			enginetest.WaitUntil(t, "the worker is ready", patience, func() bool { return exists(r.path("ready")) })
			_ = master.Close()
			if test.complete {
				_ = os.WriteFile(r.path("go"), nil, 0o600)
			}
			if code := wait(); code != test.code {
				t.Errorf("exit code %d, want %d", code, test.code)
			}
			r.settled()
			r.checkGone()
			if st := r.state(); (len(st.CompletedPhaseIDs) == 1) != test.complete || st.ActiveAttempt != nil {
				t.Errorf("state %+v", st)
			}
		})
	}
}

func TestASecondCtrlCShortensTheGraceAndCleansUpAllTheSame(t *testing.T) {
	t.Parallel()
	r := newRepo(t, 1)
	cmd := r.command([]string{"HANDLER_TEST_GRACE=1h"}, r.runArgs([]string{"ignore=TERM", "daemon=daemon.pid", "pid=worker.pid", "touch=ready", "forever"})...)
	wait := r.start(cmd)
	enginetest.WaitUntil(t, "the worker is ready", patience, func() bool { return exists(r.path("ready")) })
	_ = cmd.Process.Signal(syscall.SIGINT)
	ended := make(chan int, 1)
	go func() { ended <- wait() }()
	// Two signals that are pending at once are one, so an operator may have to
	// press more than twice.
	for code := -1; code < 0; {
		select {
		case code = <-ended:
			if code != exitSignal+int(syscall.SIGINT) {
				t.Errorf("exit code %d", code)
			}
		case <-time.After(50 * time.Millisecond):
			_ = cmd.Process.Signal(syscall.SIGINT)
		}
	}
	r.checkGone()
	if st := r.state(); st.Stop == nil || st.Stop.Reason != record.Interrupted {
		t.Errorf("stop %+v", st.Stop)
	}
}

// TestMemoryStaysBounded floods the handler with 300 MB of lines and one line
// of 200 MB, and looks at the peak of both processes.
func TestMemoryStaysBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("half a gigabyte of output")
	}
	const limit = 40 << 10 // KiB
	r := newRepo(t, 1)
	cmd := r.command(nil, r.runArgs([]string{"flood=300M", "out=\\n", "oneline=200M", "touch=flooded", "wait-file=go", "out=\\n", "complete=done"})...)
	cmd.Path = filepath.Join(buildProduct(t), "ai-session-handler") // smaller than the test binary
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = null, null
	wait := r.start(cmd)
	enginetest.WaitUntil(t, "the flood is over", 5*time.Minute, func() bool { return exists(r.path("flooded")) })
	supervisor := r.state().ActiveAttempt.Process.SupervisorPID
	for name, pid := range map[string]int{"handler": cmd.Process.Pid, "supervisor": supervisor} {
		if peak := peakKiB(t, pid); peak > limit {
			t.Errorf("%s: %d KiB", name, peak)
		} else {
			t.Logf("%s: %d KiB", name, peak)
		}
	}
	_ = os.WriteFile(r.path("go"), nil, 0o600)
	if code := wait(); code != exitOK {
		t.Errorf("exit code %d", code)
	}
	text := r.transcript()
	body := text[strings.Index(text, "\n---\n")+5:]
	if want := 500<<20 + len("\n\n<phase-complete>done</phase-complete>"); len(strings.TrimRight(body, "\n")) != want {
		t.Errorf("%d bytes of output, want %d", len(body), want)
	}
}

// peakKiB is the largest resident size a process ever had.
func peakKiB(t *testing.T, pid int) int {
	t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	kib := 0
	_, rest, _ := bytes.Cut(data, []byte("VmHWM:"))
	if _, err := fmt.Sscan(string(rest), &kib); err != nil {
		t.Fatal(err)
	}
	return kib
}
