package grammar_test

import (
	"testing"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"

	"github.com/ai-session-handler/ai-session-handler/cmd/internal/grammar"
)

type testGrammar struct {
	Dir     string `short:"C" placeholder:"DIR" help:"Where. And more."`
	Verbose int    `type:"counter" short:"v"`
	Secret  bool   `hidden:""`

	Jobs struct {
		List struct {
			Names []string `arg:"" optional:"" name:"name"`
			Only  []string `placeholder:"RE" sep:"none"`
		} `cmd:"" default:"withargs"`
		Show struct {
			File  string `arg:"" name:"path" help:"The file."`
			Limit string `placeholder:"D" help:"For how long. Default: until the end."`
			To    string `placeholder:"FILE|-"`
			Agent string
			Plan  string `placeholder:"PLAN|PATH"`
			After string `placeholder:"PLAN"`
			Why   string `placeholder:"CODE"`
			Env   string `placeholder:"AGENTS"`
			Color string `enum:"auto,never" default:"auto"`
			Mode  string `enum:"a,b" default:"a" placeholder:"MODE"`
			Must  bool   `required:""`
		} `cmd:"" help:"Show one." aliases:"s"`
		Inner struct{} `cmd:"" hidden:""`
	} `cmd:""`
}

func read(t *testing.T, into any) grammar.Command {
	t.Helper()
	parser, err := kong.New(into, kong.Name("prog"), kong.NoDefaultHelp())
	if err != nil {
		t.Fatal(err)
	}
	return grammar.From(parser.Model)
}

func TestFrom(t *testing.T) {
	type (
		flag  = grammar.Flag
		value = grammar.Value
	)
	list := grammar.Command{
		Path: []string{"prog", "jobs", "list"}, Usage: "jobs list [<name> ...] [flags]",
		Args:  []value{{Name: "name", Kind: grammar.Text, Repeated: true}},
		Flags: []flag{{Long: "--only", Value: value{Name: "RE", Kind: grammar.Text, Repeated: true}}},
	}
	show := grammar.Command{
		Path: []string{"prog", "jobs", "show"}, Usage: "jobs show (s) --must <path> [flags]", Help: "Show one.",
		Args: []value{{Name: "path", Kind: grammar.File, Help: "The file.", Required: true}},
		Flags: []flag{
			{Long: "--limit", Value: value{Name: "D", Kind: grammar.Text, Help: "For how long.", Default: "until the end"}},
			{Long: "--to", Value: value{Name: "FILE|-", Kind: grammar.File}},
			{Long: "--agent", Value: value{Name: "AGENT", Kind: grammar.Agent}},
			{Long: "--plan", Value: value{Name: "PLAN|PATH", Kind: grammar.PlanFile}},
			{Long: "--after", Value: value{Name: "PLAN", Kind: grammar.Plan}},
			{Long: "--why", Value: value{Name: "CODE", Kind: grammar.Code}},
			{Long: "--env", Value: value{Name: "AGENTS", Kind: grammar.Text}},
			{Long: "--color", Value: value{Name: "auto|never", Kind: grammar.OneOf, Words: []string{"auto", "never"}, Default: "auto"}},
			{Long: "--mode", Value: value{Name: "MODE", Kind: grammar.OneOf, Words: []string{"a", "b"}, Default: "a"}},
			{Long: "--must", Value: value{Required: true}},
		},
	}
	want := grammar.Command{
		Path: []string{"prog"}, Usage: "<command> [flags]",
		Flags: []flag{
			{Long: "--dir", Short: "-C", Value: value{Name: "DIR", Kind: grammar.Dir, Help: "Where. And more."}},
			{Long: "--verbose", Short: "-v"},
		},
		Commands: []grammar.Command{{
			Path: []string{"prog", "jobs"}, Usage: "jobs <command> [flags]",
			Commands: []grammar.Command{list, show}, Implied: &list,
		}},
	}
	got := read(t, &testGrammar{})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if leaves := got.Leaves(); len(leaves) != 2 || leaves[0].Name() != "prog jobs list" || leaves[1].Word() != "show" {
		t.Errorf("leaves: %+v", leaves)
	}
	if brief := grammar.Brief(got.Flags[0].Help); brief != "Where" {
		t.Errorf("the first sentence is %q", brief)
	}
}
