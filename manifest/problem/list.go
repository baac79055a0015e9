package problem

import (
	"cmp"
	"fmt"
	"slices"
)

// Max is how many problems of a list are shown.
const Max = 50

// List is the problems of one manifest.
type List []Problem

// Sort returns the problems in the order in which they are shown, each once: by
// file and place, then by code, then by summary. The order does not depend on
// that of l, which Sort may change.
func (l List) Sort() List {
	slices.SortFunc(l, compare)
	return slices.CompactFunc(l, func(a, b Problem) bool { return compare(a, b) == 0 })
}

// HasErrors reports whether a problem is more than a warning.
func (l List) HasErrors() bool {
	return slices.ContainsFunc(l, func(p Problem) bool { return p.Severity == Error })
}

// Err returns an *Invalid with the problems, and nil where none is more than a
// warning.
func (l List) Err() error {
	if !l.HasErrors() {
		return nil
	}
	return &Invalid{Problems: l}
}

// Invalid is a manifest that can't be used.
type Invalid struct {
	Problems List // sorted, warnings included
}

// Error tells the first error in one line and how many there are besides.
// Problems.Text tells them all.
func (e *Invalid) Error() string {
	var errors List
	for _, p := range e.Problems {
		if p.Severity == Error {
			errors = append(errors, p)
		}
	}
	text := sentence(errors[0])
	if place := place(errors[0].Range); place != "" {
		text = place + ": " + text
	}
	if len(errors) > 1 {
		text += fmt.Sprintf(" (and %s)", count(len(errors)-1, "more error"))
	}
	return text
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// shown returns the problems that are shown, in their order, and how many there
// are besides. Where there are too many a warning never takes the place of an
// error.
func (l List) shown() (shown List, more int) {
	if len(l) <= Max {
		return l, 0
	}
	warnings := Max
	for _, p := range l {
		if p.Severity == Error && warnings > 0 {
			warnings--
		}
	}
	for _, p := range l {
		if len(shown) == Max {
			break
		}
		if p.Severity != Error {
			if warnings == 0 {
				continue
			}
			warnings--
		}
		shown = append(shown, p)
	}
	return shown, len(l) - len(shown)
}

// compare orders problems as they are shown. It is zero for equal ones only.
func compare(a, b Problem) int {
	return cmp.Or(
		cmp.Compare(a.Range.File, b.Range.File),
		comparePos(a.Range.Start, b.Range.Start),
		cmp.Compare(a.Code, b.Code),
		cmp.Compare(a.Summary, b.Summary),
		comparePos(a.Range.End, b.Range.End),
		cmp.Compare(a.Severity, b.Severity),
		cmp.Compare(a.Hint, b.Hint),
		cmp.Compare(a.Detail, b.Detail),
		cmp.Compare(a.Snippet, b.Snippet),
		cmp.Compare(a.Mark.From, b.Mark.From),
		cmp.Compare(a.Mark.To, b.Mark.To),
		slices.CompareFunc(a.Related, b.Related, compareRelated),
	)
}

func compareRelated(a, b Related) int {
	return cmp.Or(
		cmp.Compare(a.Range.File, b.Range.File),
		comparePos(a.Range.Start, b.Range.Start),
		comparePos(a.Range.End, b.Range.End),
		cmp.Compare(a.Message, b.Message),
	)
}

func comparePos(a, b Pos) int {
	return cmp.Or(cmp.Compare(a.Byte, b.Byte), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}
