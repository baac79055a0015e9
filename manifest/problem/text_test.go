package problem_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/mattn/go-runewidth"
	"pgregory.net/rapid"

	"github.com/ai-session-handler/ai-session-handler/engine/termtext"
	"github.com/ai-session-handler/ai-session-handler/manifest/problem"
)

const file = "ai-session-handler.hcl"

// at returns the range of the first needle in a source.
func at(source, needle string) problem.Range {
	from := strings.Index(source, needle)
	return problem.Range{File: file, Start: pos(source, from), End: pos(source, from+len(needle))}
}

func pos(source string, at int) problem.Pos {
	line := source[strings.LastIndexByte(source[:at], '\n')+1 : at]
	return problem.Pos{
		Line:   strings.Count(source[:at], "\n") + 1,
		Column: utf8.RuneCountInString(line) + 1,
		Byte:   at,
	}
}

func filled(source string, problems ...problem.Problem) problem.List {
	l := problem.List(problems)
	l.Fill(map[string][]byte{file: []byte(source)})
	return l
}

func TestText(t *testing.T) {
	plan := strings.Repeat("\n", 29) + "plan \"p\" {\n  agent      = agent.codx\n}\n"
	long := strings.Repeat("a ", 200) + "HERE" + strings.Repeat(" b", 200)
	for _, test := range []struct {
		name, source string
		problem      problem.Problem
		want         string
	}{
		{"hint beside the summary", plan,
			problem.New("E304", at(plan, "agent.codx"), "Did you mean agent.codex?", "no agent is named %q", "codx"), `
error[E304]: no agent is named "codx". Did you mean agent.codex?
  --> ai-session-handler.hcl:31:16
   31 |   agent      = agent.codx
      |                ^^^^^^^^^^
`},
		{"long hint", plan,
			problem.New("W601", at(plan, "agent.codx"), strings.Repeat("Write it so. ", 8), "no plan has it"), `
warning[W601]: no plan has it
  --> ai-session-handler.hcl:31:16
   31 |   agent      = agent.codx
      |                ^^^^^^^^^^
      = ` + strings.Repeat("Write it so. ", 8) + `
`},
		{"related and detail", "a\nb\n",
			problem.Problem{Code: "E502", Severity: problem.Error, Summary: "it does not parse", Range: at("a\nb\n", "b"), Detail: "plan.md:1: one\nplan.md:2: two\n"}.
				With(problem.Related{Range: at("a\nb\n", "a"), Message: "first declared here"}, problem.Related{Message: "somewhere"}), `
error[E502]: it does not parse
  --> ai-session-handler.hcl:2:1
    2 | b
      | ^
  --> ai-session-handler.hcl:1:1: first declared here
  --> somewhere
      plan.md:1: one
      plan.md:2: two
`},
		{"tabs", "\tab\tc\td", problem.New("E203", at("\tab\tc\td", "c"), "", "no"), `
error[E203]: no
  --> ai-session-handler.hcl:1:5
    1 | ` + "\tab\tc\td" + `
      | ` + "\t  \t^" + `
`},
		{"a tab in the range", "x = a\tb", problem.New("E203", at("x = a\tb", "a\tb"), "", "no"), `
error[E203]: no
  --> ai-session-handler.hcl:1:5
    1 | x = a` + "\t" + `b
      |     ^^^
`},
		{"wide characters", "x = 界 + 世界", problem.New("E203", at("x = 界 + 世界", "世界"), "", "no"), `
error[E203]: no
  --> ai-session-handler.hcl:1:9
    1 | x = 界 + 世界
      |          ^^^^
`},
		{"several lines", "a = [\r\n 1,\r\n]\r\n", problem.New("E206", at("a = [\r\n 1,\r\n]", "[\r\n 1,\r\n]"), "", "no"), `
error[E206]: no
  --> ai-session-handler.hcl:1:5
    1 | a = [
      |     ^
`},
		{"empty range at the end of a line", "a = \nb", problem.New("E101", problem.Range{File: file, Start: pos("a = \nb", 4), End: pos("a = \nb", 4)}, "", "no"), `
error[E101]: no
  --> ai-session-handler.hcl:1:5
    1 | a = ` + `
      |     ^
`},
		{"byte order mark", "\ufeffab", problem.New("E203", at("\ufeffab", "b"), "", "no"), `
error[E203]: no
  --> ai-session-handler.hcl:1:3
    1 | ab
      |  ^
`},
		{"hostile line", "\x1b[31ma\x07\u202eb\xff\u200bX\u009b2J", problem.New("E203", at("\x1b[31ma\x07\u202eb\xff\u200bX\u009b2J", "X"), "", "no"), `
error[E203]: no
  --> ai-session-handler.hcl:1:12
    1 | �[31ma��b��X�2J
      |            ^
`},
		{"hostile words", "", problem.New("E304", problem.Range{File: "a\x1b]0;x\x07\nb.hcl"}, "Or\x1b[2J not?", "no \u202e \"%s\"", "a\nerror[E1]: b"), `
error[E304]: no � "a error[E1]: b". Or not?
  --> a b.hcl
`},
		{"long line", long, problem.New("E203", at(long, "HERE"), "", "no"), `
error[E203]: no
  --> ai-session-handler.hcl:1:401
    1 | …` + strings.Repeat("a ", 50) + "HERE" + strings.Repeat(" b", 98) + `…
      | ` + strings.Repeat(" ", 101) + `^^^^
`},
		{"long range", strings.Repeat("é", 400), problem.New("E203", at(strings.Repeat("é", 400), strings.Repeat("é", 400)), "", "no"), `
error[E203]: no
  --> ai-session-handler.hcl:1:1
    1 | ` + strings.Repeat("é", 150) + `…
      | ` + strings.Repeat("^", 150) + `
`},
		{"no place", "a", problem.New("E312", problem.Range{}, "", "no variable is named %q", "x"), `
error[E312]: no variable is named "x"
`},
		{"whole file", "a", problem.New("E001", problem.Range{File: file}, "Split it.", "too large?"), `
error[E001]: too large? Split it.
  --> ai-session-handler.hcl
`},
		{"behind the file", "a", problem.New("E101", problem.Range{File: file, Start: problem.Pos{Line: 9, Column: 2, Byte: 99}}, "", "no"), `
error[E101]: no
  --> ai-session-handler.hcl:9:2
`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := filled(test.source, test.problem).Text(false)
			if diff := cmp.Diff(strings.TrimPrefix(test.want, "\n"), got); diff != "" {
				t.Errorf("(- want, + got)\n%s", diff)
			}
		})
	}
}

