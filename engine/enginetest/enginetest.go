//go:build linux

// Package enginetest holds what tests across the engine share: a scripted agent
// (see fakeagent, whose package comment is the manual of its steps), a workspace
// and a plan to run it in, and questions to /proc. Only tests import it.
package enginetest

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Workspace returns a new plan workspace with `.git`, `AGENTS.md` and
// `docs/plans`, removed when the test ends. The path is canonical.
func Workspace(t testing.TB) string {
	t.Helper()
	ws, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{".git", "docs/plans"} {
		if err := os.MkdirAll(filepath.Join(ws, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(ws, "AGENTS.md"), []byte("# Rules\n\nNone.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return ws
}

// WritePlan writes a valid plan of phases 1 to n, all of them run in the
// workspace ws itself, to docs/plans/name in there, and returns its path.
func WritePlan(t testing.TB, ws, name string, n int) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("# Plan\n\nWhat all phases share.\n")
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "\n## Phase %d: Title %d\n\n### Workspace\n\n.\n\n### Goal\n\nReach goal %d.\n", i, i, i)
	}
	path := filepath.Join(ws, "docs", "plans", name)
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// Alive tells whether a process exists and runs: a zombie doesn't, unless only
// its first thread has ended.
func Alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	// The name, in parentheses, may itself hold spaces and parentheses.
	after := stat[strings.LastIndexByte(string(stat), ')')+1:]
	fields := strings.Fields(string(after))
	const threads = 17 // num_threads, counted from the state
	return len(fields) > threads && (fields[0] != "Z" && fields[0] != "X" || fields[threads] != "1" && fields[threads] != "0")
}

// WaitUntil polls cond every few milliseconds until it holds, and fails the test
// with what was waited for when it still doesn't after timeout.
func WaitUntil(t testing.TB, what string, timeout time.Duration, cond func() bool) {
	t.Helper()
	deadline := time.Now().Add(timeout)
	for !cond() {
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: %s", timeout, what)
		}
		time.Sleep(3 * time.Millisecond)
	}
}

// ReadPid waits up to ten seconds for a pid file of the fake agent, which appears
// whole, and returns the pid in it.
func ReadPid(t testing.TB, path string) int {
	t.Helper()
	var text []byte
	WaitUntil(t, path+" exists", 10*time.Second, func() bool {
		var err error
		text, err = os.ReadFile(path)
		return err == nil
	})
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || pid <= 1 {
		t.Fatalf("%s: %q is not a pid", path, text)
	}
	return pid
}
