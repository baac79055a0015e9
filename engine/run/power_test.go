package run_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ai-session-handler/ai-session-handler/engine/enginetest"
	"github.com/ai-session-handler/ai-session-handler/engine/proc"
	"github.com/ai-session-handler/ai-session-handler/engine/run"
	"github.com/ai-session-handler/ai-session-handler/engine/workspace"
)

// TestPowerLoss plays the life of a plan once, with real processes, and then
// lets the power fail after each of its steps, in every way that the disk model
// knows: see enginetest.Disk for the ways, promises for what must hold.
func TestPowerLoss(t *testing.T) {
	r := &recording{records: newRecords()}
	r.plan, r.steps = live(t)
	t.Run("promises", func(t *testing.T) {
		if err := r.breaks(nil); err != nil {
			t.Error(err)
		}
	})
	t.Run("next run", r.testNextRun)
	t.Run("every sync is needed", r.testEverySyncIsNeeded)
}

// recording is a life that was played.
type recording struct {
	plan    workspace.Plan
	steps   []enginetest.Step
	records *records
}

// replay calls after behind each step that changed what a power loss may leave,
// or what must not be lost. The syncs in without do nothing, as if the program
// did not have them.
func (r *recording) replay(without []int, after func(i int, d *enginetest.Disk, p *promises) error) error {
	d, p := enginetest.NewDisk(), newPromises(r.steps, r.records)
	for i, s := range r.steps {
		before := d.Changes()
		if !slices.Contains(without, i) {
			if err := d.Apply(s); err != nil {
				return err
			}
		}
		p.learn(s)
		if d.Changes() == before && !tells(s) {
			continue
		}
		if err := after(i, d, p); err != nil {
			return fmt.Errorf("power loss after step %d, %s: %w", i, s, err)
		}
	}
	return nil
}

// breaks returns the first promise that a power loss breaks where the program
// lacks some of its syncs.
func (r *recording) breaks(without []int) error {
	return r.replay(without, func(i int, d *enginetest.Disk, p *promises) (err error) {
		if len(without) > 0 && i < without[0] {
			return nil
		}
		for c := range d.Crashes {
			if err = p.check(c.Tree); err != nil {
				return fmt.Errorf("%s: %w", c, err)
			}
		}
		return nil
	})
}

// testEverySyncIsNeeded takes out each sync in turn: without it, some power loss
// must break a promise.
func (r *recording) testEverySyncIsNeeded(t *testing.T) {
	busy, idle, err := r.syncs()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d syncs with something to do, %d without", len(busy), len(idle))
	names := map[string]bool{}
	for _, i := range busy {
		names[r.steps[i].String()] = true
		if r.breaks(r.repeated(i)) == nil {
			t.Errorf("nobody would miss %s, step %d, in %q", r.steps[i], i, r.episode(i))
		}
	}
	for _, i := range idle {
		if name := r.steps[i].String(); !names[name] {
			t.Errorf("%s never has anything to do: it is superfluous, or the life of the plan is too easy", name)
		}
	}
}

// syncs lists the steps that made something durable, and those of the same kind
// that found everything durable already.
func (r *recording) syncs() (busy, idle []int, err error) {
	err = r.replay(nil, func(i int, _ *enginetest.Disk, _ *promises) error {
		if r.steps[i].IsSync() {
			busy = append(busy, i)
		}
		return nil
	})
	for i, s := range r.steps {
		if s.IsSync() && !slices.Contains(busy, i) {
			idle = append(idle, i)
		}
	}
	return busy, idle, err
}

// repeated is a sync and those of the same file or directory that follow before
// anybody learns anything: what one of them leaves undone, the next makes good,
// and nobody can tell.
func (r *recording) repeated(first int) []int {
	list := []int{first}
	for i := first + 1; i < len(r.steps) && !tells(r.steps[i]); i++ {
		if s := r.steps[i]; s.IsSync() && s.Path == r.steps[first].Path {
			list = append(list, i)
		}
	}
	return list
}

// episode names the part of the life that a step belongs to.
func (r *recording) episode(i int) string {
	for ; i >= 0; i-- {
		if r.steps[i].Mark == markRun {
			return r.steps[i].Text
		}
	}
	return ""
}

// testNextRun puts what each power loss left in the place of the real files and
// asks what a run would do: refuse or go on, but never with a phase that may have
// run already, unless told to; and told to, it must be able to.
func (r *recording) testNextRun(t *testing.T) {
	runner := &run.Runner{Launcher: new(proc.Launcher), Clock: time.Now}
	seen := map[string]bool{}
	err := r.replay(nil, func(_ int, d *enginetest.Disk, p *promises) error {
		for c := range d.Crashes {
			if key := decisive(c.Tree) + p.plan + p.manifest; !seen[key] {
				seen[key] = true
				if err := r.askNextRun(runner, p, c.Tree); err != nil {
					return fmt.Errorf("%s: %w", c, err)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	t.Logf("%d different disks", len(seen))
}

// decisive is what of a tree decides about the next run.
func decisive(tree enginetest.Tree) string {
	var all []string
	for name, text := range tree {
		if strings.HasSuffix(name, "/"+workspace.StateFile) || strings.Contains(name, "/snapshots/") || strings.Contains(name, "/exits/") {
			all = append(all, name+"\n"+text)
		}
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

func (r *recording) askNextRun(runner *run.Runner, p *promises, tree enginetest.Tree) error {
	err := errors.Join(
		os.RemoveAll(filepath.Join(r.plan.Root, workspace.DirName)),
		os.WriteFile(r.plan.Path, []byte(p.plan), 0o600),
		tree.WriteTo(r.plan.Root),
	)
	if err != nil {
		return err
	}
	argv := []string{"agent"}
	next, err := runner.Preview(context.Background(), bound(jobOf(r.plan, argv, run.Options{}), p.manifest))
	if _, isRefusal := errors.AsType[*run.Refusal](err); err != nil && !isRefusal {
		return fmt.Errorf("the next run fails: %w", err)
	}
	if err == nil && next.Found && p.mayHaveRun(next.Phase.ID) {
		return fmt.Errorf("the next run would repeat %s", next.Phase.ID)
	}
	told := run.Options{RetryStopped: true, AcceptPlanChange: true, AcceptManifestChange: true}
	next, err = runner.Preview(context.Background(), bound(jobOf(r.plan, argv, told), p.manifest))
	if err != nil {
		return fmt.Errorf("the plan can't be gone on with: %w", err)
	}
	if next.Found && p.completed(next.Phase.ID) {
		return fmt.Errorf("a retry would repeat %s, which is complete", next.Phase.ID)
	}
	return nil
}
