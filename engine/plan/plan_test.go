package plan

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func mustParse(t testing.TB, source string) *Snapshot {
	t.Helper()
	s, err := Parse("/p/plan.md", []byte(source))
	if err != nil {
		t.Fatalf("Parse: %v", err)
	}
	return s
}

func problemsOf(t testing.TB, source string) []Problem {
	t.Helper()
	_, err := Parse("/p/plan.md", []byte(source))
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("Parse returned %v, want an *Error", err)
	}
	return e.Problems
}

func TestSnapshot(t *testing.T) {
	const source = "\ufeffIntro.\r\n\r\n## Phase 2: Title  \r\nBody\r\n### Workspace\r\n../a b\r\n# Phase 30: Next #\n### Workspace\n."
	s := mustParse(t, source)
	if s.Path != "/p/plan.md" || string(s.Source) != source {
		t.Errorf("path %q, source %q", s.Path, s.Source)
	}
	if want := fmt.Sprintf("%x", sha256.Sum256([]byte(source))); s.SHA256 != want {
		t.Errorf("digest %s, want %s", s.SHA256, want)
	}
	if string(s.Preamble) != "\ufeffIntro.\r\n\r\n" {
		t.Errorf("preamble %q", s.Preamble)
	}
	p, ok := s.Phase("phase-2")
	if !ok || p.Title != "Title" || p.Level != 2 || p.Line != 3 || p.EndLine != 6 ||
		string(p.Heading) != "## Phase 2: Title  \r\n" ||
		string(p.Body) != "Body\r\n### Workspace\r\n../a b\r\n" ||
		p.Workspace != "../a b" || p.WorkspaceLine != 6 {
		t.Errorf("phase-2: %+v", p)
	}
	p, ok = s.Phase("phase-30")
	if !ok || p.Title != "Next" || p.Level != 1 || p.EndLine != 9 || string(p.Body) != "### Workspace\n." {
		t.Errorf("phase-30: %+v", p)
	}
	for _, id := range []string{"", "2", "phase-", "phase-1", "phase-3", "phase-31", "phase-02"} {
		if p, ok := s.Phase(id); ok {
			t.Errorf("Phase(%q) = %+v", id, p)
		}
	}
}

// A caller that appends to one part must not write into the next.
func TestPartsDoNotShareCapacity(t *testing.T) {
	s := mustParse(t, "x\n# Phase 1: A\n### Workspace\n.\n# Phase 2: B\n### Workspace\n.\n")
	before := string(s.Source)
	_ = append(s.Preamble, "overwritten"...)
	_ = append(s.Phases[0].Heading, "overwritten"...)
	_ = append(s.Phases[0].Body, "overwritten"...)
	if string(s.Source) != before {
		t.Errorf("source is now %q", s.Source)
	}
}

func TestErrorText(t *testing.T) {
	_, err := Parse("/p/plan.md", []byte("x\n\n  ## Phase 0: A\n\n### Workspace\n\n/abs\n"))
	const want = `/p/plan.md:3:3: phase 0 is not allowed: numbers start at 1
    Number the phases from 1 on, and change what refers to them.
/p/plan.md:7:1: the workspace of phase 0 must be a relative path, but "/abs" is absolute
    Write the path from the root of the plan's workspace, like "." or "../transaction-service".`
	if err == nil || err.Error() != want {
		t.Errorf("got:\n%v\nwant:\n%s", err, want)
	}
	_, err = Parse("plan.md", nil)
	if err == nil || !strings.HasPrefix(err.Error(), "plan.md: no executable phase") {
		t.Errorf("got: %v", err)
	}
}

// A message repeats what the plan says, but never its control characters.
func TestMessagesAreOneCleanLine(t *testing.T) {
	for _, p := range problemsOf(t, "> ## Phase 1: \x1b[31mred\x1b[0m"+strings.Repeat("ü", 500)+"\n") {
		if strings.ContainsAny(p.Message, "\x1b\n") || len(p.Message) > 400 {
			t.Errorf("message %q", p.Message)
		}
	}
}

func TestLongBody(t *testing.T) {
	body := "### Workspace\n.\n### Tests\n"
	body += strings.Repeat("x", maxBody-len(body)-1) + "\n"
	if found := mustParse(t, "# Phase 1: A\n"+body).Lint(true); len(found) > 0 && found[0].Code == codeLongBody {
		t.Errorf("a body of exactly the limit is reported: %v", found)
	}
	s := mustParse(t, "## Phase 1: A\n"+body+"x\n")
	found := s.Lint(true)
	if len(found) != 1 || found[0].Code != codeLongBody || found[0].Line != 1 {
		t.Errorf("found %v", found)
	}
	if found := s.Lint(false); len(found) != 0 {
		t.Errorf("a lint that is not strict found %v", found)
	}
}

func TestNesting(t *testing.T) {
	for name, deep := range map[string]string{
		"quotes": strings.Repeat(">", maxDepth+50) + " x\n",
		"lists":  strings.Repeat("- ", maxDepth) + "x\n",
	} {
		problems := problemsOf(t, "# Phase 1: A\n### Workspace\n.\n### More\n"+deep)
		if len(problems) != 1 || problems[0].Code != codeDepth || problems[0].Line != 5 {
			t.Errorf("%s: %v", name, problems)
		}
	}
	mustParse(t, "# Phase 1: A\n### Workspace\n.\n### More\n"+strings.Repeat(">", maxDepth)+" x\n")
}

