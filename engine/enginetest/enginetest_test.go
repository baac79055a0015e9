//go:build linux

package enginetest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/ai-session-handler/ai-session-handler/engine/enginetest"
)

func TestAliveDoesNotCountZombies(t *testing.T) {
	if !enginetest.Alive(os.Getpid()) {
		t.Error("this process isn't alive")
	}
	// A name with parentheses is what a careless reader of stat trips over.
	path := filepath.Join(t.TempDir(), "a) S (b")
	if err := os.Symlink(enginetest.BuildFakeAgent(t), path); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// Not waited for yet, so it stays a zombie.
	enginetest.WaitUntil(t, "the agent has ended", 10*time.Second, func() bool { return !enginetest.Alive(cmd.Process.Pid) })
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if enginetest.Alive(cmd.Process.Pid) {
		t.Error("a reaped process is alive")
	}
}

func TestWritePlan(t *testing.T) {
	ws := enginetest.Workspace(t)
	path := enginetest.WritePlan(t, ws, "p.md", 2)
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const want = `# Plan

What all phases share.

## Phase 1: Title 1

### Workspace

.

### Goal

Reach goal 1.

## Phase 2: Title 2

### Workspace

.

### Goal

Reach goal 2.
`
	if string(got) != want || path != filepath.Join(ws, "docs/plans/p.md") {
		t.Errorf("%s holds\n%s", path, got)
	}
}
