package termtext

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

func filter(keepColour bool, pieces ...string) string {
	var out strings.Builder
	f := NewFilter(&out, keepColour)
	for _, p := range pieces {
		write(f, p)
	}
	closeFilter(f)
	return out.String()
}

// TestAttacks holds what a worker may print to reach more of a terminal than
// its text. Colours are kept, and every cut of the input gives the same.
func TestAttacks(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"title, BEL", "a\x1b]0;owned\x07b", "ab"},
		{"title, ST", "a\x1b]2;owned\x1b\\b", "ab"},
		{"title, C1 in UTF-8", "a\u009d2;owned\u009cb", "ab"},
		{"title, raw C1", "a\x9d2;owned\x9cb", "ab"},
		{"clipboard", "\x1b]52;c;cm0gLXJmIH4K\x07b", "b"},
		{"link", "\x1b]8;;http://evil.example\x1b\\click\x1b]8;;\x1b\\", "click"},
		{"DECRQSS", "\x1bP$q\"p\x1b\\b", "b"},
		{"DCS, C1", "\u0090$qm\u009cb", "b"},
		{"tmux passthrough", "\x1bPtmux;\x1b\x1b]52;c;eA==\x07\x1b\\b", "b"},
		{"APC, PM and SOS", "\x1b_a\x1b\\\x1b^b\x1b\\\x1bXc\x1b\\d", "d"},
		{"device status", "\x1b[6n\x1b[cb", "b"},
		{"window title report", "\x1b[21tb", "b"},
		{"full reset", "a\x1bcb", "ab"},
		{"alternate screen", "\x1b[?1049hb\x1b[?1049l", "b"},
		{"clear screen", "a\x1b[2J\x1b[Hb", "ab"},
		{"cursor up and erase", "a\n\x1b[1A\x1b[2Kb", "a\nb"},
		{"CSI, C1 in UTF-8", "a\u009b2Jb", "ab"},
		{"CSI, raw C1", "a\x9b2Jb", "ab"},
		{"overlong C1", "a\xc1\x9b2Jb", "a\ufffdb"},
		{"keyboard protocol", "\x1b[>4;2mb\x1b[?4mc", "bc"},
		{"character set", "\x1b(0b\x1b#8c\x1b%Gd", "bcd"},
		{"three-byte escape aborted", "\x1b(\nb", "\nb"},
		{"sequence in a sequence", "\x1b[3\x1b[2Jb", "b"},
		{"escape twice", "\x1b\x1b[2Jb", "b"},
		{"escape at the end", "a\x1b", "a"},
		{"sequence at the end", "a\x1b[3", "a"},
		{"string at the end", "a\x1b]0;x", "a"},
		{"string not ended", "\x1b]0;x\nb", "\nb"},
		{"string not ended, CR", "a\x1b]0;x\rb", "a\nb"},
		{"string cancelled", "\x1b]0;x\x18b\x1bPx\x1ac", "bc"},
		{"sequence cancelled", "\x1b[3\x18b\x1b\x1ac", "bc"},
		{"control in a sequence", "\x1b[3\x071m", "1m"},
		{"letter beyond ASCII in a sequence", "\x1b[3é", "é"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { checkFilter(t, true, tt.in, tt.want) })
	}
}

func TestColour(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"kept", "\x1b[31mred\x1b[0m", "\x1b[31mred\x1b[0m"},
		{"short reset", "\x1b[1mb\x1b[m", "\x1b[1mb\x1b[m"},
		{"true colour", "\x1b[38;2;1;2;3ma\x1b[4:3mb\x1b[0;0m", "\x1b[38;2;1;2;3ma\x1b[4:3mb\x1b[0;0m"},
		{"left on", "\x1b[31mred", "\x1b[31mred\x1b[0m"},
		{"black is not off", "\x1b[38;5;0mx", "\x1b[38;5;0mx\x1b[0m"},
		{"C1 in UTF-8", "\u009b31mx\x1b[m", "\x1b[31mx\x1b[m"},
		{"raw C1", "\x9b31mx\x1b[m", "\x1b[31mx\x1b[m"},
		{"private parameter", "\x1b[?31mx", "x"},
		{"intermediate", "\x1b[31 mx", "x"},
		{"64 bytes", "\x1b[" + strings.Repeat("0", 64) + "mx", "\x1b[" + strings.Repeat("0", 64) + "mx"},
		{"65 bytes", "\x1b[" + strings.Repeat("0", 65) + "mx", "x"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { checkFilter(t, true, tt.in, tt.want) })
	}
	checkFilter(t, false, "\x1b[31mred\u009b0m", "red")
}

func TestControls(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"newline and tab", "a\tb\n\n", "a\tb\n\n"},
		{"CR LF", "a\r\n\r\nb\r\n", "a\n\nb\n"},
		{"progress bar", "1%\r2%\r\r3%\r\nend\n", "1%\n2%\n3%\nend\n"},
		{"CR on an empty line", "\ra\n\rb", "a\nb"},
		{"erased line", "1%\r\x1b[K\n2%", "1%\n2%"},
		{"CR CR LF", "a\r\r\nb", "a\nb"},
		{"CR LF LF", "a\r\n\nb", "a\n\nb"},
		{"bell, backspace, shifts", "a\a\b\x0e\x0fb", "ab"},
		{"other C0 and DEL", "a\x00\v\f\x18\x7fb", "a\ufffd\ufffd\ufffd\ufffd\ufffdb"},
		{"C1", "a\u0085b\x85c", "abc"},
		{"invalid UTF-8", "\xff\xc0a\xe2\x82b\xf0\x9f\x98", "\ufffd\ufffda\ufffdb\ufffd"},
		{"surrogate", "\xed\xa0\xbd", "\ufffd\ufffd\ufffd"},
		{"cut by another character", "\xe2\x82\xc3\xa9\xf0\xe2\x82\xac", "\ufffdé\ufffd€"},
		{"bidi", "a\u202eb\u2066\u200f\u061c", "a\ufffdb\ufffd\ufffd\ufffd"},
		{"separators", "a\u2028b\u2029", "a\nb\n"},
		{"tag characters", "a\U000e0001\U000e0041\U000e0101b", "ab"},
		{"zero width is kept", "a\u200db\ufeff", "a\u200db\ufeff"},
		{"emoji and CJK", "⚠️ 👩‍💻 漢字 été", "⚠️ 👩‍💻 漢字 été"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { checkFilter(t, false, tt.in, tt.want) })
	}
}

