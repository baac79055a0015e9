package completion_test

import (
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/ai-session-handler/ai-session-handler/cmd/internal/completion"
	"github.com/ai-session-handler/ai-session-handler/cmd/internal/grammar"
)

// testGrammar has one of everything; its texts hold what shells might obey.
type testGrammar struct {
	Dir   string `short:"C" placeholder:"DIR" help:"It's [here]: $HOME \\ it."`
	Quiet bool   `short:"q"`

	Run struct {
		File  string `placeholder:"PATH"`
		Text  string `placeholder:"X"`
		Color string `enum:"auto,always,never" default:"auto" help:"When. Default: auto."`
	} `cmd:"" help:"Run 'it': \"now\"."`
	Jobs struct {
		List struct {
			Color string   `enum:"red,blue" default:"red"`
			Paths []string `arg:"" optional:"" name:"path"`
		} `cmd:"" default:"withargs" help:"List."`
		Show struct {
			ID    string   `arg:"" name:"id"`
			Paths []string `arg:"" name:"path"`
		} `cmd:"" help:"Show."`
		Drop struct {
			Kind string `arg:"" enum:"one,all"`
			Dir  string `arg:"" name:"dir"`
		} `cmd:"" help:"Drop."`
		Peek struct {
			ID     string `arg:"" optional:"" name:"id"`
			Follow bool   `short:"f"`
		} `cmd:"" help:"Peek."`
	} `cmd:"" help:"Jobs."`
	Hidden struct{} `cmd:"" hidden:""`
}

// A suite is a grammar with the cases that are asked of it.
type suite struct {
	name    string
	program grammar.Command
	root    string // of the directories of the cases
	cases   []offerCase
}

func suites(t *testing.T) []suite {
	t.Helper()
	return []suite{
		{name: "grammar", program: testProgram(t, &testGrammar{}), cases: offerCases},
		{name: "names", program: testProgram(t, &namesGrammar{}), root: namesTree(t), cases: namesCases()},
	}
}

func testProgram(t *testing.T, of any) grammar.Command {
	t.Helper()
	parser, err := kong.New(of, kong.Name("test-prog"), kong.NoDefaultHelp())
	if err != nil {
		t.Fatal(err)
	}
	return grammar.From(parser.Model)
}

// A case is a command line up to the cursor, and what is offered there.
type offerCase struct {
	in    string // a directory of the suite, empty for the one with a few files
	line  string
	words string // sorted
	files bool
	dirs  bool

	notZsh bool // which itself takes the line for another
}

var offerCases = []offerCase{
	{line: "test-prog ", words: "jobs run"},
	{line: "test-prog r", words: "run"},
	{line: "test-prog h"},
	{line: "test-prog --", words: "--dir --quiet"},
	{line: "test-prog -q ru", words: "run"},

	// The value of a flag is no command.
	{line: "test-prog -C run ", words: "jobs run"},
	{line: "test-prog -qC run ", words: "jobs run"},
	{line: "test-prog -Crun ", words: "jobs run"},
	{line: "test-prog --dir run ", words: "jobs run"},
	{line: "test-prog --dir=run ", words: "jobs run"},
	{line: "test-prog --dir=a:b ", words: "jobs run"},
	{line: "test-prog -C ", dirs: true},
	{line: "test-prog --dir=", dirs: true},

	{line: "test-prog run "},
	{line: "test-prog run jobs "},
	{line: "test-prog run --", words: "--color --dir --file --quiet --text"},
	{line: "test-prog run --fi", words: "--file"},
	{line: "test-prog run --file ", files: true},
	{line: "test-prog run --file=", files: true},
	{line: "test-prog run --text "},
	{line: "test-prog run --color ", words: "always auto never"},
	{line: "test-prog run --color a", words: "always auto"},
	{line: "test-prog run --color=al", words: "always"},
	{line: "test-prog run --text x --color n", words: "never"},
	{line: "test-prog run -- --"},

	{line: "test-prog jobs ", words: "drop list peek show", files: true},
	{line: "test-prog jobs show "},
	{line: "test-prog jobs show id ", files: true},
	{line: "test-prog jobs show id a.md ", files: true},
	{line: "test-prog jobs show id a.md b.md ", files: true},
	{line: "test-prog jobs show id -q ", files: true},
	{line: "test-prog jobs drop ", words: "all one"},
	{line: "test-prog jobs drop all ", dirs: true},
	{line: "test-prog jobs drop all x "},

	// The flags of the command that need not be named; not those of its siblings.
	{line: "test-prog jobs --color ", words: "blue red"},
	{line: "test-prog jobs list --color ", words: "blue red"},
	{line: "test-prog jobs show --c"},
	{line: "test-prog jobs a.md ", files: true},

	// After one of them no sibling can be named any more.
	{line: "test-prog jobs --color red ", files: true},
	{line: "test-prog jobs --color=red ", files: true},
	{line: "test-prog jobs --color red --q", words: "--quiet"},
	{line: "test-prog jobs -q ", words: "drop list peek show", files: true},

	// Flags may stand before an argument, and in the place of one that need not be given.
	{line: "test-prog jobs drop --", words: "--dir --quiet"},
	{line: "test-prog jobs show --", words: "--dir --quiet"},
	{line: "test-prog jobs peek --fo", words: "--follow"},
	{line: "test-prog jobs peek "},
	{line: "test-prog jobs peek id --fo", words: "--follow"},
}

// A script holds no text of the grammar in a place where a shell would run it.
func TestTextsAreQuoted(t *testing.T) {
	program := testProgram(t, &testGrammar{})
	for _, one := range []struct{ name, script, want string }{
		{"zsh", completion.Zsh(program, testFacts), `'[It'\''s \[here\]\: $HOME \\ it]`},
		{"fish", completion.Fish(program, testFacts), `-d 'It\'s [here]: $HOME \\ it'`},
	} {
		if !strings.Contains(one.script, one.want) {
			t.Errorf("%s: %s is not in\n%s", one.name, one.want, one.script)
		}
	}
}
