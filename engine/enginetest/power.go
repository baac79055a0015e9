//go:build linux

package enginetest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"syscall"

	"github.com/ai-session-handler/ai-session-handler/engine/fsx"
)

// PowerLog records what is done to the files below a directory, so that a [Disk]
// can tell afterwards what a power loss at any moment would have left of them.
// Processes that record the same root share the log, as a handler and its
// supervisors do. It believes the seam that an operation was what it is called.
type PowerLog struct {
	Root string // absolute, links resolved
}

// Step is one line of the log: an operation that succeeded, or a mark.
type Step struct {
	Op      string // of the seam, or "mark"
	Path    string // relative to the root
	Inode   uint64 // of what stands at Path after the operation, 0: nothing
	Dir     bool
	Content []byte // of a file after the operation

	Mark          string // what the outside world learned, in the words of the test
	Attempt, Text string // more of it
}

// String leaves out of a step what differs from run to run.
func (s Step) String() string {
	if s.Mark != "" {
		return "mark " + s.Mark
	}
	return s.Op + " " + anonymous(s.Path)
}

var attemptIDs = regexp.MustCompile(`\*-[a-z0-9-]+-\*`)

func anonymous(path string) string { return attemptIDs.ReplaceAllString(stable(path), "*") }

// IsSync holds for the operations that make something durable.
func (s Step) IsSync() bool { return s.Op == "sync" || s.Op == "syncdir" }

// Seam returns a seam that records. It belongs before any that fails or kills,
// since what it is told was done.
func (l PowerLog) Seam() fsx.Seam {
	return func(p fsx.Point) error {
		if p.Dir == "" || !p.After || slices.Contains(reads, p.Op) {
			return nil
		}
		step, err := l.observe(p)
		if errors.Is(err, errRenamed) && !step.IsSync() {
			return nil // only a claim to be durable has to be followed there
		}
		if err != nil {
			return fmt.Errorf("record %s: %w", p, err)
		}
		return l.append(step)
	}
}

// reads are the operations that leave a disk as it is.
var reads = []string{"open", "stat", "list", "read"}

// Mark records that the outside world learned something.
func (l PowerLog) Mark(mark, attempt, text string) error {
	return l.append(Step{Op: "mark", Mark: mark, Attempt: attempt, Text: text})
}

var errRenamed = errors.New("the directory was renamed after it was opened")

// observe looks at what an operation left, which says more than its name.
func (l PowerLog) observe(p fsx.Point) (Step, error) {
	step := Step{Op: p.Op}
	dir, err := filepath.EvalSymlinks(p.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		err = errRenamed
	}
	if err != nil {
		return step, err
	}
	path := filepath.Join(dir, p.Name)
	if step.Path, err = filepath.Rel(l.Root, path); err != nil {
		return step, err
	}
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return step, nil
	}
	if err != nil {
		return step, err
	}
	step.Inode, step.Dir = info.Sys().(*syscall.Stat_t).Ino, info.IsDir()
	if !step.Dir {
		step.Content, err = os.ReadFile(path)
	}
	return step, err
}

func (l PowerLog) path() string { return l.Root + ".power" }

func (l PowerLog) append(s Step) error {
	line, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return appendLine(l.path(), string(line))
}

// Exists reports whether anything was recorded, which tells a supervisor that
// it is to be recorded too.
func (l PowerLog) Exists() bool {
	_, err := os.Stat(l.path())
	return err == nil
}

// Read returns the steps so far.
func (l PowerLog) Read() ([]Step, error) {
	f, err := os.Open(l.path())
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	var steps []Step
	for dec := json.NewDecoder(bufio.NewReader(f)); dec.More(); {
		var s Step
		if err := dec.Decode(&s); err != nil {
			return nil, err
		}
		steps = append(steps, s)
	}
	return steps, nil
}
