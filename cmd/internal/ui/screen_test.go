package ui

import (
	"slices"
	"strings"
	"testing"

	"github.com/mattn/go-runewidth"
	"pgregory.net/rapid"

	"github.com/ai-session-handler/ai-session-handler/cmd/internal/termtest"
)

// workerPieces are what a worker's filtered output is made of. Tabs only begin a
// line, since their width depends on where they stand.
var workerPieces = []string{
	"\n", "\n\n", "\n\t", "a", " ", "word ", "漢字", "👩‍🚀", "e\u0301", "שלום", "مرحبا", "🇩🇪", "\ufffd", "text\n",
	"\x1b[31m", "\x1b[1m", "\x1b[0m", "\x1b[m", "\x1b[38;5;200m", "\x1b[22;39m", "\x1b[0;4;42m", "\x1b[7m", "\n\x1b[0m",
	strings.Repeat("x", 79), strings.Repeat("漢", 40), strings.Repeat("line\n", 30), strings.Repeat("z", 300),
}

// TestScreenLosesNothing draws and erases blocks at any point of any output, in
// a window of any size that changes at any time: the terminal shows the output
// and below it the block, and nothing else, ever.
func TestScreenLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &screenModel{screen: screen{limit: 200}, term: termtest.New(80, 24), plain: termtest.New(5000, 10), columns: 80, rows: 24}
		m.term.Width = terminalWidth
		m.reflows = rapid.Bool().Draw(t, "reflows")
		t.Repeat(map[string]func(*rapid.T){
			"text":   func(t *rapid.T) { m.text = append(m.text, rapid.SampledFrom(workerPieces).Draw(t, "text")...) },
			"frame":  m.frame,
			"resize": m.resize,
			"":       m.check,
		})
		m.show(t, nil, false)
		m.check(t)
		if !m.screen.settled() {
			t.Fatal("something is held back at the end")
		}
	})
}

// screenModel is a screen on a terminal, next to one that is given the output
// alone.
type screenModel struct {
	screen        screen
	term, plain   *termtest.Terminal
	columns, rows int
	reflows       bool
	text          []byte   // for the next frame
	taken         []byte   // by the screen, and not yet by the plain terminal
	block         []string // of the last frame
}

func (m *screenModel) frame(t *rapid.T) {
	rows := rapid.SampledFrom([][]string{nil, {"one row"}, {"phase 1/2: 漢字", "3s of 1h"}, {
		strings.Repeat("x", m.columns-1), strings.Repeat("漢", (m.columns-1)/2), tooWide(m.columns),
	}}).Draw(t, "rows")
	m.show(t, rows, rapid.Bool().Draw(t, "hold") || len(rows) > 0)
}

// tooWide is a row that we take to fit, and the terminal does not.
func tooWide(columns int) string { return strings.Repeat("❤️", columns-1) }

func terminalWidth(r rune) int {
	if r == '❤' {
		return 2
	}
	return runewidth.RuneWidth(r)
}

// terminalColumns is how many columns a line takes in the terminal of the test,
// which joins no characters to one.
func terminalColumns(line string) (columns int) {
	for _, r := range line {
		columns += terminalWidth(r)
	}
	return columns
}

// show cuts a frame as a slow terminal would.
func (m *screenModel) show(t *rapid.T, rows []string, hold bool) {
	frame := m.screen.frame(m.text, rows, m.columns, hold)
	m.taken, m.text, m.block = append(m.taken, m.text...), nil, nil
	if m.screen.drawn {
		m.block = rows
	}
	out := len(m.taken) - len(m.screen.line)
	_, _ = m.plain.Write(m.taken[:out])
	m.taken = m.taken[out:]
	for len(frame) > 0 {
		n := rapid.IntRange(1, len(frame)).Draw(t, "written")
		if _, err := m.term.Write(frame[:n]); err != nil {
			t.Fatal(err)
		}
		frame = frame[n:]
	}
}

// resize keeps what was output whole on a terminal that cuts off: there only
// the block may be wider than the window.
func (m *screenModel) resize(t *rapid.T) {
	columns := rapid.IntRange(20, 120).Draw(t, "columns")
	if !m.reflows {
		for _, line := range m.term.Lines(false) {
			if terminalColumns(line) > 20 && !slices.Contains(m.block, line) {
				t.Skip("a line would be cut off")
			}
		}
	}
	m.columns, m.rows = columns, rapid.IntRange(24, 50).Draw(t, "height")
	m.term.Resize(m.columns, m.rows, m.reflows)
}

// check compares everything on the terminal, colours included: what was output,
// then the row that the cursor rests in and the block.
func (m *screenModel) check(t *rapid.T) {
	got := m.term.Lines(true)
	if m.block != nil {
		if !m.term.Settled() {
			t.Fatal("the terminal does not rest")
		}
		got = m.cutBlock(t, got)
	}
	if want := m.plain.Lines(true); !slices.Equal(got, want) {
		t.Fatalf("terminal\n%.2000q\nwant\n%.2000q", got, want)
	}
}

// cutBlock cuts the block and the row above it off, and what is empty above.
func (m *screenModel) cutBlock(t *rapid.T, lines []string) []string {
	out := len(lines) - len(m.block) - 1
	if out < 0 {
		t.Fatalf("no room for a block in %q", lines)
	}
	for i, row := range m.block {
		// A window that cuts off may have cut some of it.
		line := lines[out+1+i]
		if cut := !m.reflows && strings.HasPrefix(row, line) || strings.HasPrefix(row, "❤"); line != row && !cut {
			t.Fatalf("row %d of the block is %q, want %q", i, line, row)
		}
	}
	lines = lines[:out]
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}
