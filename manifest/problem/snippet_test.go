package problem_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/ai-session-handler/ai-session-handler/manifest/problem"
)

// The snippet is that part of the line in which the marked text stands, cut
// where the line is longer than 300 bytes.
func TestSnippetHoldsWhatIsMarked(t *testing.T) {
	filler := rapid.SampledFrom([]string{"a", "é", "世", "👩"})
	rapid.Check(t, func(t *rapid.T) {
		lead := strings.Repeat(filler.Draw(t, "lead"), rapid.IntRange(0, 400).Draw(t, "leads"))
		rest := strings.Repeat(filler.Draw(t, "rest"), rapid.IntRange(0, 400).Draw(t, "rests"))
		marked := strings.Repeat("x", rapid.IntRange(0, 100).Draw(t, "marked"))
		lead, rest = "<"+lead, rest+">"
		line := lead + marked + rest
		source := "before\n" + line + "\r\nafter\n"
		from := len("before\n") + len(lead)
		p := filled(source, problem.New("E203", problem.Range{
			File: file, Start: pos(source, from), End: pos(source, from+len(marked)),
		}, "", "no"))[0]

		if got := p.Snippet[p.Mark.From:p.Mark.To]; got != marked {
			t.Fatalf("%q is marked in %q, want %q", got, p.Snippet, marked)
		}
		if len(line) <= 300 && p.Snippet != line {
			t.Fatalf("a short line was cut: %q of %q", p.Snippet, line)
		}
		kept := strings.TrimSuffix(strings.TrimPrefix(p.Snippet, "…"), "…")
		if !strings.Contains(line, kept) || !utf8.ValidString(kept) || len(line) > 300 && len(kept) < 290 || len(kept) > 303 {
			t.Fatalf("%d bytes are kept of %d: %q of %q", len(kept), len(line), kept, line)
		}
		if strings.HasPrefix(p.Snippet, "…") == strings.HasPrefix(kept, "<") {
			t.Fatalf("the start is marked wrong: %q of %q", p.Snippet, line)
		}
		if strings.HasSuffix(p.Snippet, "…") == strings.HasSuffix(kept, ">") {
			t.Fatalf("the end is marked wrong: %q of %q", p.Snippet, line)
		}
	})
}
