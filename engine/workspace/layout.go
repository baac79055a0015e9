package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/ai-session-handler/ai-session-handler/engine/fsx"
)

// Names of generated files, relative to the directory named in each comment.
const (
	ConfigFile = "config.json" // of .ai-session-handler
	PlansDir   = "plans"       // of .ai-session-handler
	StateFile  = "state.json"  // of a plan's directory, like all below
	EventsFile = "events.jsonl"
)

// artifactDirs are the directories a plan directory holds, made before the
// first attempt.
var artifactDirs = []string{"snapshots", "prompts", "transcripts", "exits", "outcomes"}

// SnapshotFile keeps the bytes of an accepted plan.
func SnapshotFile(sha256 string) string { return "snapshots/" + sha256 + ".md" }

// PromptFile holds what an attempt's worker was told.
func PromptFile(attempt string) string { return "prompts/" + attempt + ".txt" }

// TranscriptFile holds what an attempt's worker printed.
func TranscriptFile(attempt string) string { return "transcripts/" + attempt + ".txt" }

// IndexFile tells the streams of a transcript apart.
func IndexFile(attempt string) string { return "transcripts/" + attempt + ".idx" }

// ExitFile says how a worker ended that outlived its handler.
func ExitFile(attempt string) string { return "exits/" + attempt + ".json" }

// OutcomeFile holds the outcome of an attempt whose end was seen.
func OutcomeFile(attempt string) string { return "outcomes/" + attempt + ".json" }

// AbandonedFile holds the outcome of an attempt whose end nobody saw. It has a
// name of its own since an OutcomeFile may exist that was never adopted.
func AbandonedFile(attempt string) string { return "outcomes/" + attempt + ".abandoned.json" }

// stampLayout is how a time stands in a name, in UTC.
const stampLayout = "20060102T150405Z"

// NewAttemptID makes an id that sorts by time and is unique whatever the clock
// does, for example 20261130T201305Z-phase-3-<uuid>.
func NewAttemptID(now time.Time, phaseID string) string {
	return now.UTC().Format(stampLayout) + "-" + phaseID + "-" + uuid.NewString()
}

// AttemptTime is when an attempt with this id was made, in UTC, to the second.
func AttemptTime(id string) (at time.Time, ok bool) {
	stamp, _, _ := strings.Cut(id, "-")
	at, err := time.Parse(stampLayout, stamp)
	return at, err == nil
}

// gitignore keeps histories out of commits and the shared configuration in.
const gitignore = "*\n!" + ConfigFile + "\n"

// OpenHandlerDir opens .ai-session-handler of a workspace. With create it is
// made where it is missing, along with its .gitignore; without, a missing one
// is an error wrapping fs.ErrNotExist.
func OpenHandlerDir(root string, create bool, seam fsx.Seam) (*fsx.Dir, error) {
	ws, err := fsx.OpenDir(root, seam)
	if err != nil {
		return nil, err
	}
	defer func() { _ = ws.Close() }()
	if create {
		if err := ws.MkdirAll(DirName); err != nil {
			return nil, err
		}
	}
	dir, err := ws.Sub(DirName)
	if err != nil || !create {
		return dir, err
	}
	return dir, writeGitignore(dir)
}

func writeGitignore(dir *fsx.Dir) error {
	exists, err := dir.Exists(".gitignore")
	if err != nil || exists {
		return err
	}
	return dir.Replace(".gitignore", []byte(gitignore))
}

// OpenPlanDir opens the directory of a plan's history below an open handler
// directory. With create it and its subdirectories are made where missing.
func (p Plan) OpenPlanDir(handler *fsx.Dir, create bool) (*fsx.Dir, error) {
	name := path.Join(PlansDir, p.Key())
	if create {
		dirs := make([]string, len(artifactDirs))
		for i, sub := range artifactDirs {
			dirs[i] = path.Join(name, sub)
		}
		if err := handler.MkdirAll(dirs...); err != nil {
			return nil, err
		}
	}
	return handler.Sub(name)
}

// SiblingKeys lists the keys of the other histories in the workspace, without
// the archived ones.
func (p Plan) SiblingKeys(handler *fsx.Dir) ([]string, error) {
	plans, err := handler.Sub(PlansDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = plans.Close() }()
	names, err := plans.List()
	var keys []string
	for _, name := range names {
		if len(name) == 64 && !strings.Contains(name, ".") && name != p.Key() {
			keys = append(keys, name)
		}
	}
	return keys, err
}

// Archive moves the plan's history aside, whole, and returns the name it now
// has below plans/. Nothing is ever deleted.
func (p Plan) Archive(handler *fsx.Dir, now time.Time) (string, error) {
	base := p.Key() + ".archived-" + now.UTC().Format(stampLayout)
	name := base
	for n := 2; ; n++ {
		exists, err := handler.Exists(path.Join(PlansDir, name))
		if err != nil {
			return "", err
		}
		if !exists {
			break
		}
		name = fmt.Sprintf("%s-%d", base, n)
	}
	if err := handler.Rename(path.Join(PlansDir, p.Key()), path.Join(PlansDir, name)); err != nil {
		return "", err
	}
	return name, handler.Sync(PlansDir)
}
