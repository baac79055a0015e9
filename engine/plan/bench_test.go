package plan

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// usualBody has the size and the mix of a phase found in real plans: 5 to 6
// KB of prose, lists and a little code.
func usualBody() string {
	const prose = "The worker reads the handler first, then moves the `check` behind the lock, so that\n" +
		"no two of them *ever* see the same state. See [the design](docs/design.md) for why.\n\n"
	const list = "- Change the signature, keeping the old one for a release\n- Say so in the change log\n\n"
	const code = "```go\nfunc (s *Store) Load(ctx context.Context) (State, error) {\n\treturn s.read(ctx)\n}\n```\n\n"
	section := strings.Repeat(prose, 5) + list + code
	return "\n### Workspace\n\n.\n\n### Goal\n\n" + section + "### Execution steps\n\n" + section +
		section + "### Validation\n\nRun the tests.\n\n" + section
}

// planOfSize returns a plan of about that many bytes.
func planOfSize(size int) []byte {
	body := usualBody()
	var b bytes.Buffer
	for n := 1; b.Len() < size; n++ {
		fmt.Fprintf(&b, "## Phase %d: Title\n%s", n, body)
	}
	return b.Bytes()
}

// hostile are inputs that could cost more than linear time.
func hostile(n int) map[string]string {
	return map[string]string{
		"phases":          strings.Repeat("# Phase 1: x\n", n/13),
		"long line":       strings.Repeat("a", n),
		"long heading":    "# Phase 1: " + strings.Repeat("a", n),
		"spaces":          "# Phase 1: x" + strings.Repeat(" ", n) + "x",
		"hashes":          strings.Repeat("#", n) + " Phase 1: x",
		"closing hashes":  "# Phase 1: x " + strings.Repeat("#", n),
		"quotes":          strings.Repeat(">", n) + " x",
		"deep quotes":     strings.Repeat(strings.Repeat(">", 99)+"x\n", n/100),
		"list markers":    strings.Repeat("- ", n/2) + "x",
		"stairs":          stairs(n),
		"items":           strings.Repeat("- a\n", n/4),
		"numbered":        strings.Repeat("1. a\n\n", n/6),
		"link references": strings.Repeat("[a]: b\n", n/7),
		"brackets":        strings.Repeat("[", n),
		"bracket lines":   strings.Repeat("[a\n", n/3),
		"underlines":      strings.Repeat("a\n=\n", n/4),
		"underline lines": "a\n" + strings.Repeat("=\n", n/2),
		"tag":             "<a " + strings.Repeat("b ", n/2) + ">",
		"tags":            strings.Repeat("<div>\n", n/6),
		"comments":        strings.Repeat("<!-- a -->\n", n/11),
		"half comments":   strings.Repeat("a <!--\n\n", n/8),
		"reopened":        strings.Repeat("a --> <!--\n", n/11),
		"half phases":     strings.Repeat("a <!--\n\n# Phase 1: x\n\n-->\n\n", n/28),
		"nested":          strings.Repeat("<!-- ", n/10) + strings.Repeat("-->\n# Phase 1: x\n", n/34),
		"half unclosed":   "a <!--\n\n" + strings.Repeat("# Phase 1: x\n", n/13),
		"backticks":       backtickStairs(n) + "<!--",
		"spans":           strings.Repeat("`a` <!-- `b` --> \\` ", n/21),
		"dashes":          "a <!-- " + strings.Repeat("-", n),
		"odd spaces":      strings.Repeat("\u00a0", n/2) + "## Phase 1: x",
		"odd phases":      strings.Repeat("## Phase\u00a01: x\n", n/15),
		"odd lines":       strings.Repeat("\u2028## Phase 1: x", n/16),
		"odd misses":      "# Phase 1: x\n" + strings.Repeat("\u200b# Phase 2 - x\n", n/17),
		"fences":          strings.Repeat("```\n", n/4),
		"inner fences":    "````\n" + strings.Repeat("```a\n", n/5) + "````\n",
		"hidden":          "<div>\n" + strings.Repeat("# Phase 1: x\n", n/13),
		"unclosed":        "```\n" + strings.Repeat("# Phase 1: x\n", n/13),
		"workspaces":      "# Phase 1: x\n" + strings.Repeat("### Workspace\n", n/14),
		"content":         "# Phase 1: x\n### Workspace\n" + strings.Repeat("a\n", n/2),
		"near misses":     "# Phase 1: x\n" + strings.Repeat("# Phase 2 - x\n", n/14),
		"bold":            "# Phase 1: x\n" + strings.Repeat("**Phase 2: x**\n", n/15),
		"long near miss":  "# Phase 1: x\n# Phase " + strings.Repeat("1-", n/2) + ": x\n",
		"long number":     "# Phase " + strings.Repeat("9", n) + ": x\n",
		"tabs":            strings.Repeat("\t", n) + "x",
		"carriage":        strings.Repeat("\r", n),
		"tabbed items":    strings.Repeat("-\t", n/2) + "x",
	}
}

// backtickStairs holds runs of backticks of all lengths, none of them twice.
func backtickStairs(n int) string {
	var b strings.Builder
	for length := 1; b.Len()+length < n; length++ {
		b.WriteString(strings.Repeat("`", length) + " ")
	}
	return b.String()
}

// stairs nests one list deeper on each line.
func stairs(n int) string {
	var b strings.Builder
	for depth := 0; b.Len() < n; depth = (depth + 1) % 400 {
		b.WriteString(strings.Repeat(" ", 2*depth) + "- a\n")
	}
	return b.String()
}

func BenchmarkParse(b *testing.B) {
	sizes := map[string][]byte{
		"1MB":              planOfSize(1 << 20),
		"8KB":              planOfSize(8 << 10),
		"100000_phases":    manyPhases(100_000),
		"10MB_single_line": []byte("# Phase 1: x\n### Workspace\n.\n### Tests\n" + strings.Repeat("a ", 5<<20)),
	}
	for name, source := range sizes {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(source)))
			for b.Loop() {
				if _, err := Parse("plan.md", source); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func manyPhases(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, "## Phase %d: T\n### Workspace\n.\n", i+1)
	}
	return b.Bytes()
}

func BenchmarkLint(b *testing.B) {
	s, err := Parse("plan.md", planOfSize(1<<20))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(s.Source)))
	for b.Loop() {
		s.Lint(true)
	}
}

// BenchmarkHostile measures inputs of 100 KB and ten times as much: the time
// must grow by about ten.
func BenchmarkHostile(b *testing.B) {
	for _, n := range []int{100_000, 1_000_000} {
		for name, source := range hostile(n) {
			b.Run(fmt.Sprintf("%s/%d", strings.ReplaceAll(name, " ", "_"), n), func(b *testing.B) {
				b.SetBytes(int64(len(source)))
				for b.Loop() {
					describe(b, []byte(source))
				}
			})
		}
	}
}
