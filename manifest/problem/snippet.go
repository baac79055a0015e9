package problem

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

const (
	// maxSnippet bounds the part of a line that is kept, in bytes.
	maxSnippet = 300
	// before is how much of a line that is cut stays in front of the range.
	before = 100
	// cutMark stands where a line was cut.
	cutMark = "…"
)

var byteOrderMark = []byte("\ufeff")

// Fill gives each problem of l that has a place its snippet: the line of the
// source in which its range begins. Of a line longer than 300 bytes only the
// part around the range is kept, with "…" where it is cut. Sources are the bytes
// of the files, by the names that ranges have.
func (l List) Fill(sources map[string][]byte) {
	for i := range l {
		if source, ok := sources[l[i].Range.File]; ok {
			l[i].Snippet, l[i].Mark = snippet(source, l[i].Range)
		}
	}
}

func snippet(source []byte, r Range) (string, Mark) {
	from, to := r.Start.Byte, r.End.Byte
	if r.Start.Line < 1 || from < 0 || from > len(source) {
		return "", Mark{}
	}
	l := around(source, from)
	l.mark.To = min(max(from, to)-from+l.mark.From, len(l.text))
	return l.cut()
}

// line is a line of a source, or enough of it on both sides of the mark that
// cut can't tell the difference.
type line struct {
	text []byte
	mark Mark
}

// around returns the line that a byte of source lies in. It looks no further
// than a snippet may reach: there may be as many problems as a line has bytes.
func around(source []byte, at int) line {
	const reach = maxSnippet + utf8.UTFMax
	lead, rest := source[max(0, at-reach):at], source[at:min(len(source), at+reach)]
	first, last := bytes.LastIndexByte(lead, '\n')+1, bytes.IndexByte(rest, '\n')
	if lead = lead[first:]; at == len(lead) {
		lead = bytes.TrimPrefix(lead, byteOrderMark)
	}
	if last >= 0 {
		rest = rest[:last]
	}
	text := bytes.TrimSuffix(slices.Concat(lead, rest), []byte("\r"))
	return line{text, Mark{From: min(len(lead), len(text))}}
}

// cut returns the text around the mark.
func (l line) cut() (string, Mark) {
	from := max(0, min(l.mark.From-before, len(l.text)-maxSnippet))
	to := min(from+maxSnippet, len(l.text))
	from, to = runeStart(l.text, from), runeStart(l.text, to)
	m := Mark{l.mark.From - from, min(l.mark.To, to) - from}
	text := string(l.text[from:to])
	if from > 0 {
		text = cutMark + text
		m = Mark{m.From + len(cutMark), m.To + len(cutMark)}
	}
	if to < len(l.text) {
		text += cutMark
	}
	return text, m
}

// runeStart returns where the character at a byte of line begins.
func runeStart(line []byte, at int) int {
	for back := 0; back < utf8.UTFMax && at-back > 0 && at-back < len(line); back++ {
		if utf8.RuneStart(line[at-back]) {
			return at - back
		}
	}
	return at
}
