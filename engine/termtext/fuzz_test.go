package termtext

import (
	"fmt"
	"regexp"
	"testing"
	"unicode/utf8"
)

var colourPattern = regexp.MustCompile(`\x1b\[[0-9:;]{0,64}m`)

// checkSafe says what in out may not reach a terminal. Colours may if coloured.
func checkSafe(out string, coloured bool) error {
	if !utf8.ValidString(out) {
		return fmt.Errorf("invalid UTF-8 in %q", out)
	}
	text := out
	if coloured {
		text = colourPattern.ReplaceAllString(out, "")
	}
	for _, r := range text {
		switch {
		case r == '\n', r == '\t':
		case r < 0x20, 0x7f <= r && r <= 0x9f,
			0x202a <= r && r <= 0x202e, 0x2066 <= r && r <= 0x2069,
			r == 0x200e, r == 0x200f, r == 0x061c, r == 0x2028, r == 0x2029,
			0xe0000 <= r && r <= 0xe0fff:
			return fmt.Errorf("%U in %q", r, out)
		}
	}
	return nil
}

func FuzzFilter(f *testing.F) {
	for _, s := range []string{
		"plain text\nof two lines\n",
		"\x1b[31mred\x1b[0m\r\n\x1b]0;t\x07\u009b2J\x9b1m",
		"\x1bP$q\x1b\\\xe2\x82\xf0\x9f\x98\x80\u202e\u2028\U000e0041",
		"1%\r2%\r\r\n\x1b(0\x1b#8\x1b]8;;u\x18x\x00\x7f",
	} {
		f.Add(s, true)
		f.Add(s, false)
	}
	f.Fuzz(func(t *testing.T, in string, keepColour bool) {
		if len(in) > 1<<10 {
			return // every cut of a long text takes too long
		}
		out := filter(keepColour, in)
		if err := checkSafe(out, keepColour); err != nil {
			t.Fatalf("from %q: %v", in, err)
		}
		checkFilter(t, keepColour, in, out)
		checkText(t, in)
	})
}

func checkText(t *testing.T, in string) {
	t.Helper()
	text, line := Text(in), Line(in)
	if text != filter(false, in) {
		t.Errorf("Text(%q) = %q differs from a Filter", in, text)
	}
	if err := checkSafe(line, false); err != nil || regexp.MustCompile(`[\n\t]`).MatchString(line) {
		t.Errorf("Line(%q) = %q: %v", in, line, err)
	}
	if again := Text(text); again != text {
		t.Errorf("Text(%q) = %q", text, again)
	}
	if again := Line(line); again != line {
		t.Errorf("Line(%q) = %q", line, again)
	}
}
