package match

import (
	"strings"
	"sync"
	"testing"
)

// matcherCases write one after the other until there is a hit.
var matcherCases = []struct {
	name   string
	exprs  []string
	writes []string
	at     int // the write that hits; -1 for none
	rule   int
	offset int64
}{
	{"literal", []string{`STOP`}, []string{"we STOP here"}, 0, 0, 7},
	{"literal at the end of a write", []string{`STOP`}, []string{"we ", "STOP"}, 1, 0, 7},
	{"literal in pieces", []string{`STOP`}, []string{"wSST", "", "O", "P!"}, 3, 0, 6},
	{"literal missed", []string{`STOP`}, []string{"STO", "XP", "STO"}, -1, 0, 0},
	{"literal begun twice", []string{`ababac`}, []string{"abab", "abac"}, 1, 0, 8},
	{"across writes", []string{`(?s)A.*B`}, []string{"x A\n", "y\n", "z\n", "B"}, 3, 0, 9},
	{"across writes, not across lines", []string{`A.*B`}, []string{"A", "\n", "B"}, -1, 0, 0},
	{"prompt, then silence", []string{`Password: $`}, []string{"Password: "}, 0, 0, 10},
	{"prompt that goes on", []string{`Password: $`}, []string{"Password: none\n"}, -1, 0, 0},
	{"prompt in pieces", []string{`Password: $`}, []string{"Password:", " "}, 1, 0, 10},
	{"no end in the middle of a write", []string{`a\z`}, []string{"ab"}, -1, 0, 0},
	{"each end of a write counts", []string{`a\z`}, []string{"xa", "b"}, 0, 0, 2},
	{"end of line in the middle", []string{`(?m)a$`}, []string{"a\nb"}, 0, 0, 2},
	{"line start in a later write", []string{`(?m)^FATAL`}, []string{"no FATAL\n", "FATAL"}, 1, 0, 14},
	{"line start behind a cut line", []string{`(?m)^FATAL`}, []string{"no ", "FATAL", "\nFAT", "AL"}, 3, 0, 14},
	{"text start only at the start", []string{`\Aab`}, []string{"a", "b"}, 1, 0, 2},
	{"text start gone", []string{`\Aab`}, []string{"c", "ab"}, -1, 0, 0},
	{"word ends at the end", []string{`\bstop\b`}, []string{"don't stop"}, 0, 0, 10},
	{"word goes on", []string{`\bstop\b`}, []string{"stopping", " stops", "topstop"}, -1, 0, 0},
	{"word ended by what follows", []string{`stop\b`}, []string{"stops stop!"}, 0, 0, 11},
	{"word ended by a long character", []string{`stop\b`}, []string{"stop😀!"}, 0, 0, 8},
	{"word or not, certain at once", []string{`a(?:\b|\B)`}, []string{"ab"}, 0, 0, 1},
	{"no word boundary at an end", []string{`a\B`}, []string{"a", "b"}, 1, 0, 2},
	{"only blank lines between", []string{`(?m)a$\n^$\n^b`}, []string{"a\n", "\n", "b"}, 2, 0, 4},
	{"character cut", []string{`é`}, []string{"\xc3", "\xa9"}, 1, 0, 2},
	{"character cut in four", []string{`😀!`}, []string{"\xf0", "\x9f", "\x98", "\x80", "!"}, 4, 0, 5},
	{"character cut, then another", []string{`\x{FFFD}\x{FFFD}b`}, []string{"\xe2", "\x82", "b"}, 2, 0, 3},
	{"cut character is bad at an end", []string{`a\x{FFFD}$`}, []string{"a", "\xc3"}, 1, 0, 2},
	{"cut character joined again", []string{`aé`}, []string{"a\xc3", "\xa9"}, 1, 0, 3},
	{"cut character, then a whole one", []string{`é`}, []string{"\xe2\x82", "\xc3\xa9"}, 1, 0, 4},
	{"bad bytes, one by one", []string{`^\x{FFFD}{3}b`}, []string{"\xf0\x9f\x98b"}, 0, 0, 4},
	{"NUL", []string{`a\x00b`}, []string{"a\x00", "b"}, 1, 0, 3},
	{"fold", []string{`(?i)straße ſk`}, []string{"STRAßE sK"}, 0, 0, 10},
	{"large class", []string{`\p{Lu}\p{Ll}{3,}\P{L}`}, []string{"Ωμέγα"}, -1, 0, 0},
	{"large class, ended", []string{`\p{Lu}\p{Ll}{3,}\P{L}`}, []string{"Ωμέγα", "."}, 1, 0, 11},
	{"first rule of one write", []string{`b`, `a`}, []string{"x", "a b"}, 1, 0, 4},
	{"first write of two rules", []string{`b`, `a`}, []string{"a", "b"}, 0, 1, 1},
	{"first rule, though only at the end", []string{`b$`, `a`}, []string{"a b"}, 0, 0, 3},
	{"same rule twice", []string{`a`, `a`}, []string{"a"}, 0, 0, 1},
	{"no character", []string{`[^\x00-\x{10FFFF}]`}, []string{"abc", "\xff"}, -1, 0, 0},
	{"impossible", []string{`a\Ab`}, []string{"ab", "ab"}, -1, 0, 0},
}

