package match

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// An oracle says what a Matcher has to answer, by package regexp alone and on
// the whole history each time.
type oracle struct {
	exprs []string
	rules []*regexp.Regexp
}

func newOracle(exprs []string) oracle {
	o := oracle{exprs: exprs}
	for _, expr := range exprs {
		o.rules = append(o.rules, regexp.MustCompile(expr))
	}
	return o
}

// match returns the first rule that matches history.
func (o oracle) match(history []byte) (rule int, ok bool) {
	for i, re := range o.rules {
		if re.Match(history) {
			return i, true
		}
	}
	return 0, false
}

// offset returns what Hit.Offset has to be when the rule matches history.
func (o oracle) offset(rule int, history []byte) int64 {
	for end := 0; end < len(history); {
		_, size := utf8.DecodeRune(history[end:])
		end += size
		if certain(o.exprs[rule], string(history), end) {
			return int64(end)
		}
	}
	return int64(len(history))
}

// continuations are all that may follow, as far as a rule can tell that has to
// match in front of it.
var continuations = []string{"", "\n", "a", "."}

// certain reports whether the first n bytes of text hold a match of expr
// whatever characters follow them.
func certain(expr, text string, n int) bool {
	for _, next := range continuations {
		if !endsWithin(expr, string([]rune(text[:n]))+next, utf8.RuneCountInString(text[:n])) {
			return false
		}
	}
	return true
}

// endsWithin reports whether expr has a match in text that ends in its first n
// characters: one that is followed by exactly the rest.
func endsWithin(expr, text string, n int) bool {
	for runes := []rune(text); n >= 0; n-- {
		if regexp.MustCompile("(?:" + expr + ")" + regexp.QuoteMeta(string(runes[n:])) + `\z`).MatchString(text) {
			return true
		}
	}
	return false
}

// check writes a history in pieces and compares each answer with the oracle's.
// It reports whether there was a hit.
func check(tb testing.TB, exprs []string, writes [][]byte, l limits) bool {
	tb.Helper()
	rules, err := Compile(exprs)
	if err != nil {
		tb.Fatal(err)
	}
	m, o := rules.newMatcher(l), newOracle(exprs)
	var history []byte
	for i, p := range writes {
		if hit, ok := m.Peek(nil); ok {
			tb.Fatalf("rules %q, limits %+v, writes %q: Peek(nil) before number %d: %+v", exprs, l, writes, i, hit)
		}
		peeked, peekedOK := m.Peek(p)
		hit, ok := m.Write(p)
		if hit != peeked || ok != peekedOK {
			tb.Fatalf("rules %q, limits %+v, writes %q: number %d gives %+v %t, Peek %+v %t", exprs, l, writes, i, hit, ok, peeked, peekedOK)
		}
		before := len(history)
		history = append(history, p...)
		rule, want := o.match(history)
		if ok != want || hit.Rule != rule {
			tb.Fatalf("rules %q, limits %+v, writes %q: number %d gives %+v %t, want rule %d %t", exprs, l, writes, i, hit, ok, rule, want)
		}
		if ok {
			checkOffset(tb, o, hit, history, before)
			return true
		}
	}
	return false
}

func checkOffset(tb testing.TB, o oracle, hit Hit, history []byte, before int) {
	tb.Helper()
	if hit.Expr != o.exprs[hit.Rule] {
		tb.Fatalf("rules %q: hit %+v", o.exprs, hit)
	}
	if hit.Offset <= int64(before) || hit.Offset > int64(len(history)) {
		tb.Fatalf("rules %q, history %q: offset %d is not within the write at %d", o.exprs, history, hit.Offset, before)
	}
	if len(history) > 16 || strings.Contains(hit.Expr, `\Q`) { // which the oracle would take too long for, or quote its end by
		return
	}
	if want := o.offset(hit.Rule, history); hit.Offset != want {
		tb.Fatalf("rules %q, history %q, last write at %d: hit %+v, want offset %d", o.exprs, history, before, hit, want)
	}
}

