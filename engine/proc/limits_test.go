package proc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ai-session-handler/ai-session-handler/engine/enginetest"
	"github.com/ai-session-handler/ai-session-handler/engine/fsx"
	"github.com/ai-session-handler/ai-session-handler/engine/proc/cgroup"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// startInside starts a worker in a real cgroup without limits, or in the files of
// PROC_TEST_CGROUP, when that is a path.
func startInside(l *Launcher, s Spec) (*Worker, error) {
	if files := os.Getenv("PROC_TEST_CGROUP"); strings.HasPrefix(files, "/") {
		return startIn(l, s, cgroup.Open(files, nil))
	}
	parent, err := cgroup.Probe(nil, cgroup.Limits{})
	if err != nil {
		return nil, err
	}
	group, err := parent.Create(s.AttemptID, cgroup.Limits{})
	if err != nil {
		return nil, err
	}
	return startIn(l, s, group)
}

func startIn(l *Launcher, s Spec, group *cgroup.Group) (*Worker, error) {
	path, err := LookPath(s.Argv[0], s.Workspace, s.Env)
	if err != nil {
		return nil, err
	}
	w := &Worker{launcher: l, spec: s, group: group}
	if err := w.begin(path); err != nil {
		w.abort()
		return nil, err
	}
	return w, nil
}

// inside skips the test where this user may not make a cgroup.
func inside(t *testing.T, s Spec) *Worker {
	t.Helper()
	w, err := startInside(launcher(t), s)
	var launch *LaunchError
	if errors.As(err, &launch) {
		t.Fatal(err)
	}
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(w.Close)
	return w
}

func removed(t *testing.T, dir string) {
	t.Helper()
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is left: %v", dir, err)
	}
}

// countedFiles are those of a cgroup in which memory and processes ran out.
func countedFiles(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"cgroup.procs": "", "cgroup.kill": "", "cgroup.events": "populated 0\n", "memory.peak": "12345\n",
		"memory.events": "oom 1\noom_kill 2\n", "pids.events": "max 3\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

var counted = cgroup.Facts{MemoryLimit: true, PidsRefused: 3, MemoryPeak: 12345}

func TestWhatACgroupCountedIsReported(t *testing.T) {
	for name, killed := range map[string]bool{"at the end": false, "its supervisor killed": true} {
		dir := countedFiles(t)
		w, err := startIn(launcher(t), agent(t, workspace(t), "out=x", "forever"), cgroup.Open(dir, nil))
		if err != nil {
			t.Fatal(err)
		}
		pid := w.Identity().PID
		if got := text(t, dir+"/cgroup.procs"); got != fmt.Sprint(pid) {
			t.Errorf("%s: the held worker is %d, in the cgroup is %q", name, pid, got)
		}
		ctx, cancel := context.WithCancel(context.Background())
		c := &collector{onChunk: func() error {
			if killed {
				return w.supervisor.Kill()
			}
			cancel()
			return nil
		}}
		exit := w.Run(ctx, nil, c, Limits{})
		w.Close()
		cancel()
		if exit.Tree != counted {
			t.Errorf("%s: %+v", name, exit.Tree)
		}
	}
}

func TestAKilledHandlersExitRecordTellsOfTheMemory(t *testing.T) {
	exit := killedHandler(t, "PROC_TEST_CGROUP="+countedFiles(t))
	if want := "the handler went away; its processes had used up the memory they may have"; exit.Cause != want {
		t.Errorf("cause %q", exit.Cause)
	}
}

func TestAKilledHandlersCgroupIsRemoved(t *testing.T) {
	_ = inside(t, agent(t, workspace(t))).Run(context.Background(), nil, &collector{}, Limits{}) // or skips
	exit := killedHandler(t, "PROC_TEST_CGROUP=real")
	parent, err := cgroup.Probe(nil, cgroup.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	removed(t, filepath.Join(parent.Dir(), "ai-session-handler-"+exit.AttemptID))
}

// killedHandler kills a handler in the midst of its work, and returns what its
// supervisor wrote.
func killedHandler(t *testing.T, env string) (exit record.Exit) {
	t.Helper()
	dir := workspace(t)
	self, _ := os.Executable()
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), env, handlerEnv(t, dir, "touch=ready", "forever"))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	exists := func(file string) func() bool {
		return func() bool { _, err := os.Stat(file); return err == nil }
	}
	enginetest.WaitUntil(t, "the worker runs", patience, exists(dir+"/ready"))
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	file := dir + "/exits/handler-" + filepath.Base(dir) + ".json"
	enginetest.WaitUntil(t, "the exit record", patience, exists(file))
	if err := record.Decode([]byte(text(t, file)), &exit); err != nil {
		t.Fatal(err)
	}
	return exit
}

