package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/ai-session-handler/ai-session-handler/engine/fsx"
	"github.com/ai-session-handler/ai-session-handler/engine/lock"
	"github.com/ai-session-handler/ai-session-handler/engine/plan"
	"github.com/ai-session-handler/ai-session-handler/engine/proc"
	"github.com/ai-session-handler/ai-session-handler/engine/state"
	"github.com/ai-session-handler/ai-session-handler/engine/workspace"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// invocation is one Run: the locked plan workspace, the accepted snapshot and
// the state, which only ever holds what is on disk or about to be.
type invocation struct {
	r        *Runner
	job      Job
	ctx      context.Context
	self     record.Invocation
	lock     *lock.Lock
	handler  *fsx.Dir // nil until it exists
	dir      *fsx.Dir // the plan directory, nil until it exists
	store    state.Store
	state    record.State // with what was accepted, perhaps not on disk yet
	durable  record.State // what is on disk, or a state of which nothing has run
	snapshot *plan.Snapshot
	accepted string          // what to tell of an accepted plan change once it is on disk
	changed  string          // the change itself, in lines
	manifest *manifestChange // of which the same holds; nil where there is none
	digest   string          // of what runs, job.Binding
	rules    ruleSets
	archive  bool // an old history is to be moved aside before the first write
	made     bool // the directories are there, durably
	kept     bool // so is the accepted snapshot
	retry    bool // the user asked to retry, and no attempt was made yet
	events   eventLog

	unsure bool         // the state on disk may be a newer one than durable
	worker *proc.Worker // of the attempt that is being committed
}

// begin does everything that must hold before a phase is chosen, in an order
// that decides which of several problems is reported. It changes nothing on
// disk.
func (r *Runner) begin(ctx context.Context, job Job) (*invocation, error) {
	v := &invocation{r: r, job: job, digest: job.Binding.Digest(), retry: job.Options.RetryStopped}
	var err error
	err = r.Seam.Do("identify", "handler", func() (err error) {
		v.self, err = proc.Self()
		return err
	})
	if err != nil {
		return nil, err
	}
	if v.rules, err = compileRules(job.Binding); err != nil {
		return nil, err
	}
	// A plan with errors is worth more words than a workspace in use, but only
	// what is read under the lock counts.
	if _, err := job.Source.Current(ctx); err != nil {
		return nil, err
	}
	if v.lock, v.ctx, err = r.acquire(ctx, job.Plan.Root); err != nil {
		return nil, err
	}
	if err = v.readSources(); err == nil {
		err = v.open()
	}
	if err != nil {
		v.close()
		return nil, err
	}
	return v, nil
}

func (r *Runner) acquire(ctx context.Context, dir string) (l *lock.Lock, held context.Context, err error) {
	err = r.Seam.Do("lock", dir, func() (err error) {
		l, held, err = lock.Acquire(ctx, dir)
		return err
	})
	return l, held, err
}

func (v *invocation) close() {
	v.events.close()
	v.closeDirs()
	_ = v.lock.Close()
}

func (v *invocation) closeDirs() {
	for _, dir := range []*fsx.Dir{v.dir, v.handler} {
		if dir != nil {
			_ = dir.Close()
		}
	}
}

// open finds the history and brings it to the point where a phase can be
// chosen.
func (v *invocation) open() error {
	if roots, err := v.job.Plan.OuterRoots(); err != nil || len(roots) > 0 {
		return cmp.Or(err, v.refuseOuterRoots(roots))
	}
	if err := v.openDirs(); err != nil {
		return err
	}
	if v.job.Options.Fresh {
		return v.startFresh()
	}
	found, err := v.load()
	if err != nil {
		return err
	}
	if !found {
		return v.firstRun()
	}
	return v.checkHistory()
}

// openDirs opens what exists of the handler's directories, durably.
func (v *invocation) openDirs() (err error) {
	v.handler, err = workspace.OpenHandlerDir(v.job.Plan.Root, false, v.r.Seam)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := v.openPlanDir(); err != nil {
		return err
	}
	return v.confirm()
}

