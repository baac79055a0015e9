package match

import (
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// chunk is how much a worker's pipe gives at once.
const chunk = 64 << 10

// agentText returns n bytes such as coding agents print: prose, code, diffs,
// colours, typographic quotes and boxes. No rule of this file matches in it.
func agentText(n int) []byte {
	lines := []string{
		"I'll look at the failing test first, then at the code it covers.\n",
		"● Read(engine/match/runner.go)\n  ⎿  Read 142 lines\n",
		"\tif err := s.load(ctx, path); err != nil {\n\t\treturn fmt.Errorf(\"load %s: %w\", path, err)\n\t}\n",
		"\x1b[32m+func (r *Reader) Next() (Event, error) {\x1b[0m\n",
		"\x1b[31m-\treturn nil, errors.New(\"not implemented\")\x1b[0m\n",
		"ok  \texample.com/project/internal/store\t0.412s\tcoverage: 81.3% of statements\n",
		"{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"Done – it’s “green” now.\"}]}}\n",
		"╭──────────────────────────────╮\n│ Running 12 tests in 3 files… │\n╰──────────────────────────────╯\n",
		"2026-11-30T20:13:05Z WARN retrying request attempt=2 rate=0.5 Ready for Review\n",
		"Привет! Die Prüfung läuft – bitte warten.\n",
	}
	random := rand.New(rand.NewPCG(1, 2))
	text := make([]byte, 0, n+256)
	for len(text) < n {
		text = append(text, lines[random.IntN(len(lines))]...)
	}
	return text[:n]
}

// ruleSets are the rules that are measured on agentText.
var ruleSets = []struct {
	name  string
	exprs []string
}{
	{"literal", []string{`NEVER_SEEN`}},
	{"fold", []string{`(?i)rate limit reached`}},
	{"alternatives", []string{`(?i)(usage|rate) limit (reached|exceeded)|quota exhausted|try again (in|at) \d+`}},
	{"prompt", []string{`(?m)(?:[Pp]assword|[Pp]assphrase).*: $\z`}},
	{"line", []string{`(?m)^FATAL:.*$`}},
	{"word", []string{`\bpanic\b.*\bgoroutine\b`}},
	{"unicode", []string{`\p{Greek}{3}|[\p{L}\p{N}]{60}`}},
	{"both", []string{`(?s)BEGIN FAILURE.*END FAILURE`}},
	{"sixteen", sixteen},
}

// sixteen is as many rules as there may be, of all sorts.
var sixteen = []string{
	`NEVER_SEEN`, `(?i)rate limit reached`, `(?i)usage limit (reached|exceeded)`, `quota exhausted`,
	`(?m)^FATAL:`, `\bpanic\b.*\bgoroutine\b`, `(?s)BEGIN FAILURE.*END FAILURE`, `[Pp]assword: $`,
	`(?i)segmentation fault`, `try again (in|at) \d+`, `(?i)permission denied`, `No space left on device`,
	`(?m)^\s*fatal: .*$`, `[Tt]oo many requests`, `\b(401|403|429|529)\b.*(?i:unauthorized|forbidden|overloaded)`, `ENOSPC|EMFILE|ENOMEM`,
}

func compile(tb testing.TB, exprs ...string) *Rules {
	tb.Helper()
	rules, err := Compile(exprs)
	if err != nil {
		tb.Fatal(err)
	}
	return rules
}

// feed writes text in chunks, and fails on a hit.
func feed(tb testing.TB, m *Matcher, text []byte) {
	tb.Helper()
	for ; len(text) > 0; text = text[min(chunk, len(text)):] {
		if hit, ok := m.Write(text[:min(chunk, len(text))]); ok {
			tb.Fatalf("hit: %+v", hit)
		}
	}
}

func benchmark(b *testing.B, m *Matcher, text []byte) {
	b.Helper()
	feed(b, m, text) // the states of the steady state
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		feed(b, m, text)
	}
}

func BenchmarkNoRule(b *testing.B) {
	benchmark(b, compile(b).NewMatcher(), agentText(1<<20))
}

func BenchmarkAgent(b *testing.B) {
	text := agentText(1 << 20)
	for _, set := range ruleSets {
		b.Run(set.name, func(b *testing.B) { benchmark(b, compile(b, set.exprs...).NewMatcher(), text) })
	}
}

// BenchmarkLinear shows that the time for a byte does not depend on the volume.
func BenchmarkLinear(b *testing.B) {
	text := agentText(1 << 20)
	for _, set := range []string{"fold", "sixteen"} {
		for _, mib := range []int{1, 16, 64, 256} {
			b.Run(fmt.Sprintf("%s/%dMiB", set, mib), func(b *testing.B) {
				rules := compile(b, named(set)...)
				b.SetBytes(int64(mib) << 20)
				for b.Loop() {
					m := rules.NewMatcher()
					for range mib {
						feed(b, m, text)
					}
				}
			})
		}
	}
}

func named(set string) []string {
	for _, s := range ruleSets {
		if s.name == set {
			return s.exprs
		}
	}
	panic("no rule set " + set)
}

// explosions need more states than there is room for, on text of a and b.
var explosions = []struct{ name, expr string }{
	{"12", `(a|b)*a(a|b){12}c`},
	{"20", `[ab]*a[ab]{20}c`},
	{"200", `[ab]*a[ab]{200}c`},
	{"many", `[ab]*a(?:[ab]{20}|[ab]{30}|[ab]{40}|(?:ab?){200})c`},
}

// coins returns n random letters a and b.
func coins(n int) []byte {
	random := rand.New(rand.NewPCG(3, 4))
	text := make([]byte, n)
	for i := range text {
		text[i] = "ab"[random.IntN(2)]
	}
	return text
}

func BenchmarkExplosion(b *testing.B) {
	text := coins(1 << 20)
	for _, e := range explosions {
		rules := compile(b, e.expr)
		b.Run(e.name+"/cache", func(b *testing.B) { benchmark(b, rules.NewMatcher(), text) })
		b.Run(e.name+"/simulation", func(b *testing.B) { benchmark(b, rules.newMatcher(limits{}), text) })
		b.Run(e.name+"/fresh", func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				feed(b, rules.NewMatcher(), text)
			}
		})
	}
}

// BenchmarkMatchReader is package regexp on the same text, as a stream. It can't
// ask at the end of a read, so it is no substitute.
func BenchmarkMatchReader(b *testing.B) {
	text := string(agentText(1 << 20))
	for _, set := range ruleSets[:len(ruleSets)-1] {
		b.Run(set.name, func(b *testing.B) {
			re := regexp.MustCompile(set.exprs[0])
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if re.MatchReader(io.RuneReader(strings.NewReader(text))) {
					b.Fatal("matched")
				}
			}
		})
	}
}
