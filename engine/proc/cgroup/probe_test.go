package cgroup

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

var allLimits = Limits{MemoryMax: 1 << 30, PidsMax: 100, CPUMilli: 1500}

func TestWhatIsRefusedAndWhy(t *testing.T) {
	memory := Limits{MemoryMax: 1 << 30}
	for name, test := range map[string]struct {
		change func(*fake)
		limits Limits
		want   []string // for each limit, in order; none when it is supported
	}{
		"all is there":   {limits: allLimits},
		"no limits":      {change: func(f *fake) { f.set("", "cgroup.controllers", "") }},
		"only one there": {change: func(f *fake) { f.set("", "cgroup.controllers", "memory") }, limits: memory},
		"not delegated": {change: func(f *fake) { f.set("", "cgroup.controllers", "memory io") }, limits: allLimits,
			want: []string{"pids_max can't be enforced here: the pids controller is not among", "cpu_max can't be enforced here: the cpu"}},
		"version 1": {change: func(f *fake) {
			f.set("", "cgroup.controllers", "hugetlb")
			f.put("proc/self/cgroup", "4:memory:/x\n0::/own\n")
		}, limits: memory, want: []string{"the memory controller is not available in cgroup v2 here: it is mounted as version 1"}},
		"no version 2": {change: func(f *fake) { f.put("proc/self/mountinfo", oldMounts) }, limits: allLimits,
			want: []string{"memory_max can't be enforced here: cgroup v2 is not mounted", "cgroup v2 is not", "cgroup v2 is not"}},
		"no proc":       {change: func(f *fake) { _ = os.Remove(f.root + "/proc/self/cgroup") }, limits: memory, want: []string{"no such file"}},
		"others":        {change: func(f *fake) { f.inOwn(os.Getpid(), 1) }, limits: memory, want: []string{"other processes live in the cgroup"}},
		"other PIDs":    {change: func(f *fake) { f.inOwn(0) }, limits: memory, want: []string{"for example 0: start the handler with systemd-run"}},
		"threaded":      {change: func(f *fake) { f.set("", "cgroup.type", "threaded\n") }, limits: memory, want: []string{`of type "threaded"`}},
		"not writable":  {change: refuse("cgroup.procs", unix.EACCES), limits: memory, want: []string{"own/cgroup.procs is not writable by this user: start the handler with systemd-run"}},
		"read-only":     {change: refuse("own", unix.EROFS), limits: memory, want: []string{"is mounted read-only"}},
		"too few pids":  {limits: Limits{PidsMax: 3}, want: []string{"pids_max can't be enforced here: 3 is too few"}},
		"negative":      {limits: Limits{MemoryMax: -1, PidsMax: -1, CPUMilli: -1}, want: []string{"no amount", "too few", "not from"}},
		"cpu too small": {limits: Limits{CPUMilli: 9}, want: []string{"not from 10"}},
		"cpu overflow":  {limits: Limits{CPUMilli: 1 << 62}, want: []string{"not from 10"}},
		"root is exempt from the rule": {change: func(f *fake) {
			_ = os.Remove(f.own + "/cgroup.events")
			_ = os.Remove(f.own + "/cgroup.type")
			f.inOwn(1, 0, os.Getpid())
		}, limits: memory},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			if test.change != nil {
				test.change(f)
			}
			_, err := f.probe(test.limits)
			var u *Unsupported
			if len(test.want) == 0 {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if !errors.As(err, &u) || len(u.Reasons) != len(test.want) {
				t.Fatalf("got %v", err)
			}
			for i, want := range test.want {
				if !strings.Contains(strings.Split(err.Error(), "; ")[i], want) {
					t.Errorf("got %q, want %q", u.Reasons[i], want)
				}
			}
		})
	}
}

func refuse(file string, err error) func(*fake) {
	return func(f *fake) { f.fail["before cgroup-access "+file] = err }
}

func TestAProbeChangesNothing(t *testing.T) {
	f := newFake(t)
	if _, err := f.probe(allLimits); err != nil {
		t.Fatal(err)
	}
	for _, point := range f.points {
		if !strings.Contains(point, "cgroup-read") && !strings.Contains(point, "cgroup-access") {
			t.Error(point)
		}
	}
}

func TestAHandlerInItsLeafUsesTheCgroupAbove(t *testing.T) {
	f := newFake(t)
	f.put("proc/self/cgroup", "0::/own/"+LeafName+"\n")
	f.inOwn()
	p, err := f.probe(allLimits)
	if err != nil || p.Dir() != f.own {
		t.Errorf("got %+v, %v", p, err)
	}
}

func TestWithoutLimitsAParentIsStillOne(t *testing.T) {
	f := newFake(t)
	_ = os.Remove(filepath.Join(f.root, "proc/self/mountinfo"))
	if _, err := f.probe(Limits{}); err == nil {
		t.Error("no error where there is no cgroup")
	}
}

func TestWhatIsLeftWithoutTheUnsupported(t *testing.T) {
	for limit, want := range map[Limit]Limits{
		MemoryMax: {PidsMax: 100, CPUMilli: 1500}, PidsMax: {MemoryMax: 1 << 30, CPUMilli: 1500}, CPUMax: {MemoryMax: 1 << 30, PidsMax: 100},
	} {
		if got := allLimits.Without(&Unsupported{[]Reason{{Limit: limit}}}); got != want {
			t.Errorf("without %s: %+v", limit, got)
		}
	}
}
