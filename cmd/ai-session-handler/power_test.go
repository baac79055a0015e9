package main

import (
	"context"
	"os"
	"testing"

	"github.com/ai-session-handler/ai-session-handler/engine/enginetest"
)

// TestInitSurvivesAPowerLoss lets the power fail at each step of init and after
// it. What runs do is tested in engine/run.
func TestInitSurvivesAPowerLoss(t *testing.T) {
	steps := recordInit(t)
	if !initHolds(t, steps, -1) {
		t.Error("it does not survive")
	}
	for i, s := range steps {
		if s.IsSync() && initHolds(t, steps, i) {
			t.Errorf("nobody would miss %s, step %d", s, i)
		}
	}
}

func recordInit(t *testing.T) []enginetest.Step {
	t.Helper()
	log := enginetest.PowerLog{Root: enginetest.Workspace(t)}
	testOnlySeam = log.Seam()
	defer func() { testOnlySeam = nil }()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = null.Close() }()
	if code := Main(context.Background(), []string{"-C", log.Root, "init"}, nil, null, null, null); code != exitOK {
		t.Fatalf("exit code %d", code)
	}
	steps, err := log.Read()
	if err != nil {
		t.Fatal(err)
	}
	return steps
}

// initHolds lets the power fail without one sync and those of the same directory
// that follow, which would make good for it before the command says a word.
func initHolds(t *testing.T, steps []enginetest.Step, without int) bool {
	t.Helper()
	d := enginetest.NewDisk()
	for i, s := range steps {
		if without < 0 || i < without || !s.IsSync() || s.Path != steps[without].Path {
			if err := d.Apply(s); err != nil {
				t.Fatal(err)
			}
		}
		for c := range d.Crashes {
			if !isInit(c.Tree, i < len(steps)-1) {
				return false
			}
		}
	}
	return true
}

// isInit holds when everything that init makes is there and whole, or some of it
// is not there yet.
func isInit(tree enginetest.Tree, yet bool) bool {
	files := map[string]string{
		".ai-session-handler/.gitignore":  "*\n!config.json\n",
		".ai-session-handler/config.json": starterConfig,
		".ai-session-handler/plans/":      "",
	}
	for name, want := range files {
		if text, found := tree[name]; found && text != want || !found && !yet {
			return false
		}
	}
	return true
}
