package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"os"
	"unicode/utf8"

	"github.com/ai-session-handler/ai-session-handler/engine/termtext"
	"github.com/ai-session-handler/ai-session-handler/engine/workspace"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// maxOutcome bounds what is read of an outcome that is shown as it is, in bytes.
const maxOutcome = 64 << 20

// evidence is what is kept of one attempt.
type evidence struct {
	h       *history
	ref     record.CommittedOutcome
	outcome *record.Outcome // nil where it can't be read, and while there is none
}

// sealed is a file of an attempt, which is hashed while it is read.
type sealed struct {
	file *os.File
	size int64
	sum  hash.Hash
	seal *record.Artifact // nil where its outcome has none
}

// open opens a file of the attempt by its name in the plan directory.
func (e *evidence) open(name string) (*sealed, error) {
	f, err := e.h.dir.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return &sealed{f, info.Size(), sha256.New(), e.sealOf(name)}, nil
}

func (e *evidence) sealOf(name string) *record.Artifact {
	if e.outcome == nil {
		return nil
	}
	for _, a := range e.outcome.Artifacts {
		if a.Path == name {
			return &a
		}
	}
	return nil
}

func (s *sealed) close() { _ = s.file.Close() }

// copyFrom writes what is behind an offset, and reads all.
func (s *sealed) copyFrom(offset int64, w io.Writer) error {
	if _, err := io.Copy(s.sum, io.NewSectionReader(s.file, 0, offset)); err != nil {
		return err
	}
	_, err := io.Copy(w, io.TeeReader(io.NewSectionReader(s.file, offset, s.size-offset), s.sum))
	return err
}

// altered says how a file that was read differs from what its outcome sealed;
// it is empty where it does not, or where nothing was sealed.
func (s *sealed) altered() string {
	switch {
	case s.seal == nil:
		return ""
	case s.size != s.seal.Bytes:
		return resized(s.file, s.size, *s.seal)
	case hex.EncodeToString(s.sum.Sum(nil)) != s.seal.SHA256:
		return s.file.Name() + " is not what was sealed: its digest differs"
	}
	return ""
}

// warn tells of evidence that can't be relied on, quiet or not.
func (a *app) warn(text string) {
	if text != "" {
		a.Error("warning: " + text)
	}
}

// show prints a file from an offset on, made safe, or raw as it is. It says so
// when it is not what was sealed.
func (s *sealed) show(a *app, offset int64, raw bool) error {
	if raw {
		if err := s.copyFrom(offset, a.stdout); err != nil {
			return err
		}
		a.warn(s.altered())
		return nil
	}
	safe := termtext.NewFilter(a.stdout, a.color.On(a.stdout, a.environ))
	if err := s.copyFrom(offset, safe); err != nil {
		return err
	}
	if err := safe.Close(); err != nil {
		return err
	}
	if err := endLine(a.stdout, s.file, s.size); err != nil {
		return err
	}
	a.warn(s.altered())
	return nil
}

// endLine ends the last line of a file that does not end it itself.
func endLine(w io.Writer, f io.ReaderAt, size int64) error {
	var last [1]byte
	if n, _ := f.ReadAt(last[:], size-1); n == 1 && last[0] != '\n' {
		_, err := fmt.Fprintln(w)
		return err
	}
	return nil
}

// check says which files are not what was sealed, but for one.
func (e *evidence) check(a *app, except string) {
	for _, artifact := range e.outcome.Artifacts {
		if artifact.Path == except {
			continue
		}
		s, err := e.open(artifact.Path)
		if err == nil {
			err = s.copyFrom(0, io.Discard)
			s.close()
		}
		if err != nil {
			a.warn(fmt.Sprintf("the %s can't be read: %v", artifact.Kind, err))
			continue
		}
		a.warn(s.altered())
	}
}

// grown says how the size of a transcript differs from what was sealed. It is
// empty where it does not, and while the attempt has no outcome that can be read.
func (h *history) grown(id string, transcript *os.File) string {
	for _, ref := range h.state.CommittedOutcomes {
		if ref.AttemptID != id {
			continue
		}
		o, err := h.store.ReadOutcome(ref.Path)
		if err != nil {
			return fmt.Sprintf("nothing says whether this is what was sealed: %v", err)
		}
		info, err := transcript.Stat()
		if err != nil {
			return err.Error()
		}
		seal := (&evidence{h: h, ref: ref, outcome: &o}).sealOf(workspace.TranscriptFile(id))
		if seal != nil && seal.Bytes != info.Size() {
			return resized(transcript, info.Size(), *seal)
		}
	}
	return ""
}

func resized(f *os.File, size int64, seal record.Artifact) string {
	return fmt.Sprintf("%s is not what was sealed: it had %d bytes, now it has %d", f.Name(), seal.Bytes, size)
}

// load reads the outcome that the state links.
func (e *evidence) load(a *app) error {
	o, err := e.h.store.ReadOutcome(e.ref.Path)
	if err != nil {
		return err
	}
	e.outcome = &o
	a.warn(e.exchanged(o))
	return nil
}

// exchanged says how an outcome contradicts the state.
func (e *evidence) exchanged(o record.Outcome) string {
	if o.AttemptID == e.ref.AttemptID && o.Phase.ID == e.ref.PhaseID && o.Status == e.ref.Status {
		return ""
	}
	return fmt.Sprintf("%s is not the outcome that was committed, which was %s of %s", e.h.path(e.ref.Path), e.ref.Status, e.ref.PhaseID)
}

// showOutcome prints the outcome as it is stored, and says what is wrong with it.
func (e *evidence) showOutcome(a *app) error {
	data, err := e.h.dir.ReadFile(e.ref.Path, maxOutcome)
	if err != nil {
		return err
	}
	if utf8.Valid(data) && json.Valid(data) {
		_, err = a.stdout.Write(escapeControls(data))
	} else {
		a.Result(string(data))
	}
	if err == nil {
		if invalid := e.load(a); invalid != nil {
			a.warn(invalid.Error())
		}
	}
	return err
}
