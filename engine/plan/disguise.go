package plan

import (
	"bytes"
	"fmt"
	"slices"
	"sort"
	"unicode"
)

// disguise is what makes a line look like a phase to a person only.
type disguise struct {
	odd      oddRune
	from, to int // offsets of what looks like a phase
	indent   int // columns before it
}

// disguised returns the lines that would read like an executable phase if
// every character were what it seems, of several in one line the first. exact
// are those that do.
func (d *document) disguised(exact []candidate) []candidate {
	if d.lines.count() == 0 {
		return nil
	}
	p := newPlainSource(d.source, d.lines.start(1))
	if len(p.odd) == 0 {
		return nil
	}
	known := d.startsOf(exact)
	var found []candidate
	for _, c := range candidates(p.lines) {
		start, end := p.origin(c.line), p.origin(c.line+1)
		odd, ok := p.firstOdd(c.line)
		line := d.lines.number(start)
		if !ok || known[start] || len(found) > 0 && found[len(found)-1].line == line {
			continue
		}
		start += len(d.source[start:end]) - len(bytes.TrimLeftFunc(d.source[start:end], unicode.IsSpace))
		found = append(found, candidate{line, c.hashes, &disguise{odd, start, end, indentation(p.text(c.line))}})
	}
	return found
}

// startsOf returns the offsets of the lines that are candidates or phases.
func (d *document) startsOf(exact []candidate) map[int]bool {
	starts := map[int]bool{}
	for _, c := range exact {
		starts[d.lines.start(c.line)] = true
	}
	for i := range d.sections {
		starts[d.lines.start(d.sections[i].Line)] = true
	}
	return starts
}

// inDisguise is the problem of a phase that only a person sees.
func (d *document) inDisguise(g *disguise) Problem {
	what, fix := "the invisible character", "Remove it"
	switch p := plainRune(g.odd.r); {
	case p == '\n':
		what, fix = "the line end", "Start a new line there"
	case p == ' ' && g.odd.at >= g.from:
		what, fix = "the space", "Write a common space there"
	case p == ' ':
		what = "the space"
	}
	return d.problem(codeDisguised, g.odd.at,
		fmt.Sprintf("%s looks like a phase and is none: %s %U in column %d is not plain text",
			quote(d.source[g.from:g.to]), what, g.odd.r, d.lines.column(g.odd.at)),
		fix+", and treat any other one like it.")
}

// candidates returns the lines that look like a phase, in order.
func (d *document) candidates() []candidate {
	exact := candidates(d.lines)
	disguised := d.disguised(exact)
	if len(disguised) == 0 {
		return exact
	}
	all := append(exact, disguised...)
	slices.SortStableFunc(all, func(a, b candidate) int { return a.line - b.line })
	return all
}

// looksLikeOne reports whether an error names a line as a phase in disguise.
func (d *document) looksLikeOne(line int) bool {
	i := sort.Search(len(d.lost), func(i int) bool { return d.lost[i].line >= line })
	return i < len(d.lost) && d.lost[i].line == line && d.lost[i].disguise != nil
}
