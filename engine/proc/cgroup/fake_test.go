package cgroup

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ai-session-handler/ai-session-handler/engine/fsx"
)

// fake is a machine whose cgroups are files below a temporary directory. Its seam
// does what a kernel would.
type fake struct {
	t        *testing.T
	root     string
	own      string            // the directory of this process
	files    map[string]string // that a new cgroup has
	written  []string          // cgroup/file=value, in order
	points   []string
	fail     map[string]error // by point, the first time
	immortal bool             // nothing dies of cgroup.kill
}

// newFake has this process alone in the cgroup /own of a unified machine.
func newFake(t *testing.T) *fake {
	f := &fake{t: t, root: t.TempDir(), fail: map[string]error{}, files: map[string]string{
		"cgroup.events": "populated 0\nfrozen 0\n", "cgroup.type": "domain\n", "cgroup.procs": "", "cgroup.kill": "",
		"cgroup.subtree_control": "", "cgroup.controllers": "cpu memory pids\n",
		"memory.max": "", "memory.swap.max": "", "memory.oom.group": "", "pids.max": "", "cpu.max": "",
		"memory.events": "oom 0\noom_kill 0\n", "memory.peak": "4096\n", "pids.events": "max 0\n",
	}}
	f.own = filepath.Join(f.root, "sys/fs/cgroup/own")
	f.put("proc/self/mountinfo", unifiedMount)
	f.put("proc/self/cgroup", "0::/own\n")
	f.populate(f.own)
	f.inOwn(os.Getpid())
	return f
}

func (f *fake) inOwn(pids ...int) {
	text := ""
	for _, pid := range pids {
		text += strconv.Itoa(pid) + "\n"
	}
	f.put("sys/fs/cgroup/own/cgroup.procs", text)
}

func (f *fake) put(name, text string) {
	f.t.Helper()
	name = filepath.Join(f.root, name)
	if err := cmp.Or(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o600)); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fake) set(group, file, text string) { f.put("sys/fs/cgroup/own/"+group+"/"+file, text) }

func (f *fake) populate(dir string) {
	rel, _ := filepath.Rel(f.root, dir)
	for _, name := range slices.Sorted(maps.Keys(f.files)) {
		f.put(filepath.Join(rel, name), f.files[name])
	}
}

func (f *fake) seam(p fsx.Point) error {
	f.points = append(f.points, p.String())
	switch {
	case p.After && p.Op == "cgroup-mkdir":
		f.populate(filepath.Join(f.own, p.Name))
	case p.After && p.Op == "cgroup-write":
		f.settle()
	case !p.After && p.Op == "cgroup-rmdir":
		f.stripFiles(filepath.Join(f.own, p.Name))
	}
	err := f.fail[p.String()]
	delete(f.fail, p.String())
	return err
}

// settle takes in what was written: what moves to another cgroup leaves this one,
// and what is killed dies.
func (f *fake) settle() {
	_ = filepath.WalkDir(f.own, func(path string, e os.DirEntry, _ error) error {
		rel, _ := filepath.Rel(f.own, path)
		data, _ := os.ReadFile(path)
		if e.IsDir() || rel == "cgroup.procs" || f.immortal && e.Name() == "cgroup.procs" || len(data) == 0 || string(data) == f.files[e.Name()] {
			return nil
		}
		group := filepath.Dir(rel)
		switch e.Name() {
		case "cgroup.events", "memory.events", "memory.events.local", "pids.events", "memory.peak":
			return nil
		case "cgroup.procs":
			f.leave(string(data))
			f.set(group, "cgroup.events", "populated 1\n")
		case "cgroup.kill":
			if !f.immortal {
				f.set(group, "cgroup.events", "populated 0\n")
			}
		}
		f.written = append(f.written, rel+"="+string(data))
		return os.Truncate(path, 0)
	})
}

func (f *fake) leave(pid string) {
	data, _ := os.ReadFile(filepath.Join(f.own, "cgroup.procs"))
	rest := slices.DeleteFunc(strings.Fields(string(data)), func(one string) bool { return one == pid })
	f.put("sys/fs/cgroup/own/cgroup.procs", strings.Join(rest, "\n"))
}

// stripFiles leaves only directories, which is all that a kernel counts.
func (f *fake) stripFiles(dir string) {
	_ = filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			_ = os.Remove(path)
		}
		return nil
	})
}

func (f *fake) probe(limits Limits) (*Parent, error) { return probe(f.root, f.seam, limits) }

func (f *fake) create(id string, limits Limits) (*Group, error) {
	f.t.Helper()
	p, err := f.probe(limits)
	if err != nil {
		return nil, err
	}
	return p.Create(id, limits)
}

func (f *fake) made(id string, limits Limits) *Group {
	f.t.Helper()
	g, err := f.create(id, limits)
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(g.Close)
	return g
}

func (f *fake) has(name string) bool {
	_, err := os.Stat(filepath.Join(f.own, name))
	return err == nil
}
