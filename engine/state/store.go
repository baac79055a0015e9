package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/ai-session-handler/ai-session-handler/engine/fsx"
	"github.com/ai-session-handler/ai-session-handler/engine/workspace"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// maxState bounds a state in bytes: some 100,000 attempts.
const maxState = 64 << 20

// maxOutcome bounds an outcome; its largest part is a summary of at most 1 MiB,
// which JSON escaping can make six times as large.
const maxOutcome = 16 << 20

// InvalidError means that a record on disk is not one this release wrote. It
// lists every key to look at.
type InvalidError struct {
	Path     string
	Problems []record.KeyProblem
}

func (e *InvalidError) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = e.Path + ": " + p.String()
	}
	return strings.Join(lines, "\n")
}

// Store keeps the state of one plan in its directory.
type Store struct {
	Dir *fsx.Dir
}

// Load reads the state. found is false where there is none yet. Anything but a
// complete, consistent state of this release is an *InvalidError.
func (s Store) Load() (st record.State, found bool, err error) {
	data, err := s.Dir.ReadFile(workspace.StateFile, maxState)
	if errors.Is(err, fs.ErrNotExist) {
		return st, false, nil
	}
	if err != nil {
		return st, false, err
	}
	path := s.Dir.Path(workspace.StateFile)
	if err := decode(path, data, record.StateFormat, &st); err != nil {
		return st, true, err
	}
	if problems := Validate(st); len(problems) > 0 {
		return st, true, &InvalidError{path, problems}
	}
	return st, true, nil
}

// decode checks the format word before anything else: in a record of another
// release every other key may mean something else.
func decode(path string, data []byte, format string, v any) error {
	var head struct {
		Format string `json:"format"`
	}
	if json.Unmarshal(data, &head) == nil {
		if err := checkFormat(path, format, head.Format); err != nil {
			return err
		}
	}
	err := record.Decode(data, v)
	var faults *record.DecodeError
	if errors.As(err, &faults) {
		return &InvalidError{path, faults.Problems}
	}
	return err
}

func checkFormat(path, want, got string) error {
	if got == want {
		return nil
	}
	return &InvalidError{path, []record.KeyProblem{{Key: "format", Message: fmt.Sprintf(
		"this release reads %q, the file says %q; use the release that wrote it", want, got)}}}
}

// Save replaces the state; it returns when the new one is durable. A state that
// contradicts itself is a bug of ours and is never written, nor is one that is too
// large to be read again.
func (s Store) Save(st record.State) error {
	if problems := Validate(st); len(problems) > 0 {
		return fmt.Errorf("bug: refusing to write a state: %w", &InvalidError{s.Dir.Path(workspace.StateFile), problems})
	}
	data, err := record.Encode(st)
	if err != nil {
		return err
	}
	if len(data) > maxState {
		return fmt.Errorf("the state would have %d bytes, of which %d can be read again", len(data), maxState)
	}
	return s.Dir.Replace(workspace.StateFile, data)
}

// WriteOutcome writes an outcome under a name that must not exist yet. It is
// no part of the history until a saved state links it.
func (s Store) WriteOutcome(name string, o record.Outcome) error {
	data, err := record.Encode(o)
	if err != nil {
		return err
	}
	return s.Dir.WriteNew(name, data)
}

// ReplaceOutcome is WriteOutcome for a record that must be there whole or not
// at all.
func (s Store) ReplaceOutcome(name string, o record.Outcome) error {
	data, err := record.Encode(o)
	if err != nil {
		return err
	}
	return s.Dir.Replace(name, data)
}

// ReadOutcome reads a linked outcome.
func (s Store) ReadOutcome(name string) (o record.Outcome, err error) {
	data, err := s.Dir.ReadFile(name, maxOutcome)
	if err != nil {
		return o, err
	}
	return o, decode(s.Dir.Path(name), data, record.OutcomeFormat, &o)
}

// SkimOutcome is ReadOutcome at a fraction of the time, for lists: it checks
// format and types, but not for keys that are unknown, missing or there twice.
func (s Store) SkimOutcome(name string) (o record.Outcome, err error) {
	data, err := s.Dir.ReadFile(name, maxOutcome)
	if err != nil {
		return o, err
	}
	path := s.Dir.Path(name)
	if err := json.Unmarshal(data, &o); err != nil {
		return o, fmt.Errorf("%s: %w", path, err)
	}
	return o, checkFormat(path, record.OutcomeFormat, o.Format)
}

// ReadExit reads the exit record that a supervisor left behind. found is false
// where there is none: the supervisor was killed too, or is still at work.
func (s Store) ReadExit(attempt string) (e record.Exit, found bool, err error) {
	name := workspace.ExitFile(attempt)
	data, err := s.Dir.ReadFile(name, maxOutcome)
	if errors.Is(err, fs.ErrNotExist) {
		return e, false, nil
	}
	if err != nil {
		return e, false, err
	}
	if err := decode(s.Dir.Path(name), data, record.ExitFormat, &e); err != nil {
		return e, true, err
	}
	if e.AttemptID != attempt {
		return e, true, &InvalidError{s.Dir.Path(name), []record.KeyProblem{{Key: "attempt_id", Message: "is of another attempt"}}}
	}
	return e, true, nil
}
