// Package problem is what can be wrong with a manifest, and how that is shown:
// as text with a caret, as JSON, or as annotations for GitHub. It knows no
// manifest and no HCL.
package problem

import (
	"fmt"
	"slices"
	"strings"
)

// Severity tells what keeps a manifest from being used from what does not.
type Severity string

// The severities.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// Problem is one thing that is wrong. Code is one of schema/codes.
type Problem struct {
	Code     string    `json:"code"`
	Severity Severity  `json:"severity"`
	Summary  string    `json:"summary"` // one line, without a full stop
	Hint     string    `json:"hint"`    // what to write instead, a sentence; may be empty
	Range    Range     `json:"range"`
	Related  []Related `json:"related"` // other places that belong to it
	Snippet  string    `json:"snippet"` // of the line that Range begins in, see List.Fill; empty where there is none
	Mark     Mark      `json:"-"`       // the part of Snippet that Range covers
	Detail   string    `json:"detail"`  // several lines that belong to it, for example the errors of a plan; may be empty
}

// Related is another place, and what it has to do with the problem.
type Related struct {
	Range   Range  `json:"range"`
	Message string `json:"message"` // for example "first declared here"
}

// Range is a stretch of a file. The zero Range is no place.
type Range struct {
	File  string `json:"file"` // as shown to people: relative to the workspace where it lies in it
	Start Pos    `json:"start"`
	End   Pos    `json:"end"` // behind the last character
}

// Pos is a position in a file. Line and Column count from 1, Column in grapheme
// clusters; Byte counts from 0. All zero where a problem is of the whole file.
type Pos struct {
	Line   int `json:"line"`
	Column int `json:"column"`
	Byte   int `json:"byte"`
}

// Mark is a stretch of a snippet, in bytes. An empty one is a place between two
// characters.
type Mark struct {
	From, To int
}

// New returns a problem with a code of schema/codes, which decides its severity:
// those that begin with W are warnings. The format and its arguments make the
// summary.
func New(code string, at Range, hint, format string, args ...any) Problem {
	severity := Error
	if strings.HasPrefix(code, "W") {
		severity = Warning
	}
	return Problem{Code: code, Severity: severity, Summary: fmt.Sprintf(format, args...), Hint: hint, Range: at}
}

// With returns p with further places that belong to it.
func (p Problem) With(related ...Related) Problem {
	p.Related = append(slices.Clip(p.Related), related...)
	return p
}
