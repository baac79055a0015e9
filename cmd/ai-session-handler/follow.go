package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/ai-session-handler/ai-session-handler/engine/proc"
	"github.com/ai-session-handler/ai-session-handler/engine/run"
	"github.com/ai-session-handler/ai-session-handler/engine/workspace"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// pollEvery is how often a follower looks for what is new.
const pollEvery = 200 * time.Millisecond

// follower follows a run from outside. It knows of it by what is on disk, and
// whether its handler lives by the handler's identity.
type follower struct {
	a    *app
	h    *history
	raw  bool
	by   record.Invocation // the run
	held *os.File          // the state as it was read last, open lest its inode be used again
	told bool              // that the handler's life can't be seen
}

// newFollower needs a history with an active attempt.
func newFollower(a *app, h *history, raw bool) *follower {
	return &follower{a: a, h: h, raw: raw, by: *h.state.Invocation}
}

// run follows an attempt from its last lines on, and with all those of the same
// run that come after it.
func (f *follower) run(ctx context.Context, id string, lines int, all bool) error {
	defer f.close()
	for {
		if err := f.follow(ctx, id, lines); err != nil || !all {
			return err
		}
		next, err := f.next(ctx, id)
		if err != nil {
			return err
		}
		if next == "" {
			f.a.Line("the run has ended")
			return nil
		}
		id, lines = next, allLines
	}
}

// follow shows one attempt until it ends, and says how it did.
func (f *follower) follow(ctx context.Context, id string, lines int) error {
	t := newTail(f.a, f.h, id, lines, f.raw)
	defer t.close()
	f.a.Line(f.name(id) + ": attempt " + id)
	how, err := f.show(ctx, t, id)
	err = errors.Join(err, t.end())
	if err == nil && t.file == nil {
		f.a.Line("it has no transcript")
	}
	if err == nil && t.file != nil {
		f.a.warn(f.h.grown(id, t.file))
	}
	if how != "" {
		f.a.Line(f.name(id) + ": " + how)
	}
	return err
}

// show shows what there is of an attempt, again and again until it has ended.
func (f *follower) show(ctx context.Context, t *tail, id string) (how string, err error) {
	for {
		// In this order nothing is missed: a handler that is gone has written
		// its last state, and a state that tells of an end its last byte.
		gone, err := f.refresh()
		if err != nil {
			return "", err
		}
		how := f.ended(id, gone)
		if err := t.copy(); err != nil || how != "" {
			return how, err
		}
		if err := wait(ctx); err != nil {
			return "", err
		}
	}
}

// next waits for the attempt after this one of the same run; there is none once
// the run is over.
func (f *follower) next(ctx context.Context, id string) (string, error) {
	for {
		gone, err := f.refresh()
		if err != nil {
			return "", err
		}
		if f.h.state.Invocation == nil || *f.h.state.Invocation != f.by {
			return "", nil
		}
		if next := f.after(id); next != "" {
			return next, nil
		}
		if _, alone := f.endedAlone(id); gone || alone || f.h.state.Stop != nil {
			return "", nil
		}
		if err := wait(ctx); err != nil {
			return "", err
		}
	}
}

// after is the attempt that was made after this one, if there is any.
func (f *follower) after(id string) string {
	all := f.h.attempts()
	for i := 1; i < len(all); i++ {
		if all[i-1].AttemptID == id {
			return all[i].AttemptID
		}
	}
	return ""
}

func wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(pollEvery):
		return nil
	}
}

// refresh says whether the handler is gone, and then reads the state again
// where it was replaced.
func (f *follower) refresh() (gone bool, err error) {
	life := proc.InvocationAlive(f.by)
	if life.State == proc.Unknown && !f.told {
		f.told = true
		f.a.Line("whether the handler lives can't be seen from here: " + life.Why + "; Ctrl-C ends this command, not the run")
	}
	now, err := f.h.dir.Open(workspace.StateFile)
	if err != nil {
		return false, fmt.Errorf("the history went away while it was followed: %w", err)
	}
	if f.held != nil && sameVersion(f.held, now) {
		return life.State == proc.Dead, now.Close()
	}
	f.close()
	f.held = now
	f.h.state, f.h.found, err = f.h.store.Load()
	return life.State == proc.Dead, err
}

func (f *follower) close() {
	if f.held != nil {
		_ = f.held.Close()
		f.held = nil
	}
}

func sameVersion(a, b *os.File) bool {
	infoA, errA := a.Stat()
	infoB, errB := b.Stat()
	return errA == nil && errB == nil && os.SameFile(infoA, infoB) && infoA.ModTime().Equal(infoB.ModTime())
}

// ended says how an attempt ended, or nothing while it has not.
func (f *follower) ended(id string, gone bool) string {
	if f.h.isActive(id) {
		if gone {
			return fmt.Sprintf("unresolved: its handler, pid %d, is gone and its result is not on disk", f.by.PID)
		}
		if exit, found := f.endedAlone(id); found {
			return "unresolved: its worker ended without its handler, and its result is not on disk; its end: " + run.DescribeExit(exit)
		}
		return ""
	}
	for _, one := range f.h.state.CommittedOutcomes {
		if one.AttemptID == id {
			return string(one.Status)
		}
	}
	return "it is not in the history any more"
}

// endedAlone is the end of the worker of an attempt whose handler is gone, which
// a supervisor writes down. It tells of that also where no process can be seen.
func (f *follower) endedAlone(id string) (record.Exit, bool) {
	if !f.h.isActive(id) {
		return record.Exit{}, false
	}
	exit, found, err := f.h.store.ReadExit(id)
	return exit, found && err == nil
}

// name is a phase and, where the state has it, its title.
func (f *follower) name(id string) string {
	if f.h.isActive(id) {
		return fmt.Sprintf("%s %q", f.h.state.ActiveAttempt.Phase.ID, f.h.state.ActiveAttempt.Phase.Title)
	}
	for _, one := range f.h.state.CommittedOutcomes {
		if one.AttemptID == id {
			return one.PhaseID
		}
	}
	return id
}
