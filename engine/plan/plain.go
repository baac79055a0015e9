package plan

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// plainRune maps a character to what a person takes it for: every space is
// one, what Unicode calls a line end is one, and what shows nothing is not
// there (-1). Markdown, the rules of a phase and regular expressions know only
// the spaces and line ends of ASCII.
func plainRune(r rune) rune {
	switch {
	case ordinary(r):
		return r
	case r == '\u0085' || r == '\u2028' || r == '\u2029':
		return '\n'
	case unicode.IsSpace(r):
		return ' '
	case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector):
		return -1
	}
	return r
}

// ordinary reports whether a character is printable ASCII, or one of the
// controls that a text is made of.
func ordinary(r rune) bool {
	return r >= ' ' && r < '\x7f' || r == '\n' || r == '\t' || r == '\r'
}

// plainText returns a text of one line as a person reads it.
func plainText(text string) string {
	i := 0
	for i < len(text) && ordinary(rune(text[i])) {
		i++
	}
	if i == len(text) {
		return text // nearly always, and Map is slow
	}
	return strings.Map(func(r rune) rune {
		if p := plainRune(r); p != '\n' || r == '\n' {
			return p
		}
		return ' '
	}, text)
}

// oddRune is a character of the source that is not what it seems.
type oddRune struct {
	r     rune
	at    int // its offset
	plain int // its offset in the plain text
	shift int // what lies behind it is that much farther in the source
}

// oddRunes returns those of a source from an offset on, where the plain text
// starts.
func oddRunes(source []byte, at int) []oddRune {
	var odd []oddRune
	shift := at
	for at < len(source) {
		if ordinary(rune(source[at])) {
			at++
			continue
		}
		r, size := utf8.DecodeRune(source[at:])
		if p := plainRune(r); p != r {
			o := oddRune{r: r, at: at, plain: at - shift}
			shift += size
			if p >= 0 {
				shift--
			}
			o.shift = shift
			odd = append(odd, o)
		}
		at += size
	}
	return odd
}

// plainSource is the text that a person reads in a source.
type plainSource struct {
	lines
	odd []oddRune
}

func newPlainSource(source []byte, at int) plainSource {
	odd := oddRunes(source, at)
	if len(odd) == 0 {
		return plainSource{}
	}
	plain := make([]byte, 0, len(source)-at)
	for _, o := range odd {
		plain = append(plain, source[at:o.at]...)
		if p := plainRune(o.r); p >= 0 {
			plain = append(plain, byte(p))
		}
		at = o.at + utf8.RuneLen(o.r)
	}
	return plainSource{newLines(append(plain, source[at:]...)), odd}
}

// find returns the start of a line in the plain text and the index of the first
// odd character from there on.
func (p plainSource) find(line int) (start, odd int) {
	start = p.start(line)
	return start, sort.Search(len(p.odd), func(i int) bool { return p.odd[i].plain >= start })
}

// origin returns where a line starts in the source.
func (p plainSource) origin(line int) int {
	start, i := p.find(line)
	if i == 0 {
		return p.odd[0].at - p.odd[0].plain + start
	}
	return start + p.odd[i-1].shift
}

// firstOdd returns the first odd character of a line, an odd line end before
// it included, or the first behind the line.
func (p plainSource) firstOdd(line int) (oddRune, bool) {
	start, i := p.find(line)
	if i > 0 && p.odd[i-1].plain == start-1 && plainRune(p.odd[i-1].r) == '\n' {
		i--
	}
	if i == len(p.odd) {
		return oddRune{}, false
	}
	return p.odd[i], true
}
