package plan

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// document is a plan's text with its structure, complete or not.
type document struct {
	source   []byte
	lines    lines
	blocks   []block   // in order of position
	sections []section // the phases, numbers unchecked
	lost     []lost    // lines that look like a phase and are none
	tooDeep  int       // offset of a container nested too deep, or -1
}

// section is a phase with the blocks of its body.
type section struct {
	Phase
	blocks []block
}

func newDocument(source []byte) *document {
	d := &document{source: source, lines: newLines(source)}
	o := outline(d.lines)
	d.blocks, d.tooDeep = o.blocks, o.tooDeep
	d.sections = d.cut()
	d.lost = d.findLost()
	return d
}

// invalidUTF8 returns the problem of the first byte that is not UTF-8.
func invalidUTF8(source []byte) (Problem, bool) {
	if utf8.Valid(source) {
		return Problem{}, false
	}
	offset := 0
	for {
		r, size := utf8.DecodeRune(source[offset:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		offset += size
	}
	d := &document{source: source, lines: newLines(source[:offset+1])}
	message := fmt.Sprintf("the plan is not valid UTF-8 at byte %d (0x%02x)", offset+1, source[offset])
	fix := "Save the file as UTF-8."
	if bytes.HasPrefix(source, []byte("\xff\xfe")) || bytes.HasPrefix(source, []byte("\xfe\xff")) {
		fix = "It looks like UTF-16. " + fix
	}
	return d.problem(codeUTF8, offset, message, fix), true
}

// cut finds the phase headings and gives every phase its body.
func (d *document) cut() []section {
	var sections []section
	var headings []int // indexes of their blocks
	for i, b := range d.blocks {
		if s, ok := d.phase(b); ok {
			sections = append(sections, s)
			headings = append(headings, i)
		}
	}
	for i := range sections {
		next, endLine := len(d.blocks), d.lines.count()
		if i+1 < len(sections) {
			next, endLine = headings[i+1], sections[i+1].Line-1
		}
		s, after := &sections[i], d.blocks[headings[i]].last+1
		s.EndLine = endLine
		s.Heading = d.source[d.lines.start(s.Line):d.lines.start(after):d.lines.start(after)]
		s.Body = d.source[d.lines.start(after):d.lines.start(endLine+1):d.lines.start(endLine+1)]
		s.blocks = d.blocks[headings[i]+1 : next]
	}
	return sections
}

// phase returns the phase that a block is the heading of.
func (d *document) phase(b block) (section, bool) {
	if b.kind != headingBlock || b.inside.kind != noContainer || b.textLine != 1 {
		return section{}, false
	}
	digits, title, ok := phaseText(d.text(b))
	if !ok {
		return section{}, false
	}
	n := canonical(digits)
	return section{Phase: Phase{Number: n, ID: "phase-" + n, Title: title, Level: b.level, Line: b.first}}, true
}

// text returns the raw text of a heading.
func (d *document) text(b block) string {
	return string(bytes.Trim(d.source[b.from:b.to], " \t\r\n"))
}

// heading reports whether a block is a heading of the document itself.
func (b block) heading() bool { return b.kind == headingBlock && b.inside.kind == noContainer }

func (d *document) preamble() []byte {
	end := len(d.source)
	if len(d.sections) > 0 {
		end = d.lines.start(d.sections[0].Line)
	}
	return d.source[:end:end]
}

// check returns every problem of the plan in order of position.
func (d *document) check() []Problem {
	var problems []Problem
	problems = append(problems, d.checkDepth()...)
	problems = append(problems, d.checkUnclosed()...)
	problems = append(problems, d.checkHidden()...)
	problems = append(problems, d.checkComments()...)
	problems = append(problems, d.checkNumbers()...)
	problems = append(problems, d.checkWorkspaces()...)
	if len(d.sections) == 0 && !d.hidesPhases() {
		problems = append(problems, d.noPhase())
	}
	sortProblems(problems)
	return problems
}

func (d *document) checkDepth() []Problem {
	if d.tooDeep < 0 {
		return nil
	}
	return []Problem{d.problem(codeDepth, d.tooDeep,
		fmt.Sprintf("lists and quotes are nested more than %d deep here", maxDepth),
		"Nest them less deeply, or put the text into a fenced code block.")}
}

// checkNumbers wants numbers above zero, each greater than all before it.
func (d *document) checkNumbers() []Problem {
	var problems []Problem
	seen := make(map[string]int, len(d.sections))
	highest := -1
	for i := range d.sections {
		s := &d.sections[i]
		first, again := seen[s.Number]
		switch {
		case s.Number == "0":
			problems = append(problems, d.zero(s))
		case again:
			problems = append(problems, d.repeated(s, &d.sections[first]))
		case highest >= 0 && compareNumbers(s.Number, d.sections[highest].Number) < 0:
			problems = append(problems, d.decreasing(s, &d.sections[highest]))
		default:
			highest = i
		}
		if !again {
			seen[s.Number] = i
		}
	}
	return problems
}

func (d *document) decreasing(s, highest *section) Problem {
	return d.problemAt(codeOrder, s.Line,
		fmt.Sprintf("phase %s comes after phase %s of line %d", brief(s.Number), brief(highest.Number), highest.Line),
		"Put the phases into the order they run in, or renumber them; gaps are allowed.")
}

func (d *document) zero(s *section) Problem {
	fix := "Number the phases from 1 on, and change what refers to them."
	if last := d.sections[len(d.sections)-1]; last.Number == fmt.Sprint(len(d.sections)-1) && len(d.sections) > 1 {
		fix = fmt.Sprintf("Renumber the phases 0–%s as 1–%s, the last one first, and change what refers to them.",
			last.Number, successor(last.Number))
	}
	return d.problemAt(codeZero, s.Line, "phase 0 is not allowed: numbers start at 1", fix)
}

func (d *document) repeated(s, first *section) Problem {
	levels := ""
	if s.Level != first.Level {
		levels = fmt.Sprintf(" (different levels: %s here, %s there)", hashes(s.Level), hashes(first.Level))
	}
	return d.problemAt(codeRepeated, s.Line,
		fmt.Sprintf("phase %s repeats line %d%s", brief(s.Number), first.Line, levels),
		`Give it a number of its own; a heading that only speaks of the phase must not read "Phase N: …".`)
}
