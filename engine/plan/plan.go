package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"sort"
	"strings"
)

// Snapshot is one read of a plan's exact bytes, hashed and parsed. It comes
// from Read or Parse and is not modified afterwards. Preamble and every
// phase's Heading and Body, one after the other, are Source.
// See docs/plan-format.md, "Structure".
type Snapshot struct {
	Path     string  // as given to Read or Parse: a canonical absolute path
	Source   []byte  // the exact bytes
	SHA256   string  // lowercase hex digest of Source
	Preamble []byte  // exact bytes before the first phase heading, a BOM included
	Phases   []Phase // at least one, in increasing order of Number

	doc *document
}

// Phase is one executable part of a plan. Its byte slices share memory with
// the Source of its snapshot. See docs/plan-format.md, "Structure".
type Phase struct {
	Number        string // decimal without leading zeros, greater than zero, of any size
	ID            string // "phase-" + Number
	Title         string // raw source text, never empty
	Level         int    // of the heading, 1 to 6
	Line          int    // of the heading, 1-based
	EndLine       int    // last line of the body; of the heading when the body is empty
	Heading       []byte // exact bytes of the heading: its line, or two when underlined
	Body          []byte // exact bytes after the heading up to the next phase or the end
	Workspace     string // the declared relative path, taken literally
	WorkspaceLine int    // of that path
}

// Phase returns the phase with an id like "phase-3".
func (s *Snapshot) Phase(id string) (Phase, bool) {
	number, ok := strings.CutPrefix(id, "phase-")
	if !ok {
		return Phase{}, false
	}
	i := sort.Search(len(s.Phases), func(i int) bool {
		return compareNumbers(s.Phases[i].Number, number) >= 0
	})
	if i == len(s.Phases) || s.Phases[i].Number != number {
		return Phase{}, false
	}
	return s.Phases[i], true
}

// PhaseIDs lists the ids of all phases, in order.
func (s *Snapshot) PhaseIDs() []string {
	ids := make([]string, len(s.Phases))
	for i, p := range s.Phases {
		ids[i] = p.ID
	}
	return ids
}

// Parse makes a snapshot of a plan's bytes, which it keeps and does not copy.
// The path only names the plan in messages. The error is an *Error that holds
// all problems.
func Parse(path string, source []byte) (*Snapshot, error) {
	if p, bad := invalidUTF8(source); bad {
		return nil, &Error{Path: path, Problems: []Problem{p}}
	}
	doc := newDocument(source)
	if problems := doc.check(); len(problems) > 0 {
		return nil, &Error{Path: path, Problems: problems, doc: doc}
	}
	sum := sha256.Sum256(source)
	s := &Snapshot{
		Path:     path,
		Source:   source,
		SHA256:   hex.EncodeToString(sum[:]),
		Preamble: doc.preamble(),
		Phases:   make([]Phase, 0, len(doc.sections)),
		doc:      doc,
	}
	for _, section := range doc.sections {
		s.Phases = append(s.Phases, section.Phase)
	}
	return s, nil
}

// Lint returns what is likely to be a mistake in a plan that parses, in order
// of position. strict adds the rules that are for authors only, those with
// Rule.Strict. See docs/plan-format.md, "Lint".
func (s *Snapshot) Lint(strict bool) []Finding { return s.doc.lint(strict) }
