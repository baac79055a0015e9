package proc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/ai-session-handler/ai-session-handler/engine/enginetest"
	"github.com/ai-session-handler/ai-session-handler/engine/fsx"
	"github.com/ai-session-handler/ai-session-handler/engine/proc/procfs"
	"github.com/ai-session-handler/ai-session-handler/engine/proc/supervise"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// TestMain lets the test binary be its own supervisor, as the product is, and
// a handler that a test can kill.
func TestMain(m *testing.M) {
	supervise.Dispatch(os.Args, nil)
	if os.Getenv("PROC_TEST_IGNORE") != "" {
		ignoreAll()
	}
	if spec := os.Getenv("PROC_TEST_HANDLER"); spec != "" {
		os.Exit(handler(spec))
	}
	os.Exit(m.Run())
}

// ignoreAll ignores every signal, those that C libraries keep for themselves
// included, and starts this program anew: what is ignored stays so.
func ignoreAll() {
	ignore := [4]uint64{1} // a struct sigaction with SIG_IGN
	for sig := uintptr(1); sig <= 64; sig++ {
		_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGACTION, sig, uintptr(unsafe.Pointer(&ignore)), 0, 8, 0, 0)
	}
	_ = os.Unsetenv("PROC_TEST_IGNORE")
	panic(syscall.Exec("/proc/self/exe", os.Args, os.Environ()))
}

const patience = 20 * time.Second

// collector is a sink that keeps everything.
type collector struct {
	out, err bytes.Buffer
	onChunk  func() error
}

func (c *collector) Chunk(from Stream, p []byte) error {
	if from == Stdout {
		c.out.Write(p)
	} else {
		c.err.Write(p)
	}
	if c.onChunk != nil {
		return c.onChunk()
	}
	return nil
}