func TestTextHasColourOnlyWhereAskedFor(t *testing.T) {
	l := filled("a b", problem.New("E203", at("a b", "b"), "", "no"), problem.New("W601", at("a b", "a"), "", "so"))
	want := "\x1b[1;31merror[E203]\x1b[0m: no\n  --> ai-session-handler.hcl:1:3\n    1 | a b\n      |   \x1b[1;31m^\x1b[0m\n\n" +
		"\x1b[1;33mwarning[W601]\x1b[0m: so\n  --> ai-session-handler.hcl:1:1\n    1 | a b\n      | \x1b[1;33m^\x1b[0m\n"
	if diff := cmp.Diff(want, l.Text(true)); diff != "" {
		t.Error(diff)
	}
	if got := l.Text(false); got != termtext.Text(got) || strings.Contains(got, "\x1b") {
		t.Errorf("%q", got)
	}
}

// Whatever the source and the range: nothing panics, what is shown is safe, the
// snippet is bounded, and the carets lie below the line.
func TestAnyProblemCanBeShown(t *testing.T) {
	number := rapid.IntRange(-2, 700)
	place := rapid.Custom(func(t *rapid.T) problem.Pos {
		return problem.Pos{Line: number.Draw(t, "line"), Column: number.Draw(t, "column"), Byte: number.Draw(t, "byte")}
	})
	piece := rapid.SampledFrom([]string{"a", " ", "\t", "\n", "\r", "é", "界", "\x1b[31m", "\x1b", "\xff", "\x80", "\u202e", "\u200d", "e\u0301", "👩‍💻", "\ufeff", strings.Repeat("x", 120), strings.Repeat("世", 50)})
	text := rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "pieces"), "") })
	rapid.Check(t, func(t *rapid.T) {
		source := text.Draw(t, "source")
		p := problem.New("E203", problem.Range{File: file, Start: place.Draw(t, "start"), End: place.Draw(t, "end")},
			text.Draw(t, "hint"), "%s", text.Draw(t, "summary"))
		p.Detail = text.Draw(t, "detail")
		l := filled(source, p)
		if n := len(l[0].Snippet); n > 310 {
			t.Fatalf("a snippet of %d bytes", n)
		}
		got := l.Text(false)
		if safe := termtext.Text(got); got != safe {
			t.Fatalf("unsafe: %q, safe: %q", got, safe)
		}
		checkCarets(t, got)
		if annotation := l.GitHub(); strings.Count(annotation, "\n") != 1 || annotation != termtext.Text(annotation) {
			t.Fatalf("not one safe line: %q", annotation)
		}
		_ = l.Report()
	})
}

func checkCarets(t *rapid.T, text string) {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		carets, ok := strings.CutPrefix(line, "      | ")
		if !ok {
			continue
		}
		_, source, _ := strings.Cut(lines[i-1], " | ")
		// One caret may stand behind the end; a tab is at least as wide as its caret.
		width := runewidth.StringWidth(strings.ReplaceAll(source, "\t", " "))
		if got := len(carets); got > width+1 || strings.HasSuffix(carets, "^^") && got > width {
			t.Fatalf("%d columns of carets below %d: %q", got, width, text)
		}
		if !strings.HasSuffix(carets, "^") {
			t.Fatalf("no caret: %q", text)
		}
	}
}
