package termtest

import (
	"strings"
	"testing"
)

// show feeds text byte by byte, so that every sequence and character is cut.
func show(t *testing.T, term *Terminal, text string) {
	t.Helper()
	for _, b := range []byte(text) {
		if _, err := term.Write([]byte{b}); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
	}
}

func TestTerminal(t *testing.T) {
	tests := []struct {
		name, text    string
		screen, lines string // rows joined by |
		row, column   int
	}{
		{"lines", "one\ntwo\r\n", "one|two", "one|two", 2, 0},
		{"a full row and no more", "0123456789\nnext", "0123456789|next", "0123456789|next", 1, 4},
		{"a row that wraps", "0123456789ab\n", "0123456789|ab", "0123456789ab", 2, 0},
		{"scrolled", "1\n2\n3\n4\n5\n", "3|4|5", "1|2|3|4|5", 3, 0},
		{"wide at the edge", "012345678漢x", "012345678|漢x", "012345678漢x", 1, 3},
		{"combining", "e\u0301\u0323x", "e\u0301\u0323x", "e\u0301\u0323x", 0, 2},
		{"combining in the last column", "012345678e\u0301x", "012345678e\u0301|x", "012345678e\u0301x", 1, 1},
		{"tab", "a\tb", "a       b", "a       b", 0, 9},
		{"no wrap", "\x1b[?7l0123456789ab\x1b[?7h", "012345678b", "012345678b", 0, 9},
		{"erased", "one\ntwo\nthree\x1b[2A\r\x1b[J1", "1", "1", 0, 1},
		{"overwritten", "one\rt", "tne", "tne", 0, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			term := New(10, 4)
			show(t, term, tt.text)
			row, column := term.Cursor()
			if got := strings.Join(term.Screen(), "|"); got != tt.screen || row != tt.row || column != tt.column {
				t.Errorf("%q, cursor in %d, %d", got, row, column)
			}
			if got := strings.Join(term.Lines(false), "|"); got != tt.lines {
				t.Errorf("lines %q", got)
			}
		})
	}
}

func TestStyles(t *testing.T) {
	term := New(20, 4)
	show(t, term, "a\x1b[1;31mb\x1b[22mc\x1b[48;5;1m\x1b[39md\x1b[me\x1b[7m")
	want := "a\x1b[0;1;31mb\x1b[0;31mc\x1b[0;48;5;1md\x1b[0me"
	if got := strings.Join(term.Lines(true), "|"); got != want {
		t.Errorf("%q", got)
	}
	if term.Settled() {
		t.Error("settled with a colour on")
	}
}

func TestResize(t *testing.T) {
	tests := []struct {
		name          string
		columns, rows int
		reflow        bool
		screen        string
		row, column   int
	}{
		{"narrower", 5, 6, true, "aaa|bbb|01234|56789|ab|cc", 5, 2},
		{"narrower, cut", 5, 6, false, "aaa|bbb|01234|ab|cc", 4, 2},
		{"wider", 20, 6, true, "aaa|bbb|0123456789ab|cc", 3, 2},
		{"lower", 10, 2, true, "ab|cc", 1, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			term := New(10, 5)
			show(t, term, "aaa\nbbb\n0123456789ab\ncc")
			term.Resize(tt.columns, tt.rows, tt.reflow)
			row, column := term.Cursor()
			got := strings.Join(term.Screen(), "|")
			if got != tt.screen || row != tt.row || column != tt.column {
				t.Errorf("%q, cursor in %d, %d", got, row, column)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	for _, text := range []string{"\x1b[2J", "\x1b]0;x\x07", "\x1b[?25l", "\a", "\x1b7", "\x1b[1A", "\x1b[?2026l", "\x1b[44m\x1b[J", "\xff"} {
		term := New(10, 4)
		if _, err := term.Write([]byte(text)); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}
