package run

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/ai-session-handler/ai-session-handler/engine/fsx"
	"github.com/ai-session-handler/ai-session-handler/engine/plan"
	"github.com/ai-session-handler/ai-session-handler/engine/state"
	"github.com/ai-session-handler/ai-session-handler/engine/workspace"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// movedPlans lists the plans that this one may have been before it was moved:
// they have a history in this workspace, are gone, and look alike. To miss one
// would run finished phases again; to see one that is none costs a --fresh.
func (v *invocation) movedPlans() ([]string, error) {
	if v.handler == nil {
		return nil, nil
	}
	keys, err := v.job.Plan.SiblingKeys(v.handler)
	var moved []string
	for _, key := range keys {
		if old, ok := v.gonePlan(key); ok {
			moved = append(moved, old)
		}
	}
	return moved, err
}

// gonePlan returns the path of the plan of a history. A history that can't be
// read does not count: nothing says whose it is.
func (v *invocation) gonePlan(key string) (path string, gone bool) {
	dir, err := v.handler.Sub(historyOf(key))
	if err != nil {
		return "", false
	}
	defer func() { _ = dir.Close() }()
	st, found, err := state.Store{Dir: dir}.Load()
	if err != nil || !found {
		return "", false
	}
	_, err = os.Lstat(st.Plan.Path)
	return st.Plan.Path, errors.Is(err, fs.ErrNotExist) && v.looksLike(dir, st.Plan)
}

func historyOf(key string) string { return path.Join(workspace.PlansDir, key) }

// looksLike holds when the plan has the name of the old one or a phase title of
// it. An old plan whose accepted bytes can't be read looks like any.
func (v *invocation) looksLike(dir *fsx.Dir, old record.AcceptedPlan) bool {
	if filepath.Base(old.Path) == filepath.Base(v.job.Plan.Path) {
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
	for _, p := range v.snapshot.Phases {
		if titles[p.Title] {
			return true
		}
	}
	return false
}

// maxSnapshot bounds what is read of an old plan, in bytes.
const maxSnapshot = 64 << 20
