package ui

import (
	"bytes"
	"fmt"

	"github.com/ai-session-handler/ai-session-handler/engine/termtext"
)

// maxHeld is the longest unfinished line, in bytes, that is kept in the block.
const maxHeld = 8 << 10

const (
	// eraseBelow clears from the cursor to the end of the screen, which is all
	// that a block can have become.
	eraseBelow = "\x1b[J"

	eraseRight = "\x1b[K" // to the end of the row

	// A row that a terminal takes for wider than we do must not wrap: what
	// follows would stand a row too low.
	wrapOff, wrapOn = "\x1b[?7l", "\x1b[?7h"

	// A terminal that knows them shows nothing between the two, and forgets
	// the first by itself; one that does not ignores them.
	syncBegin, syncEnd = "\x1b[?2026h", "\x1b[?2026l"
)

// screen turns text into what a terminal needs to show it above a block.
//
// While there is a block, the cursor rests at the start of the row above it,
// where the text goes on; an unfinished line is shown in that row, and kept
// until it ends. So the block is erased from the cursor down, wherever the
// cursor has come to be: that a narrower window wraps the rows, or a shell
// wrote in between, changes nothing.
type screen struct {
	limit   int    // how many bytes of an unfinished line are kept
	line    []byte // an unfinished line, not yet part of the output
	midLine bool   // the cursor is within a line of the output
	drawn   bool   // there is a block
	pen     pen    // what the output leaves on
	lifted  bool   // but was turned off for the block
	out     []byte
}

// frame returns what shows text, which is filtered, and then a block of these
// rows. Without rows there is no block; with hold, an unfinished line waits for
// the next frame all the same. The result is valid until then.
func (s *screen) frame(text []byte, rows []string, columns int, hold bool) []byte {
	s.out = append(s.out[:0], syncBegin...)
	n := s.add(text, hold)
	if s.drawn {
		s.out = append(s.out, '\r') // somebody may have typed
		if n > 0 || len(rows) == 0 {
			s.out = append(s.out, eraseBelow...)
		}
	}
	s.show(n)
	if s.drawn = len(rows) > 0 && !s.midLine; s.drawn {
		s.draw(rows, columns)
	}
	if s.drawn && len(s.out) <= chunkSize-len(syncEnd) {
		s.out = append(s.out, syncEnd...)
		return s.out
	}
	return s.out[len(syncBegin):]
}

// add takes text, and returns how many bytes of the line and it are to be shown
// now.
func (s *screen) add(text []byte, hold bool) int {
	s.line = append(s.line, text...)
	end := bytes.LastIndexByte(s.line, '\n') + 1
	if !hold || end == 0 && s.midLine || len(s.line)-end > s.limit {
		end = len(s.line)
	}
	return end
}

// show makes the first n bytes of the line part of the output.
func (s *screen) show(n int) {
	if n == 0 {
		return
	}
	if s.lifted {
		s.out = append(s.out, s.pen...)
		s.lifted = false
	}
	p := s.line[:n]
	s.out = append(s.out, p...)
	s.pen.follow(p)
	s.midLine = leavesMidLine(p, s.midLine)
	s.line = append(s.line[:0], s.line[n:]...)
}

// draw writes the block over the one before, if there is one, so that a
// terminal that shows half of it shows no gap.
func (s *screen) draw(rows []string, columns int) {
	if len(s.pen) > 0 && !s.lifted {
		s.out = append(s.out, colourOff...)
		s.lifted = true
	}
	s.out = append(s.out, wrapOff...)
	s.out = append(s.out, fitEnd(termtext.Line(string(s.line)), columns-1)...)
	for _, row := range rows {
		s.out = append(s.out, eraseRight+"\r\n"...)
		s.out = append(s.out, row...)
	}
	s.out = fmt.Appendf(s.out, "%s%s\x1b[%dA\r", eraseBelow, wrapOn, len(rows))
}

// forget gives the block up to whoever has the terminal now.
func (s *screen) forget() { s.drawn = false }

// settled reports whether the terminal shows the output and nothing else.
func (s *screen) settled() bool { return !s.drawn && len(s.line) == 0 }
