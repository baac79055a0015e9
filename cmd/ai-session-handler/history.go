package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/ai-session-handler/ai-session-handler/engine/fsx"
	"github.com/ai-session-handler/ai-session-handler/engine/state"
	"github.com/ai-session-handler/ai-session-handler/engine/workspace"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// history is a plan's directory opened for reading. It takes no lock and works
// while a run goes on: the state is always one whole version.
type history struct {
	plan    workspace.Plan
	handler *fsx.Dir // nil where there is none, like dir
	dir     *fsx.Dir
	store   state.Store
	state   record.State
	found   bool
}

// openHistory opens the history of the plan that the user named.
func (a *app) openHistory(plan string) (*history, error) {
	if plan == "" {
		return nil, inputErrorf("--plan: the path is empty")
	}
	return openHistory(a.path(plan))
}

// openAttempts is openHistory for who needs a plan that is there, or was: a
// mistyped path is not a plan without attempts.
func (a *app) openAttempts(plan string) (*history, error) {
	h, err := a.openHistory(a.planPath(plan))
	if err != nil || h.found {
		return h, err
	}
	if info, err := os.Stat(h.plan.Path); err == nil && info.Mode().IsRegular() {
		return h, nil
	}
	h.close()
	if looksLikeName(plan) {
		if _, err := (planFlags{Name: plan}).subject(a.reading()); err != nil {
			return nil, fmt.Errorf("--plan: %w", err)
		}
	}
	return nil, inputErrorf("--plan %s: there is no such plan, and no history of one", h.plan.Path)
}

// openHistory finds the history of the plan at path, which need not exist.
func openHistory(path string) (*history, error) {
	located, err := locate(path)
	if err != nil {
		return nil, fmt.Errorf("--plan %s: %w", path, err)
	}
	h := &history{plan: located}
	if err := h.open(); err != nil {
		h.close()
		return nil, err
	}
	return h, nil
}

// locate finds the workspace of the plan at path.
func locate(path string) (located workspace.Plan, err error) {
	err = testOnlySeam.Do("locate", path, func() (err error) {
		located, err = workspace.Locate(path)
		return err
	})
	return located, err
}

// open opens what exists.
func (h *history) open() (err error) {
	h.handler, err = workspace.OpenHandlerDir(h.plan.Root, false, testOnlySeam)
	if err == nil {
		h.dir, err = h.plan.OpenPlanDir(h.handler, false)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	h.store = state.Store{Dir: h.dir}
	h.state, h.found, err = h.store.Load()
	return err
}

func (h *history) close() {
	for _, dir := range []*fsx.Dir{h.dir, h.handler} {
		if dir != nil {
			_ = dir.Close()
		}
	}
}

// path is the absolute path of a file of the history.
func (h *history) path(name string) string { return h.dir.Path(name) }
