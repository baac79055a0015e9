package run

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"time"

	"github.com/ai-session-handler/ai-session-handler/engine/fsx"
	"github.com/ai-session-handler/ai-session-handler/engine/proc"
	"github.com/ai-session-handler/ai-session-handler/engine/state"
	"github.com/ai-session-handler/ai-session-handler/engine/stream"
	"github.com/ai-session-handler/ai-session-handler/engine/workspace"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// attempt makes one attempt and returns its outcome, durable and linked. The
// order of its steps is the one of docs/state-and-recovery.md: the state says
// prepared before anything exists, running before the worker may execute, and
// keeps the attempt unresolved until its outcome is on disk.
func (v *invocation) attempt(t *target) (record.Outcome, string, error) {
	if err := v.prepare(t); err != nil {
		return record.Outcome{}, "", v.unprepared(err)
	}
	v.observePhase(t.phase, record.Event{Kind: record.PhaseStarted, Agent: t.how.Agent,
		AttemptID: t.attemptID, TimeoutMS: t.how.Limits.Timeout.Milliseconds()})
	v.tellUnbounded(t)
	return v.commit(t, v.execute(t))
}

// prepare makes the attempt durable as prepared, resolving an unresolved one
// before it in the same replacement.
func (v *invocation) prepare(t *target) error {
	if err := v.moveOldAside(); err != nil {
		return err
	}
	if err := v.makeDirs(); err != nil {
		return err
	}
	if err := v.keepSnapshot(); err != nil {
		return err
	}
	next, old := v.state, v.state.ActiveAttempt
	if old != nil {
		abandoned, err := v.settle(v.unseen(record.Interrupted, "its result is unknown"), state.Abandon)
		if err != nil {
			return err
		}
		next = abandoned
	}
	next, err := state.Prepare(next, v.activeAttempt(t), v.self)
	if err == nil {
		err = v.save(next)
	}
	if err == nil && old != nil {
		v.observe(record.Event{Kind: record.AttemptAbandoned, AttemptID: old.ID, Phase: &old.Phase,
			Message: fmt.Sprintf("attempt %s is recorded as interrupted; its result is unknown", old.ID)})
	}
	return err
}

// save replaces the state on disk, and in memory only when that succeeded. One
// that is there but may not survive a power loss is taken back: what follows
// from an error must be what the disk says. What was accepted is told here: a
// refused run forgets it.
func (v *invocation) save(next record.State) error {
	if err := v.store.Save(next); err != nil {
		return v.takeBack(err)
	}
	v.state, v.durable, v.unsure = next, next, false
	if v.accepted != "" {
		v.observe(record.Event{Kind: record.PlanChanged, Message: v.accepted, Detail: v.changed})
		v.accepted = ""
	}
	if m := v.manifest; m != nil {
		v.observe(record.Event{Kind: record.ManifestChanged, Message: m.message, Detail: m.detail})
		v.manifest = nil
	}
	return nil
}

// takeBack puts the state before back where a save failed so late that the new
// one may be in place.
func (v *invocation) takeBack(err error) error {
	var inPlace *fsx.InPlaceError
	if !errors.As(err, &inPlace) {
		return err
	}
	if back := v.store.Save(v.durable); back != nil {
		v.unsure = true
		return fmt.Errorf("%w; and the state before could not be put back: %w", err, back)
	}
	return err
}

// makeDirs makes the directories of the history, durably, before the first
// write of the invocation.
func (v *invocation) makeDirs() error {
	if v.made {
		return nil
	}
	handler, err := workspace.OpenHandlerDir(v.job.Plan.Root, true, v.r.Seam)
	if err != nil {
		return err
	}
	dir, err := v.job.Plan.OpenPlanDir(handler, true)
	if err != nil {
		_ = handler.Close()
		return err
	}
	v.closeDirs()
	v.handler, v.dir, v.store, v.made = handler, dir, state.Store{Dir: dir}, true
	v.events.in(dir)
	return nil
}

// keepSnapshot keeps the accepted bytes under their digest, durably. Where they
// are already, an earlier handler may have been killed before it synced them.
func (v *invocation) keepSnapshot() error {
	name := workspace.SnapshotFile(v.snapshot.SHA256)
	exists, err := v.dir.Exists(name)
	switch {
	case err != nil || exists && v.kept:
		return err
	case exists:
		err = v.dir.Sync(path.Dir(name))
	default:
		err = v.dir.Replace(name, v.snapshot.Source)
	}
	v.kept = err == nil
	return err
}

func (v *invocation) activeAttempt(t *target) record.ActiveAttempt {
	return record.ActiveAttempt{
		ID: t.attemptID, Phase: phaseRecord(t.phase), Plan: v.planDigest(),
		BindingSHA256: v.digest, ExecutionWorkspace: t.workspace, StartedAt: t.startedAt,
		PromptPath: workspace.PromptFile(t.attemptID), TranscriptPath: workspace.TranscriptFile(t.attemptID),
		OutcomePath: workspace.OutcomeFile(t.attemptID), Agent: t.how.Agent, Argv: t.argv,
		Limits: t.how.Limits.Record(), StopOn: append([]string{}, t.how.StopOn...), SecretEnv: append([]string{}, v.job.SecretNames...),
	}
}

func (v *invocation) planDigest() record.SourceDigest {
	return record.SourceDigest{Path: v.job.Plan.Path, SHA256: v.snapshot.SHA256}
}

