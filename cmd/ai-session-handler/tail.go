package main

import (
	"bytes"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/ai-session-handler/ai-session-handler/engine/fsx"
	"github.com/ai-session-handler/ai-session-handler/engine/termtext"
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

// headerSize is where the worker's first byte is.
func headerSize(f *os.File) (int64, error) {
	head := make([]byte, 64<<10)
	for ; ; head = make([]byte, 4*len(head)) {
		n, err := f.ReadAt(head, 0)
		if at := bytes.Index(head[:n], []byte(headerEnd)); at >= 0 {
			return int64(at + len(headerEnd)), nil
		}
		if err == io.EOF || len(head) > maxHeader {
			return 0, nil
		}
		if err != nil {
			return 0, err
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
