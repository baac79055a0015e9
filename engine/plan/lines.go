package plan

import (
	"bytes"
	"sort"
	"unicode/utf8"
)

// bom is the UTF-8 byte order mark. At the start of a plan it belongs to no
// line: it must not hide a heading on line 1.
const bom = "\xef\xbb\xbf"

// lines finds the lines of a source. A line ends with LF, CRLF or a lone CR,
// as CommonMark has it. Numbers are 1-based.
type lines struct {
	source []byte
	starts []int // offset of the first byte of each line
}

func newLines(source []byte) lines {
	l := lines{source: source, starts: make([]int, 0, bytes.Count(source, []byte("\n"))+1)}
	next := 0
	if bytes.HasPrefix(source, []byte(bom)) {
		next = len(bom)
	}
	for next < len(source) {
		l.starts = append(l.starts, next)
		next = lineEnd(source, next)
	}
	return l
}

// lineEnd returns the offset behind the line that starts at start, its line
// end included.
func lineEnd(source []byte, start int) int {
	i := bytes.IndexAny(source[start:], "\r\n")
	if i < 0 {
		return len(source)
	}
	end := start + i + 1
	if source[end-1] == '\r' && end < len(source) && source[end] == '\n' {
		end++
	}
	return end
}

// count is the number of lines; a line end at the end of the file does not
// start another one.
func (l lines) count() int { return len(l.starts) }

// start returns the offset of line n; the line behind the last one starts at
// the end of the source.
func (l lines) start(n int) int {
	if n > len(l.starts) {
		return len(l.source)
	}
	return l.starts[n-1]
}

// text returns line n without its line end.
func (l lines) text(n int) []byte {
	return bytes.TrimRight(l.source[l.start(n):l.start(n+1)], "\r\n")
}

// number returns the line that holds the byte at offset.
func (l lines) number(offset int) int {
	n := sort.SearchInts(l.starts, offset+1)
	return max(n, 1)
}

// column returns the 1-based column of the byte at offset, in characters.
func (l lines) column(offset int) int {
	start := min(l.start(l.number(offset)), offset)
	return utf8.RuneCount(l.source[start:offset]) + 1
}

// blank reports whether a line holds nothing but spaces and tabs.
func blank(line []byte) bool { return len(bytes.Trim(line, " \t")) == 0 }

// indentation returns the columns of white space a line starts with, a tab
// reaching to the next multiple of four.
func indentation(line []byte) int {
	columns := 0
	for _, c := range line {
		switch c {
		case ' ':
			columns++
		case '\t':
			columns += 4 - columns%4
		default:
			return columns
		}
	}
	return columns
}

// unixLines returns source with every lone CR replaced by LF, so that a
// CommonMark parser that knows only LF sees the same lines as we do at the
// same offsets. It returns source itself where there is nothing to replace.
func unixLines(source []byte) []byte {
	out := source
	for i := bytes.IndexByte(source, '\r'); i >= 0 && i < len(source); {
		if i+1 == len(source) || source[i+1] != '\n' {
			if &out[0] == &source[0] {
				out = bytes.Clone(source)
			}
			out[i] = '\n'
		}
		next := bytes.IndexByte(source[i+1:], '\r')
		if next < 0 {
			break
		}
		i += 1 + next
	}
	return out
}
