package cgroup

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// bare makes a cgroup without limits on the real machine, where this user may.
func bare(t *testing.T) (*Parent, *Group) {
	t.Helper()
	p, err := Probe(nil, Limits{})
	if err != nil {
		t.Skip(err)
	}
	g, err := p.Create(fmt.Sprintf("test-%d-%s", os.Getpid(), t.Name()), Limits{})
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(g.Close)
	return p, g
}

// inside starts a process and puts it into a cgroup.
func inside(t *testing.T, g *Group) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("sleep", "1000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	if err := g.Add(cmd.Process.Pid); err != nil {
		t.Fatal(err)
	}
	return cmd
}

func TestARealCgroupIsEnded(t *testing.T) {
	_, g := bare(t)
	cmd := inside(t, g)
	if there, err := g.Populated(); !there || err != nil {
		t.Errorf("with a process: %v, %v", there, err)
	}
	if err := os.Mkdir(g.file("below"), 0o755); err != nil {
		t.Fatal(err)
	}
	if facts, left := g.End(); facts != (Facts{}) || len(left) != 0 {
		t.Fatalf("%+v, %v", facts, left)
	}
	_ = cmd.Wait()
	if status := cmd.ProcessState.Sys().(interface{ Signal() unix.Signal }); status.Signal() != unix.SIGKILL {
		t.Errorf("the process ended by %v", status.Signal())
	}
	if _, err := os.Stat(g.Dir()); err == nil {
		t.Error("the cgroup is left")
	}
}

func TestARealCgroupThatWasAbandonedIsRemoved(t *testing.T) {
	p, g := bare(t)
	p.removeAbandoned()
	if _, err := os.Stat(g.Dir()); err != nil {
		t.Errorf("while it is held: %v", err)
	}
	cmd := inside(t, g)
	g.Close()
	p.removeAbandoned()
	if _, err := os.Stat(g.Dir()); err != nil {
		t.Errorf("while somebody lives there: %v", err)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	p.removeAbandoned()
	if _, err := os.Stat(g.Dir()); err == nil {
		t.Error("it is left")
	}
}

func TestAProbeOfThisMachineSaysSomething(t *testing.T) {
	for _, limits := range []Limits{{MemoryMax: 1 << 30}, {PidsMax: 100}, {CPUMilli: 1000}} {
		if _, err := Probe(nil, limits); err != nil && !strings.Contains(err.Error(), "can't be enforced here: ") {
			t.Error(err)
		}
	}
}
