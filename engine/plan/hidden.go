package plan

import (
	"bytes"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// lost is a line that looks like an executable phase but is none.
type lost struct {
	candidate
	within *block // what Markdown makes of it; nil for a link definition
}

// fate is what becomes of a lost line.
type fate int

const (
	example  fate = iota // in a closed fence or comment: meant to be no phase
	swallows             // in a fence or comment without an end, which is the problem
	hidden               // an error of its own
	indented             // code, by its indentation: a finding
	nearly               // a heading, but not quite the text: a finding
)

// findLost returns the lines that look like a phase and are none, an example
// excepted.
func (d *document) findLost() []lost {
	var found []lost
	next, phase := 0, 0
	for _, c := range d.candidates() {
		for phase < len(d.sections) && d.sections[phase].Line < c.line {
			phase++
		}
		if c.disguise == nil && phase < len(d.sections) && d.sections[phase].Line == c.line {
			continue
		}
		for next < len(d.blocks) && d.blocks[next].last < c.line {
			next++
		}
		l := lost{candidate: c}
		if next < len(d.blocks) && d.blocks[next].first <= c.line {
			l.within = &d.blocks[next]
		}
		if d.fate(l) != example {
			found = append(found, l)
		}
	}
	return found
}

func (d *document) fate(l lost) fate {
	b := l.within
	if b == nil {
		return hidden
	}
	switch b.kind {
	case fenceBlock, commentBlock:
		if b.closed {
			return example
		}
		if b.inside.kind == noContainer {
			return swallows
		}
	case codeBlock:
		if l.disguise == nil || l.disguise.indent > 3 {
			return indented
		}
	case paragraphBlock:
		if indentation(d.lines.text(l.line)) > 3 && (l.disguise == nil || l.disguise.indent > 3) {
			return indented
		}
	case headingBlock:
		if l.disguise == nil && b.heading() && b.textLine == 1 {
			return nearly
		}
	}
	return hidden
}

// hidesPhases reports whether an error names a line that looks like a phase.
func (d *document) hidesPhases() bool {
	return slices.ContainsFunc(d.lost, func(l lost) bool {
		f := d.fate(l)
		return f == hidden || f == swallows
	})
}

// checkUnclosed wants every fence and comment of the document closed.
// CommonMark closes them at the end of the file; then all phases behind them
// would be gone.
func (d *document) checkUnclosed() []Problem {
	var problems []Problem
	for _, b := range d.blocks {
		if b.closed || b.inside.kind != noContainer {
			continue
		}
		switch b.kind {
		case fenceBlock:
			problems = append(problems, d.unclosedFence(b))
		case commentBlock:
			problems = append(problems, d.problemAt(codeComment, b.first,
				"the comment that opens here is never closed"+d.swallowed(b),
				`Write "-->" where the comment ends.`))
		}
	}
	return problems
}

func (d *document) unclosedFence(b block) Problem {
	f := d.fenceOf(b.first)
	fix := fmt.Sprintf("Write a line %s where the code ends.", quote(f.run))
	if inner, ok := d.innerFence(b); ok {
		fix += fmt.Sprintf("\nLine %d, %s, looks like a fence inside it: open and close the outer one with %s.",
			inner, quote(d.lines.text(inner)), quote(f.longer()))
	}
	return d.problemAt(codeFence, b.first,
		fmt.Sprintf("the fence %s that opens here is never closed%s", quote(f.opening), d.swallowed(b)), fix)
}

// lostBetween reports whether a phase heading is hidden between two lines.
func (d *document) lostBetween(first, last int) bool {
	i := sort.Search(len(d.lost), func(i int) bool { return d.lost[i].line > first })
	return i < len(d.lost) && d.lost[i].line < last
}

// swallowed names the phase headings that an unclosed block hides.
func (d *document) swallowed(b block) string {
	from := sort.Search(len(d.lost), func(i int) bool { return d.lost[i].line >= b.first })
	var numbers []int
	for _, l := range d.lost[from:] {
		if l.line > b.last {
			break
		}
		numbers = append(numbers, l.line)
	}
	if len(numbers) == 0 {
		return ""
	}
	return "; it hides " + phaseHeadings(numbers)
}

// phaseHeadings returns "the phase heading of line 3".
func phaseHeadings(numbers []int) string {
	if len(numbers) == 1 {
		return "the phase heading of " + lineList(numbers)
	}
	return "the phase headings of " + lineList(numbers)
}

// checkHidden reports the phase headings that something else than a closed
// fence or comment hides.
func (d *document) checkHidden() []Problem {
	var problems []Problem
	for _, l := range d.lost {
		if d.fate(l) != hidden {
			continue
		}
		if l.disguise != nil {
			problems = append(problems, d.inDisguise(l.disguise))
			continue
		}
		what, fix := d.hider(l)
		problems = append(problems, d.problemAt(codeHidden, l.line,
			fmt.Sprintf("%s is no phase for Markdown: %s", quote(d.lines.text(l.line)), what),
			fix+"\nIf it is not meant to run, put it between ``` fences or into <!-- -->."))
	}
	return problems
}

// hider names what keeps a line from being a heading of the document, and what
// to do about it.
func (d *document) hider(l lost) (what, fix string) {
	b := l.within
	switch {
	case b == nil:
		return "it is part of a link definition", "Put an empty line before it."
	case b.kind == fenceBlock || b.kind == commentBlock:
		return fmt.Sprintf("it lies in %s of line %d, which ends only with %s",
			kindName(b.kind), b.first, b.inside), "Close " + kindName(b.kind) + " before it."
	case b.inside.kind == quoteContainer:
		return "it lies in " + b.inside.String(), `Remove the ">" before it, with an empty line between.`
	case b.inside.kind == listContainer:
		return "it lies in " + b.inside.String(), "Start the line with the heading: no list marker, no spaces."
	case b.kind == htmlBlock:
		return fmt.Sprintf("it lies in the HTML block %s of line %d", quote(d.tag(b)), b.first), htmlFix(b)
	case b.kind == headingBlock:
		return fmt.Sprintf("the underlined heading that starts at line %d has several lines", b.first),
			"Put an empty line before it."
	case l.hashes > 6:
		return fmt.Sprintf("a heading has at most 6 hashes, not %d", l.hashes), `Write it with one to six "#".`
	}
	return fmt.Sprintf("it is part of the text of line %d", b.first), "Put an empty line before it."
}

func kindName(kind blockKind) string {
	if kind == fenceBlock {
		return "the fence"
	}
	return "the comment"
}

// String names a container with its line.
func (c container) String() string {
	if c.kind == quoteContainer {
		return fmt.Sprintf("the quote of line %d", c.line)
	}
	return fmt.Sprintf("the list of line %d", c.line)
}

// tag returns how an HTML block starts, up to the name of its tag.
func (d *document) tag(b *block) string {
	rest, _, _ := stripMarkers(d.lines.text(b.first))
	start := rest
	if end := bytes.IndexAny(rest, " \t>"); end > 0 {
		start = rest[:end]
	}
	if len(start) < len(rest) && rest[len(start)] == '>' {
		start = rest[:len(start)+1]
	}
	return string(start)
}

// htmlFix says how a block of HTML ends.
func htmlFix(b *block) string {
	switch b.tag {
	case ast.HTMLBlockType6, ast.HTMLBlockType7:
		return "Put an empty line before it: that ends the block."
	case ast.HTMLBlockType1:
		return "Close the tag before it."
	}
	return "Close the block before it."
}

// fence is what a code block opens with.
type fence struct {
	run     string // the backticks or tildes
	opening string // run and info text
}

// longer returns a fence that the one at hand can lie in.
func (f fence) longer() string { return f.run + f.run[:1] }

// fenceOf reads the fence that opens on a line.
func (d *document) fenceOf(line int) fence {
	rest, _, _ := stripMarkers(d.lines.text(line))
	opening := strings.TrimRight(string(rest), " \t")
	run := fenceRun(opening)
	return fence{run: run, opening: opening}
}

// fenceRun returns the backticks or tildes that a text starts with.
func fenceRun(text string) string {
	if text == "" || text[0] != '`' && text[0] != '~' {
		return ""
	}
	return text[:len(text)-len(strings.TrimLeft(text, text[:1]))]
}

// innerFence returns the first line in a fence that opens another one at least
// as long: an info text, which no closing fence has, gives it away.
func (d *document) innerFence(b block) (line int, ok bool) {
	outer := d.fenceOf(b.first).run
	for n := b.first + 1; n <= b.last; n++ {
		rest, _ := stripQuotes(d.lines.text(n))
		if !bytes.HasPrefix(rest, []byte(outer)) {
			continue
		}
		if b.inside.kind == noContainer && indentation(d.lines.text(n)) > 3 {
			continue // neither it nor its end can end the outer one
		}
		info := bytes.TrimLeft(rest, outer[:1])
		if len(info) > 0 && isLetter(info[0]) && bytes.IndexByte(info, '`') < 0 {
			return n, true
		}
	}
	return 0, false
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