// checkFilter fails unless in, whole, cut in two anywhere, and byte by byte,
// gives want.
func checkFilter(t *testing.T, keepColour bool, in, want string) {
	t.Helper()
	for i := range len(in) + 1 {
		if got := filter(keepColour, in[:i], in[i:]); got != want {
			t.Fatalf("%q cut at %d:\n got %q\nwant %q", in, i, got, want)
		}
	}
	if got := filter(keepColour, singleBytes(in)...); got != want {
		t.Fatalf("%q byte by byte:\n got %q\nwant %q", in, got, want)
	}
}

func singleBytes(s string) []string {
	all := make([]string, len(s))
	for i := range all {
		all[i] = s[i : i+1]
	}
	return all
}

func TestUnendedSequenceIsBounded(t *testing.T) {
	for _, start := range []string{"\x1b]0;", "\x1b[", "\x1b "} {
		filler := strings.Repeat("!", maxSequence-len(start)+1)
		for _, size := range []int{1, 1000, 1 << 20} {
			if got := filter(true, chunks(start+filler+"shown", size)...); got != "shown" {
				t.Errorf("after %q in pieces of %d: %d bytes shown", start, size, len(got))
			}
		}
	}
}

func chunks(s string, size int) []string {
	var all []string
	for ; len(s) > size; s = s[size:] {
		all = append(all, s[:size])
	}
	return append(all, s)
}

// TestFilterWritesAtOnce looks at what each Write puts out: all that is
// decided, in one write of the sink, and no part of a sequence.
func TestFilterWritesAtOnce(t *testing.T) {
	steps := []struct {
		in     string
		writes []string
	}{
		{"abc", []string{"abc"}},
		{"d\r", []string{"d\n"}},
		{"\ne\x1b[3", []string{"e"}},
		{"1", nil},
		{"mred\xe2\x82", []string{"\x1b[31mred"}},
		{"\xac", []string{"€"}},
	}
	var w recorder
	f := NewFilter(&w, true)
	for _, step := range steps {
		write(f, step.in)
		if strings.Join(w, "|") != strings.Join(step.writes, "|") {
			t.Errorf("%q: writes %q, want %q", step.in, []string(w), step.writes)
		}
		w = nil
	}
	closeFilter(f)
	closeFilter(f)
	if got := strings.Join(w, "|"); got != "\x1b[0m" {
		t.Errorf("Close wrote %q", got)
	}
}

type recorder []string

func (r *recorder) Write(p []byte) (int, error) {
	*r = append(*r, string(p))
	return len(p), nil
}

// TestWritesAreWhole feeds so much that the output takes many writes, each of
// which has to be fit to stand alone.
func TestWritesAreWhole(t *testing.T) {
	in := strings.Repeat("\x1b[38;5;200m€\x00é", 5000) + strings.Repeat("€", 5000)
	var w recorder
	f := NewFilter(&w, true)
	write(f, in)
	if len(w) < 10 {
		t.Fatalf("only %d writes", len(w))
	}
	for _, out := range w {
		if err := checkSafe(out, true); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := strings.Join(w, ""), strings.ReplaceAll(in, "\x00", "\ufffd"); got != want {
		t.Error("the writes together are not the text")
	}
}

func TestFilterMemory(t *testing.T) {
	f := NewFilter(io.Discard, true)
	piece := bytes.Repeat([]byte("x\x00\r\x1b[31mé\x1b[m\x1b]0;t\a"), 4<<10)
	writeBytes(f, piece)
	if got := testing.AllocsPerRun(20, func() { writeBytes(f, piece) }); got > 0 {
		t.Errorf("%v allocations in a Write", got)
	}
	if cap(f.out) > 2*maxOut {
		t.Errorf("%d bytes kept", cap(f.out))
	}
}

var errSink = errors.New("sink")

// failing fails its second write and cuts its fourth short.
type failing struct {
	recorder
	calls int
}

func (w *failing) Write(p []byte) (int, error) {
	w.calls++
	switch w.calls {
	case 2:
		return 0, errSink
	case 4:
		return w.recorder.Write(p[:1])
	}
	return w.recorder.Write(p)
}

func TestFilterGoesOnAfterAnError(t *testing.T) {
	steps := []struct {
		in  string
		err error
	}{
		{"one", nil},
		{"two\x1b]0;", errSink}, // the title is still removed
		{"x\x07three", nil},
		{"four", io.ErrShortWrite},
		{"five", nil},
	}
	var w failing
	f := NewFilter(&w, false)
	for _, step := range steps {
		n, err := f.Write([]byte(step.in))
		if n != len(step.in) || !errors.Is(err, step.err) {
			t.Errorf("Write(%q) = %d, %v", step.in, n, err)
		}
	}
	if got := strings.Join(w.recorder, "|"); got != "one|three|f|five" {
		t.Errorf("wrote %q", got)
	}
}