func TestAllThatAWorkerStartsIsInItsCgroup(t *testing.T) {
	s := spec(t, workspace(t), "/bin/sh", "-c", "cat /proc/self/cgroup; setsid cat /proc/self/cgroup")
	w := inside(t, s)
	name := "/" + filepath.Base(w.group.Dir()) + "\n"
	if got := text(t, fmt.Sprintf("/proc/%d/cgroup", w.Identity().PID)); !strings.Contains(got, name) {
		t.Errorf("the held worker is in %s", got)
	}
	c := &collector{}
	w.Run(context.Background(), nil, c, Limits{})
	if got := strings.Count(c.out.String(), name); got != 2 {
		t.Errorf("%d of 2 processes are inside: %s", got, &c.out)
	}
	removed(t, w.group.Dir())
}

// TestAStrangerInTheCgroupIsEnded has a process there that is not in the tree.
func TestAStrangerInTheCgroupIsEnded(t *testing.T) {
	for name, end := range map[string]func(*Worker) error{
		"at the end":            func(w *Worker) error { return unix.Kill(w.Identity().PID, unix.SIGKILL) },
		"its supervisor killed": func(w *Worker) error { return w.supervisor.Kill() },
	} {
		w := inside(t, agent(t, workspace(t), "daemon=daemon.pid", "out=x", "forever"))
		stranger := exec.Command("sleep", "1000")
		if err := stranger.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = stranger.Process.Kill() })
		if err := w.group.Add(stranger.Process.Pid); err != nil {
			t.Fatal(err)
		}
		w.launcher.shared = true // so that it is not taken for an orphan
		exit := w.Run(context.Background(), nil, &collector{onChunk: func() error { return end(w) }}, Limits{})
		if len(exit.Survivors) != 0 {
			t.Errorf("%s: survivors %v", name, exit.Survivors)
		}
		_ = stranger.Wait()
		removed(t, w.group.Dir())
	}
}

func TestAWorkerThatCantBePutIntoItsCgroupDoesNotRun(t *testing.T) {
	dir := workspace(t)
	_, err := startIn(launcher(t), agent(t, dir, "touch=ran"), cgroup.Open(dir+"/missing", nil))
	var launch *LaunchError
	if !errors.As(err, &launch) || !strings.Contains(err.Error(), "put the worker into its cgroup: no such file") {
		t.Error(err)
	}
	if _, err := os.Stat(dir + "/ran"); err == nil {
		t.Error("the worker ran")
	}
}

func TestALimitThatCantBeEnforcedStartsNothing(t *testing.T) {
	s := agent(t, workspace(t), "touch=ran")
	s.Tree = cgroup.Limits{PidsMax: 1}
	l := launcher(t)
	_, err := l.Start(s)
	var unsupported *cgroup.Unsupported
	if !errors.As(err, &unsupported) || len(l.supervisors) != 0 {
		t.Error(err)
	}
}

func TestWithoutLimitsNoCgroupIsLookedAt(t *testing.T) {
	l, err := NewLauncher(func(p fsx.Point) error {
		if strings.HasPrefix(p.Op, "cgroup") {
			t.Error(p)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	w, err := l.Start(agent(t, workspace(t), "exit=0"))
	if err != nil {
		t.Fatal(err)
	}
	exit := w.Run(context.Background(), nil, &collector{}, Limits{})
	w.Close()
	if exit.Tree != (cgroup.Facts{}) {
		t.Errorf("%+v", exit.Tree)
	}
}

// limited starts a worker under real limits, where the machine has them.
func limited(t *testing.T, limits cgroup.Limits, script string) *Worker {
	t.Helper()
	if _, err := cgroup.Probe(nil, limits); err != nil {
		t.Skip(err)
	}
	s := spec(t, workspace(t), "/bin/sh", "-c", script)
	s.Tree = limits
	return start(t, s)
}

func TestMemoryIsLimited(t *testing.T) {
	w := limited(t, cgroup.Limits{MemoryMax: 64 << 20}, "head -c 300000000 /dev/zero | tail >/dev/null; sleep 1000")
	exit := w.Run(context.Background(), nil, &collector{}, Limits{})
	if !exit.Tree.MemoryLimit || exit.Reason != Exited || exit.Signal == nil || *exit.Signal != "killed" {
		t.Errorf("%+v", exit)
	}
	removed(t, w.group.Dir())
}

func TestPidsAreLimited(t *testing.T) {
	w := limited(t, cgroup.Limits{PidsMax: cgroup.MinPids}, "for i in $(seq 40); do sleep 1000 & done; exit 0")
	exit := w.Run(context.Background(), nil, &collector{}, Limits{})
	if exit.Tree.PidsRefused == 0 || exit.Tree.MemoryLimit || len(exit.Survivors) != 0 {
		t.Errorf("%+v", exit)
	}
	removed(t, w.group.Dir())
}

func TestCPUIsLimited(t *testing.T) {
	w := limited(t, cgroup.Limits{CPUMilli: 500}, "exit 0")
	if got := text(t, w.group.Dir()+"/cpu.max"); got != "50000 100000\n" {
		t.Errorf("cpu.max is %q", got)
	}
	if exit := w.Run(context.Background(), nil, &collector{}, Limits{}); *exit.ExitCode != 0 || exit.Tree.Unknown != "" {
		t.Errorf("%+v", exit)
	}
	removed(t, w.group.Dir())
}
