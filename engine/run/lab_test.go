package run_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ai-session-handler/ai-session-handler/engine/binding"
	"github.com/ai-session-handler/ai-session-handler/engine/enginetest"
	"github.com/ai-session-handler/ai-session-handler/engine/fsx"
	"github.com/ai-session-handler/ai-session-handler/engine/plan"
	"github.com/ai-session-handler/ai-session-handler/engine/proc"
	"github.com/ai-session-handler/ai-session-handler/engine/run"
	"github.com/ai-session-handler/ai-session-handler/engine/state"
	"github.com/ai-session-handler/ai-session-handler/engine/workspace"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// lab is a plan that is run by a runner in this process, with the fake agent.
// What it holds may be changed between two runs, and by what is called in one.
type lab struct {
	t       *testing.T
	plan    workspace.Plan
	runner  *run.Runner
	how     binding.Binding
	bound   bool   // a manifest says so
	text    string // of that manifest
	failure error  // of reading it
	asked   func() // called before the sources are read
	edit    func(*run.Job)

	mu     sync.Mutex
	events []record.Event
}

// newLab has a plan of some phases, of which each completes at once.
func newLab(t *testing.T, phases int) *lab {
	t.Helper()
	located, err := workspace.Locate(enginetest.WritePlan(t, enginetest.Workspace(t), "p.md", phases))
	if err != nil {
		t.Fatal(err)
	}
	launcher, err := proc.NewLauncher(nil)
	if err != nil {
		t.Fatal(err)
	}
	l := &lab{t: t, plan: located, bound: true, text: "1"}
	l.runner = &run.Runner{Launcher: launcher, Clock: time.Now, ProgressEvery: time.Hour}
	l.how = binding.Binding{Source: located.Relative, Default: l.phase("complete=done"), Phases: map[string]binding.Phase{}}
	return l
}

// phase runs the fake agent.
func (l *lab) phase(steps ...string) binding.Phase {
	l.t.Helper()
	return binding.Phase{
		Agent: "fake", Argv: append([]string{enginetest.BuildFakeAgent(l.t)}, steps...),
		Limits: binding.Limits{Timeout: time.Minute, Grace: 400 * time.Millisecond},
	}
}

// set makes a phase run otherwise.
func (l *lab) set(id string, change func(*binding.Phase)) {
	p := l.how.For(id)
	change(&p)
	l.how.Phases[id] = p
}

// manifest is what the manifest means now; nil where there is none.
func (l *lab) manifest() *run.Manifest {
	if !l.bound {
		return nil
	}
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte(l.text)))
	return &run.Manifest{Binding: l.how.Record(), Sources: []record.SourceDigest{{Path: "ai-session-handler.hcl", SHA256: sum}}}
}

// Current implements run.Source.
func (l *lab) Current(context.Context) (run.Sources, error) {
	if l.asked != nil {
		l.asked()
	}
	snapshot, err := plan.Read(l.plan.Path)
	if err == nil {
		err = l.failure
	}
	return run.Sources{Plan: snapshot, Manifest: l.manifest()}, err
}

func (l *lab) job(options run.Options) run.Job {
	job := run.Job{
		Plan: l.plan, Binding: l.how, Manifest: l.manifest(), Source: l, Environ: os.Environ(), Options: options,
		Console: discard{}, Observe: l.observe, Command: []string{"again"},
	}
	job.Binding.Phases = make(map[string]binding.Phase)
	for id, p := range l.how.Phases {
		job.Binding.Phases[id] = p
	}
	if l.edit != nil {
		l.edit(&job)
	}
	return job
}

func (l *lab) observe(e record.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = append(l.events, e)
}

func (l *lab) run(options run.Options) (run.Result, error) {
	l.t.Helper()
	return l.runIn(context.Background(), options)
}

func (l *lab) runIn(ctx context.Context, options run.Options) (run.Result, error) {
	l.t.Helper()
	l.events = nil
	return l.runner.Run(ctx, l.job(options))
}

// ends runs and wants an end in order.
func (l *lab) ends(want run.End, options run.Options) run.Result {
	l.t.Helper()
	result, err := l.run(options)
	if err != nil || result.End != want {
		l.t.Fatalf("got end %d, %v; want end %d", result.End, err, want)
	}
	return result
}

// refuses runs and wants a refusal with each of some texts, for which nothing
// was launched, nor changed on disk.
func (l *lab) refuses(options run.Options, texts ...string) string {
	l.t.Helper()
	before := l.listing()
	_, err := l.run(options)
	if after := l.listing(); before != after {
		l.t.Errorf("a refusal changed what is on disk:\n%s\nand now:\n%s", before, after)
	}
	return l.wantsRefusal(err, texts...)
}

func (l *lab) wantsRefusal(err error, texts ...string) string {
	l.t.Helper()
	if _, ok := errors.AsType[*run.Refusal](err); !ok {
		l.t.Fatalf("not refused: %v", err)
	}
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			l.t.Errorf("not said: %q\n%s", text, err)
		}
	}
	return err.Error()
}

// listing is every file of the histories and what is in it, but for events.
func (l *lab) listing() string {
	var all []string
	_ = filepath.WalkDir(filepath.Join(l.plan.Root, workspace.DirName), func(path string, entry os.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() && entry.Name() != workspace.EventsFile {
			text, _ := os.ReadFile(path)
			all = append(all, path+"\n"+string(text))
		}
		return nil
	})
	return strings.Join(all, "\n")
}

// state is what is on disk.
func (l *lab) state() record.State {
	l.t.Helper()
	store := l.store()
	st, found, err := store.Load()
	if err != nil || !found {
		l.t.Fatalf("no state: %v", err)
	}
	return st
}

func (l *lab) store() state.Store {
	l.t.Helper()
	dir, err := fsx.OpenDir(filepath.Dir(l.plan.StatePath()), nil)
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { _ = dir.Close() })
	return state.Store{Dir: dir}
}

// outcomes are all there are, oldest first.
func (l *lab) outcomes() (all []record.Outcome) {
	l.t.Helper()
	store := l.store()
	for _, c := range l.state().CommittedOutcomes {
		o, err := store.ReadOutcome(c.Path)
		if err != nil {
			l.t.Fatal(err)
		}
		all = append(all, o)
	}
	return all
}

// wantsAttempts checks phase and status of all attempts there ever were.
func (l *lab) wantsAttempts(want ...string) {
	l.t.Helper()
	var got []string
	for _, o := range l.outcomes() {
		got = append(got, o.Phase.ID+" "+string(o.Status))
	}
	if !slices.Equal(got, want) {
		l.t.Errorf("attempts %q, want %q", got, want)
	}
}

// told are the events of a kind of the latest run.
func (l *lab) told(kind record.EventKind) (found []record.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.events {
		if e.Kind == kind {
			found = append(found, e)
		}
	}
	return found
}

func (l *lab) path(name string) string { return filepath.Join(l.plan.Root, name) }

func (l *lab) write(name, text string) {
	l.t.Helper()
	if err := os.WriteFile(l.path(name), []byte(text), 0o600); err != nil {
		l.t.Fatal(err)
	}
}

func (l *lab) read(name string) string {
	l.t.Helper()
	text, err := os.ReadFile(l.path(name))
	if err != nil {
		l.t.Fatal(err)
	}
	return string(text)
}

// editPlan adds to the plan's last phase.
func (l *lab) editPlan() {
	l.t.Helper()
	text, err := os.ReadFile(l.plan.Path)
	if err != nil {
		l.t.Fatal(err)
	}
	l.write(l.plan.Relative, string(text)+"\nMore.\n")
}
