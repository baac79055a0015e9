package termtext

import (
	"encoding/binary"
	"math/bits"
	"unicode"
	"unicode/utf8"
)

const (
	bel = 0x07
	bs  = 0x08
	so  = 0x0e
	si  = 0x0f
	can = 0x18
	sub = 0x1a
	esc = 0x1b
	del = 0x7f

	c1First = 0x80
	c1Last  = 0x9f

	arabicLetterMark = '\u061c' // the one bidirectional control outside General Punctuation
)

// decode returns the first character of p and its length. A lone byte of the
// C1 range is that control, as a terminal that isn't set to UTF-8 takes it.
// Other bytes that are no character give U+FFFD for a maximal subpart.
func decode(p []byte) (r rune, size int) {
	r, size = utf8.DecodeRune(p)
	if r != utf8.RuneError || size != 1 {
		return r, size
	}
	if isC1(rune(p[0])) {
		return rune(p[0]), 1
	}
	for size < len(p) && !utf8.FullRune(p[:size+1]) {
		size++
	}
	return utf8.RuneError, size
}

// plain returns the length of the longest prefix of p that is shown as it is.
func plain(p []byte) int {
	i := 0
	for i < len(p) {
		if len(p)-i >= 8 {
			others := unprintable(binary.LittleEndian.Uint64(p[i:]))
			if others == 0 {
				i += 8
				continue
			}
			i += bits.TrailingZeros64(others) / 8
		}
		r, size := rune(p[i]), 1
		if r >= utf8.RuneSelf {
			if r, size = utf8.DecodeRune(p[i:]); r == utf8.RuneError && size == 1 {
				return i
			}
		}
		if !ordinary(r) {
			return i
		}
		i += size
	}
	return i
}

// unprintable is 0 when all bytes of x are in 0x20–0x7e. Otherwise its lowest set
// bit lies in the lowest byte that is not: a borrow or a carry comes only out of
// such a byte, and goes up.
func unprintable(x uint64) uint64 {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	below := x - ones*0x20            // sets the high bit of a byte below 0x20,
	above := x + ones                 // of DEL,
	return (below | above | x) & high // and of one that has it already
}

// ordinary reports whether r is shown as it is in text of several lines. Most
// scripts lie outside the one range that needs a closer look.
func ordinary(r rune) bool {
	switch {
	case r < 0x20:
		return r == '\n' || r == '\t'
	case r < del:
		return true
	case r < 0x2000:
		return r > c1Last && r != arabicLetterMark
	case r < 0x2070:
		return r != '\u2028' && r != '\u2029' && !isBidi(r)
	}
	return !isHidden(r)
}

func isC1(r rune) bool { return c1First <= r && r <= c1Last }

// isBidi reports whether r, of General Punctuation, changes the order in which
// text reads.
func isBidi(r rune) bool {
	return r == '\u200e' || r == '\u200f' || '\u202a' <= r && r <= '\u202e' || '\u2066' <= r && r <= '\u2069'
}

// isHidden reports whether r is of the tag characters or their neighbours,
// with which text can be smuggled past a reader.
func isHidden(r rune) bool { return 0xe0000 <= r && r <= 0xe0fff }

// isInvisible reports whether r takes no space and joins no letter, so that
// two names can differ by it and look alike. Signs that Unicode counts as
// format characters but shows are not meant.
func isInvisible(r rune) bool {
	if r <= unicode.MaxASCII {
		return false
	}
	if unicode.Is(unicode.Cf, r) {
		return !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
	}
	return unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}

// shown returns what stands for r in text of several lines, if anything. CR
// depends on what is around it and is not meant.
func shown(r rune) (rune, bool) {
	switch {
	case ordinary(r):
		return r, true
	case r == '\u2028', r == '\u2029':
		return '\n', true
	case r == bel, r == bs, r == so, r == si, isC1(r), isHidden(r):
		return 0, false
	}
	return utf8.RuneError, true
}
