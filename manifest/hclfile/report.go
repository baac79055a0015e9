package hclfile

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/ai-session-handler/ai-session-handler/manifest/problem"
	"github.com/ai-session-handler/ai-session-handler/schema/suggest"
)

// didYouMean returns the hint for a misspelled name, or else where nothing is
// close. The format gets the name that is.
func (l *loader) didYouMean(name string, among []string, format, otherwise string) string {
	if best, ok := l.closest(name, among); ok {
		return fmt.Sprintf("Did you mean "+format+"?", best)
	}
	return otherwise
}

// closest is the name that is most likely meant. Thousands of misspelled names
// are not each compared with thousands of others, for messages of which few are
// shown.
func (l *loader) closest(name string, among []string) (string, bool) {
	const most = 50_000_000
	for _, other := range among {
		if l.compared += len(name) * len(other); l.compared > most {
			return "", false
		}
	}
	return suggest.Closest(name, among)
}

// places turns ranges of HCL into ours. Text that is parsed apart from its file
// has a made-up file name, which stands for the place of the whole text.
type places struct {
	apart  []problem.Range
	length map[string]int
}

const apartPrefix = "\x00"

// add returns a made-up file name for text that stands at a place.
func (p *places) add(at problem.Range) string {
	p.apart = append(p.apart, at)
	return fmt.Sprintf(apartPrefix+"%d", len(p.apart)-1)
}

// at returns the place of r, which lies within its file.
func (p *places) at(r hcl.Range) problem.Range {
	if number, ok := strings.CutPrefix(r.Filename, apartPrefix); ok {
		var n int
		_, _ = fmt.Sscan(number, &n)
		return p.apart[n]
	}
	if length, ok := p.length[r.Filename]; ok && r.End.Byte > length {
		r.End = hcl.Pos{Line: r.End.Line, Column: r.End.Column - (r.End.Byte - length), Byte: length}
		if r.Start.Byte > length {
			r.Start = r.End
		}
	}
	return problem.Range{File: r.Filename, Start: position(r.Start), End: position(r.End)}
}

func position(p hcl.Pos) problem.Pos {
	return problem.Pos{Line: p.Line, Column: p.Column, Byte: p.Byte}
}

// oneLine returns the text of a diagnostic as a summary: one line that ends
// without a full stop.
func oneLine(d *hcl.Diagnostic) string {
	text := d.Detail
	if text == "" {
		text = d.Summary
	}
	return strings.TrimSuffix(strings.Join(strings.Fields(text), " "), ".")
}
