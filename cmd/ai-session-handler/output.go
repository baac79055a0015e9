package main

import (
	"bytes"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/ai-session-handler/ai-session-handler/engine/termtext"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// printer is where a command's own words go.
type printer interface {
	Line(text string)   // one line about what happens, on stderr, unless quiet
	Result(text string) // on stdout
	Error(text string)  // on stderr
}

// direct prints at once and waits for a slow reader, as every command does that
// does not supervise a worker meanwhile. What others wrote is made safe.
type direct struct {
	stdout, stderr io.Writer
	quiet          bool
	lost           error // the first error of writing a result
}

func (d *direct) Line(text string) {
	if !d.quiet {
		fmt.Fprintln(d.stderr, termtext.Line(text))
	}
}

func (d *direct) Result(text string) {
	if _, err := fmt.Fprint(d.stdout, termtext.Paragraph(text)); err != nil && d.lost == nil {
		d.lost = fmt.Errorf("the result could not be written: %w", err)
	}
}

func (d *direct) Error(text string) { fmt.Fprint(d.stderr, termtext.Paragraph(text)) }

// JSON prints one object. Characters that a terminal might obey and that JSON
// leaves as they are come out escaped, which means the same to a reader.
func (d *direct) JSON(v any) error {
	data, err := record.Encode(v)
	if err != nil {
		return err
	}
	_, err = d.stdout.Write(escapeControls(data))
	return err
}

func escapeControls(data []byte) []byte {
	if !bytes.ContainsFunc(data, obeyed) {
		return data
	}
	var out bytes.Buffer
	for len(data) > 0 {
		r, n := utf8.DecodeRune(data)
		if obeyed(r) {
			fmt.Fprintf(&out, `\u%04x`, r)
		} else {
			out.Write(data[:n])
		}
		data = data[n:]
	}
	return out.Bytes()
}

// obeyed holds for DEL, the C1 controls, and the marks that turn the direction
// of text.
func obeyed(r rune) bool {
	return r >= 0x7f && r <= 0x9f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}
