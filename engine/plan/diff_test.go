package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ai-session-handler/ai-session-handler/engine/termtext"
)

// phases is a plan with a preamble and phases of this number and text.
func phases(preamble string, list ...string) string {
	var b strings.Builder
	b.WriteString(preamble)
	for i := 0; i < len(list); i += 2 {
		fmt.Fprintf(&b, "## Phase %s: Title %s\n\n### Workspace\n\n.\n\n### Goal\n\n%s", list[i], list[i], list[i+1])
	}
	return b.String()
}

func TestDiff(t *testing.T) {
	base := phases("# Plan\n\n", "1", "One.\n", "2", "Two.\n")
	for _, test := range []struct {
		name, old, now string
		want           []string
	}{
		{"nothing", base, base, nil},
		{
			"preamble and a body", base,
			strings.NewReplacer("# Plan\n", "# Another plan\n\nMore.\n", "Two.", "Zwei.").Replace(base),
			[]string{
				"--- accepted", "+++ now",
				"preamble:", "@@ -1,2 +1,4 @@", "-# Plan", "+# Another plan", "+", "+More.", " ",
				"phase-2 Title 2:", "@@ -17,4 +19,4 @@", " ", " ### Goal", " ", "-Two.", "+Zwei.",
			},
		},
		{
			"title", base, strings.Replace(base, "Title 1", "First", 1),
			[]string{
				"--- accepted", "+++ now",
				"phase-1 First:", "@@ -3,4 +3,4 @@", "-## Phase 1: Title 1", "+## Phase 1: First", " ", " ### Workspace", " ",
			},
		},
		{
			"phases that come and go", phases("", "1", "One.\n", "3", "Three.\n", "10", "Ten.\n"), phases("", "2", "Two.\n", "3", "Three.\n", "20", ""),
			[]string{
				"--- accepted", "+++ now",
				"phase-1 Title 1 is gone", "phase-2 Title 2 is new", "phase-10 Title 10 is gone", "phase-20 Title 20 is new",
			},
		},
		{
			"an end without newline", base, strings.TrimSuffix(base, "\n"),
			[]string{
				"--- accepted", "+++ now",
				"phase-2 Title 2:", "@@ -17,4 +17,4 @@", " ", " ### Goal", " ", "-Two.", "+Two.", `\ No newline at end of file`,
			},
		},
		{
			"line ends", base, strings.ReplaceAll(base, "\n", "\r\n"),
			[]string{
				"--- accepted", "+++ now",
				"preamble: only line ends differ", "phase-1 Title 1: only line ends differ", "phase-2 Title 2: only line ends differ",
			},
		},
		{
			"line ends beside a change", phases("", "1", "One.\n"), strings.ReplaceAll(phases("", "1", "Eins.\n"), "\n", "\r\n"),
			[]string{
				"--- accepted", "+++ now",
				"phase-1 Title 1, where line ends differ too:", "@@ -6,4 +6,4 @@", " ", " ### Goal", " ", "-One.", "+Eins.",
			},
		},
		{
			"what a terminal would obey", phases("", "1", "One.\n"), phases("", "1", "O\x1b[2Jn\re\u2028  next: rm\u009b1m\ufeff.\n"),
			[]string{
				"--- accepted", "+++ now",
				"phase-1 Title 1:", "@@ -6,4 +6,4 @@", " ", " ### Goal", " ", "-One.", `+O\u{001B}[2Jn\u{000D}e\u{2028}  next: rm\u{009B}1m\u{FEFF}.`,
			},
		},
		{
			"a long line", phases("", "1", "One.\n"), phases("", "1", strings.Repeat("é", 1000)+"\n"),
			[]string{
				"--- accepted", "+++ now",
				"phase-1 Title 1:", "@@ -6,4 +6,4 @@", " ", " ### Goal", " ", "-One.", "+" + strings.Repeat("é", maxDiffLine) + "…",
			},
		},
		{
			"a large section", phases("", "1", "One.\n"), phases("", "1", strings.Repeat("x\n", maxCompared/2)),
			[]string{"--- accepted", "+++ now", "phase-1 Title 1: 54 bytes became 1048625, too much to compare here"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, Diff(mustParse(t, test.old), mustParse(t, test.now))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestADiffHidesNothingThatAnAgentReads shows what is printed of a changed plan,
// behind the filter that makes it safe for a terminal.
func TestADiffHidesNothingThatAnAgentReads(t *testing.T) {
	for _, test := range []struct{ name, added, want string }{
		{"tag characters", "Two.\U000e0072\U000e006d\U000e0001", `+Two.\u{E0072}\u{E006D}\u{E0001}`},
		{"zero-width space", "T\u200bwo.", `+T\u{200B}wo.`},
		{"soft hyphen", "T\u00adwo.", `+T\u{00AD}wo.`},
		{"word joiner", "T\u2060wo.", `+T\u{2060}wo.`},
		{"fillers", "T\u115fw\u3164o\uffa0\u2800.", `+T\u{115F}w\u{3164}o\u{FFA0}\u{2800}.`},
		{"variation selectors", "T\ufe01\U000e0170wo.", `+T\u{FE01}\u{E0170}wo.`},
		{"marks of direction", "T\u202ewo\u2066.\u200f", `+T\u{202E}wo\u{2066}.\u{200F}`},
		{"odd spaces", "T\u00a0w\u2003o.", `+T\u{00A0}w\u{2003}o.`},
		{"blanks at the end", "Two. \t", `+Two.\u{0020}\u{0009}`},
		{"a line of blanks", "Two.\n  ", `+\u{0020}\u{0020}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			old := phases("", "1", "One.\n", "2", "Two.\n")
			diff := Diff(mustParse(t, old), mustParse(t, strings.Replace(old, "Two.", test.added, 1)))
			printed := strings.Split(termtext.Text(strings.Join(diff, "\n")), "\n")
			if !slices.Contains(printed, test.want) {
				t.Errorf("no line %q in %q", test.want, printed)
			}
		})
	}
}

// TestDiffMissesNothing has random texts: they differ in no line only where
// they are the same, and every line is one.
func TestDiffMissesNothing(t *testing.T) {
	line := rapid.SampledFrom([]string{"a\n", "b\n", "c\n", "a\r\n", "\n", "\x1b[31m\n", "d\re\n"})
	lines := rapid.SliceOfN(line, 0, 12)
	rapid.Check(t, func(rt *rapid.T) {
		draw := func(name string) string {
			return phases(strings.Join(lines.Draw(rt, name+" preamble"), ""), "1", strings.Join(lines.Draw(rt, name+" body"), ""))
		}
		old, now := draw("old"), draw("now")
		diff := Diff(mustParse(t, old), mustParse(t, now))
		if (len(diff) == 0) != (old == now) {
			rt.Fatalf("%q and %q: %q", old, now, diff)
		}
		for _, one := range diff {
			if strings.ContainsFunc(one, unicode.IsControl) {
				rt.Fatalf("%q is more than a line", one)
			}
		}
	})
}

func BenchmarkDiffOfNothingInCommon(b *testing.B) {
	var old, now strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&old, "old line %d\n", i)
		fmt.Fprintf(&now, "new line %d\n", i)
	}
	x, y := mustParse(b, phases("", "1", old.String())), mustParse(b, phases("", "1", now.String()))
	for b.Loop() {
		Diff(x, y)
	}
}
