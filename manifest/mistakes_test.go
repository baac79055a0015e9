package manifest

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ai-session-handler/ai-session-handler/schema/codes"
)

// TestMistakes checks what people do wrong: each mistake is reported once, at its
// place and with a way out, and nothing else is.
func TestMistakes(t *testing.T) {
	for _, path := range archives(t) {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			f := loadFixture(t, path)
			f.check()
			left := slices.Clone(f.problems)
			for _, w := range f.wants {
				i := slices.IndexFunc(left, w.fits)
				if i < 0 {
					t.Errorf("not reported: %+v", w)
					continue
				}
				left = slices.Delete(left, i, i+1)
			}
			for _, p := range left {
				t.Errorf("not wanted: %s:%d %s `%s` %q %q", p.Range.File, p.Range.Start.Line, p.Code, p.Snippet[p.Mark.From:p.Mark.To], p.Summary, p.Hint)
			}
			f.checkWords(t)
			for _, text := range f.hidden {
				if strings.Contains(f.problems.Text(false), text) {
					t.Errorf("%q is shown:\n%s", text, f.problems.Text(false))
				}
			}
		})
	}
}

func TestEveryCodeHasAMistake(t *testing.T) {
	seen := map[string]bool{}
	for _, path := range archives(t) {
		for _, w := range loadFixture(t, path).wants {
			seen[w.code] = true
		}
	}
	for _, code := range codes.All() {
		if !seen[code.ID] {
			t.Errorf("no fixture has %s (%s)", code.ID, code.Title)
		}
	}
}

// checkWords checks that a summary is one line without a full stop, and a hint a
// sentence: they are put together.
func (f *fixture) checkWords(t *testing.T) {
	t.Helper()
	for _, p := range f.problems {
		if p.Summary == "" || strings.Contains(p.Summary, "\n") || strings.HasSuffix(p.Summary, ".") || len(p.Summary) > 1000 {
			t.Errorf("%s: the summary %q", p.Code, p.Summary)
		}
		if p.Hint != "" && (!strings.ContainsAny(p.Hint[len(p.Hint)-1:], ".?!") || strings.ToUpper(p.Hint[:1]) != p.Hint[:1]) {
			t.Errorf("%s: the hint %q", p.Code, p.Hint)
		}
	}
}

func archives(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("testdata/mistakes/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	return paths
}

// The same problems come in the same order, however often they are looked for.
func TestTheOrderOfProblemsIsFixed(t *testing.T) {
	for _, path := range archives(t) {
		f := loadFixture(t, path)
		f.check()
		first := f.problems.Text(false)
		for range 5 {
			f.check()
			if diff := cmp.Diff(first, f.problems.Text(false)); diff != "" {
				t.Fatalf("%s:\n%s", path, diff)
			}
		}
	}
}

// The examples of the table of codes show what they say: those that are wrong
// have one problem, those that are right have none.
func TestExamplesOfCodes(t *testing.T) {
	for _, code := range codes.All() {
		if code.Wrong == "" {
			continue
		}
		if found := codesOf(t, code.Wrong); !slices.Equal(found, []string{code.ID}) {
			t.Errorf("%s, wrong: reported %v", code.ID, found)
		}
		if found := codesOf(t, code.Right); len(found) > 0 {
			t.Errorf("%s, right: reported %v", code.ID, found)
		}
	}
}

// codesOf checks a manifest on a machine that has no other program than
// my-agent, no cgroup and no variables.
func codesOf(t *testing.T, text string) (found []string) {
	t.Helper()
	root := workspaceOf(t)
	write(t, filepath.Join(root, FileName), text)
	f := fixture{in: Input{Root: root, Path: filepath.Join(root, FileName), Program: "1.0.0", Config: Layer{}}}
	f.machine = fakeMachine{missing: "my-agnet", limits: "there is no cgroup"}
	f.check()
	for _, p := range f.problems {
		found = append(found, p.Code)
	}
	return found
}
