package binding

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestWorkersGetWhatTheirBindingSays(t *testing.T) {
	handler := []string{"PATH=/bin", "HOME=/root", "LC_ALL=C", "LC_TIME=C", "KEY=secret", "KEY=again", "OTHER=x", "=odd"}
	for name, test := range map[string]struct {
		env  Environment
		want []string
	}{
		"everything":        {Environment{}, handler},
		"nothing":           {Environment{Restrict: true}, nil},
		"names":             {Environment{Restrict: true, Pass: []string{"PATH", "HOM"}}, []string{"PATH=/bin"}},
		"patterns":          {Environment{Restrict: true, Pass: []string{"LC_*", "HO?E"}}, []string{"HOME=/root", "LC_ALL=C", "LC_TIME=C"}},
		"secrets":           {Environment{Restrict: true, Secret: []string{"KEY"}}, []string{"KEY=secret", "KEY=again"}},
		"a secret's name":   {Environment{Restrict: true, Secret: []string{"*"}}, nil},
		"unset":             {Environment{Unset: []string{"*E*"}}, []string{"PATH=/bin", "LC_ALL=C", "=odd"}},
		"unset wins":        {Environment{Restrict: true, Pass: []string{"LC_*"}, Secret: []string{"KEY"}, Unset: []string{"KEY", "LC_T*"}}, []string{"LC_ALL=C"}},
		"set":               {Environment{Restrict: true, Set: map[string]string{"B": "2", "A": "1="}}, []string{"A=1=", "B=2"}},
		"set replaces":      {Environment{Restrict: true, Pass: []string{"PATH"}, Set: map[string]string{"PATH": "/x"}}, []string{"PATH=/x"}},
		"set after unset":   {Environment{Restrict: true, Unset: []string{"*"}, Set: map[string]string{"KEY": "v"}}, []string{"KEY=v"}},
		"pass without it":   {Environment{Pass: []string{"PATH"}}, handler},
		"restricted to all": {Environment{Restrict: true, Pass: []string{"*"}}, handler},
	} {
		t.Run(name, func(t *testing.T) {
			before := slices.Clone(handler)
			if got := test.env.Apply(handler); !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if !slices.Equal(before, handler) {
				t.Errorf("the handler's own changed: %q", handler)
			}
		})
	}
}

// TestPatternsMatchAsTheirExpressionDoes compares with regexp.
func TestPatternsMatchAsTheirExpressionDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pattern := rapid.StringMatching(`[ab*?ü/\[]{0,8}`).Draw(t, "pattern")
		name := rapid.StringMatching(`[abü/\[]{0,8}`).Draw(t, "name")
		expr := strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(pattern))
		want := regexp.MustCompile(`(?s)^` + expr + `$`).MatchString(name)
		if got := matchesAny([]string{pattern}, name); got != want {
			t.Fatalf("%q and %q: %v", pattern, name, got)
		}
	})
}

// TestPatternsAreQuick has what makes matching with backtracking take for ever.
func TestPatternsAreQuick(t *testing.T) {
	if matchesAny([]string{strings.Repeat("a*", 500) + "b"}, strings.Repeat("a", 5000)) {
		t.Error("it does not match")
	}
}
