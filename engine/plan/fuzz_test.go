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
			checkNoCommentRuns(t, s)
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

// oraclePieces returns what a person takes for lines in a line.
func oraclePieces(line string) []string {
	line = oracleSpaces.ReplaceAllString(line, " ")
	pieces := oraclePersonEnds.Split(line, -1)
	for i, p := range pieces {
		pieces[i] = oracleUnseen.ReplaceAllString(p, "")
	}
	return pieces
}

var (
	oracleSpaces     = regexp.MustCompile(`[\p{Zs}\v\f]`)
	oraclePersonEnds = regexp.MustCompile("[\u0085\u2028\u2029]")
	oracleUnseen     = regexp.MustCompile(`[^\P{Cc}\t]|\p{Cf}`)
)

// checkNothingLost knows nothing of Markdown but lines. A line that reads like
// a phase is one, or is named by a problem, or is hidden by a problem before
// it, or stands between what could be the two ends of a fence or a comment.
// Of the lines that only a person sees in one, the first may be a phase.
func checkNothingLost(t *testing.T, source []byte, sections []section, reported []Problem) {
	all := oracleLines(source)
	runs, named := map[int]bool{}, map[int]bool{}
	for _, s := range sections {
		runs[s.Line] = true
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
		pieces := oraclePieces(line)
		following := pieces[1:]
		if i+1 < len(all) {
			following = append(following, oraclePieces(all[i+1])[0])
		}
		for j, piece := range pieces {
			underlined := oracleTitle.MatchString(piece) && j < len(following) && oracleUnder.MatchString(following[j])
			if !oracleHeading.MatchString(piece) && !underlined || named[i+1] || i+1 > unclosed || j == 0 && runs[i+1] {
				continue
			}
			if !(underlined && named[i+2]) && !enclosed(all, i) {
				t.Fatalf("line %d, %q, is lost", i+1, piece)
			}
		}
	}
}

// enclosed reports whether a line could lie in a fence or a comment.
func enclosed(all []string, i int) bool {
	before, after := strings.Join(all[:i], "\n"), strings.Join(all[i:], "\n")
	for open, end := range map[string]string{"```": "```", "~~~": "~~~", "<!--": "-->"} {
		if strings.Contains(before, open) && strings.Contains(after, end) {
			return true
		}
	}
	return false
}

// checkNoCommentRuns reads comments from left to right and knows nothing else:
// no phase of a plan that runs starts between a "<!--" that can't be code and
// the next "-->".
func checkNoCommentRuns(t *testing.T, s *Snapshot) {
	all := oracleLines(s.Source)
	text := strings.Join(all, "\n")
	starts := map[int]int{} // offset of a phase in text to its line
	offset := 0
	for i, line := range all {
		if _, runs := phaseOfLine(s, i+1); runs {
			starts[offset] = i + 1
		}
		offset += len(line) + 1
	}
	for at := 0; ; {
		i := strings.Index(text[at:], "<!--")
		if i < 0 {
			return
		}
		open := at + i
		at = open + 2
		if maybeCode(text, open) {
			continue
		}
		end := len(text)
		if i := strings.Index(text[at:], "-->"); i >= 0 {
			end = at + i
		}
		for start, line := range starts {
			if start > open && start < end {
				t.Fatalf("the phase of line %d runs in a comment", line)
			}
		}
		at = end
	}
}

func phaseOfLine(s *Snapshot, line int) (Phase, bool) {
	for _, p := range s.Phases {
		if p.Line == line {
			return p, true
		}
	}
	return Phase{}, false
}

// maybeCode reports whether the text at an offset could lie in a fence, in
// indented code or between backticks.
func maybeCode(text string, at int) bool {
	before, after := text[:at], text[at:]
	if strings.Contains(before, "```") || strings.Contains(before, "~~~") {
		return true
	}
	line := before[strings.LastIndex(before, "\n")+1:]
	if strings.Contains(line, "\t") || strings.Contains(line, "    ") {
		return true
	}
	if i := strings.LastIndex(before, "\n\n"); i >= 0 {
		before = before[i:]
	}
	after, _, _ = strings.Cut(after, "\n\n")
	return strings.Contains(before, "`") && strings.Contains(after, "`")
}
