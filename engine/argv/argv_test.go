package argv

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseSplitsLikeAShellWithoutExpansion(t *testing.T) {
	for template, want := range map[string][]string{
		`codex exec`:                {"codex", "exec"},
		"a\tb\nc":                   {"a", "b", "c"},
		`a 'b c' "d e" f\ g`:        {"a", "b c", "d e", "f g"},
		`a '' ""`:                   {"a", "", ""},
		`a #42 $HOME *.go ~ | ; &`:  {"a", "#42", "$HOME", "*.go", "~", "|", ";", "&"},
		`a "x\d" "q\"r" "s\\t"`:     {"a", `x\d`, `q"r`, `s\t`},
		`a 'x\d'`:                   {"a", `x\d`},
		`pre'mid'"post"`:            {"premidpost"},
		`a --m '{{"k":"v"}}' p={x}`: nil,
		`./a --m='{{"k":"v"}}'`:     {"./a", `--m={{"k":"v"}}`},
	} {
		got, err := Parse(template)
		if want == nil {
			if err == nil {
				t.Errorf("%s: accepted as %q", template, got)
			}
			continue
		}
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", template, err, diff)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for template, want := range map[string]string{
		``:                  "empty",
		`   `:               "empty",
		`''`:                "empty",
		`a 'b`:              "single quote",
		`a "b`:              "double quote",
		`a b\`:              "ends in a backslash",
		`a {`:               "not closed",
		`a {x{y}`:           "not closed",
		`a }`:               "single '}'",
		`a {}`:              "positional",
		`a {0}`:             "positional",
		`a {workspace.x}`:   "attribute or index",
		`a {workspace[0]}`:  "attribute or index",
		`a {workspace!r}`:   "conversion",
		`a {workspace:>9}`:  "format specification",
		`a {prompt}`:        "{prompt} is not a placeholder",
		`a "{ workspace }`:  "double quote",
		`"a { workspace }"`: "is not a placeholder",
	} {
		if _, err := Parse(template); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", template, err, want)
		}
	}
}

func TestRenderKeepsAValueInOneArgument(t *testing.T) {
	words, err := Parse(`{workspace}/run --p={prompt_file} {run_id} {transcript_file} {state_file} '{{"m":1}}'`)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Render(words, Values{"/p q/'x", "/w s", "id", "/t {run_id}", "/s"})
	want := []string{"/w s/run", "--p=/p q/'x", "id", "/t {run_id}", "/s", `{"m":1}`}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
}

// FuzzParse looks for a template that parses and does not render, or renders to
// another number of arguments.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{`a 'b c' "d\"e" f\ g {workspace} {{}}`, `a "x\d" '' #42`, "{", "a \xff\\", `a {prompt_file}{run_id}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, template string) {
		words, err := Parse(template)
		if err != nil {
			return
		}
		argv, err := Render(words, Values{"p", "w", "r", "t", "s"})
		if err != nil || len(argv) != len(words) {
			t.Errorf("%q: %q renders to %q, %v", template, words, argv, err)
		}
	})
}