func open(t testing.TB, dir string) *os.File {
	t.Helper()
	f, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// workspace is a directory that serves as working and plan directory.
func workspace(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "exits"), 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

func spec(t testing.TB, dir string, argv ...string) Spec {
	t.Helper()
	return Spec{
		AttemptID: "attempt-" + filepath.Base(dir), Argv: argv, Env: os.Environ(), Workspace: dir,
		WorkDir: open(t, dir), PlanDir: open(t, dir), Grace: 400 * time.Millisecond,
	}
}

func agent(t testing.TB, dir string, steps ...string) Spec {
	t.Helper()
	return spec(t, dir, append([]string{enginetest.BuildFakeAgent(t)}, steps...)...)
}

func launcher(t testing.TB) *Launcher {
	t.Helper()
	l, err := NewLauncher(nil)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func start(t testing.TB, s Spec) *Worker {
	t.Helper()
	w, err := launcher(t).Start(s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

func run(t testing.TB, s Spec, limits Limits) (Exit, *collector) {
	t.Helper()
	c := &collector{}
	return start(t, s).Run(context.Background(), nil, c, limits), c
}

func remaining(t *testing.T, attempt string) []record.Leftover {
	t.Helper()
	left, err := Remaining(attempt)
	if err != nil {
		t.Error(err)
	}
	return left
}

func gone(t *testing.T, pids ...int) {
	t.Helper()
	for _, pid := range pids {
		if enginetest.Alive(pid) {
			t.Errorf("process %d lives", pid)
			_ = unix.Kill(pid, unix.SIGKILL)
		}
	}
}

func text(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestAWorkerRunsAsPromised(t *testing.T) {
	dir := workspace(t)
	s := agent(t, dir, "read-stdin=in", "env=env", "cwd=cwd", "args=args", "out=hello\n", "err=oops\n", "exit=7")
	s.Prompt, s.Env = []byte("the prompt"), []string{"A=1", "PATH=/bin"}
	exit, c := run(t, s, Limits{})
	if exit.Reason != Exited || exit.ExitCode == nil || *exit.ExitCode != 7 || !exit.Executed {
		t.Errorf("exit %+v", exit)
	}
	if c.out.String() != "hello\n" || c.err.String() != "oops\n" {
		t.Errorf("output %q, %q", &c.out, &c.err)
	}
	if got := text(t, dir+"/in"); got != "the prompt" || exit.PromptBytes != 10 {
		t.Errorf("prompt %q, %d bytes", got, exit.PromptBytes)
	}
	if got := strings.Fields(text(t, dir+"/env")); len(got) != 2 || got[0] != "A=1" {
		t.Errorf("environment %q", got)
	}
	real, _ := filepath.EvalSymlinks(dir)
	if got := strings.TrimSpace(text(t, dir+"/cwd")); got != real {
		t.Errorf("working directory %q, want %q", got, real)
	}
	if len(exit.Swept)+len(exit.Survivors)+len(exit.Holders) != 0 {
		t.Errorf("something was left: %+v", exit)
	}
}

// TestNothingOfOursReachesAWorker starts a handler with leaked descriptors,
// ignored signals and a blocked one.
func TestNothingOfOursReachesAWorker(t *testing.T) {
	dir := workspace(t)
	leak := func(at int) {
		if err := unix.Dup3(int(open(t, dir).Fd()), at, 0); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = unix.Close(at) })
	}
	leak(210)
	leak(251)
	self, _ := os.Executable()
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "PROC_TEST_IGNORE=yes", handlerEnv(t, dir, "fds=fds", "signals=signals", "stdio-flags=flags"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, line := range strings.Split(strings.TrimSpace(text(t, dir+"/fds")), "\n") {
		if fd := strings.Fields(line)[0]; fd != "0" && fd != "1" && fd != "2" {
			t.Errorf("descriptor %s reached the worker", line)
		}
	}
	for _, set := range []string{"SigBlk", "SigIgn"} {
		if !regexp.MustCompile(set + `:\s*0+\s`).MatchString(text(t, dir+"/signals") + "\n") {
			t.Errorf("signals: %s", text(t, dir+"/signals"))
		}
	}
	if flags := text(t, dir+"/flags"); strings.Contains(flags, "nonblock") {
		t.Errorf("stdio flags: %s", flags)
	}
}

func TestArgumentsAndEnvironmentNeedNotBeText(t *testing.T) {
	s := spec(t, workspace(t), "/bin/sh", "-c", `printf '%s %s' "$1" "$V"`, "sh", "a\xff\xfeb")
	s.Env = []string{"V=\xe9<&>\n"}
	if _, c := run(t, s, Limits{}); c.out.String() != "a\xff\xfeb \xe9<&>\n" {
		t.Errorf("the worker got %q", &c.out)
	}
}

func TestAHeldWorkerExecutesNothing(t *testing.T) {
	dir := workspace(t)
	w, err := launcher(t).Start(agent(t, dir, "touch=ran"))
	if err != nil {
		t.Fatal(err)
	}
	pid := w.Identity().PID
	if l := WorkerAlive(w.Identity()); l.State != Alive {
		t.Errorf("held worker is %+v", l)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	exit := w.Run(ctx, nil, &collector{}, Limits{})
	w.Close()
	if exit.Reason != Cancelled || exit.Executed {
		t.Errorf("exit %+v", exit)
	}
	gone(t, pid)
	if _, err := os.Stat(dir + "/ran"); err == nil {
		t.Error("the worker ran")
	}
	if l := WorkerAlive(w.Identity()); l.State != Dead {
		t.Errorf("dead worker is %+v", l)
	}
}

func TestAProgramThatCannotRun(t *testing.T) {
	dir := workspace(t)
	write := func(name, content string, mode os.FileMode) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), mode); err != nil {
			t.Fatal(err)
		}
	}
	write("text", "no script", 0o755)
	write("plain", "#!/bin/sh\n", 0o644)
	write("lost", "#!/no/such/interpreter\n", 0o755)
	for program, want := range map[string]string{
		"./missing": "no such file", "./text": "first line", "./plain": "is it executable",
		"./lost": "interpreter", "no-such-program": "not found on the PATH", "./exits": "permission denied",
	} {
		exit := Exit{}
		w, err := launcher(t).Start(spec(t, dir, program))
		if err == nil {
			exit = w.Run(context.Background(), nil, &collector{}, Limits{})
			w.Close()
			err = exit.Err
		}
		var launch *LaunchError
		if !errors.As(err, &launch) || !strings.Contains(err.Error(), want) || exit.Executed {
			t.Errorf("%s: got %v, want %q", program, err, want)
		}
	}
	s := spec(t, dir, "/bin/true", strings.Repeat("x", 1<<20))
	var launch *LaunchError
	if _, err := launcher(t).Start(s); !errors.As(err, &launch) || !errors.Is(err, unix.E2BIG) {
		t.Errorf("a huge argument: %v", err)
	}
}

func TestDeadlines(t *testing.T) {
	exit, c := run(t, agent(t, workspace(t), "out=begin\n", "forever"), Limits{Timeout: 200 * time.Millisecond})
	if exit.Reason != TimedOut || exit.Signal == nil || *exit.Signal != "terminated" || c.out.String() != "begin\n" {
		t.Errorf("timeout: %+v, %q", exit, &c.out)
	}
	exit, _ = run(t, agent(t, workspace(t), "out=begin\n", "forever"), Limits{Timeout: time.Hour, Idle: 200 * time.Millisecond})
	if exit.Reason != Idle {
		t.Errorf("idle: %+v", exit)
	}
	s := agent(t, workspace(t), "forever")
	s.Backstop = 200 * time.Millisecond
	if exit, _ = run(t, s, Limits{}); exit.Reason != TimedOut {
		t.Errorf("backstop: %+v", exit)
	}
	exit, _ = run(t, agent(t, workspace(t), "stop-self", "forever"), Limits{Timeout: 200 * time.Millisecond})
	if exit.Reason != TimedOut || *exit.Signal != "terminated" {
		t.Errorf("a stopped worker: %+v", exit)
	}
}

// TestNothingSurvives has a worker that ignores SIGTERM with a double-forked
// daemon in its own session with an empty environment.
func TestNothingSurvives(t *testing.T) {
	hostile := []string{"ignore=TERM", "daemon=daemon.pid", "pid=worker.pid"}
	ends := map[string]struct {
		last   string
		limits Limits
		stop   func(*Worker, context.CancelCauseFunc)
		want   Reason
	}{
		"timeout":               {"forever", Limits{Timeout: 300 * time.Millisecond}, nil, TimedOut},
		"success":               {"exit=0", Limits{}, nil, Exited},
		"cancelled":             {"forever", Limits{}, func(_ *Worker, c context.CancelCauseFunc) { c(errors.New("stop")) }, Cancelled},
		"supervisor killed":     {"forever", Limits{}, func(w *Worker, _ context.CancelCauseFunc) { _ = w.supervisor.Kill() }, SupervisorDied},
		"supervisor terminated": {"forever", Limits{}, func(w *Worker, _ context.CancelCauseFunc) { _ = w.supervisor.Signal(syscall.SIGTERM) }, SupervisorQuit},
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			for range 10 {
				dir := workspace(t)
				s := agent(t, dir, append(append([]string{}, hostile...), "touch=ready", end.last)...)
				s.Grace = 100 * time.Millisecond
				w := start(t, s)
				ctx, cancel := context.WithCancelCause(context.Background())
				defer cancel(nil)
				if end.stop != nil {
					go func() {
						for exists := false; !exists; time.Sleep(time.Millisecond) {
							_, err := os.Stat(dir + "/ready")
							exists = err == nil
						}
						end.stop(w, cancel)
					}()
				}
				exit := w.Run(ctx, nil, &collector{}, end.limits)
				if exit.Reason != end.want {
					t.Errorf("exit %+v", exit)
				}
				gone(t, w.Identity().PID, enginetest.ReadPid(t, dir+"/daemon.pid"))
				if len(exit.Swept) == 0 || len(exit.Survivors) != 0 {
					t.Errorf("swept %v, survivors %v", exit.Swept, exit.Survivors)
				}
			}
		})
	}
}

