package termtext

import (
	"strings"
	"unicode/utf8"
)

// Text makes s safe to show where several lines may stand. Newlines and tabs
// are kept, colours are not. Text of a text is the same text.
func Text(s string) string {
	if plain([]byte(s)) == len(s) {
		return s
	}
	var out strings.Builder
	out.Grow(len(s))
	f := NewFilter(&out, false)
	// A strings.Builder returns no error.
	_, _ = f.Write([]byte(s))
	_ = f.Close()
	return out.String()
}

// Paragraph is Text that ends its last line.
func Paragraph(s string) string {
	text := Text(s)
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text
}

// Indented is Text without newlines at its end, in which every line but the
// first and empty ones begins with indent: no text can look like a line of its
// own beside others that are indented less.
func Indented(s, indent string) string {
	lines := strings.Split(strings.TrimRight(Text(s), "\n"), "\n")
	for i := 1; i < len(lines); i++ {
		if lines[i] != "" {
			lines[i] = indent + lines[i]
		}
	}
	return strings.Join(lines, "\n")
}

// Line makes s safe to show within one line: a title, a path, a name. It is
// Text with each newline and tab shown as a space, and each invisible
// character (zero-width, soft hyphen, filler, byte order mark) as U+FFFD, lest
// two names that differ look alike.
func Line(s string) string {
	return strings.Map(lineRune, Text(s))
}

func lineRune(r rune) rune {
	switch {
	case r == '\n', r == '\t':
		return ' '
	case isInvisible(r):
		return utf8.RuneError
	}
	return r
}