// execute launches the worker and returns what there is to record about its
// end. It never fails: a failure is an end like any other.
func (v *invocation) execute(t *target) record.Outcome {
	o := outcomeOf(v.activeAttempt(t))
	artifact, err := v.writePrompt(t)
	if err != nil {
		return ioFailure(o, "write the prompt", err)
	}
	o.Artifacts = append(o.Artifacts, artifact)
	transcript, err := stream.Create(v.dir, t.attemptID, v.header(t), v.r.Clock)
	if err != nil {
		return ioFailure(o, "create the transcript", err)
	}
	o = v.runWorker(t, o, transcript)
	sealed, err := transcript.Finish()
	o.Artifacts = append(o.Artifacts, sealed...)
	if err != nil {
		o = ioFailure(o, "finish the transcript", err)
	}
	return o
}

// outcomeOf is what an outcome has of its attempt.
func outcomeOf(a record.ActiveAttempt) record.Outcome {
	return record.Outcome{
		Format: record.OutcomeFormat, AttemptID: a.ID, Plan: a.Plan, BindingSHA256: a.BindingSHA256,
		Phase: a.Phase, Agent: a.Agent, Argv: a.Argv, StartedAt: a.StartedAt, ExecutionWorkspace: a.ExecutionWorkspace,
		Limits: a.Limits, StopOn: a.StopOn, SecretEnv: a.SecretEnv,
		Artifacts: []record.Artifact{}, Swept: []record.Leftover{}, Survivors: []record.Leftover{},
	}
}

func (v *invocation) writePrompt(t *target) (record.Artifact, error) {
	name := workspace.PromptFile(t.attemptID)
	sum := sha256.Sum256(t.prompt)
	a := record.Artifact{Kind: "prompt", Path: name, SHA256: hex.EncodeToString(sum[:]), Bytes: int64(len(t.prompt))}
	return a, v.dir.WriteNew(name, t.prompt)
}

// backstop is when a supervisor ends a worker on its own: the handler should
// have done so long before.
func backstop(timeout, grace time.Duration) time.Duration {
	if timeout == 0 {
		return 0
	}
	return timeout + 2*grace + time.Minute
}

// runWorker starts the worker, makes its identity durable, and lets it go.
func (v *invocation) runWorker(t *target, o record.Outcome, transcript *stream.Transcript) record.Outcome {
	planDir, err := v.dir.File()
	if err != nil {
		return ioFailure(o, "open the plan directory", err)
	}
	defer func() { _ = planDir.Close() }()
	limits := t.how.Limits
	worker, err := v.r.Launcher.Start(proc.Spec{
		AttemptID: t.attemptID, Argv: t.argv, Env: t.env, Workspace: t.workspace, Prompt: t.prompt,
		WorkDir: t.workDir, PlanDir: planDir, Locks: v.lockFiles(t),
		Tree: treeLimits(limits.Tree), Grace: limits.Grace, Backstop: backstop(limits.Timeout, limits.Grace),
	})
	if err != nil {
		return failed(o, record.LaunchFailed, err.Error())
	}
	// From here on the worker exists, held. If its identity can't be made
	// durable it is ended without having executed anything.
	ctx, cancel := context.WithCancelCause(v.ctx)
	defer cancel(nil)
	if err := v.identify(worker.Identity()); err != nil {
		cancel(&identityError{err})
	}
	sink := v.newSink(t, transcript, cancel)
	stop := v.reportProgress(t, sink)
	exit := worker.Run(ctx, v.job.Hurry, sink, proc.Limits{Timeout: limits.Timeout, Idle: limits.IdleTimeout})
	stop()
	sink.flush(&exit)
	o = judge(o, exit, sink, limits)
	o.Redactions = sink.redactions()
	if err := sink.end(exit, v.job.Console); err != nil {
		o = ioFailure(o, "write the transcript", err)
	}
	v.worker = worker
	return o
}

func (v *invocation) lockFiles(t *target) []*os.File {
	files := []*os.File{v.lock.File()}
	if t.lock != nil {
		files = append(files, t.lock.File())
	}
	return files
}

// identityError is why a worker was never let go.
type identityError struct{ err error }

func (e *identityError) Error() string {
	return fmt.Sprintf("could not record the worker's identity: %v; it was never let go", e.err)
}

func (v *invocation) identify(p record.Process) error {
	next, err := state.Start(v.state, p)
	if err != nil {
		return err
	}
	return v.save(next)
}

// commit makes the end of the attempt durable: the outcome first, then the
// state that links it. Whatever fails leaves the attempt unresolved. Only then
// does the supervisor let go of the locks.
func (v *invocation) commit(t *target, o record.Outcome) (record.Outcome, string, error) {
	defer v.closeWorker()
	o.FinishedAt = v.now()
	v.maskOutcome(&o)
	name := workspace.OutcomeFile(t.attemptID)
	if err := v.store.WriteOutcome(name, o); err != nil {
		return o, name, v.stayUnresolved(o, "write the outcome", err)
	}
	next, err := state.Finish(v.state, o, name)
	if err == nil {
		err = v.save(next)
	}
	if err != nil {
		return o, name, v.stayUnresolved(o, "record the outcome", err)
	}
	v.retry = false
	if v.worker != nil {
		v.worker.Committed()
	}
	v.observePhase(t.phase, record.Event{Kind: record.PhaseEnded, AttemptID: t.attemptID, Status: o.Status, Message: o.Cause, ElapsedMS: o.DurationMS})
	return o, name, nil
}

func (v *invocation) stayUnresolved(o record.Outcome, doing string, err error) error {
	_, gone := os.Lstat(v.path(workspace.StateFile))
	return &UnresolvedError{
		Attempt: *v.state.ActiveAttempt, PlanDir: v.planPath(), Seen: o, Doing: doing, Err: err,
		Deleted: errors.Is(gone, fs.ErrNotExist),
	}
}

func (v *invocation) closeWorker() {
	if v.worker != nil {
		_ = v.r.Seam.Do("let-go", "supervisor", func() error {
			v.worker.Close()
			return nil
		})
		v.worker = nil
	}
}
