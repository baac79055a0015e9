package main

import (
	"errors"
	"io/fs"

	"github.com/ai-session-handler/ai-session-handler/engine/fsx"
	"github.com/ai-session-handler/ai-session-handler/engine/state"
	"github.com/ai-session-handler/ai-session-handler/engine/workspace"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// history is a plan's directory opened for reading. It takes no lock and works
// while a run goes on: the state is always one whole version.
type history struct {
	plan  workspace.Plan
	dir   *fsx.Dir // nil where there is none
	store state.Store
	state record.State
	found bool
}

// openHistory finds the history of the plan at path, which need not exist.
func openHistory(path string) (*history, error) {
	located, err := workspace.Locate(path)
	if err != nil {
		return nil, inputErrorf("--plan %s: %v", path, err)
	}
	h := &history{plan: located}
	handler, err := workspace.OpenHandlerDir(located.Root, false, nil)
	if errors.Is(err, fs.ErrNotExist) {
		return h, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = handler.Close() }()
	dir, err := located.OpenPlanDir(handler, false)
	if errors.Is(err, fs.ErrNotExist) {
		return h, nil
	}
	if err != nil {
		return nil, err
	}
	h.dir, h.store = dir, state.Store{Dir: dir}
	h.state, h.found, err = h.store.Load()
	if err != nil {
		h.close()
		return nil, err
	}
	return h, nil
}

func (h *history) close() {
	if h.dir != nil {
		_ = h.dir.Close()
	}
}

// path is the absolute path of a file of the history.
func (h *history) path(name string) string { return h.dir.Path(name) }
