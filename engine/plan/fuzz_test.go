package plan

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzParse holds the promises of the package comment against any input: no
// panic, no byte lost, and no line that looks like a phase lost in silence.
func FuzzParse(f *testing.F) {
	for path, content := range fixtures(f) {
		source, _ := splitFixture(f, path, content)
		f.Add(source)
	}
	for _, source := range hostile(300) {
		f.Add([]byte(source))
	}
	f.Fuzz(func(t *testing.T, source []byte) {
		s, err := Parse("plan.md", source)
		var doc *document
		var reported []Problem
		if err == nil {
			doc, reported = s.doc, s.Lint(true)
			checkSnapshot(t, s)
		} else {
			var e *Error
			if !errors.As(err, &e) || len(e.Problems) == 0 || err.Error() == "" {
				t.Fatalf("no problems in %v", err)
			}
			doc, reported = e.doc, append(e.Lint(true), e.Problems...)
		}
		checkProblems(t, source, reported)
		if doc == nil {
			if utf8.Valid(source) {
				t.Fatal("not taken as UTF-8")
			}
			return
		}
		if glued := glueSections(doc); !bytes.Equal(glued, source) {
			t.Fatalf("the parts make %q", glued)
		}
		checkNothingLost(t, source, doc.sections, reported)
	})
}

func checkSnapshot(t *testing.T, s *Snapshot) {
	last := "0"
	for _, p := range s.Phases {
		if compareNumbers(p.Number, last) <= 0 || p.Workspace == "" || p.Title == "" ||
			p.EndLine < p.Line || p.WorkspaceLine <= p.Line || p.WorkspaceLine > p.EndLine {
			t.Fatalf("phase after %s: %+v", last, p)
		}
		if found, ok := s.Phase(p.ID); !ok || found.Line != p.Line {
			t.Fatalf("%s is not found", p.ID)
		}
		last = p.Number
	}
	if last == "0" {
		t.Fatal("no phase and no error")
	}
}

func checkProblems(t *testing.T, source []byte, problems []Problem) {
	for _, p := range problems {
		if strings.ContainsAny(p.Message, "\n\r\x1b") || p.Message == "" || p.Fix == "" {
			t.Fatalf("bad problem %+v", p)
		}
		if (p.Line < 1 || p.Col < 1) && p.Code != codeNoPhase {
			t.Fatalf("no position: %+v", p)
		}
		if p.Line > len(oracleLines(source)) {
			t.Fatalf("beyond the end: %+v", p)
		}
	}
}

func glueSections(d *document) []byte {
	var phases []Phase
	for _, s := range d.sections {
		phases = append(phases, s.Phase)
	}
	return glue(d.preamble(), phases)
}

var (
	oracleEnds    = regexp.MustCompile(`\r\n|\r|\n`)
	oracleTitle   = regexp.MustCompile(`^ {0,3}Phase [0-9]+: +\S`)
	oracleUnder   = regexp.MustCompile(`^ {0,3}(=+|-+)[ \t]*$`)
	oracleHeading = regexp.MustCompile(`^ {0,3}#+[ \t]+Phase [0-9]+: +[^#\s]`)
)

func oracleLines(source []byte) []string {
	return oracleEnds.Split(strings.TrimPrefix(string(source), bom), -1)
}

// checkNothingLost knows nothing of Markdown but lines. A line that reads like
// a phase is one, or is named by a problem, or is hidden by a problem before
// it, or stands between what could be the two ends of a fence or a comment.
func checkNothingLost(t *testing.T, source []byte, sections []section, reported []Problem) {
	all := oracleLines(source)
	named := map[int]bool{}
	for _, s := range sections {
		named[s.Line] = true
	}
	unclosed := len(all) + 1
	for _, p := range reported {
		named[p.Line] = true
		if p.Code == codeNoPhase {
			return // nothing runs, and it says so
		}
		if p.Code == codeFence || p.Code == codeComment {
			unclosed = min(unclosed, p.Line)
		}
	}
	for i, line := range all {
		underlined := oracleTitle.MatchString(line) && i+1 < len(all) && oracleUnder.MatchString(all[i+1])
		if !oracleHeading.MatchString(line) && !underlined || named[i+1] || i+1 > unclosed {
			continue
		}
		before, after := strings.Join(all[:i], "\n"), strings.Join(all[i:], "\n")
		for open, end := range map[string]string{"```": "```", "~~~": "~~~", "<!--": "-->"} {
			named[i+1] = named[i+1] || strings.Contains(before, open) && strings.Contains(after, end)
		}
		if !named[i+1] {
			t.Fatalf("line %d, %q, is lost", i+1, line)
		}
	}
}
