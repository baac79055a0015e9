package match

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// A kind is all that assertions ask of a character beside them.
type kind uint8

const (
	kindOther kind = iota
	kindWord
	kindNewline
	kindNone // the text begins or ends here
)

// samples holds a character of each kind, as syntax.EmptyOpContext wants it.
var samples = [...]rune{kindOther: ' ', kindWord: 'a', kindNewline: '\n', kindNone: -1}

// classes divides all characters into those that a program can't tell apart.
// They are numbered from 1, those with an ASCII character first.
//
// There are never more classes than characters that the expression names or
// ends a range with, plus a few; what that costs a state is what bounds the
// number of states.
type classes struct {
	// ascii holds the class of each byte that is a character, and 0 for the
	// others. So a state that knows no way on for class 0 makes the reader look
	// at the whole character.
	ascii [256]uint8
	// Longer characters from starts[i] on, and before starts[i+1], are of class
	// of[i].
	starts []rune
	of     []int32

	kinds []kind // by class
	// members has a row of words for each class, with a bit for each set.
	members []uint64
	words   int

	bad int32 // the class of U+FFFD, and of each byte that is no UTF-8
}

// newClasses returns the classes for sets, which are pairs of first and last,
// and for the kinds that asserts ask for.
func newClasses(sets [][]rune, asserts syntax.EmptyOp) classes {
	newline, word := len(sets), len(sets)+1
	var newlines, wordRunes []rune
	if asserts&(syntax.EmptyBeginLine|syntax.EmptyEndLine) != 0 {
		newlines = []rune{'\n', '\n'}
	}
	if asserts&(syntax.EmptyWordBoundary|syntax.EmptyNoWordBoundary) != 0 {
		wordRunes = []rune{'0', '9', 'A', 'Z', '_', '_', 'a', 'z'}
	}
	sets = append(slices.Clip(sets), newlines, wordRunes)

	c := classes{words: (len(sets) + 63) / 64}
	c.members = make([]uint64, c.words)
	c.divide(edgesOf(sets))
	c.kinds = make([]kind, c.count())
	for class := range c.kinds {
		switch {
		case has(c.row(int32(class)), uint16(newline)):
			c.kinds[class] = kindNewline
		case has(c.row(int32(class)), uint16(word)):
			c.kinds[class] = kindWord
		}
	}
	c.splitASCII()
	c.bad = c.class(utf8.RuneError)
	return c
}

// An edge is a character from which on all are in a set, or none.
type edge struct {
	at  rune
	set int
}

func edgesOf(sets [][]rune) []edge {
	var edges []edge
	for set, ranges := range sets {
		for i := 0; i < len(ranges); i += 2 {
			edges = append(edges, edge{ranges[i], set})
			if ranges[i+1] < unicode.MaxRune {
				edges = append(edges, edge{ranges[i+1] + 1, set})
			}
		}
	}
	slices.SortFunc(edges, func(a, b edge) int { return int(a.at - b.at) })
	return edges
}

// divide goes through all characters from edge to edge. Those that lie in the
// same sets become one class.
func (c *classes) divide(edges []edge) {
	in := make([]uint64, c.words)
	key := make([]byte, 0, 8*c.words)
	numbers := map[string]int32{}
	for at := rune(0); ; at = edges[0].at {
		for ; len(edges) > 0 && edges[0].at == at; edges = edges[1:] {
			in[edges[0].set/64] ^= 1 << (edges[0].set % 64)
		}
		key = key[:0]
		for _, word := range in {
			key = binary.LittleEndian.AppendUint64(key, word)
		}
		n, ok := numbers[string(key)]
		if !ok {
			n = int32(c.count())
			numbers[string(key)] = n
			c.members = append(c.members, in...)
		}
		if len(c.of) == 0 || c.of[len(c.of)-1] != n {
			c.starts, c.of = append(c.starts, at), append(c.of, n)
		}
		if len(edges) == 0 {
			return
		}
	}
}

// splitASCII moves the classes of the first characters to ascii.
func (c *classes) splitASCII() {
	longer := 0
	for r := range rune(utf8.RuneSelf) {
		if longer+1 < len(c.starts) && c.starts[longer+1] <= r {
			longer++
		}
		c.ascii[r] = uint8(c.of[longer])
	}
	c.starts, c.of = c.starts[longer:], c.of[longer:]
	c.starts[0] = utf8.RuneSelf
}

// count returns the number of classes, class 0 included.
func (c *classes) count() int { return len(c.members) / c.words }

// row returns the sets that class is in, for has.
func (c *classes) row(class int32) []uint64 {
	return c.members[int(class)*c.words:][:c.words]
}

func has(row []uint64, set uint16) bool { return row[set/64]>>(set%64)&1 != 0 }

// class returns the class of r, which is no ASCII.
func (c *classes) class(r rune) int32 {
	low, high := 0, len(c.starts)
	for high-low > 1 {
		if middle := (low + high) / 2; c.starts[middle] <= r {
			low = middle
		} else {
			high = middle
		}
	}
	return c.of[low]
}

// first returns the class and the length of the first character of p, which is
// not empty.
func (c *classes) first(p []byte) (class int32, size int) {
	if p[0] < utf8.RuneSelf {
		return int32(c.ascii[p[0]]), 1
	}
	r, size := utf8.DecodeRune(p)
	return c.class(r), size
}
