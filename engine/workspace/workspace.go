// Package workspace knows where a plan's files lie: which directory owns a
// plan, under which key its history is kept, how the generated files are named,
// and in which directory a phase runs. It owns no content of those files.
// See docs/state-and-recovery.md.
package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"unicode/utf8"
)

// DirName is the directory, in the plan workspace, that holds everything the
// handler writes.
const DirName = ".ai-session-handler"

// markers are the names of which one makes a directory a plan workspace.
var markers = []string{DirName, ".git", "AGENTS.md"}

// Plan is a plan file and the workspace that owns it.
type Plan struct {
	Path     string // canonical, absolute
	Root     string // canonical, absolute: the plan workspace
	Marker   string // what made Root the workspace, empty where nothing did
	Relative string // Path from Root, slash-separated
}

// Locate finds the workspace of the plan at path, which need not exist: the
// nearest directory above it that holds .ai-session-handler, .git or AGENTS.md,
// or else the plan's own directory. Symbolic links are followed first, so every
// way to name a plan leads to one history.
func Locate(path string) (Plan, error) {
	canonical, err := canonical(path)
	if err == nil {
		err = recordable(canonical)
	}
	if err != nil {
		return Plan{}, err
	}
	root, marker, err := rootOf(filepath.Dir(canonical))
	if err != nil {
		return Plan{}, err
	}
	rel, err := filepath.Rel(root, canonical)
	if err != nil {
		return Plan{}, err
	}
	return Plan{canonical, root, marker, filepath.ToSlash(rel)}, nil
}

// recordable refuses a path that a JSON record would not give back as it is.
func recordable(path string) error {
	if !utf8.ValidString(path) {
		return fmt.Errorf("the path %q is not valid UTF-8, so no record could name it; rename what it leads through", path)
	}
	return nil
}

// canonical resolves links in path. A missing file keeps its last name, so
// that the history of a plan that is gone can still be found.
func canonical(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	resolved, err := filepath.EvalSymlinks(abs)
	if errors.Is(err, fs.ErrNotExist) {
		dir, err := filepath.EvalSymlinks(filepath.Dir(abs))
		if errors.Is(err, fs.ErrNotExist) {
			return abs, nil
		}
		return filepath.Join(dir, filepath.Base(abs)), err
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", abs, err)
	}
	return resolved, nil
}

func rootOf(dir string) (root, marker string, err error) {
	for at := dir; ; at = filepath.Dir(at) {
		for _, name := range markers {
			if is, err := there(filepath.Join(at, name)); is || err != nil {
				return at, name, err
			}
		}
		if at == filepath.Dir(at) {
			return dir, "", nil
		}
	}
}

// there reports whether something is at path. What can't be looked for is an
// error: to take it for missing would lead to another workspace, and to a
// history that starts from nothing. A directory that is closed to this user
// holds no history of this user.
func there(path string) (bool, error) {
	_, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, fs.ErrPermission) {
		return false, nil
	}
	return err == nil, err
}

// Key names a plan's history: the lowercase hex SHA-256 of its path from the
// workspace.
func (p Plan) Key() string { return key(p.Relative) }

func key(relative string) string {
	sum := sha256.Sum256([]byte(relative))
	return hex.EncodeToString(sum[:])
}

// Sibling returns where the plan of another history lies or lay, under the
// root of this one, by the history's key. recorded is the path it had when the
// history was written, perhaps below another root: a repository can be moved.
func (p Plan) Sibling(otherKey, recorded string) (path string, ok bool) {
	for i := range recorded {
		if recorded[i] == '/' && key(recorded[i+1:]) == otherKey {
			return filepath.Join(p.Root, recorded[i+1:]), true
		}
	}
	return "", false
}

// StatePath is where the plan's state lies or will lie.
func (p Plan) StatePath() string {
	return filepath.Join(p.Root, DirName, "plans", p.Key(), StateFile)
}

// OuterRoots lists the directories above the workspace that hold a history of
// this very plan. A nested AGENTS.md, made by a worker perhaps, moves the
// inferred workspace; going on would silently start from nothing.
func (p Plan) OuterRoots() ([]string, error) {
	var roots []string
	for at := p.Root; at != filepath.Dir(at); {
		at = filepath.Dir(at)
		rel, err := filepath.Rel(at, p.Path)
		if err != nil {
			return roots, err
		}
		outer := Plan{Path: p.Path, Root: at, Relative: filepath.ToSlash(rel)}
		is, err := there(outer.StatePath())
		if err != nil {
			return roots, err
		}
		if is {
			roots = append(roots, at)
		}
	}
	return roots, nil
}

// Execution resolves the directory a phase declares, relative to the plan
// workspace: an existing directory, links followed, with a regular AGENTS.md.
// The error says what is missing and for which phase.
func (p Plan) Execution(phaseID, declared string) (string, error) {
	dir, err := filepath.EvalSymlinks(filepath.Join(p.Root, declared))
	if err != nil {
		return "", fmt.Errorf("workspace %q of %s: %w; create it or correct the plan's ### Workspace section", declared, phaseID, err)
	}
	if err := recordable(dir); err != nil {
		return "", fmt.Errorf("workspace %q of %s: %w", declared, phaseID, err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return "", fmt.Errorf("workspace %q of %s: %w", declared, phaseID, err)
	}
	if !info.IsDir() {
		return "", fmt.Errorf("workspace %q of %s resolves to %s, which is not a directory", declared, phaseID, dir)
	}
	agents, err := os.Stat(filepath.Join(dir, "AGENTS.md"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("workspace %q of %s: %w", declared, phaseID, err)
	}
	if err != nil || !agents.Mode().IsRegular() {
		return "", fmt.Errorf("workspace %q of %s resolves to %s, which has no AGENTS.md; write one that tells an agent how to work there", declared, phaseID, dir)
	}
	return dir, nil
}
