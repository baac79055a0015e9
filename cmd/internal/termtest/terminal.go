package termtest

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
)

// A Terminal takes what a program writes behind a line discipline that makes CR
// LF of LF, or without one. It is not safe for concurrent use.
type Terminal struct {
	// Width is how many columns a character takes, 0, 1 or 2.
	Width func(rune) int

	columns, rows int

	lines    []line // all of them, those that were scrolled away first
	top      int    // the first of the screen
	row, col int    // the cursor, below top
	pending  bool   // the cursor stands behind the last column, about to wrap
	style    style
	noWrap   bool
	held     bool // between the two sequences of synchronised output

	input []byte // an unfinished character or sequence
	draws int
	err   error
}

// line is one row. The next one belongs to it where it is wrapped.
type line struct {
	cells   []cell
	wrapped bool
}

// cell is a column. The second one of a wide character is empty.
type cell struct {
	text  string
	style style
}

// New returns an empty Terminal.
func New(columns, rows int) *Terminal {
	return &Terminal{Width: runewidth.RuneWidth, columns: columns, rows: rows, lines: make([]line, 1)}
}

// Write shows p. The error is that of [Terminal.Err].
func (t *Terminal) Write(p []byte) (int, error) {
	t.input = append(t.input, p...)
	for len(t.input) > 0 && t.err == nil {
		n := t.next(t.input)
		if n == 0 {
			break
		}
		t.input = t.input[n:]
	}
	return len(p), t.err
}

// Err tells of what no program should have written.
func (t *Terminal) Err() error { return t.err }

// Draws is how many times something was drawn with wrapping off.
func (t *Terminal) Draws() int { return t.draws }

// Settled reports whether the terminal is as a program has to leave it: the
// cursor in the first column, colours off, wrapping on, nothing held back or
// unfinished.
func (t *Terminal) Settled() bool {
	return t.col == 0 && t.style == style{} && !t.noWrap && !t.held && len(t.input) == 0
}

// Cursor returns the row of the screen and the column that the cursor is in.
func (t *Terminal) Cursor() (row, column int) { return t.row, t.col }

// Screen returns the rows that can be seen, without blanks at their ends.
func (t *Terminal) Screen() []string {
	var rows []string
	for _, l := range t.lines[t.top:] {
		rows = append(rows, text(l.cells, false))
	}
	return trimmed(rows)
}

// Lines returns everything from the first line on, wrapped rows joined, without
// empty lines at the end. Styled, it has the colours as sequences, and blanks at
// the ends of lines.
func (t *Terminal) Lines(styled bool) []string {
	var lines []string
	for rest := t.lines; len(rest) > 0; {
		var cells []cell
		cells, rest = logical(rest)
		lines = append(lines, text(cells, styled))
	}
	return trimmed(lines)
}

// logical joins the rows of the first line, and returns the lines behind it.
func logical(lines []line) (cells []cell, rest []line) {
	for i, l := range lines {
		cells = append(cells, l.cells...)
		if !l.wrapped {
			return cells, lines[i+1:]
		}
	}
	return cells, nil
}