func TestACommandInItsOwnSessionIsAskedBeforeItIsKilled(t *testing.T) {
	for name, steps := range map[string][]string{
		"leader ends at once": {"forever"},
		"leader ignores":      {"ignore=TERM", "forever"},
		"leader succeeds":     {"exit=0"},
	} {
		dir := workspace(t)
		s := agent(t, dir, append([]string{"session=child.pid,term"}, steps...)...)
		run(t, s, Limits{Timeout: 300 * time.Millisecond})
		gone(t, enginetest.ReadPid(t, dir+"/child.pid"))
		if got := text(t, dir+"/term"); got != "TERM\n" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestAHopperAndManyChildrenAreEnded(t *testing.T) {
	dir := workspace(t)
	exit, _ := run(t, agent(t, dir, "hopper=hopper.pid", "forks=50", "exit=0"), Limits{})
	if exit.Reason != Exited || len(exit.Survivors) != 0 {
		t.Errorf("exit %+v", exit)
	}
	if left := remaining(t, exit.AttemptID); len(left) != 0 {
		t.Errorf("left %+v", left)
	}
}

func TestAProcessWithoutItsFirstThreadIsEnded(t *testing.T) {
	dir := workspace(t)
	s := agent(t, dir, "beheaded=beheaded.pid", "exit=0")
	s.Env = append(s.Env, EnvAttemptID+"="+s.AttemptID)
	w := start(t, s)
	seen := make(chan bool, 1)
	go func() {
		pid := enginetest.ReadPid(t, dir+"/beheaded.pid")
		seen <- enginetest.Alive(pid) && len(remaining(t, s.AttemptID)) > 0
	}()
	exit := w.Run(context.Background(), nil, &collector{}, Limits{})
	<-seen
	gone(t, enginetest.ReadPid(t, dir+"/beheaded.pid"))
	if len(exit.Swept) == 0 || len(exit.Survivors) != 0 {
		t.Errorf("exit %+v", exit)
	}
}

func TestAProcessWithoutItsFirstThreadIsAlive(t *testing.T) {
	dir := workspace(t)
	s := agent(t, dir, "beheaded=beheaded.pid", "forever")
	s.Env = append(s.Env, EnvAttemptID+"="+s.AttemptID)
	w := start(t, s)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		defer cancel()
		pid := enginetest.ReadPid(t, dir+"/beheaded.pid")
		enginetest.WaitUntil(t, "it looks like a zombie", patience, func() bool {
			s, err := procfs.ReadStat(pid)
			return err == nil && s.State == 'Z' && !s.Ended()
		})
		for _, left := range remaining(t, s.AttemptID) {
			if left.PID == pid {
				return
			}
		}
		t.Errorf("process %d is not among what remains of the attempt", pid)
	}()
	w.Run(ctx, nil, &collector{}, Limits{})
	gone(t, enginetest.ReadPid(t, dir+"/beheaded.pid"))
}

// TestASlowSinkLosesNothing has a sink that takes longer than a stream held by
// strangers is waited for.
func TestASlowSinkLosesNothing(t *testing.T) {
	c := &collector{}
	slow := sync.OnceFunc(func() { time.Sleep(drainBound + 500*time.Millisecond) })
	c.onChunk = func() error { slow(); return nil }
	exit := start(t, agent(t, workspace(t), "flood=200K", "out=end", "exit=0")).Run(context.Background(), nil, c, Limits{})
	if exit.Reason != Exited || len(exit.Holders) != 0 || c.out.Len() != 200<<10+3 || !strings.HasSuffix(c.out.String(), "end") {
		t.Errorf("%d bytes, %+v", c.out.Len(), exit)
	}
}

// TestALargerPipeLosesNothing has a worker make its pipe larger, which it may.
func TestALargerPipeLosesNothing(t *testing.T) {
	c := &collector{}
	slow := sync.OnceFunc(func() { time.Sleep(500 * time.Millisecond) })
	c.onChunk = func() error { slow(); return nil }
	dir := workspace(t)
	w := start(t, agent(t, dir, "pid=pid", "wait-file=enlarged", "flood=700K", "out=end", "exit=0"))
	go func() {
		f, err := os.OpenFile(fmt.Sprintf("/proc/%d/fd/1", enginetest.ReadPid(t, dir+"/pid")), os.O_WRONLY, 0)
		if err != nil {
			t.Error(err)
		}
		if _, err := unix.FcntlInt(f.Fd(), unix.F_SETPIPE_SZ, 1<<20); err != nil {
			t.Error(err)
		}
		_ = f.Close()
		_ = os.WriteFile(dir+"/enlarged", nil, 0o600)
	}()
	exit := w.Run(context.Background(), nil, c, Limits{})
	if exit.Reason != Exited || exit.Cut || c.out.Len() != 700<<10+3 || !strings.HasSuffix(c.out.String(), "end") {
		t.Errorf("%d bytes, %+v", c.out.Len(), exit)
	}
}

func TestASlowSinkIsNotTheWorkersSilence(t *testing.T) {
	c := &collector{}
	slow := sync.OnceFunc(func() { time.Sleep(time.Second) })
	c.onChunk = func() error { slow(); return nil }
	s := agent(t, workspace(t), "flood=1M", "exit=0")
	exit := start(t, s).Run(context.Background(), nil, c, Limits{Idle: 300 * time.Millisecond})
	if exit.Reason != Exited || c.out.Len() != 1<<20 {
		t.Errorf("%d bytes, %+v", c.out.Len(), exit)
	}
}

// TestAStrangerThatKeepsWritingEndsTheDrain floods a pipe from outside the tree.
func TestAStrangerThatKeepsWritingEndsTheDrain(t *testing.T) {
	dir := workspace(t)
	w := start(t, agent(t, dir, "pid=pid", "wait-file=taken", "exit=0"))
	go func() {
		f, err := os.OpenFile(fmt.Sprintf("/proc/%d/fd/1", enginetest.ReadPid(t, dir+"/pid")), os.O_WRONLY, 0)
		if err != nil {
			t.Error(err)
		}
		stranger := exec.Command("yes")
		stranger.Stdout = f
		_ = stranger.Start()
		t.Cleanup(func() { _ = stranger.Process.Kill(); _ = stranger.Wait() })
		_ = f.Close()
		_ = os.WriteFile(dir+"/taken", nil, 0o600)
	}()
	exit := w.Run(context.Background(), nil, &collector{}, Limits{Timeout: time.Minute})
	if exit.Reason != Exited || len(exit.Holders) == 0 {
		t.Errorf("exit %+v", exit)
	}
}

func TestAnEndBeforeTheReleaseIsALaunchFailure(t *testing.T) {
	dir := workspace(t)
	s := agent(t, dir, "touch=ran")
	s.WorkDir = open(t, "/proc/self/stat") // no directory
	w := start(t, s)
	enginetest.WaitUntil(t, "it has failed", patience, func() bool { return WorkerAlive(w.Identity()).State == Dead })
	exit := w.Run(context.Background(), nil, &collector{}, Limits{})
	var launch *LaunchError
	if exit.Reason != LaunchFailed || !errors.As(exit.Err, &launch) || launch.Op != "chdir" || exit.Executed {
		t.Errorf("exit %+v", exit)
	}
}

func TestHurryShortensTheGrace(t *testing.T) {
	s := agent(t, workspace(t), "ignore=TERM", "out=x", "forever")
	s.Grace = time.Hour
	ctx, cancel := context.WithCancel(context.Background())
	hurry := make(chan struct{}, 1)
	c := &collector{onChunk: func() error { cancel(); return nil }}
	go func() { <-ctx.Done(); hurry <- struct{}{} }()
	// An order to hurry may overtake the one to stop only inside the handler,
	// so it is repeated as an impatient operator would.
	done := make(chan Exit, 1)
	w := start(t, s)
	go func() { done <- w.Run(ctx, hurry, c, Limits{}) }()
	for {
		select {
		case exit := <-done:
			if exit.Reason != Cancelled || *exit.Signal != "killed" {
				t.Errorf("exit %+v", exit)
			}
			return
		case hurry <- struct{}{}:
		case <-time.After(patience):
			t.Fatal("the grace was not shortened")
		}
	}
}

func TestNothingHangs(t *testing.T) {
	t.Run("a prompt nobody reads", func(t *testing.T) {
		s := agent(t, workspace(t), "out=done\n", "exit=0")
		s.Prompt = bytes.Repeat([]byte("p"), 8<<20)
		exit, c := run(t, s, Limits{})
		if exit.Reason != Exited || c.out.String() != "done\n" || exit.PromptBytes >= 8<<20 {
			t.Errorf("exit %+v", exit)
		}
	})
	t.Run("stdin closed at once", func(t *testing.T) {
		s := agent(t, workspace(t), "close-stdin", "out=done\n", "exit=0")
		s.Prompt = bytes.Repeat([]byte("p"), 8<<20)
		if exit, c := run(t, s, Limits{}); exit.Reason != Exited || c.out.String() != "done\n" {
			t.Errorf("exit %+v", exit)
		}
	})
	t.Run("outputs closed, worker lives on", func(t *testing.T) {
		s := agent(t, workspace(t), "close-stdout", "close-stderr", "forever")
		if exit, _ := run(t, s, Limits{Timeout: 300 * time.Millisecond}); exit.Reason != TimedOut {
			t.Errorf("exit %+v", exit)
		}
	})
	t.Run("a grandchild holds the pipe", func(t *testing.T) {
		dir := workspace(t)
		exit, c := run(t, agent(t, dir, "child=child.pid", "out=done\n", "exit=0"), Limits{})
		if exit.Reason != Exited || c.out.String() != "done\n" || len(exit.Holders) != 0 {
			t.Errorf("exit %+v", exit)
		}
		gone(t, enginetest.ReadPid(t, dir+"/child.pid"))
	})
	t.Run("a stranger holds the pipe", func(t *testing.T) {
		dir := workspace(t)
		w := start(t, agent(t, dir, "pid=pid", "wait-file=taken", "exit=0"))
		held := make(chan *os.File, 1)
		go func() {
			pid := enginetest.ReadPid(t, dir+"/pid")
			f, err := os.OpenFile(fmt.Sprintf("/proc/%d/fd/1", pid), os.O_WRONLY, 0)
			if err != nil {
				t.Error(err)
			}
			stranger := exec.Command("sleep", "1000")
			stranger.Stdout = f
			// A child of the test would be swept with a killed supervisor's
			// tree, but this supervisor lives.
			_ = stranger.Start()
			t.Cleanup(func() { _ = stranger.Process.Kill(); _ = stranger.Wait() })
			held <- f
			_ = os.WriteFile(dir+"/taken", nil, 0o600)
		}()
		exit := w.Run(context.Background(), nil, &collector{}, Limits{})
		_ = (<-held).Close()
		if exit.Reason != Exited || len(exit.Holders) != 1 || exit.Holders[0].Name != "sleep" {
			t.Errorf("exit %+v", exit)
		}
	})
}

func TestASinkThatFailsEndsTheWorker(t *testing.T) {
	full := errors.New("disk full")
	c := &collector{onChunk: func() error { return full }}
	exit := start(t, agent(t, workspace(t), "out=x", "forever")).Run(context.Background(), nil, c, Limits{})
	if exit.Reason != SinkFailed || !errors.Is(exit.Err, full) {
		t.Errorf("exit %+v", exit)
	}
	exit = start(t, agent(t, workspace(t), "out=x", "exit=0")).Run(context.Background(), nil, c, Limits{})
	if exit.Reason != SinkFailed {
		t.Errorf("a worker that ended by itself: %+v", exit)
	}
}

func TestASeamErrorBeforeTheReleaseMeansThatNothingRan(t *testing.T) {
	dir := workspace(t)
	l, err := NewLauncher(func(p fsx.Point) error {
		if p.Op == "release" && !p.After {
			return syscall.EIO
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	w, err := l.Start(agent(t, dir, "touch=ran"))
	if err != nil {
		t.Fatal(err)
	}
	exit := w.Run(context.Background(), nil, &collector{}, Limits{})
	w.Close()
	if exit.Reason != SinkFailed || exit.Executed || !errors.Is(exit.Err, syscall.EIO) {
		t.Errorf("exit %+v", exit)
	}
	if _, err := os.Stat(dir + "/ran"); err == nil {
		t.Error("the worker ran")
	}
}

// handlerEnv tells handler what to run in dir.
func handlerEnv(t testing.TB, dir string, steps ...string) string {
	t.Helper()
	data, err := json.Marshal(append([]string{dir, enginetest.BuildFakeAgent(t)}, steps...))
	if err != nil {
		t.Fatal(err)
	}
	return "PROC_TEST_HANDLER=" + string(data)
}

func handler(arg string) int {
	var args []string
	_ = json.Unmarshal([]byte(arg), &args)
	dir, err := os.Open(args[0])
	if err != nil {
		return 1
	}
	l, err := NewLauncher(nil)
	if err != nil {
		return 1
	}
	start := l.Start
	if os.Getenv("PROC_TEST_CGROUP") != "" {
		start = func(s Spec) (*Worker, error) { return startInside(l, s) }
	}
	w, err := start(Spec{
		AttemptID: "handler-" + filepath.Base(args[0]), Argv: args[1:], Workspace: args[0],
		Env:     []string{EnvAttemptID + "=handler-" + filepath.Base(args[0])},
		WorkDir: dir, PlanDir: dir, Grace: 200 * time.Millisecond,
	})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	data, _ := json.Marshal(w.Identity())
	_ = os.WriteFile(args[0]+"/identity.tmp", data, 0o600)
	_ = os.Rename(args[0]+"/identity.tmp", args[0]+"/identity")
	w.Run(context.Background(), nil, &collector{}, Limits{})
	w.Close()
	return 0
}

func TestAKilledHandlersWorkerIsEndedAndItsEndWrittenDown(t *testing.T) {
	for name, last := range map[string]string{"in mid-run": "forever", "with a daemon": "daemon=daemon.pid"} {
		dir := workspace(t)
		self, _ := os.Executable()
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), handlerEnv(t, dir, "out=x", last, "touch=ready", "forever"))
		if last == "forever" {
			cmd.Env = append(os.Environ(), handlerEnv(t, dir, "touch=ready", "ignore=TERM", "forever"))
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		enginetest.WaitUntil(t, "the worker runs", patience, func() bool {
			_, err := os.Stat(dir + "/ready")
			return err == nil
		})
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		id := "handler-" + filepath.Base(dir)
		enginetest.WaitUntil(t, "the exit record", patience, func() bool {
			_, err := os.Stat(dir + "/exits/" + id + ".json")
			return err == nil
		})
		var exit record.Exit
		if err := record.Decode([]byte(text(t, dir+"/exits/"+id+".json")), &exit); err != nil {
			t.Fatal(err)
		}
		if exit.Cause != "the handler went away" || !exit.Executed || exit.AttemptID != id {
			t.Errorf("%s: %+v", name, exit)
		}
		var p record.Process
		_ = json.Unmarshal([]byte(text(t, dir+"/identity")), &p)
		gone(t, p.PID)
		if left := remaining(t, id); len(left) != 0 {
			t.Errorf("%s: left %+v", name, left)
		}
	}
}

func TestAHandlerKeepsItsDescriptorsToItself(t *testing.T) {
	leak, err := unix.Dup(int(open(t, t.TempDir()).Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Close(leak) }()
	launcher(t)
	if flags, err := unix.FcntlInt(uintptr(leak), unix.F_GETFD, 0); err != nil || flags&unix.FD_CLOEXEC == 0 {
		t.Errorf("a leaked descriptor stays open over exec: %d, %v", flags, err)
	}
	if dumpable, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0); err != nil || dumpable != 0 {
		t.Errorf("the handler can be traced: %d, %v", dumpable, err)
	}
}

// TestOrphansOfOthersAreLeftAlone is about a handler that had children before
// it was one, or is the first process of a container.
func TestOrphansOfOthersAreLeftAlone(t *testing.T) {
	w := &Worker{spec: Spec{AttemptID: "orphans"}, identity: record.Process{PID: 1 << 30, PGID: 1 << 30}}
	sleep := func(env ...string) int {
		cmd := exec.Command("sleep", "1000")
		cmd.Env = env
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
		return cmd.Process.Pid
	}
	stranger, ours := sleep(), sleep(EnvAttemptID+"=orphans")
	for _, shared := range []bool{true, false} {
		found := map[int]bool{}
		orphans, err := (&Launcher{shared: shared}).orphans(w)
		for _, o := range orphans {
			found[o.PID] = true
		}
		if err != nil {
			t.Error(err)
		}
		if !found[ours] || found[stranger] == shared {
			t.Errorf("shared %v: ours %v, a stranger %v", shared, found[ours], found[stranger])
		}
	}
}

// TestOrphansThatCantBeSeenAreNotTakenForGone leaves no descriptor to look with.
func TestOrphansThatCantBeSeenAreNotTakenForGone(t *testing.T) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Setrlimit(unix.RLIMIT_NOFILE, &limit) }()
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Max: limit.Max}); err != nil {
		t.Fatal(err)
	}
	list, err := (&Launcher{}).orphans(&Worker{})
	if !errors.Is(err, unix.EMFILE) {
		t.Errorf("%v, %v", list, err)
	}
	if !mayHaveChildren() {
		t.Error("children are ruled out without a look")
	}
}

