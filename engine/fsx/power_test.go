package fsx_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/ai-session-handler/ai-session-handler/engine/enginetest"
	"github.com/ai-session-handler/ai-session-handler/engine/fsx"
)

// promise is an operation that makes something durable before it returns.
type promise struct {
	name     string
	before   func(*fsx.Dir) error // makes what is there already
	unsynced bool                 // and was killed before it could sync it
	do       func(*fsx.Dir) error
	during   func(enginetest.Tree) bool // holds whenever the power fails
	after    func(enginetest.Tree) bool // holds when it fails after the return
	syncs    int
}

func always(enginetest.Tree) bool { return true }

var promises = []promise{
	{
		name:   "MkdirAll",
		before: func(*fsx.Dir) error { return nil },
		do:     func(d *fsx.Dir) error { return d.MkdirAll("a/b", "a/c") },
		during: always,
		after:  func(tree enginetest.Tree) bool { return len(tree) == 3 },
		syncs:  2,
	},
	{
		name:     "MkdirAll of what is there",
		before:   func(d *fsx.Dir) error { return d.MkdirAll("a/b", "a/c") },
		unsynced: true,
		do:       func(d *fsx.Dir) error { return d.MkdirAll("a/b", "a/c") },
		during:   always,
		after:    func(tree enginetest.Tree) bool { return len(tree) == 3 },
		syncs:    2,
	},
	{
		name:   "WriteNew",
		before: func(*fsx.Dir) error { return nil },
		do:     func(d *fsx.Dir) error { return d.WriteNew("f", []byte("new")) },
		during: always,
		after:  func(tree enginetest.Tree) bool { return tree["f"] == "new" },
		syncs:  2,
	},
	{
		name:   "Replace",
		before: func(d *fsx.Dir) error { return d.WriteNew("f", []byte("old")) },
		do:     func(d *fsx.Dir) error { return d.Replace("f", []byte("new")) },
		during: func(tree enginetest.Tree) bool { return tree["f"] == "old" || tree["f"] == "new" },
		after:  func(tree enginetest.Tree) bool { return tree["f"] == "new" },
		syncs:  2,
	},
}

// TestWhatReturnedSurvivesAPowerLoss lets the power fail at each step of each
// operation, and after it: what was promised holds, and would not without any
// single one of its syncs.
func TestWhatReturnedSurvivesAPowerLoss(t *testing.T) {
	for _, p := range promises {
		before, steps := p.record(t)
		if !p.holds(t, before, steps) {
			t.Errorf("%s: does not survive", p.name)
		}
		syncs := 0
		for i, s := range steps {
			if !s.IsSync() {
				continue
			}
			syncs++
			if without := slices.Delete(slices.Clone(steps), i, i+1); p.holds(t, before, without) {
				t.Errorf("%s: nobody would miss %s", p.name, s)
			}
		}
		if syncs != p.syncs {
			t.Errorf("%s: %d syncs, want %d", p.name, syncs, p.syncs)
		}
	}
}

// record returns the steps before the operation and those of it.
func (p promise) record(t *testing.T) (before, steps []enginetest.Step) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	log := enginetest.PowerLog{Root: root}
	if err := log.Mark("beginning", "", ""); err != nil {
		t.Fatal(err)
	}
	d, err := fsx.OpenDir(root, log.Seam())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	for _, do := range []func(*fsx.Dir) error{p.before, p.do} {
		before = steps
		if err := do(d); err != nil {
			t.Fatal(err)
		}
		if steps, err = log.Read(); err != nil {
			t.Fatal(err)
		}
	}
	steps = steps[len(before):]
	if p.unsynced {
		before = slices.DeleteFunc(before, enginetest.Step.IsSync)
	}
	return before, steps
}

// holds lets the power fail.
func (p promise) holds(t *testing.T, before, steps []enginetest.Step) bool {
	t.Helper()
	d := enginetest.NewDisk()
	for _, s := range before {
		if err := d.Apply(s); err != nil {
			t.Fatal(err)
		}
	}
	for i, s := range steps {
		if err := d.Apply(s); err != nil {
			t.Fatal(err)
		}
		last := i == len(steps)-1
		for c := range d.Crashes {
			if !p.during(c.Tree) || last && !p.after(c.Tree) {
				return false
			}
		}
	}
	return true
}
