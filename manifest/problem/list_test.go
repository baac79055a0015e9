package problem_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ai-session-handler/ai-session-handler/manifest/problem"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

func placed(code, name string, line int, summary string) problem.Problem {
	at := problem.Pos{Line: line, Column: 1, Byte: line * 10}
	return problem.New(code, problem.Range{File: name, Start: at, End: at}, "", "%s", summary)
}

func TestSort(t *testing.T) {
	want := problem.List{
		placed("E203", "a.hcl", 9, "x"),
		placed("E203", "b.hcl", 2, "x"),
		placed("E203", "b.hcl", 10, "x"),
		placed("E304", "b.hcl", 10, "a"),
		placed("E304", "b.hcl", 10, "b"),
		placed("E304", "b.hcl", 10, "b").With(problem.Related{Message: "a"}),
		placed("E304", "b.hcl", 10, "b").With(problem.Related{Message: "b"}),
	}
	rapid.Check(t, func(t *rapid.T) {
		twice := slices.Concat(want, want[:3])
		got := rapid.Permutation(twice).Draw(t, "order").Sort()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestErr(t *testing.T) {
	warnings := problem.List{placed("W601", "a.hcl", 1, "x")}
	if err := warnings.Err(); err != nil || warnings.HasErrors() {
		t.Errorf("warnings: %v", err)
	}
	l := append(slices.Clone(warnings), placed("E203", "a.hcl", 2, "bad"))
	if got := l.Err().Error(); got != "a.hcl:2:1: bad" {
		t.Errorf("one error: %s", got)
	}
	l = append(l, placed("E203", "a.hcl", 3, "x"), placed("E203", "a.hcl", 4, "x"))
	var invalid *problem.Invalid
	if err := l.Err(); !errors.As(err, &invalid) || err.Error() != "a.hcl:2:1: bad (and 2 more errors)" {
		t.Errorf("three errors: %v", err)
	} else if diff := cmp.Diff(l, invalid.Problems); diff != "" {
		t.Error(diff)
	}
}

// Warnings give way to errors, and both keep their order.
func TestTooManyProblems(t *testing.T) {
	var l problem.List
	for i := range 40 {
		l = append(l, placed("W601", "a.hcl", i, fmt.Sprintf("warning %02d", i)))
	}
	for i := range 30 {
		l = append(l, placed("E203", "b.hcl", i, fmt.Sprintf("error %02d", i)))
	}
	text := l.Text(false)
	if strings.Count(text, "error[") != 30 || strings.Count(text, "warning[") != 20 || !strings.HasSuffix(text, "\n\nand 20 more\n") {
		t.Errorf("%s", text)
	}
	if strings.Contains(text, "warning 20") || !strings.HasPrefix(text, "warning[W601]: warning 00") {
		t.Errorf("not the first warnings, or not in order: %s", text)
	}
	r := l.Report()
	if len(r.Problems) != problem.Max || r.More != 20 {
		t.Errorf("%d problems and %d more", len(r.Problems), r.More)
	}
	if !strings.HasSuffix(l.GitHub(), "\n::notice::and 20 more\n") {
		t.Errorf("%s", l.GitHub())
	}
	if r := slices.Repeat(l[40:], 2).Report(); len(r.Problems) != problem.Max || r.More != 10 {
		t.Errorf("errors alone: %d and %d more", len(r.Problems), r.More)
	}
}

func TestWithLeavesTheOriginalAlone(t *testing.T) {
	p := placed("E306", "a.hcl", 1, "x").With(problem.Related{Message: "one"})
	_ = p.With(problem.Related{Message: "two"})
	if q := p.With(problem.Related{Message: "three"}); len(p.Related) != 1 || q.Related[1].Message != "three" {
		t.Errorf("%v %v", p, q)
	}
}

func TestReport(t *testing.T) {
	l := filled("a = b\n", problem.New("E304", at("a = b\n", "b"), "Did you mean <c>?", "no %q", "b"))
	got, err := record.Encode(l.Report())
	want := `{
  "format": "ai-session-handler/validate/1",
  "valid": false,
  "problems": [
    {
      "code": "E304",
      "severity": "error",
      "summary": "no \"b\"",
      "hint": "Did you mean <c>?",
      "range": {
        "file": "ai-session-handler.hcl",
        "start": {
          "line": 1,
          "column": 5,
          "byte": 4
        },
        "end": {
          "line": 1,
          "column": 6,
          "byte": 5
        }
      },
      "related": [],
      "snippet": "a = b",
      "detail": ""
    }
  ],
  "more": 0
}
`
	if diff := cmp.Diff(want, string(got)); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	empty, err := record.EncodeLine(problem.List(nil).Report())
	if want := `{"format":"ai-session-handler/validate/1","valid":true,"problems":[],"more":0}` + "\n"; string(empty) != want || err != nil {
		t.Errorf("%s %v", empty, err)
	}
}

func TestGitHub(t *testing.T) {
	lines := problem.Range{File: "a.hcl", Start: problem.Pos{Line: 2, Column: 3, Byte: 9}, End: problem.Pos{Line: 4, Column: 2, Byte: 30}}
	for _, test := range []struct {
		name    string
		problem problem.Problem
		want    string
	}{
		{"one line", problem.New("E304", at("a = b", "b"), "Did you mean c?", "no %q", "b"),
			`::error file=ai-session-handler.hcl,line=1,col=5,endColumn=6,title=E304::no "b". Did you mean c?`},
		{"several lines", problem.New("W601", lines, "", "unused"),
			`::warning file=a.hcl,line=2,endLine=4,title=W601::unused`},
		{"whole file", problem.New("E001", problem.Range{File: "a.hcl"}, "", "too large"),
			`::error file=a.hcl,title=E001::too large`},
		{"no place", problem.New("E312", problem.Range{}, "", "no variable"),
			`::error title=E312::no variable`},
		{"escaping", problem.New("E304", problem.Range{File: "a,b:100%\n.hcl"}, "", "100%%: a, b\r\n::error::x"),
			`::error file=a%2Cb%3A100%25 .hcl,title=E304::100%25: a, b ::error::x`},
		{"related and detail", problem.Problem{Code: "E502", Severity: problem.Error, Summary: "bad", Detail: "one\ntwo %\n"}.
			With(problem.Related{Range: at("a = b", "b"), Message: "here"}),
			`::error title=E502::bad%0Aai-session-handler.hcl:1:5: here%0Aone%0Atwo %25`},
	} {
		if diff := cmp.Diff(test.want+"\n", problem.List{test.problem}.GitHub()); diff != "" {
			t.Errorf("%s (- want, + got)\n%s", test.name, diff)
		}
	}
}