func TestMatcher(t *testing.T) {
	bounds := map[string]limits{
		"":             limitsFor(1),
		", few states": {cache: 400, detour: 2, maxDetour: 4},
		", no states":  {},
	}
	for _, c := range matcherCases {
		for name, l := range bounds {
			t.Run(c.name+name, func(t *testing.T) {
				m := compile(t, c.exprs...).newMatcher(l)
				for i, p := range c.writes {
					hit, ok := m.Write([]byte(p))
					if ok != (i == c.at) {
						t.Fatalf("write %d: %+v %t", i, hit, ok)
					}
					if want := (Hit{Rule: c.rule, Expr: c.exprs[c.rule], Offset: c.offset}); ok && hit != want {
						t.Fatalf("hit %+v, want %+v", hit, want)
					}
					if ok {
						return
					}
				}
			})
		}
	}
}

// The cases say what package regexp says, too.
func TestMatcherCasesAgainstRegexp(t *testing.T) {
	for _, c := range matcherCases {
		var writes [][]byte
		for _, w := range c.writes {
			writes = append(writes, []byte(w))
		}
		check(t, c.exprs, writes, limitsFor(1))
	}
}

func TestHitStays(t *testing.T) {
	m := compile(t, `never`, `stop$`).NewMatcher()
	first, ok := m.Write([]byte("stop"))
	if !ok {
		t.Fatal("no hit")
	}
	for _, p := range []string{"", " and go on", "never"} {
		if hit, ok := m.Write([]byte(p)); !ok || hit != first {
			t.Errorf("Write(%q) = %+v %t after %+v", p, hit, ok, first)
		}
		if hit, ok := m.Peek([]byte(p)); !ok || hit != first {
			t.Errorf("Peek(%q) = %+v %t after %+v", p, hit, ok, first)
		}
	}
}

func TestPeekChangesNothing(t *testing.T) {
	m := compile(t, `(?s)A.*B`, `C$`, `é`).NewMatcher()
	for _, step := range []struct {
		write, peek string
		want        bool
	}{
		{"x", "A", false},
		{"x", "B", false}, // the A before was not written
		{"A", "x", false},
		{"x\xc3", "B", true},
		{"", "\xa9", true},
		{"", "C", true},
		{"x", "\xa9", false},
		{"x", "CC", true},
		{"x", "", false},
		{"x", "Cx", false},
	} {
		if hit, ok := m.Write([]byte(step.write)); ok {
			t.Fatalf("Write(%q): %+v", step.write, hit)
		}
		for range 2 {
			if hit, ok := m.Peek([]byte(step.peek)); ok != step.want {
				t.Errorf("after %q: Peek(%q) = %+v %t", step.write, step.peek, hit, ok)
			}
		}
	}
	if hit, ok := m.Write([]byte("B")); !ok || hit.Rule != 0 || hit.Offset != 10 {
		t.Errorf("Write(B) = %+v %t", hit, ok)
	}
}

func TestNoRules(t *testing.T) {
	for name, rules := range map[string]*Rules{"an empty list": compile(t), "nil": nil} {
		m := rules.NewMatcher()
		if hit, ok := m.Write([]byte("anything\xff")); ok || rules.Len() != 0 {
			t.Errorf("%s: Write = %+v, Len = %d", name, hit, rules.Len())
		}
		if hit, ok := m.Peek([]byte("x")); ok {
			t.Errorf("%s: Peek = %+v", name, hit)
		}
	}
}

// One Rules serves many Matchers at once.
func TestRulesAreShared(t *testing.T) {
	rules := compile(t, sixteen...)
	text := agentText(64 << 10)
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			m := rules.NewMatcher()
			if hit, ok := m.Write(text); ok {
				t.Errorf("hit %+v", hit)
			}
			if hit, ok := m.Write([]byte("\nENOMEM")); !ok || hit.Expr != sixteen[15] {
				t.Errorf("%+v %t", hit, ok)
			}
		})
	}
	wait.Wait()
}

// The literal that a rule starts with is searched for across ends of writes
// and characters that are cut there.
func TestLiteralAcrossWrites(t *testing.T) {
	for _, expr := range []string{`€uro-Zeichen`, `é`, `aab\b`, `(?m)^é`} {
		text := strings.Repeat("a € é\xe2\x82 aa\n", 3) + "€uro-Zeichen aab\né"
		for size := 1; size < 9; size++ {
			var writes [][]byte
			for rest := []byte(text); len(rest) > 0; rest = rest[min(size, len(rest)):] {
				writes = append(writes, rest[:min(size, len(rest))])
			}
			if !check(t, []string{expr}, writes, limitsFor(1)) {
				t.Errorf("%s in writes of %d bytes: no hit", expr, size)
			}
		}
	}
}

// What is added is not asked about at its end, since more follows.
func TestAddDoesNotAskAtTheEnd(t *testing.T) {
	m := compile(t, `error$`, `end\z`).NewMatcher()
	if hit, ok := m.Add([]byte("0 error")); ok {
		t.Errorf("Add hit %+v", hit)
	}
	if hit, ok := m.Peek([]byte("s")); ok {
		t.Errorf("Peek(s) hit %+v", hit)
	}
	if hit, ok := m.Peek(nil); !ok || hit.Rule != 0 {
		t.Errorf("Peek(nil) = %+v %t", hit, ok)
	}
	if hit, ok := m.Add([]byte("s, the end\xc3")); ok {
		t.Errorf("Add hit %+v", hit)
	}
	if hit, ok := m.Add([]byte("\xa4 end")); ok {
		t.Errorf("Add hit %+v", hit)
	}
	if hit, ok := m.Write(nil); !ok || hit.Rule != 1 {
		t.Errorf("Write() = %+v %t", hit, ok)
	}
}
