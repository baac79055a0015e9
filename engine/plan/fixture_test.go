package plan

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write what is found into the fixtures")

// wantMark ends the plan of a fixture. Behind it stands everything that the
// package says about the plan: its phases, or its problems, and the findings
// of a strict lint.
const wantMark = "-- want --\n"

func fixtures(t testing.TB) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.md")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	all := map[string][]byte{}
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all[path] = content
	}
	return all
}

func splitFixture(t testing.TB, path string, content []byte) (source []byte, want string) {
	t.Helper()
	source, rest, ok := bytes.Cut(content, []byte(wantMark))
	if !ok {
		t.Fatalf("%s has no line %q", path, wantMark)
	}
	return source, string(rest)
}

func TestFixtures(t *testing.T) {
	for path, content := range fixtures(t) {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".md"), func(t *testing.T) {
			source, want := splitFixture(t, path, content)
			got := describe(t, source)
			if *update {
				err := os.WriteFile(path, bytes.Join([][]byte{source, []byte(wantMark), []byte(got)}, nil), 0o644)
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// describe renders all that the package says about a plan.
func describe(t testing.TB, source []byte) string {
	t.Helper()
	var b strings.Builder
	s, err := Parse("plan.md", source)
	var findings []Finding
	if err != nil {
		var e *Error
		if !errors.As(err, &e) {
			t.Fatalf("Parse returned a %T", err)
		}
		describeProblems(&b, e.Problems)
		findings = e.Lint(true)
	} else {
		for _, p := range s.Phases {
			fmt.Fprintf(&b, "%s %q level %d lines %d-%d workspace %q line %d\n",
				p.ID, p.Title, p.Level, p.Line, p.EndLine, p.Workspace, p.WorkspaceLine)
		}
		findings = s.Lint(true)
	}
	describeProblems(&b, findings)
	return b.String()
}

func describeProblems(b *strings.Builder, problems []Problem) {
	for _, p := range problems {
		fmt.Fprintf(b, "%s %d:%d %s\n", p.Code, p.Line, p.Col, p.Message)
		for line := range strings.SplitSeq(p.Fix, "\n") {
			fmt.Fprintf(b, "    %s\n", line)
		}
	}
}

// notInFixtures are the codes that no text can show.
var notInFixtures = map[string]string{
	codeUnreadable: "TestReadRefuses",
	codeDepth:      "TestNesting",
	codeLongBody:   "TestLongBody",
}

func TestEveryRuleHasAFixture(t *testing.T) {
	var wants strings.Builder
	for path, content := range fixtures(t) {
		_, want := splitFixture(t, path, content)
		wants.WriteString("\n" + want)
	}
	for _, r := range Rules() {
		shown := strings.Contains(wants.String(), "\n"+r.Code+" ")
		if other := notInFixtures[r.Code]; shown == (other != "") {
			t.Errorf("%s %s: shown by a fixture: %v; by another test: %q", r.Code, r.Title, shown, other)
		}
	}
}

func TestRulesAreSortedAndComplete(t *testing.T) {
	last := ""
	for _, r := range Rules() {
		if r.Code <= last || r.Title == "" || !strings.HasSuffix(r.Explanation, ".") {
			t.Errorf("bad row after %s: %+v", last, r)
		}
		last = r.Code
	}
}
