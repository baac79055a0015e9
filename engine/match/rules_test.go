package match

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"
)

// refused are rules with a part of the reason why Compile refuses them.
var refused = []struct{ expr, reason string }{
	{`foo(?=bar)`, "at `(?=`: lookahead is not supported (Python and PCRE only): match the text that follows too"},
	{`foo(?!bar)`, "negative lookahead"},
	{`(?<=foo)bar`, "lookbehind is not supported"},
	{`(?<!foo)bar`, "negative lookbehind"},
	{`(?P<1-2>a)`, "named like (?P<name>…)"},
	{`(?'n'a)`, "named like (?P<name>…)"},
	{`(?P<n>a)(?P=n)`, "references as (?P=name) are not"},
	{`(a)\1`, "at `\\1`: references to groups"},
	{`(a)\k<n>`, "references to groups"},
	{`(a)\g{1}`, "references to groups"},
	{`(?>a)b`, "atomic groups"},
	{`(?#note)a`, "comments"},
	{`(a)?(?(1)b|c)`, "conditions"},
	{`(?|a|b)`, "write (?:…)"},
	{`(?x)a b`, "the flag x"},
	{`(?R)`, "no such group or flag"},
	{`(?i`, "no such group or flag"},
	{`error\Z`, "at `\\Z`: not supported (Python and PCRE only): the end of the text is \\z"},
	{`\Z`, "not supported (Python and PCRE only): the end"},
	{`\h+`, `[ \t]`},
	{`a\R`, `(?:\r\n|\n|\r)`},
	{`\N`, `[^\n]`},
	{`\e[31m`, `\x1b`},
	{`\cC`, "control character"},
	{`\u00e9`, `\x{…}`},
	{`\U0001F600`, `\x{…}`},
	{`\xZZ`, "two hexadecimal digits"},
	{`\x{110000}`, `up to \x{10FFFF}`},
	{`\y`, "no such escape"},
	{`a++`, "possessive"},
	{`a{2}{3}`, "can't be repeated"},
	{`a{1001}`, "at most 1000 repetitions"},
	{`(?:a{100}){11}`, "at most 1000 repetitions"},
	{`a{3,2}`, "wrong order"},
	{`*.log`, "nothing in front of it to repeat"},
	{`foo(`, `write \(`},
	{`foo)`, `write \)`},
	{`foo[`, `write \[`},
	{`foo\`, `write \\`},
	{"a\xff", "is not UTF-8"},
	{`\p{Foo}`, "no such class of Unicode"},
	{`[[:foo:]]`, "no such class: write"},
	{`[z-a]`, "runs backwards"},
	{strings.Repeat("(", 2000) + strings.Repeat(")", 2000), "nested too deeply"},
	{"(?:" + strings.Repeat("x", 4000) + "){1000}", "too large"},
	{`(?:abc){700}`, "it compiles to 2102 instructions, at most 2000"},
	{`x*`, "matches the empty text"},
	{``, "matches the empty text"},
	{`^`, "matches the empty text"},
	{`(?m)$`, "matches the empty text"},
	{`\B`, "matches the empty text"},
	{`a|\A\z`, "matches the empty text"},
}

func TestCompileRefuses(t *testing.T) {
	for _, c := range refused {
		rules, err := Compile([]string{`good`, c.expr})
		var bad *RuleError
		if rules != nil || !errors.As(err, &bad) {
			t.Errorf("%q: %v, %v", c.expr, rules, err)
			continue
		}
		if bad.Rule != 1 || bad.Expr != c.expr || !strings.Contains(bad.Reason, c.reason) {
			t.Errorf("%q: %+v, want %q", c.expr, bad, c.reason)
		}
	}
}

// No reason is written down for an error that regexp/syntax doesn't make.
func TestEachReasonIsUsed(t *testing.T) {
	given := map[string]bool{}
	for _, c := range refused {
		var bad *syntax.Error
		if _, err := regexp.Compile(c.expr); errors.As(err, &bad) {
			given[reasonFor(bad)] = true
		}
	}
	for _, r := range reasons {
		if !given[r.reason] {
			t.Errorf("no case for %s at %q", r.code, r.part)
		}
	}
}

func TestCompileReportsEverything(t *testing.T) {
	exprs := slices.Repeat([]string{`ok`}, MaxRules+1)
	exprs[2], exprs[16] = `a(?=b)`, "x*\x00?"
	_, err := Compile(exprs)
	const want = "17 stop rules, of which there may be at most 16: join some with |\n" +
		"stop rule 3, `a(?=b)`: at `(?=`: lookahead is not supported (Python and PCRE only): match the text that follows too\n" +
		"stop rule 17, \"x*\\x00?\": it matches the empty text, so that every attempt would be stopped at once: require at least one character"
	if err == nil || err.Error() != want {
		t.Errorf("got:\n%v\nwant:\n%s", err, want)
	}
}

func TestLongRulesAreCutInErrors(t *testing.T) {
	_, err := Compile([]string{strings.Repeat("é", 3000) + `\1`})
	if err == nil || len(err.Error()) > 300 || !strings.Contains(err.Error(), "é`…: at `\\1`: ") {
		t.Error(err)
	}
}

func TestCompileAccepts(t *testing.T) {
	exprs := []string{
		`STOP`, `Password: $`, `(?s)A.*B`, `\bx`, `a|b\z`, `[^\x00-\x{10FFFF}]`, `(?:abc){666}`, `\Qa.b`, `(?i)ſ`, `a{,3}`, `(?<n>x)`,
	}
	rules, err := Compile(exprs)
	if err != nil {
		t.Fatal(err)
	}
	if rules.Len() != len(exprs) {
		t.Errorf("Len() = %d", rules.Len())
	}
}
