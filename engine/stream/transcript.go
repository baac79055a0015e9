// Package stream keeps what a worker prints: its transcript, byte for byte in
// order of arrival, and an index that tells the streams apart. A [Transcript]
// bounds nothing and interprets nothing. See docs/state-and-recovery.md.
//
// It also masks the values of secrets, for whoever passes bytes on to do so
// before anything keeps or shows them: a [Masker] in a stream, [Secrets.Mask] in
// a text. Values are literal bytes, so one that is encoded, or broken up by
// anything, is not found. From left to right each value is replaced by
// "[masked:NAME]", the longest where several begin at one byte, and the search
// goes on behind it. No value is left whole, but of one that overlaps the end of
// a replaced one the rest stays.
package stream

import (
	"errors"
	"fmt"
	"path"
	"time"

	"github.com/ai-session-handler/ai-session-handler/engine/fsx"
	"github.com/ai-session-handler/ai-session-handler/engine/workspace"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// Runner is the name, in an index, of the lines the handler itself adds.
const Runner = "runner"

// Transcript is the transcript of one attempt while it is written.
type Transcript struct {
	text, index sealed
	clock       func() time.Time
	began       time.Time
	written     int64 // by the worker

	// The stretch that the index has not got yet.
	from   string
	start  int64
	at     time.Time
	midway bool // the last byte was not a line end
}

// sealed is a file whose digest grows with it.
type sealed struct {
	file *fsx.File
	kind string
	name string
	sum  digest
	size int64
}

func (s *sealed) write(p []byte) error {
	n, err := s.file.Write(p)
	s.sum.write(p[:n])
	s.size += int64(n)
	return err
}

func (s *sealed) finish() (record.Artifact, error) {
	err := errors.Join(s.file.Sync(), s.file.Close())
	return record.Artifact{Kind: s.kind, Path: s.name, SHA256: s.sum.end(), Bytes: s.size}, err
}

// indexHeader explains the index to whoever opens it.
const indexHeader = "offset\tbytes\tstream\tmilliseconds\n"

// Create creates transcript and index of an attempt in the plan directory dir,
// neither of which may exist, and returns when the header is durable.
func Create(dir *fsx.Dir, attempt string, header []byte, clock func() time.Time) (*Transcript, error) {
	t := &Transcript{clock: clock, began: clock()}
	if err := t.text.create(dir, "transcript", workspace.TranscriptFile(attempt)); err != nil {
		return nil, err
	}
	err := t.text.write(header)
	if err == nil {
		err = t.text.file.Sync()
	}
	if err == nil {
		err = t.index.create(dir, "index", workspace.IndexFile(attempt))
	}
	if err == nil {
		err = t.index.write([]byte(indexHeader))
	}
	if err == nil {
		err = dir.Sync(path.Dir(t.text.name))
	}
	if err != nil {
		t.discard()
		return nil, err
	}
	return t, nil
}

func (s *sealed) create(dir *fsx.Dir, kind, name string) (err error) {
	s.kind, s.name = kind, name
	s.file, err = dir.Create(name)
	return err
}

// discard closes what was opened; the files stay as evidence.
func (t *Transcript) discard() {
	_ = t.text.file.Close()
	if t.index.file != nil {
		_ = t.index.file.Close()
	}
}

// stretchAge is how long one entry of the index may stand for.
const stretchAge = time.Second

// Write adds bytes that arrived on the stream of this name.
func (t *Transcript) Write(from string, p []byte) error {
	if len(p) == 0 {
		return nil
	}
	now := t.clock()
	if from != t.from || now.Sub(t.at) >= stretchAge {
		if err := t.endStretch(); err != nil {
			return err
		}
		t.from, t.start, t.at = from, t.text.size, now
	}
	if from != Runner {
		t.written += int64(len(p))
	}
	t.midway = p[len(p)-1] != '\n'
	return t.text.write(p)
}

func (t *Transcript) endStretch() error {
	if t.text.size == t.start || t.from == "" {
		return nil
	}
	line := fmt.Sprintf("%d\t%d\t%s\t%d\n", t.start, t.text.size-t.start, t.from, t.at.Sub(t.began).Milliseconds())
	t.start = t.text.size
	return t.index.write([]byte(line))
}

// Notice adds a line of the handler's own.
func (t *Transcript) Notice(format string, args ...any) error {
	line := "[runner] " + fmt.Sprintf(format, args...) + "\n"
	if t.midway {
		line = "\n" + line
	}
	return t.Write(Runner, []byte(line))
}

// Written is the number of bytes the worker printed so far.
func (t *Transcript) Written() int64 { return t.written }

// Finish makes both files durable and seals them. The transcript cannot be
// written any more, whatever is returned.
func (t *Transcript) Finish() ([]record.Artifact, error) {
	endErr := t.endStretch()
	text, textErr := t.text.finish()
	index, indexErr := t.index.finish()
	return []record.Artifact{text, index}, errors.Join(endErr, textErr, indexErr)
}
