package result

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

type lineState uint8

const (
	lineStart  lineState = iota // nothing on this line yet
	lineIndent                  // only blanks so far, few enough for a fence
	lineRun                     // in a run of fence characters
	lineTail                    // behind a run that closes the fence if only white space follows
	lineRest                    // nothing further on this line matters
)

const (
	maxFenceIndent = 3 // spaces or tabs before a fence
	minFenceRun    = 3 // backticks or tildes that make one
)

// lineTracker knows, for the place reached in a stream, whether it is the
// start of a line and whether it lies in a code fence. Only LF ends a line.
// Unlike in Markdown a fence may be indented by tabs and the words behind its
// backticks may hold a backtick: in doubt a tag counts as quoted.
type lineTracker struct {
	state  lineState
	indent int
	char   rune // of the run on this line
	run    int
	fence  rune // of the open fence, 0 outside
	length int  // of the run that opened it
}

func (l *lineTracker) atStart() bool { return l.state == lineStart }

func (l *lineTracker) fenced() bool { return l.fence != 0 }

// write reads p, which does not cut a character. Of whole lines among which no
// fence can be, only the last newline is looked at.
func (l *lineTracker) write(p []byte) {
	first := bytes.IndexByte(p, '\n')
	if first >= 0 && bytes.IndexByte(p, '`') < 0 && bytes.IndexByte(p, '~') < 0 {
		l.read(p[:first+1])
		p = p[bytes.LastIndexByte(p, '\n')+1:]
	}
	l.read(p)
}

func (l *lineTracker) read(p []byte) {
	for len(p) > 0 {
		if l.state == lineRest {
			i := bytes.IndexByte(p, '\n')
			if i < 0 {
				return
			}
			p = p[i:]
		}
		r, size := utf8.DecodeRune(p)
		l.next(r)
		p = p[size:]
	}
}

func (l *lineTracker) next(r rune) {
	switch {
	case r == '\n':
		l.endLine()
	case l.state == lineStart, l.state == lineIndent:
		l.lead(r)
	case l.state == lineRun && r == l.char:
		l.run++
	case l.state == lineRun:
		l.endRun()
		l.tail(r)
	default:
		l.tail(r)
	}
}

func (l *lineTracker) lead(r rune) {
	switch {
	case (r == ' ' || r == '\t') && l.indent < maxFenceIndent:
		l.state = lineIndent
		l.indent++
	case r == '`' || r == '~':
		l.state, l.char, l.run = lineRun, r, 1
	default:
		l.state = lineRest
	}
}

// endRun opens a fence, or leaves the decision about closing one to the rest
// of the line.
func (l *lineTracker) endRun() {
	l.state = lineRest
	switch {
	case l.run < minFenceRun:
	case l.fence == 0:
		l.fence, l.length = l.char, l.run
	case l.fence == l.char && l.run >= l.length:
		l.state = lineTail
	}
}

func (l *lineTracker) tail(r rune) {
	if l.state == lineTail && !unicode.IsSpace(r) {
		l.state = lineRest
	}
}

func (l *lineTracker) endLine() {
	if l.state == lineRun {
		l.endRun()
	}
	if l.state == lineTail {
		l.fence = 0
	}
	l.state, l.indent = lineStart, 0
}
