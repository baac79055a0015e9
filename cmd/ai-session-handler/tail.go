package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/ai-session-handler/ai-session-handler/engine/fsx"
	"github.com/ai-session-handler/ai-session-handler/engine/termtext"
	"github.com/ai-session-handler/ai-session-handler/engine/workspace"
)

// Bounds of what is read and shown of a transcript's end.
const (
	tailBytes    = 64 << 10
	tailLineRune = 400
)

// readTail returns the last lines of the output in a transcript, safe to show.
// The header is no output.
func readTail(dir *fsx.Dir, name string, count int) ([]string, error) {
	f, err := dir.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data, err := lastBytes(f, tailBytes)
	if err != nil {
		return nil, err
	}
	text := strings.TrimRight(termtext.Text(string(data)), "\n")
	if text == "" {
		return nil, nil
	}
	lines := strings.Split(text, "\n")
	lines = lines[max(0, len(lines)-count):]
	for i, line := range lines {
		lines[i] = cut(line, tailLineRune)
	}
	return lines, nil
}

// lastBytes reads the end of a transcript, from behind its header.
func lastBytes(f *os.File, limit int64) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	start, err := headerSize(f)
	if err != nil {
		return nil, err
	}
	start = max(start, info.Size()-limit)
	return io.ReadAll(io.NewSectionReader(f, start, limit))
}

// headerEnd closes the header of a transcript.
const headerEnd = "\n---\n"

// maxHeader bounds the search for the end of a header; an argv can be long.
const maxHeader = 4 << 20

// headerSize is where the worker's first byte is; a file without a header is
// the worker's altogether.
func headerSize(f *os.File) (int64, error) {
	end, _, err := findHeader(f)
	return end, err
}

// findHeader returns the offset behind the header, if there is one whole.
func findHeader(f *os.File) (end int64, found bool, err error) {
	head := make([]byte, 64<<10)
	for ; ; head = make([]byte, 4*len(head)) {
		n, err := f.ReadAt(head, 0)
		if at := bytes.Index(head[:n], []byte(headerEnd)); at >= 0 {
			return int64(at + len(headerEnd)), true, nil
		}
		if err == io.EOF || len(head) > maxHeader {
			return 0, false, nil
		}
		if err != nil {
			return 0, false, err
		}
	}
}

func cut(s string, runes int) string {
	if utf8.RuneCountInString(s) <= runes {
		return s
	}
	for i := range s {
		if runes--; runes < 0 {
			return s[:i] + "…"
		}
	}
	return s
}

// allLines is a number of last lines that no transcript has.
const allLines = int(^uint(0) >> 1)

// tail shows a transcript from its last lines on, as far as it has grown.
type tail struct {
	a     *app
	h     *history
	id    string // of its attempt
	lines int
	out   io.Writer
	safe  *termtext.Filter // nil when raw

	file  *os.File // nil until it is there, with its header
	from  int64    // where the last lines begin
	at    int64    // what comes next
	moved bool     // it was told that the file has left its place
}

func newTail(a *app, h *history, id string, lines int, raw bool) *tail {
	t := &tail{a: a, h: h, id: id, lines: lines, out: a.stdout}
	if !raw {
		t.safe = termtext.NewFilter(a.stdout, a.color.On(a.stdout, a.environ))
		t.out = t.safe
	}
	return t
}

func (t *tail) close() {
	if t.file != nil {
		_ = t.file.Close()
		t.file = nil
	}
}

// errNoHeader means that a transcript has only been begun.
var errNoHeader = errors.New("it has no header yet")

// open finds where the last lines begin.
func (t *tail) open() error {
	f, err := t.reopen()
	if err == nil {
		t.file, err = f, t.seek(f)
	}
	if err != nil {
		t.close()
	}
	return err
}

func (t *tail) reopen() (*os.File, error) { return t.h.dir.Open(workspace.TranscriptFile(t.id)) }

func (t *tail) seek(f *os.File) error {
	start, found, err := findHeader(f)
	if err != nil {
		return err
	}
	if !found && t.h.isActive(t.id) {
		return fmt.Errorf("%s: %w", f.Name(), errNoHeader)
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	t.from, err = lastLines(f, start, info.Size(), t.lines)
	t.at = t.from
	return err
}

// copy shows what is new. A transcript that is not there yet has nothing.
func (t *tail) copy() error {
	if t.file == nil {
		if err := t.open(); errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNoHeader) {
			return nil
		} else if err != nil {
			return err
		}
	}
	info, err := t.file.Stat()
	if err != nil {
		return err
	}
	if info.Size() < t.at {
		return inputErrorf("%s was cut off while it was followed: it is not what the worker printed any more", t.file.Name())
	}
	t.checkPlace(info)
	n, err := io.Copy(t.out, io.NewSectionReader(t.file, t.at, info.Size()-t.at))
	t.at += n
	return err
}

// checkPlace tells once when the file that the handler writes is not the one
// that later readers will find.
func (t *tail) checkPlace(info fs.FileInfo) {
	if t.moved {
		return
	}
	there, err := t.reopen()
	if err == nil {
		entry, statErr := there.Stat()
		_ = there.Close()
		if statErr == nil && os.SameFile(entry, info) {
			return
		}
	}
	t.moved = true
	t.a.warn(t.file.Name() + " was removed or replaced; what its handler goes on writing is shown all the same")
}

// end shows what the filter holds back, and ends the last line.
func (t *tail) end() error {
	if t.file == nil || t.safe == nil {
		return nil
	}
	if err := t.safe.Close(); err != nil {
		return err
	}
	if t.at == t.from {
		return nil
	}
	return endLine(t.a.stdout, t.file, t.at)
}

// lastLines returns where the last n lines begin of what lies between two
// offsets. A line end at the very end ends the last of them.
func lastLines(r io.ReaderAt, start, end int64, n int) (int64, error) {
	if n == 0 {
		return end, nil
	}
	buf := make([]byte, tailBytes)
	for at := end; at > start; {
		part := buf[:min(int64(len(buf)), at-start)]
		at -= int64(len(part))
		if _, err := r.ReadAt(part, at); err != nil {
			return 0, err
		}
		for i := len(part) - 1; i >= 0; i-- {
			if part[i] != '\n' || at+int64(i) == end-1 {
				continue
			}
			if n--; n == 0 {
				return at + int64(i) + 1, nil
			}
		}
	}
	return start, nil
}