// A generator makes random rules and texts that have a lot to do with each
// other.
type generator struct{ *rand.Rand }

func (g generator) pick(from ...string) string { return from[g.IntN(len(from))] }

var atoms = []string{
	"a", "b", "c", "k", "s", "é", "世", " ", `\n`, "1", "_", `\x{FFFD}`, "ab", "ba", "aé", "😀",
	".", "(?s:.)", "[ab]", "[^a]", "[^a-z]", "[é-ü]", "[^é]", "[a-zé世]", "[[:alpha:]]", "[[:^space:]]",
	`\d`, `\w`, `\W`, `\s`, `\S`, `\pL`, `\PL`, `\p{Lu}`, `\p{Greek}`, `\p{Han}`, `[\p{L}_]`, `[^\pL\n]`, `[^\x00-\x{10FFFF}]`,
	`\b`, `\B`, "^", "$", `\A`, `\z`, "(?m:^)", "(?m:$)", `\b`, "$",
}

// expr returns an expression of at most the depth.
func (g generator) expr(depth int) string {
	if depth == 0 {
		return g.pick(atoms...)
	}
	switch g.IntN(8) {
	case 0:
		return g.expr(depth-1) + "|" + g.expr(depth-1)
	case 1:
		return "(?:" + g.expr(depth-1) + "|" + g.expr(depth-1) + "|" + g.expr(depth-1) + ")"
	case 2:
		return g.pick("(", "(?:", "(?P<n>") + g.expr(depth-1) + ")" + g.pick("*", "+", "?", "{2}", "{1,3}", "{2,}", "{0,2}") + g.pick("", "", "?")
	case 3:
		return g.pick("(?i:", "(?s:", "(?m:", "(?U:", "(?ims-U:", "(?-s:") + g.expr(depth-1) + ")"
	case 4:
		return g.pick("(?i)", "(?m)", "(?s)", "(?U)", "(?sm)") + g.expr(depth-1)
	}
	return "(?:" + g.expr(depth-1) + ")(?:" + g.expr(depth-1) + ")"
}

// rule returns an expression that Compile accepts.
func (g generator) rule() string {
	for {
		if expr := g.expr(1 + g.IntN(4)); !regexp.MustCompile(expr).MatchString("") {
			return expr
		}
	}
}

var letters = []string{
	"a", "b", "c", "A", "B", "k", "K", "\u212a", "s", "\u017f", "\n", " ", "1", "_", "é", "É", "ü", "世", "😀", "α",
	"\ufffd", "\xff", "\xc3", "\xe2\x82", "\xf0\x9f", "\xf0\x9f\x98", "\x80", "\xed\xa0\x80", "\x00",
}

// text returns up to n letters. Some texts use few of them.
func (g generator) text(n int) []byte {
	alphabet := letters
	if g.IntN(2) == 0 {
		alphabet = []string{g.pick(letters...), g.pick(letters...), "a", "b"}
	}
	var b bytes.Buffer
	for range g.IntN(n + 1) {
		b.WriteString(g.pick(alphabet...))
	}
	return b.Bytes()
}

// cut cuts text anywhere, also into empty pieces.
func (g generator) cut(text []byte) [][]byte {
	pieces := [][]byte{}
	longest := 1 + g.IntN(len(text)+1)
	for len(text) > 0 {
		n := min(g.IntN(longest+1), len(text))
		pieces = append(pieces, text[:n:n])
		text = text[n:]
	}
	return append(pieces, nil)
}

// limits returns bounds of all sorts: no cache, one for a few states, and the
// usual one.
func (g generator) limits() limits {
	switch g.IntN(4) {
	case 0:
		return limits{}
	case 1:
		return limitsFor(1)
	}
	detour := 1 + g.IntN(20)
	return limits{cache: 200 + g.IntN(3000), detour: detour, maxDetour: detour * (1 + g.IntN(3))}
}
