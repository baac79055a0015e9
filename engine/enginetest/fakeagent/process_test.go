//go:build linux

package main_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ai-session-handler/ai-session-handler/engine/enginetest"
	"golang.org/x/sys/unix"
)

func kill(t *testing.T, pid int, sig unix.Signal) {
	t.Helper()
	if err := unix.Kill(pid, sig); err != nil {
		t.Fatalf("kill %d: %v", pid, err)
	}
}

// leftBehind reads a pid file and makes sure that its process goes with the test.
func leftBehind(t *testing.T, path string) int {
	t.Helper()
	pid := enginetest.ReadPid(t, path)
	t.Cleanup(func() { _ = unix.Kill(pid, unix.SIGKILL) })
	if !enginetest.Alive(pid) {
		t.Fatalf("%s names %d, which isn't alive", path, pid)
	}
	return pid
}

// field returns a field of /proc/PID/stat; 0 is the one after the name.
func field(pid, n int) string {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	return strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))[n]
}

func state(pid int) string   { return field(pid, 0) }
func parent(pid int) string  { return field(pid, 1) }
func group(pid int) string   { return field(pid, 2) }
func session(pid int) string { return field(pid, 3) }

func gone(t *testing.T, pid int) {
	t.Helper()
	enginetest.WaitUntil(t, fmt.Sprintf("%d is gone", pid), patience, func() bool { return !enginetest.Alive(pid) })
}

func TestChildHoldsThePipesInTheSameGroup(t *testing.T) {
	dir := t.TempDir()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd := command(t, dir, "child=pid", "out=x")
	cmd.Stdout = w
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	pid := leftBehind(t, filepath.Join(dir, "pid"))
	if got, want := group(pid), fmt.Sprint(cmd.Process.Pid); got != want {
		t.Errorf("group %s, want %s", got, want)
	}
	if err := r.SetReadDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(r); string(text) != "x" || !os.IsTimeout(err) {
		t.Errorf("read %q, %v; the child should keep the pipe open", text, err)
	}
	kill(t, pid, unix.SIGTERM)
	gone(t, pid)
}

func TestForks(t *testing.T) {
	dir := t.TempDir()
	cmd := start(t, dir, "forks=5")
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, task := range tasks {
		children, err := os.ReadFile(task)
		if err != nil {
			t.Fatal(err)
		}
		n += len(strings.Fields(string(children)))
	}
	if n != 5 {
		t.Errorf("%d children, want 5", n)
	}
}

func TestSessionNotesTermAndEnds(t *testing.T) {
	dir := t.TempDir()
	start(t, dir, "session=pid,log")
	pid := leftBehind(t, filepath.Join(dir, "pid"))
	if got := session(pid); got != fmt.Sprint(pid) {
		t.Errorf("session %s of %d", got, pid)
	}
	if env, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid)); !strings.Contains(string(env), "ATTEMPT_ID=a-1\x00") {
		t.Errorf("environment %q", env)
	}
	kill(t, pid, unix.SIGTERM)
	gone(t, pid)
	if got := read(t, dir, "log"); got != "TERM\n" {
		t.Errorf("log %q", got)
	}
}

func TestDaemonOutlivesAllAndNamesNothing(t *testing.T) {
	for _, tt := range []struct{ step, stdout string }{{"daemon=pid", os.DevNull}, {"daemon=pid,hold", "/out"}} {
		t.Run(tt.step, func(t *testing.T) {
			dir := t.TempDir()
			out, err := os.Create(filepath.Join(dir, "out"))
			if err != nil {
				t.Fatal(err)
			}
			defer out.Close()
			cmd := command(t, dir, tt.step)
			cmd.Stdout = out
			if err := cmd.Run(); err != nil {
				t.Fatal(err)
			}
			pid := leftBehind(t, filepath.Join(dir, "pid"))
			kill(t, pid, unix.SIGTERM)
			kill(t, pid, unix.SIGHUP)
			proc := func(name string) string { return fmt.Sprintf("/proc/%d/%s", pid, name) }
			env, _ := os.ReadFile(proc("environ"))
			args, _ := os.ReadFile(proc("cmdline"))
			cwd, _ := os.Readlink(proc("cwd"))
			stdout, _ := os.Readlink(proc("fd/1"))
			if len(env) != 0 || !strings.HasPrefix(string(args), "[kworker") || cwd != "/" || !strings.HasSuffix(stdout, tt.stdout) {
				t.Errorf("environment %q, arguments %q, cwd %s, stdout %s", env, args, cwd, stdout)
			}
			if sid := session(pid); sid == fmt.Sprint(pid) || parent(pid) == sid || group(pid) == fmt.Sprint(cmd.Process.Pid) {
				t.Errorf("pid %d, parent %s, group %s, session %s", pid, parent(pid), group(pid), sid)
			}
			if !enginetest.Alive(pid) {
				t.Error("SIGTERM or SIGHUP ended it")
			}
			kill(t, pid, unix.SIGKILL)
			gone(t, pid)
		})
	}
}

// TestHopperMovesOn ends the hopper by taking its pid file's directory away, which
// is the one thing a hop can't do without.
func TestHopperMovesOn(t *testing.T) {
	dir := t.TempDir()
	if got := run(t, dir, "mkdir=h", "hopper=h/pid"); got.code != 0 {
		t.Fatalf("got %+v", got)
	}
	path := filepath.Join(dir, "h", "pid")
	first := enginetest.ReadPid(t, path)
	enginetest.WaitUntil(t, "the hopper has hopped", patience, func() bool { return enginetest.ReadPid(t, path) != first })
	gone(t, first)
	if err := os.Rename(filepath.Join(dir, "h"), filepath.Join(dir, "moved")); err != nil {
		t.Fatal(err)
	}
	gone(t, enginetest.ReadPid(t, filepath.Join(dir, "moved", "pid")))
}