func TestManyPhases(t *testing.T) {
	s, err := Parse("plan.md", manyPhases(100_000))
	if err != nil || len(s.Phases) != 100_000 {
		t.Fatalf("%v", err)
	}
	p, ok := s.Phase("phase-99999")
	if !ok || p.Line != 3*99_998+1 {
		t.Errorf("phase-99999: %+v", p)
	}
}

func TestLongNumbersAndLines(t *testing.T) {
	number := strings.Repeat("9", 100_000)
	s := mustParse(t, "# Phase "+number+": A\n### Workspace\n.\n# Phase 1"+strings.Repeat("0", 100_000)+": B\n### Workspace\n.\n")
	if s.Phases[0].ID != "phase-"+number || len(s.Phases) != 2 {
		t.Error("a number of 100,000 digits is not kept")
	}
	long := strings.Repeat("a", 10<<20)
	if s := mustParse(t, long+"\n# Phase 1: A\n### Workspace\n.\n"); len(s.Preamble) != len(long)+1 {
		t.Errorf("preamble of %d bytes", len(s.Preamble))
	}
}

func TestSuccessor(t *testing.T) {
	for n, want := range map[string]string{"0": "1", "9": "10", "199": "200", "18446744073709551615": "18446744073709551616"} {
		if got := successor(n); got != want {
			t.Errorf("successor(%s) = %s, want %s", n, got, want)
		}
	}
}

// part is a piece of a generated plan and the phase that it is, if any.
type part struct {
	text  string
	phase string // its title
}

// parts generates plans that must parse, with what must be found in them.
func parts(t *rapid.T) []part {
	var all []part
	number := 0
	for range rapid.IntRange(1, 8).Draw(t, "parts") {
		title := fmt.Sprintf("T%d `x` #%d", number, number)
		example := "## Phase 1: Example\n### Workspace\n/abs\n"
		number++
		form := rapid.SampledFrom([]string{
			"## Phase %d: %s\n", "  # Phase %d: %s ##  \n", "#\tPhase 0%d: %s\n", "Phase %d: %s\n===\n", " Phase %d: %s\n  -\n",
		}).Draw(t, "form")
		heading := fmt.Sprintf(form, number, title)
		all = append(all, part{heading + "\n### Workspace\n\n.\n\n### More\n\n", title})
		filler := rapid.SliceOf(rapid.SampledFrom([]string{
			"Text with Phase 3: words.\nMore.\n\n", "```\n" + example + "```\n\n", "~~~~ md\n" + example + "~~~\n~~~~~\n\n",
			"<!--\n" + example + "\n" + example + "-->\n", "- item\n\n  ```\n  ## Phase 1: Example\n  ```\n\nText.\n\n", "> quote\n> # Heading\n\n",
			"#### Part\n\n", "<details>\n\ntext\n\n</details>\n\n", "    code\n\n", "---\n\n", "<!-- # Phase 9: x -->\n",
		})).Draw(t, "filler")
		all = append(all, part{text: strings.Join(filler, "")})
	}
	return all
}

func TestGeneratedPlans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		source := rapid.SampledFrom([]string{"", bom, bom + "# Plan\n\n"}).Draw(t, "start")
		var want []string
		for _, p := range parts(t) {
			source += p.text
			if p.phase != "" {
				want = append(want, p.phase)
			}
		}
		source = strings.ReplaceAll(source, "\n", rapid.SampledFrom([]string{"\n", "\r\n", "\r"}).Draw(t, "line end"))
		s, err := Parse("plan.md", []byte(source))
		if err != nil {
			t.Fatalf("%v\n%q", err, source)
		}
		var got []string
		for _, p := range s.Phases {
			got = append(got, p.Title)
		}
		if strings.Join(got, "|") != strings.Join(want, "|") {
			t.Fatalf("phases %q, want %q in\n%q", got, want, source)
		}
		if glued := glue(s.Preamble, s.Phases); !bytes.Equal(glued, s.Source) {
			t.Fatalf("the parts make %q, not %q", glued, source)
		}
	})
}

func glue(preamble []byte, phases []Phase) []byte {
	all := bytes.Clone(preamble)
	for _, p := range phases {
		all = append(append(all, p.Heading...), p.Body...)
	}
	return all
}

func TestTemplate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		title := rapid.OneOf(
			rapid.String(),
			rapid.SampledFrom([]string{
				"", "Phase 1: x", "1. Phase 2 - y", "# a", "###", "a #", "<!-- a", "Fase 3: z", "a\nb", "Phase 1: x ##",
				"\xff", "a\r## Phase 1: b", "[a]: b", "Phase 1:x", "**Phase 7: b**", "\u2028", "- [ ] a", "第1阶段", "\u00a0",
			})).Draw(t, "title")
		n := rapid.IntRange(-1, 12).Draw(t, "phases")
		s, err := Parse("plan.md", Template(title, n))
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Phases) != max(n, 1) {
			t.Fatalf("%d phases, want %d", len(s.Phases), n)
		}
		if found := s.Lint(true); len(found) > 0 {
			t.Fatalf("lint: %v", found)
		}
	})
}

func TestTemplateKeepsTitle(t *testing.T) {
	if got := string(Template("Größe: ändern", 2)); !strings.HasPrefix(got, "# Größe: ändern\n\n") {
		t.Errorf("got %q", got[:40])
	}
}