func (v *invocation) openPlanDir() (err error) {
	v.dir, err = v.job.Plan.OpenPlanDir(v.handler, false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	v.store = state.Store{Dir: v.dir}
	return err
}

// confirm makes durable what a handler that was killed may have left in place
// but not durable: a state, or a history that it had moved aside. A power loss
// must not undo what is told or done on their word.
func (v *invocation) confirm() error {
	dir, name := v.dir, "."
	if dir == nil {
		dir, name = v.handler, workspace.PlansDir
	}
	err := dir.Sync(name)
	if err == nil || v.dir == nil && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return fmt.Errorf("the history can't be made durable: %w; nothing was launched\n  next: repair the file system, then repeat this command", err)
}

func (v *invocation) load() (found bool, err error) {
	if v.dir == nil {
		return false, nil
	}
	v.state, found, err = v.store.Load()
	v.durable = v.state
	return found, err
}

func (v *invocation) newState() {
	v.state = state.AcceptManifest(state.New(record.AcceptedPlan{
		Path: v.job.Plan.Path, SHA256: v.snapshot.SHA256, AcceptedAt: v.now(),
	}), v.acceptedManifest(v.job.Manifest))
	v.durable = v.state
}

func (v *invocation) firstRun() error {
	v.newState()
	if v.handler == nil {
		return nil
	}
	others, err := MovedFrom(v.handler, v.job.Plan, v.snapshot)
	if err == nil && len(others) > 0 {
		err = v.refuseMoved(others)
	}
	return err
}

// startFresh begins a new history. An old one of which something still lives is
// refused, and one whose state the system can't read may be such a one; otherwise
// it is moved aside only once the new one has something to write, so that a
// refusal and a dry run leave it where it is.
func (v *invocation) startFresh() error {
	if v.dir != nil {
		old, found, err := v.store.Load()
		if err := ofSystem(err); err != nil {
			return err
		}
		if found && err == nil && old.ActiveAttempt != nil {
			v.state = old
			if err := v.refuseLiving(); err != nil {
				return err
			}
		}
		v.archive = true
	}
	v.newState()
	return nil
}

// moveOldAside keeps the old history whole under another name.
func (v *invocation) moveOldAside() error {
	if !v.archive {
		return nil
	}
	name, err := v.job.Plan.Archive(v.handler, v.now())
	if err != nil {
		return fmt.Errorf("move the old history aside: %w", err)
	}
	v.archive = false
	v.observe(record.Event{Kind: record.HistoryArchived, Message: "the old history is now " + filepath.Join(v.job.Plan.Root, workspace.DirName, workspace.PlansDir, name)})
	return nil
}

// checkHistory refuses what a person must decide first.
func (v *invocation) checkHistory() error {
	if v.state.ActiveAttempt != nil && !v.retry {
		return v.refuseUnresolved()
	}
	if v.state.Plan.Path != v.job.Plan.Path {
		return v.refuseOtherPath()
	}
	if err := v.acceptPlan(); err != nil {
		return err
	}
	if err := v.takeManifest(v.job.Manifest, v.job.Options.AcceptManifestChange); err != nil {
		return err
	}
	if s := v.state.Stop; s != nil {
		if _, ok := v.snapshot.Phase(s.PhaseID); !v.retry || !ok {
			return v.refuseStopped()
		}
	}
	return nil
}

// choose returns the phase to run next. found is false when none is left.
func (v *invocation) choose() (p plan.Phase, found bool, err error) {
	want := ""
	if v.state.CurrentPhase != nil {
		want = v.state.CurrentPhase.ID
	}
	completed := make(map[string]bool, len(v.state.CompletedPhaseIDs))
	for _, id := range v.state.CompletedPhaseIDs {
		completed[id] = true
	}
	for _, p := range v.snapshot.Phases {
		if p.ID == want || want == "" && !completed[p.ID] {
			return p, true, nil
		}
	}
	if want != "" {
		return p, false, &Refusal{
			What: fmt.Sprintf("%s, which has an unresolved attempt, is not in the plan any more", want),
			Next: []string{"put it back, or start a new history: " + v.job.Again("--fresh")},
		}
	}
	return p, false, nil
}

func (v *invocation) unprepared(err error) error { return &PrepareError{err, v.again()} }

// again is the command that goes on, with the decisions that are not on disk
// yet.
func (v *invocation) again() string {
	return v.job.Again(Options{
		RetryStopped:         v.retry || v.unsure || v.durable.Stop != nil,
		AcceptPlanChange:     v.accepted != "",
		AcceptManifestChange: v.manifestAccepted(),
		Fresh:                v.archive,
	}.flags()...)
}

func (v *invocation) planPath() string {
	return filepath.Join(v.job.Plan.Root, workspace.DirName, workspace.PlansDir, v.job.Plan.Key())
}

func (v *invocation) path(name string) string { return filepath.Join(v.planPath(), name) }
