package run

import (
	"cmp"
	"errors"
	"path"
	"path/filepath"
	"syscall"

	"github.com/ai-session-handler/ai-session-handler/engine/fsx"
	"github.com/ai-session-handler/ai-session-handler/engine/plan"
	"github.com/ai-session-handler/ai-session-handler/engine/state"
	"github.com/ai-session-handler/ai-session-handler/engine/workspace"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// MovedFrom lists the plans that this one may have been before it was moved:
// they have a history below the open handler directory, are gone, and look
// alike. To miss one would run finished phases again; to see one that is none
// costs a --fresh.
func MovedFrom(handler *fsx.Dir, located workspace.Plan, snapshot *plan.Snapshot) ([]string, error) {
	keys, err := located.SiblingKeys(handler)
	var moved []string
	for _, key := range keys {
		old, gone, oneErr := gonePlan(handler, located, key, snapshot)
		if gone {
			moved = append(moved, old)
		}
		err = cmp.Or(err, oneErr)
	}
	return moved, err
}

// gonePlan returns the path of the plan of a history. A history that is none,
// or is not this release's, does not count: nothing says whose it is. One that
// the system can't read may be that of a moved plan.
func gonePlan(handler *fsx.Dir, located workspace.Plan, key string, now *plan.Snapshot) (old string, gone bool, err error) {
	dir, err := handler.Sub(path.Join(workspace.PlansDir, key))
	if err != nil {
		return "", false, ofSystem(err)
	}
	defer func() { _ = dir.Close() }()
	st, found, err := state.Store{Dir: dir}.Load()
	if err != nil || !found {
		return "", false, ofSystem(err)
	}
	old, ok := located.Sibling(key, st.Plan.Path)
	if !ok {
		old = st.Plan.Path
	}
	// A link in its place leads to where it was moved.
	real, err := filepath.EvalSymlinks(old)
	return old, (err != nil || real != old) && looksLike(now, dir, st.Plan), nil
}

// ofSystem keeps an error only when the system could not look, rather than that
// something else is there, or nothing.
func ofSystem(err error) error {
	var errno syscall.Errno
	if !errors.As(err, &errno) || errno == syscall.ENOENT || errno == syscall.ENOTDIR {
		return nil
	}
	return err
}

// looksLike holds when a plan has the name of the old one or a phase title of
// it. An old plan whose accepted bytes can't be read looks like any.
func looksLike(now *plan.Snapshot, dir *fsx.Dir, old record.AcceptedPlan) bool {
	if filepath.Base(old.Path) == filepath.Base(now.Path) {
		return true
	}
	source, err := dir.ReadFile(workspace.SnapshotFile(old.SHA256), maxSnapshot)
	if err != nil {
		return true
	}
	before, err := plan.Parse(old.Path, source)
	if err != nil {
		return true
	}
	titles := map[string]bool{}
	for _, p := range before.Phases {
		titles[p.Title] = true
	}
	for _, p := range now.Phases {
		if titles[p.Title] {
			return true
		}
	}
	return false
}

// maxSnapshot bounds what is read of an old plan, in bytes.
const maxSnapshot = 64 << 20
