package manual

import (
	"flag"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ai-session-handler/ai-session-handler/cmd/internal/grammar"
)

var update = flag.Bool("update", false, "write the golden files anew")

// testManual has one of everything, with text that roff and Markdown might obey.
func testManual() Manual {
	return Manual{
		Program: grammar.Command{
			Path: []string{"test-prog"}, Help: "Does it,\nwithout fuss. .TH is no macro here.\n\nAnd 'more'.",
			Flags: []grammar.Flag{{Long: "--quiet", Short: "-q", Value: grammar.Value{Help: "Say nothing."}}},
			Commands: []grammar.Command{
				{
					Path: []string{"test-prog", "jobs"},
					Commands: []grammar.Command{{
						Path: []string{"test-prog", "jobs", "show"}, Usage: "jobs show <id> [flags]", Help: "Show a job.",
						Detail: `.br 'x' \fB "q" <phase-complete> *a* ` + "`b`" + ` agent_cmd … a|b ^ ~ [l](x) &lt;

 - first
   item
 - second

For example:

  test-prog jobs show \
    .hidden

EXIT STATUS
  0    shown,
       in full
  5, 6    "no" -- such | job`,
						Args: []grammar.Value{{Name: "id", Help: "The job.", Required: true, Repeated: true}},
						Flags: []grammar.Flag{
							{Long: "--color", Value: grammar.Value{Name: "a|b", Kind: grammar.OneOf, Help: "When.", Default: "a|b"}},
						},
					}},
				},
				{Path: []string{"test-prog", "init"}, Usage: "init", Help: "Begin."},
			},
		},
		Version:     `test-prog "1.0-rc"`,
		ExitCodes:   []Term{{"0", "well"}},
		Environment: []Term{{"NO_COLOR", "no colour"}},
		Files:       []Term{{".test/config", "optional"}},
	}
}

func TestGolden(t *testing.T) {
	m := testManual()
	for name, got := range map[string]string{"testdata/test.1": m.Man(), "testdata/test.md": m.Markdown()} {
		if *update {
			if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s; if that is right: go test ./cmd/internal/manual -update\n%s", name, diff)
		}
	}
}

// What a reader sees is what was written, whatever roff makes of some characters.
func TestManIsShownAsWritten(t *testing.T) {
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("no groff")
	}
	cmd := exec.Command(groff, "-man", "-ww", "-Tutf8", "-P-c", "-rLL=200n")
	cmd.Stdin = strings.NewReader(testManual().Man())
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || stderr.String() != "" {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	out = regexp.MustCompile(`.\x08`).ReplaceAll(out, nil) // bold and underlined are struck twice
	shown := strings.Join(strings.Fields(string(out)), " ")
	for _, want := range []string{
		`test-prog - does it, without fuss`,
		`without fuss. .TH is no macro here. And 'more'.`,
		`.br 'x' \fB "q" <phase-complete> *a* ` + "`b`" + ` agent_cmd … a|b ^ ~ [l](x) &lt;`,
		`• first item • second`,
		`test-prog jobs show \ .hidden`,
		`0 shown, in full 5, 6 "no" -- such | job`,
		`-q, --quiet Say nothing.`,
		`--color=a|b When. Default: a|b.`,
		`id The job. Required. May be given more than once.`,
		`.test/config optional`,
		`test-prog "1.0-rc"`,
	} {
		if !strings.Contains(shown, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
}

func TestDetail(t *testing.T) {
	for _, one := range []struct {
		text string
		want []part
	}{
		{"", nil},
		{"One\ntwo.\n\nThree.", []part{{paragraph: "One two."}, {paragraph: "Three."}}},
		{"EXIT STATUS\n  0    good\n  5    bad,\n       very", []part{
			{heading: "EXIT STATUS"}, {terms: []Term{{"0", "good"}, {"5", "bad, very"}}},
		}},
		{"Like:\n\n  a b\n  c  d", []part{{paragraph: "Like:"}, {verbatim: "a b\nc  d\n"}}},
		{"Like:\n\n  c  d\n\n  e  f", []part{{paragraph: "Like:"}, {verbatim: "c  d\n\ne  f\n"}}},
		{" - a\n   b\n - c", []part{{items: []string{"a b", "c"}}}},
	} {
		if diff := cmp.Diff(one.want, detail(one.text), cmp.AllowUnexported(part{})); diff != "" {
			t.Errorf("%q:\n%s", one.text, diff)
		}
	}
}
