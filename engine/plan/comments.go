package plan

import (
	"bytes"
	"fmt"
)

// halfComment follows "<!--" that opens in the middle of a text. Markdown
// takes such a comment for text that ends with its block, so a phase behind
// it would run, while its author reads it as commented out.
type halfComment struct {
	opened int       // offset of "<!--", or -1
	phases []Problem // the phases since then
}

// checkHalfComments reports phases between a "<!--" that Markdown does not
// take for a comment and the "-->" that belongs to it.
func (d *document) checkHalfComments() []Problem {
	var problems []Problem
	half := halfComment{opened: -1}
	for i := range d.blocks {
		b := &d.blocks[i]
		switch {
		case b.kind == commentBlock:
			half = halfComment{opened: -1}
		case b.kind == fenceBlock || b.kind == codeBlock:
		default:
			problems = append(problems, d.follow(&half, b)...)
		}
	}
	return problems
}

// follow takes one block into account and returns the phases that turn out to
// lie in a comment.
func (d *document) follow(half *halfComment, b *block) []Problem {
	start, end := d.lines.start(b.first), d.lines.start(b.last+1)
	var found []Problem
	if half.opened >= 0 && closesFirst(d.source[start:end]) {
		found, *half = half.phases, halfComment{opened: -1}
	}
	if half.opened < 0 {
		half.opened = d.opens(b.kind, start, end)
		return found
	}
	if _, ok := d.phase(*b); ok {
		half.phases = append(half.phases, d.inHalfComment(b.first, half.opened))
	}
	return found
}

func (d *document) inHalfComment(line, opened int) Problem {
	return d.problemAt(codeHalfComment, line,
		fmt.Sprintf(`%s would run: Markdown does not see the "<!--" of line %d as a comment that reaches here`,
			quote(d.lines.text(line)), d.lines.number(opened)),
		`Put "<!--" at the start of a line of its own, with an empty line before it, or remove the comment.`)
}

func closesFirst(text []byte) bool {
	end := bytes.Index(text, []byte("-->"))
	if end < 0 {
		return false
	}
	return !bytes.Contains(text[:end], []byte("<!--"))
}

// opens returns the offset of a "<!--" without its "-->" in the same block, or
// -1. In text, one between backticks is code.
func (d *document) opens(kind blockKind, start, end int) int {
	text := d.source[start:end]
	last := bytes.LastIndex(text, []byte("<!--"))
	if last < 0 || bytes.Contains(text[last:], []byte("-->")) {
		return -1
	}
	if kind != htmlBlock && bytes.Count(text[:last], []byte("`"))%2 == 1 {
		return -1
	}
	return start + last
}