func trimmed(lines []string) []string {
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

func text(cells []cell, styled bool) string {
	var b strings.Builder
	var last style
	for _, c := range cells {
		if styled && c.style != last {
			last = c.style
			b.WriteString(last.String())
		}
		b.WriteString(c.text)
	}
	if styled {
		return b.String()
	}
	return strings.TrimRight(b.String(), " ")
}

// next takes one character or sequence off the start of p, and returns its
// length, or 0 if it is not all there.
func (t *Terminal) next(p []byte) int {
	if p[0] == '\x1b' {
		return t.sequence(p)
	}
	if !utf8.FullRune(p) {
		return 0
	}
	r, n := utf8.DecodeRune(p)
	switch {
	case r == '\n':
		t.feed()
		t.col = 0
	case r == '\r':
		t.col, t.pending = 0, false
	case r == '\t':
		t.tab()
	case r < ' ' || r == utf8.RuneError && n == 1:
		t.err = fmt.Errorf("control character %q", p[:n])
	default:
		t.put(string(r), t.Width(r))
	}
	return n
}

// current is the line that the cursor is in.
func (t *Terminal) current() *line {
	for len(t.lines) <= t.top+t.row {
		t.lines = append(t.lines, line{})
	}
	return &t.lines[t.top+t.row]
}

func (t *Terminal) put(text string, width int) {
	if width == 0 {
		t.combine(text)
		return
	}
	if t.pending || t.col+width > t.columns {
		if t.noWrap {
			t.col = t.columns - width
		} else {
			t.current().wrapped = true
			t.feed()
			t.col = 0
		}
		t.pending = false
	}
	l := t.current()
	for len(l.cells) < t.col+width {
		l.cells = append(l.cells, cell{text: " "})
	}
	l.cells[t.col] = cell{text, t.style}
	if width == 2 {
		l.cells[t.col+1] = cell{"", t.style}
	}
	if t.col += width; t.col == t.columns {
		t.col, t.pending = t.columns-1, true
	}
}

// combine adds a character of no width to the one before the cursor.
func (t *Terminal) combine(text string) {
	l := t.current()
	at := t.col - 1
	if t.pending {
		at = t.col
	}
	for at > 0 && at < len(l.cells) && l.cells[at].text == "" {
		at--
	}
	if at >= 0 && at < len(l.cells) {
		l.cells[at].text += text
	}
}

func (t *Terminal) tab() {
	l := t.current()
	to := min((t.col/8+1)*8, t.columns-1)
	for len(l.cells) < to {
		l.cells = append(l.cells, cell{text: " "})
	}
	t.col = to
}

// feed goes to the next row.
func (t *Terminal) feed() {
	t.pending = false
	t.current()
	if t.row++; t.row == t.rows {
		t.row--
		t.top++
	}
	t.current()
}

// eraseRight clears from the cursor to the end of the row.
func (t *Terminal) eraseRight() {
	l := t.current()
	l.cells = l.cells[:min(len(l.cells), t.col)]
	l.wrapped, t.pending = false, false
	if t.style != (style{}) {
		t.err = fmt.Errorf("erased with a colour on, which some terminals fill the row with")
	}
}

// Resize changes the size of the window. With reflow, lines are wrapped anew and
// the cursor stays with its character; without, what does not fit is cut off.
// The cursor's row stays in sight, and as much as possible of what is below it.
func (t *Terminal) Resize(columns, rows int, reflow bool) {
	at := t.top + t.row
	if reflow {
		at = t.reflow(columns)
	} else {
		for i := range t.lines {
			l := &t.lines[i]
			l.cells = l.cells[:min(len(l.cells), columns)]
		}
		t.col, t.pending = min(t.col, columns-1), false
	}
	t.columns, t.rows = columns, rows
	t.top = min(max(0, len(t.lines)-rows), at)
	t.row = at - t.top
	if over := t.row - rows + 1; over > 0 {
		t.top, t.row = t.top+over, t.row-over
	}
	t.lines = t.lines[:min(len(t.lines), t.top+rows)]
}

// reflow wraps all lines for a width, and returns where the cursor's row is.
func (t *Terminal) reflow(columns int) (at int) {
	var lines []line
	cursor, offset := t.top+t.row, t.col
	if t.pending {
		offset++
	}
	for rest := t.lines; len(rest) > 0; {
		first := len(t.lines) - len(rest)
		var cells []cell
		cells, rest = logical(rest)
		rows := wrap(cells, columns)
		if next := len(t.lines) - len(rest); first <= cursor && cursor < next {
			before, _ := logical(t.lines[first:cursor])
			at = len(lines) + t.seek(rows, len(before)+offset, columns)
		}
		lines = append(lines, rows...)
	}
	t.lines = lines
	return at
}

// seek puts the cursor before a cell of a line, or behind its end, and returns
// in which of the line's rows that is.
func (t *Terminal) seek(rows []line, mark, columns int) int {
	row := 0
	for ; row < len(rows)-1 && mark >= len(rows[row].cells); row++ {
		mark -= len(rows[row].cells)
	}
	t.pending = mark >= columns
	t.col = min(mark, columns-1)
	return row
}

// wrap cuts a line into rows, between characters.
func wrap(cells []cell, columns int) []line {
	lines := []line{{}}
	for len(cells) > columns {
		n := columns
		if cells[n].text == "" {
			n-- // the second half of a wide character
		}
		lines[len(lines)-1] = line{slices.Clone(cells[:n]), true}
		lines = append(lines, line{})
		cells = cells[n:]
	}
	lines[len(lines)-1].cells = slices.Clone(cells)
	return lines
}
