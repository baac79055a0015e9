package result

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

func filter(limit int, pieces ...string) string {
	var out strings.Builder
	f := NewFilter(&out)
	f.limit = limit
	for _, p := range pieces {
		write(f, p)
	}
	closeFilter(f)
	return out.String()
}

func TestFilter(t *testing.T) {
	tests := []struct{ name, stream, want string }{
		{"text", "a\n<b>\n", "a\n<b>\n"},
		{"block", good + "\n", ""},
		{"between lines", "a\n" + good + "\nb\n", "a\nb\n"},
		{"text behind on the line", good + " b", " b"},
		{"two", good + "\n" + good + "\n", ""},
		{"several lines", "<phase-blocked>\nx\n</phase-blocked>\n", ""},
		{"nested", "<phase-complete><phase-blocked>x</phase-blocked></phase-complete>\n", ""},
		{"closed after another kind was", "<phase-complete>x</phase-blocked>y</phase-complete>z", "z"},
		{"not at line start", "see " + good, "see " + good},
		{"behind another block", good + good, good},
		{"mention", "print <phase-complete> last\nb\n", "print <phase-complete> last\nb\n"},
		{"unclosed", "a\n<phase-complete>b\nc", "a\n<phase-complete>b\nc"},
		{"malformed", "<phase-complete >x</phase-complete>", "<phase-complete >x</phase-complete>"},
		{"prefix", "<phase-\n" + good, "<phase-\n"},
		{"empty block", "<phase-complete></phase-complete>x", "x"},
		{"doubled bracket", "<phase-complete>x<</phase-complete>y", "y"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := filter(maxHeld, tt.stream); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestFilterPassesAtOnce steps through a stream and looks at what is out after
// each piece.
func TestFilterPassesAtOnce(t *testing.T) {
	steps := []struct{ piece, out string }{
		{"wor", "wor"},
		{"king <phase-complete>", "king <phase-complete>"},
		{" x\n", " x\n"},
		{"<pha", ""},
		{"nk", "<phank"},
		{"\n<phase-blocked", "\n"},
		{">why", ""},
		{"</phase-blocked", ""},
		{">", ""},
		{"\nbye", "bye"},
		{"\n<", "\n"},
	}
	var out bytes.Buffer
	f := NewFilter(&out)
	for _, step := range steps {
		write(f, step.piece)
		if got := out.String(); got != step.out {
			t.Fatalf("after %q: %q, want %q", step.piece, got, step.out)
		}
		out.Reset()
	}
	if closeFilter(f); out.String() != "<" {
		t.Errorf("Close wrote %q", out.String())
	}
	out.Reset()
	if closeFilter(f); out.Len() > 0 {
		t.Errorf("second Close wrote %q", out.String())
	}
}

func TestFilterHidesTheLargestBlock(t *testing.T) {
	block := Block{Clarification, strings.Repeat("x", MaxText)}.String()
	for _, size := range []int{len(block), 4096, 1000} {
		if got := filter(maxHeld, append(chunks(block, size), "\n")...); got != "" {
			t.Errorf("pieces of %d: %d bytes let through", size, len(got))
		}
	}
}

func TestFilterReleasesWhatIsTooLong(t *testing.T) {
	stream := "<phase-complete>" + strings.Repeat("x\n", MaxText) + "</phase-complete>\n"
	for _, size := range []int{len(stream), 4096, 1000} {
		if got := filter(maxHeld, chunks(stream, size)...); got != stream {
			t.Errorf("pieces of %d: %d of %d bytes let through", size, len(got), len(stream))
		}
	}
}

func TestFilterMemory(t *testing.T) {
	for _, start := range []string{"", "<phase-complete>"} {
		f := NewFilter(io.Discard)
		piece := bytes.Repeat([]byte("x"), 64<<10)
		write(f, start)
		got := allocated(func() {
			for range 1024 {
				writeBytes(f, piece)
			}
		})
		if got > 4<<20 || cap(f.held) > maxHeld {
			t.Errorf("64 MiB after %q allocated %d bytes and kept %d", start, got, cap(f.held))
		}
	}
}

// flaky fails its second Write and cuts its fourth short.
type flaky struct {
	strings.Builder
	calls int
}

var errFlaky = errors.New("flaky")

func (w *flaky) Write(p []byte) (int, error) {
	w.calls++
	switch w.calls {
	case 2:
		return 0, errFlaky
	case 4:
		return w.Builder.Write(p[:1])
	}
	return w.Builder.Write(p)
}

func TestFilterGoesOnAfterAnError(t *testing.T) {
	var w flaky
	f := NewFilter(&w)
	steps := []struct {
		piece string
		err   error
	}{
		{"one\n", nil},
		{"two\n<phase-complete>x", errFlaky}, // the block is still hidden
		{"</phase-complete>three\n", nil},
		{"four\n", io.ErrShortWrite},
		{"five\n", nil},
	}
	for _, step := range steps {
		n, err := f.Write([]byte(step.piece))
		if n != len(step.piece) || !errors.Is(err, step.err) {
			t.Errorf("Write(%q) = %d, %v", step.piece, n, err)
		}
	}
	if got := w.String(); got != "one\nthree\nffive\n" {
		t.Errorf("wrote %q", got)
	}
}
