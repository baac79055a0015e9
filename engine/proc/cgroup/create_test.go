package cgroup

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

func TestTheOrderOfACreation(t *testing.T) {
	self := strconv.Itoa(os.Getpid())
	leaf := LeafName + "/cgroup.procs=" + self
	for name, test := range map[string]struct {
		change func(*fake)
		want   []string
	}{
		"all limits": {want: []string{
			leaf, "cgroup.subtree_control=+memory", "cgroup.subtree_control=+pids", "cgroup.subtree_control=+cpu",
			"ai-session-handler-a/memory.max=1073741824", "ai-session-handler-a/memory.swap.max=0", "ai-session-handler-a/memory.oom.group=1",
			"ai-session-handler-a/pids.max=100", "ai-session-handler-a/cpu.max=150000 100000",
		}},
		"controllers are there": {change: func(f *fake) { f.set("", "cgroup.subtree_control", "cpu memory pids"); f.inOwn() }, want: []string{
			"ai-session-handler-a/memory.max=1073741824", "ai-session-handler-a/memory.swap.max=0", "ai-session-handler-a/memory.oom.group=1",
			"ai-session-handler-a/pids.max=100", "ai-session-handler-a/cpu.max=150000 100000",
		}},
		"no swap, an old kernel, at the root": {change: func(f *fake) {
			delete(f.files, "memory.swap.max")
			delete(f.files, "memory.oom.group")
			_ = os.Remove(f.own + "/cgroup.events")
		}, want: []string{
			"cgroup.subtree_control=+memory", "cgroup.subtree_control=+pids", "cgroup.subtree_control=+cpu",
			"ai-session-handler-a/memory.max=1073741824", "ai-session-handler-a/pids.max=100", "ai-session-handler-a/cpu.max=150000 100000",
		}},
	} {
		f := newFake(t)
		f.files["cgroup.subtree_control"] = ""
		if test.change != nil {
			test.change(f)
		}
		enabled, _ := os.ReadFile(f.own + "/cgroup.subtree_control")
		f.files["cgroup.subtree_control"] = string(enabled)
		f.made("a", allLimits)
		if diff := cmp.Diff(test.want, f.written); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

func TestOurChildrenMoveToo(t *testing.T) {
	child := exec.Command("sleep", "1000")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = child.Process.Kill(); _ = child.Wait() }()
	f := newFake(t)
	f.inOwn(os.Getpid(), child.Process.Pid)
	f.made("a", Limits{PidsMax: 100})
	for i, pid := range []int{os.Getpid(), child.Process.Pid} {
		if want := LeafName + "/cgroup.procs=" + strconv.Itoa(pid); f.written[i] != want {
			t.Errorf("%q, want %q", f.written[i], want)
		}
	}
}

func TestAnErrorNamesFileAndLimit(t *testing.T) {
	for point, want := range map[string]string{
		"before cgroup-write memory.max":             "set memory.max to 1073741824 for memory_max: invalid argument",
		"before cgroup-write pids.max":               "for pids_max",
		"before cgroup-write cpu.max":                "set cpu.max to 150000 100000 for cpu_max",
		"before cgroup-write cgroup.subtree_control": "enable the memory controller for memory_max",
		"before cgroup-write cgroup.procs":           "move this process into a cgroup of its own",
		"before cgroup-mkdir " + LeafName:            "move this process",
		"before cgroup-mkdir ai-session-handler-a":   "make the cgroup of the attempt",
		"before cgroup-write memory.swap.max":        "for memory_max",
		"after cgroup-write cpu.max":                 "for cpu_max",
		"before cgroup-lock ai-session-handler-a":    "invalid argument",
		"after cgroup-read cgroup.subtree_control":   "invalid argument",
		"after cgroup-mkdir ai-session-handler-a":    "make the cgroup",
	} {
		f := newFake(t)
		f.fail[point] = unix.EINVAL
		_, err := f.create("a", allLimits)
		if !errors.Is(err, unix.EINVAL) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", point, err)
		}
		if f.has("ai-session-handler-a") {
			t.Errorf("%s: the cgroup is left", point)
		}
	}
}

func TestWhatWasAbandonedIsRemoved(t *testing.T) {
	f := newFake(t)
	held := f.made("held", allLimits)
	for _, name := range []string{"ai-session-handler-empty", "ai-session-handler-empty/below", "ai-session-handler-lives", "other"} {
		f.populate(f.own + "/" + name)
	}
	f.set("ai-session-handler-lives", "cgroup.events", "populated 1\n")
	f.set("ai-session-handler-unknown", "cgroup.events", "")
	f.made("a", allLimits)
	for name, want := range map[string]bool{
		"ai-session-handler-empty": false, "ai-session-handler-lives": true, "ai-session-handler-held": true,
		"ai-session-handler-unknown": true, "other": true, LeafName: true, "ai-session-handler-a": true,
	} {
		if f.has(name) != want {
			t.Errorf("%s: there %v", name, !want)
		}
	}
	held.Close()
	f.made("b", allLimits)
	if f.has("ai-session-handler-held") {
		t.Error("one that nobody holds any more is left")
	}
}

func TestProcessesThatCantBeMovedAreNotTriedForever(t *testing.T) {
	f := newFake(t)
	p, err := f.probe(allLimits)
	if err != nil {
		t.Fatal(err)
	}
	p.seam = nil // no kernel moves them
	f.populate(f.own + "/" + LeafName)
	if err := p.vacate(); err == nil || !strings.Contains(err.Error(), "faster") {
		t.Error(err)
	}
}

func TestEveryStepOfACreationIsAPoint(t *testing.T) {
	f := newFake(t)
	f.made("a", allLimits)
	for _, op := range []string{"read", "access", "list", "mkdir", "lock", "write"} {
		if !slices.ContainsFunc(f.points, func(p string) bool { return strings.HasPrefix(p, "before cgroup-"+op+" ") }) {
			t.Errorf("no point of cgroup-%s", op)
		}
	}
}

func TestTheCgroupOfAnotherIsLeftAlone(t *testing.T) {
	f := newFake(t)
	first := f.made("a", allLimits)
	if _, err := f.create("a", allLimits); !errors.Is(err, fs.ErrExist) || !f.has("ai-session-handler-a") {
		t.Errorf("got %v", err)
	}
	first.Close()
}
