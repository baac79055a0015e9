package plan

import (
	"bytes"
	"fmt"
)

// The ends of a comment.
var (
	opensComment  = []byte("<!--")
	closesComment = []byte("-->")
)

// commentScan goes through a plan from left to right and knows whether a
// "<!--" outside code waits for its "-->". Markdown lets many of them end
// earlier, with their paragraph, their list or the line of another "-->"; a
// phase behind would run, while its author reads it as commented out.
type commentScan struct {
	*document
	opened int   // offset of the "<!--" that is open, or -1
	inner  int   // how many more of them since then
	within []int // lines of the phases since then

	// Comments don't nest, but authors nest them: unmatched is how many "-->"
	// could still come for the comment that was opened at outer.
	unmatched, outer int
	behind           []int // lines of the phases since it ended

	problems []Problem
}

// checkComments reports the phases that would run although they lie between a
// "<!--" and its "-->", or behind one that has none.
func (d *document) checkComments() []Problem {
	if !bytes.Contains(d.source, opensComment) {
		return nil
	}
	s := commentScan{document: d, opened: -1}
	at, sections := 0, d.sections
	for i := range d.blocks {
		b := &d.blocks[i]
		start, end := d.lines.start(b.first), d.lines.start(b.last+1)
		s.scan(at, start, false) // what is in no block, like link definitions
		if len(sections) > 0 && sections[0].Line == b.first {
			s.phase(b.first)
			sections = sections[1:]
		}
		if b.kind != fenceBlock && b.kind != codeBlock {
			s.scan(start, end, b.kind == paragraphBlock || b.kind == headingBlock)
		}
		at = end
	}
	s.scan(at, len(d.source), false)
	s.finish()
	return s.problems
}

// phase notes a phase heading that runs.
func (s *commentScan) phase(line int) {
	switch {
	case s.opened >= 0:
		s.within = append(s.within, line)
	case s.unmatched > 0:
		s.behind = append(s.behind, line)
	}
}

// scan takes the text of a block, or between two, into account. Only text that
// Markdown looks for inlines in has code spans, and none of them starts in a
// comment.
func (s *commentScan) scan(start, end int, inlines bool) {
	if start >= end {
		return
	}
	spans := codeSpans{text: s.source[:end]}
	for at := start; ; {
		if inlines && s.opened < start {
			at = spans.next(at)
		} else {
			at = nextMark(spans.text, at)
		}
		switch {
		case at < 0:
			return
		case s.source[at] == '<':
			s.open(at)
			at += len("<!") // the dashes of "<!-->" are both
		default:
			s.close()
			at += len(closesComment)
		}
	}
}

func (s *commentScan) open(at int) {
	if s.opened >= 0 {
		s.inner++
		return
	}
	s.opened = at
}

func (s *commentScan) close() {
	switch {
	case s.opened >= 0:
		s.report(s.within, s.opened, `Markdown does not see the "<!--" of line %d as a comment that reaches here`,
			`Put "<!--" at the start of a line of its own, with an empty line before it, or remove the comment.`+
				"\n"+noComment)
		if s.unmatched == 0 {
			s.outer = s.opened
		}
		s.unmatched += s.inner
		s.opened, s.inner, s.within = -1, 0, s.within[:0]
	case s.unmatched > 0:
		s.report(s.behind, s.outer, `the comment of line %d has ended before, with the first "-->" in it`,
			"Comments do not nest: remove the inner ones, or their ends.")
		s.unmatched--
		s.behind = s.behind[:0]
	}
}

// report makes a problem of every phase that a comment seems to hold.
func (s *commentScan) report(phases []int, opened int, why, fix string) {
	for _, line := range phases {
		s.problems = append(s.problems, s.problemAt(codeHalfComment, line,
			quote(s.lines.text(line))+" would run: "+fmt.Sprintf(why, s.lines.number(opened)), fix))
	}
}

// finish reports the phases behind a "<!--" that is never closed.
func (s *commentScan) finish() {
	if len(s.within) == 0 {
		return
	}
	verb := "lies"
	if len(s.within) > 1 {
		verb = "lie"
	}
	s.problems = append(s.problems, s.problem(codeComment, s.opened,
		fmt.Sprintf(`the "<!--" here is never closed, and Markdown sees no comment in it; %s %s behind it and would run`,
			phaseHeadings(s.within), verb),
		`Write "-->" where the comment ends.`+"\n"+noComment))
}

const noComment = `If it is no comment, put "<!--" between backticks.`

// codeSpans finds the code in a text with inlines.
type codeSpans struct {
	text []byte        // up to the end of the block
	runs map[int][]int // offsets of the runs of backticks to come, by length
}

// next returns the offset of the first end of a comment from at on that is no
// code, or -1.
func (c *codeSpans) next(at int) int {
	found := nextMark(c.text, at)
	for found >= 0 {
		tick := bytes.IndexByte(c.text[at:found], '`')
		if tick < 0 {
			return found
		}
		if at = c.skip(at + tick); at > found {
			found = nextMark(c.text, at)
		}
	}
	return -1
}

// nextMark returns the offset of the first "<!--" or "-->" from at on, or -1.
func nextMark(text []byte, at int) int {
	dashes := []byte("--")
	for i := indexFrom(text, at, dashes); i >= 0; i = indexFrom(text, i+1, dashes) {
		if i-2 >= at && bytes.HasPrefix(text[i-2:], opensComment) {
			return i - 2
		}
		if bytes.HasPrefix(text[i:], closesComment) {
			return i
		}
	}
	return -1
}

// skip returns the offset behind the code that the backticks at an offset
// start, or behind the backticks when none of the same length follow.
func (c *codeSpans) skip(at int) int {
	before := bytes.TrimRight(c.text[:at], `\`)
	if (at-len(before))%2 == 1 {
		return at + 1 // escaped
	}
	if c.runs == nil {
		c.runs = backtickRuns(c.text, at)
	}
	end := at + backticks(c.text[at:])
	length := end - at
	partners := c.runs[length]
	for len(partners) > 0 && partners[0] < end {
		partners = partners[1:]
	}
	c.runs[length] = partners
	if len(partners) == 0 {
		return end
	}
	return partners[0] + length
}

func backtickRuns(text []byte, at int) map[int][]int {
	runs := map[int][]int{}
	for at = indexFrom(text, at, []byte("`")); at >= 0; at = indexFrom(text, at, []byte("`")) {
		length := backticks(text[at:])
		runs[length] = append(runs[length], at)
		at += length
	}
	return runs
}

// backticks counts those that a text starts with.
func backticks(text []byte) int { return len(text) - len(bytes.TrimLeft(text, "`")) }

// indexFrom is bytes.Index from an offset on.
func indexFrom(text []byte, at int, sep []byte) int {
	i := bytes.Index(text[at:], sep)
	if i < 0 {
		return -1
	}
	return at + i
}