func TestIdentity(t *testing.T) {
	cmd := exec.Command("sleep", "1000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s, err := procfs.ReadStat(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	good := record.Process{PID: s.PID, StartTime: s.StartTime, BootID: procfs.BootID(), PidNS: procfs.PidNS()}
	change := func(f func(*record.Process)) record.Process { p := good; f(&p); return p }
	for name, test := range map[string]struct {
		p    record.Process
		want LivenessState
	}{
		"itself":             {good, Alive},
		"reused PID":         {change(func(p *record.Process) { p.StartTime++ }), Dead},
		"another inode":      {change(func(p *record.Process) { p.PidfdInode = 1 }), Dead},
		"another boot":       {change(func(p *record.Process) { p.BootID = "x" }), Dead},
		"another namespace":  {change(func(p *record.Process) { p.PidNS++ }), Unknown},
		"boot id not known":  {change(func(p *record.Process) { p.BootID = "" }), Unknown},
		"no such process":    {change(func(p *record.Process) { p.PID = 1 << 30 }), Dead},
		"the test's own PID": {change(func(p *record.Process) { p.PID = os.Getpid() }), Dead},
	} {
		if got := WorkerAlive(test.p); got.State != test.want {
			t.Errorf("%s: %+v, want %v", name, got, test.want)
		}
	}
	_ = cmd.Process.Kill()
	enginetest.WaitUntil(t, "the zombie", patience, func() bool {
		s, err := procfs.ReadStat(good.PID)
		return err == nil && s.Ended()
	})
	if got := WorkerAlive(good); got.State != Dead {
		t.Errorf("a zombie is %+v", got)
	}
	_ = cmd.Wait()
}
