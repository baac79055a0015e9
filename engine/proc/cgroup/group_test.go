package cgroup

import (
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestWhatTheLimitsHaveSeen(t *testing.T) {
	for name, test := range map[string]struct {
		files map[string]string
		want  Facts
	}{
		"nothing":              {nil, Facts{MemoryPeak: 4096}},
		"killed":               {map[string]string{"memory.events": "max 7\noom 1\noom_kill 3\n"}, Facts{MemoryLimit: true, MemoryPeak: 4096}},
		"reached, not killed":  {map[string]string{"memory.events": "max 70\noom 1\noom_kill 0\n"}, Facts{MemoryPeak: 4096}},
		"the machine was full": {map[string]string{"memory.events": "oom 0\noom_kill 3\n"}, Facts{MemoryPeak: 4096}},
		"a limit of the worker's": {map[string]string{"memory.events": "oom 1\noom_kill 3\n", "memory.events.local": "oom 0\noom_kill 0\n"},
			Facts{MemoryPeak: 4096}},
		"ours, killed below": {map[string]string{"memory.events": "oom 1\noom_kill 3\n", "memory.events.local": "oom 1\noom_kill 0\n"},
			Facts{MemoryLimit: true, MemoryPeak: 4096}},
		"forks":           {map[string]string{"pids.events": "max 12\n"}, Facts{PidsRefused: 12, MemoryPeak: 4096}},
		"forks, below":    {map[string]string{"pids.events": "max 12\n", "pids.events.local": "max 0\n"}, Facts{MemoryPeak: 4096}},
		"an old kernel":   {map[string]string{"memory.peak": "-"}, Facts{}},
		"no controller":   {map[string]string{"memory.peak": "-", "memory.events": "-", "pids.events": "-"}, Facts{}},
		"what is unknown": {map[string]string{"memory.events": "rubbish\noom x\n\n", "memory.peak": "x"}, Facts{}},
	} {
		f := newFake(t)
		g := f.made("a", allLimits)
		for file, text := range test.files {
			f.set("ai-session-handler-a", file, text)
			if text == "-" {
				_ = os.Remove(g.file(file))
			}
		}
		if got, left := g.End(); got != test.want || len(left) != 0 {
			t.Errorf("%s: %+v, %v", name, got, left)
		}
		if f.has("ai-session-handler-a") {
			t.Errorf("%s: the cgroup is left", name)
		}
	}
}

func TestFactsThatCantBeReadAreNotTakenForNone(t *testing.T) {
	for _, file := range []string{"memory.events", "pids.events", "memory.peak"} {
		f := newFake(t)
		g := f.made("a", allLimits)
		f.fail["before cgroup-read "+file] = unix.EIO
		if got, _ := g.End(); !strings.Contains(got.Unknown, "input/output error") {
			t.Errorf("%s: %+v", file, got)
		}
	}
}

func TestTheEndOfWhoeverIsLeft(t *testing.T) {
	f := newFake(t)
	g := f.made("a", allLimits)
	if err := g.Add(123); err != nil {
		t.Fatal(err)
	}
	if there, err := g.Populated(); !there || err != nil {
		t.Fatal(there, err)
	}
	f.populate(g.file("below/more"))
	if _, left := g.End(); len(left) != 0 || f.has("ai-session-handler-a") {
		t.Errorf("left %v", left)
	}
	if got := f.written[len(f.written)-2:]; got[0] != "ai-session-handler-a/cgroup.procs=123" || got[1] != "ai-session-handler-a/cgroup.kill=1" {
		t.Errorf("%q", got)
	}
	if facts, left := g.End(); facts != (Facts{}) || len(left) != 0 {
		t.Errorf("one that is gone: %+v, %v", facts, left)
	}
}

func TestWhatDoesNotDieIsNamed(t *testing.T) {
	f := newFake(t)
	g := f.made("a", allLimits)
	f.immortal = true
	f.set("ai-session-handler-a", "cgroup.events", "populated 1\n")
	if left := g.living(); len(left) != 1 || !strings.HasSuffix(left[0].Name, "ai-session-handler-a") {
		t.Errorf("left %v", left)
	}
	f.set("ai-session-handler-a", "cgroup.procs", "1\n")
	if _, left := g.End(); len(left) != 1 || left[0].PID != 1 || left[0].Name == "" {
		t.Errorf("left %v", left)
	}
	if !f.has("ai-session-handler-a") {
		t.Error("a cgroup with somebody in it was removed")
	}
}

func TestWhatDoesNotTellIsNotTakenForEmpty(t *testing.T) {
	f := newFake(t)
	g := f.made("a", allLimits)
	f.set("ai-session-handler-a", "cgroup.events", "frozen 0\n")
	if there, err := g.Populated(); there || err == nil {
		t.Error("no error")
	}
}

func TestNoGroup(t *testing.T) {
	var g *Group
	facts, left := g.End()
	there, err := g.Populated()
	g.Close()
	if facts != (Facts{}) || left != nil || there || err != nil || g.Add(1) != nil || g.Kill() != nil || g.Dir() != "" {
		t.Error("no group is something")
	}
}
