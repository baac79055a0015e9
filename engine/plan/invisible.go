package plan

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// lintInvisible reports the first of the characters that a worker reads and a
// person does not see.
func (d *document) lintInvisible() []Finding {
	if d.lines.count() == 0 {
		return nil
	}
	found := unseen(d.source, d.lines.start(1))
	if len(found) == 0 {
		return nil
	}
	what := "1 invisible character, which workers read"
	if len(found) > 1 {
		what = fmt.Sprintf("%d invisible characters, which workers read, from here on", len(found))
	}
	r, _ := utf8.DecodeRune(d.source[found[0]:])
	return []Finding{d.problem(codeInvisible, found[0], fmt.Sprintf("the plan has %s: %U", what, r),
		"Remove what is not meant; an editor that shows invisible characters finds it.")}
}

// unseen returns the offsets of the characters of a source, from one of them
// on, that show nothing and have no work to do where they stand.
func unseen(source []byte, from int) []int {
	var found []int
	rtl := rightToLeft(source)
	flagged := 0 // up to where a sequence is accounted for
	for _, o := range oddRunes(source, from) {
		if o.at < flagged || plainRune(o.r) >= 0 {
			continue
		}
		if end := flagEnd(source, o.at); end > 0 {
			flagged = end
			continue
		}
		if !atWork(source, o, rtl) {
			found = append(found, o.at)
		}
	}
	return found
}

// withoutUnseen leaves out of a text what lintInvisible would report. What one
// of them stood beside may have to go as well.
func withoutUnseen(text string) string {
	for {
		found := unseen([]byte(text), 0)
		if len(found) == 0 {
			return text
		}
		var b strings.Builder
		for i, r := range text {
			if _, odd := slices.BinarySearch(found, i); !odd {
				b.WriteRune(r)
			}
		}
		text = b.String()
	}
}

// atWork reports whether an invisible character changes how its neighbours
// look, or is shown itself.
func atWork(source []byte, o oddRune, rtl bool) bool {
	before, _ := utf8.DecodeLastRune(source[:o.at])
	after, _ := utf8.DecodeRune(source[o.at+utf8.RuneLen(o.r):])
	switch {
	case unicode.Is(unicode.Prepended_Concatenation_Mark, o.r):
		return true
	case o.r == '\u200c' || o.r == '\u200d': // between letters that join, or emoji
		return joins(before) && joins(after)
	case unicode.Is(unicode.Variation_Selector, o.r):
		return joins(before) && !unicode.Is(unicode.Variation_Selector, before) || isKeycap(before)
	case o.r == '\u200e' || o.r == '\u200f' || o.r == '\u061c' || '\u2066' <= o.r && o.r <= '\u2069':
		return rtl
	}
	return false
}

// joins reports whether a character may look different beside a joiner or a
// variation selector: those that are visible, and not of ASCII.
func joins(r rune) bool {
	return r > unicode.MaxASCII && r != utf8.RuneError &&
		(plainRune(r) == r || unicode.Is(unicode.Variation_Selector, r))
}

// isKeycap reports whether an emoji begins with this character of ASCII.
func isKeycap(r rune) bool { return r >= '0' && r <= '9' || r == '#' || r == '*' }

// rightToLeft reports whether a text has letters that are read from right to
// left, so that marks of direction have work to do.
func rightToLeft(source []byte) bool {
	for len(source) > 0 {
		r, size := utf8.DecodeRune(source)
		if unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko, unicode.Adlam) {
			return true
		}
		source = source[size:]
	}
	return false
}

const (
	blackFlag  = '\U0001f3f4'
	tagSpace   = '\U000e0020' // tags are ASCII, moved up
	cancelTag  = '\U000e007f'
	maxFlagTag = 6 // of a region's code, such as gbsct
)

// flagEnd returns where the flag of a region ends whose tag characters begin at
// an offset, or 0 where they are none.
func flagEnd(source []byte, at int) int {
	if before, _ := utf8.DecodeLastRune(source[:at]); before != blackFlag {
		return 0
	}
	for range maxFlagTag + 1 {
		r, size := utf8.DecodeRune(source[at:])
		at += size
		if r == cancelTag {
			return at
		}
		if letter := r - tagSpace + ' '; !(letter >= 'a' && letter <= 'z' || letter >= '0' && letter <= '9') {
			return 0
		}
	}
	return 0
}
