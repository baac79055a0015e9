package match

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// checkSeed checks the random case number seed, and reports whether there was
// a hit.
func checkSeed(tb testing.TB, seed uint64) bool {
	tb.Helper()
	g := generator{rand.New(rand.NewPCG(seed, 0))}
	exprs := []string{g.rule()}
	for g.IntN(3) == 0 {
		exprs = append(exprs, g.rule())
	}
	if g.IntN(4) > 0 {
		return check(tb, exprs, g.cut(g.text(12)), g.limits())
	}
	// A long history, in which nothing matches before its end.
	for i := range exprs {
		exprs[i] = "(?:" + exprs[i] + ")z"
	}
	text := append(g.text(300), g.pick("z", "az", "")...)
	return check(tb, exprs, g.cut(text), g.limits())
}

func TestRandomRules(t *testing.T) {
	const cases = 1500
	hits := 0
	for seed := range uint64(cases) {
		if checkSeed(t, seed) {
			hits++
		}
	}
	if hits < cases/10 || hits > cases*9/10 {
		t.Errorf("%d of %d cases hit, which says little of the others", hits, cases)
	}
}

// FuzzRandomRules is TestRandomRules without an end.
func FuzzRandomRules(f *testing.F) {
	f.Add(uint64(0))
	f.Fuzz(func(t *testing.T, seed uint64) { checkSeed(t, seed) })
}

// FuzzMatcher lets the fuzzer write the rules, one a line, and the history. seed
// decides how it is cut, and the limits.
func FuzzMatcher(f *testing.F) {
	for _, set := range ruleSets {
		f.Add(strings.Join(set.exprs, "\n"), []byte("NEVER_SEEN Password: "), uint64(1))
	}
	for _, c := range matcherCases {
		f.Add(strings.Join(c.exprs, "\n"), []byte(strings.Join(c.writes, "")), uint64(2))
	}
	for i, e := range explosions {
		f.Add(e.expr, coins(200), uint64(i))
	}
	f.Fuzz(func(t *testing.T, lines string, text []byte, seed uint64) {
		exprs := strings.Split(lines, "\n")
		if len(text) > 1<<10 || len(lines) > 200 || !acceptable(t, exprs) {
			return
		}
		g := generator{rand.New(rand.NewPCG(seed, 1))}
		check(t, exprs, g.cut(text), g.limits())
	})
}

// acceptable reports whether Compile accepts exprs, and fails if package regexp
// gives no reason why it doesn't.
func acceptable(t *testing.T, exprs []string) bool {
	_, err := Compile(exprs)
	good := len(exprs) <= MaxRules
	for _, expr := range exprs {
		re, reErr := regexp.Compile(expr)
		good = good && reErr == nil && !re.MatchString("")
	}
	if err == nil && !good {
		t.Errorf("Compile(%q) accepts what it has to refuse", exprs)
	}
	if err != nil && good && !strings.Contains(err.Error(), "instructions") {
		t.Errorf("Compile(%q): %v", exprs, err)
	}
	return err == nil
}
