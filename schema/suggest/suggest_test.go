package suggest_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ai-session-handler/ai-session-handler/schema/suggest"
)

func TestClosest(t *testing.T) {
	for _, test := range []struct {
		name  string
		among []string
		want  string
	}{
		{"codx", []string{"claude", "codex", "local"}, "codex"},
		{"comand", []string{"command", "extends"}, "command"},
		{"CODEX", []string{"codex"}, "codex"},
		{"codex", []string{"codex-2", "codex"}, "codex"},
		{"deadline", []string{"timeout", "idle_timeout"}, ""},
		{"max_phasis", []string{"max_phases"}, "max_phases"},
		{"requirement_version", []string{"required_version"}, "required_version"}, // 5 of 19
		{"abcdef", []string{"abcxyz"}, ""},                                        // 3 of 6
		{"abcdefghi", []string{"abcdefxyz"}, "abcdefxyz"},                         // 3 of 9
		{"x", []string{"ab", "y"}, ""},
		{"ab", []string{"xy"}, ""},
		{"größe", []string{"grösse"}, "grösse"},
		{"", []string{"a", ""}, ""},
		{"a", nil, ""},
		{"tim", []string{"tin", "tic", "tip"}, "tic"},
		{strings.Repeat("a", 129), []string{strings.Repeat("a", 128)}, ""},
		{strings.Repeat("a", 128), []string{strings.Repeat("a", 129), strings.Repeat("a", 128) + "b"}, ""},
	} {
		got, ok := suggest.Closest(test.name, test.among)
		if got != test.want || ok != (test.want != "") {
			t.Errorf("%.20q among %.80q: got %q, %v; want %q", test.name, test.among, got, ok, test.want)
		}
	}
}

// Callers collect names from maps, so the order must not matter.
func TestOrderDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOf(rapid.StringMatching(`[a-cA-C]{0,5}`)).Draw(t, "names")
		name := rapid.StringMatching(`[a-c]{0,5}`).Draw(t, "name")
		want, _ := suggest.Closest(name, names)
		shuffled := rapid.Permutation(names).Draw(t, "shuffled")
		if got, _ := suggest.Closest(name, shuffled); got != want {
			t.Fatalf("%q among %q: %q; among %q: %q", name, names, want, shuffled, got)
		}
		if want != "" && !slices.Contains(names, want) {
			t.Fatalf("%q is none of %q", want, names)
		}
	})
}

func TestAll(t *testing.T) {
	among := []string{"tip", "tin", "tin", "tick", "x"}
	for name, want := range map[string][]string{
		"tim":  {"tin", "tip"},
		"tic":  {"tick", "tin", "tip"},
		"ticc": {"tick"},
		"zzzz": nil,
	} {
		if got := suggest.All(name, among); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
