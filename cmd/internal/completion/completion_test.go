package completion_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"

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

func testProgram(t *testing.T) grammar.Command {
	t.Helper()
	parser, err := kong.New(&testGrammar{}, kong.Name("test-prog"), kong.NoDefaultHelp())
	if err != nil {
		t.Fatal(err)
	}
	return grammar.From(parser.Model)
}

// A case is a command line up to the cursor, and what is offered there.
type offerCase struct {
	line  string
	words string // sorted
	files bool
	dirs  bool
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

func TestBash(t *testing.T) {
	shell := lookShell(t, "bash")
	for _, setup := range []string{"", "set -u", "IFS=,"} {
		t.Run(setup, func(t *testing.T) {
			got := ask(t, shell, []string{"--norc"}, bashQuestions(setup), completion.Bash(testProgram(t)))
			for i, c := range offerCases {
				words := strings.Fields(got[i])
				want := strings.Fields(c.words)
				if c.files {
					want = append(want, "compopt", "-o", "default")
				}
				if c.dirs {
					want = append(want, "compopt", "-o", "dirnames")
				}
				slices.Sort(words)
				slices.Sort(want)
				if diff := cmp.Diff(want, words); diff != "" {
					t.Errorf("%q:\n%s", c.line, diff)
				}
			}
		})
	}
}

// bashQuestions asks as bash does at a tab: with the words cut at = and : too.
func bashQuestions(setup string) string {
	var b strings.Builder
	b.WriteString(setup + "\n. ./script\ncompopt() { echo compopt \"$@\"; }\n")
	for _, c := range offerCases {
		words := strings.Fields(strings.NewReplacer("=", " = ", ":", " : ").Replace(c.line))
		if strings.HasSuffix(c.line, " ") {
			words = append(words, "''")
		}
		b.WriteString("COMP_WORDS=(" + strings.Join(words, " ") + ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n")
		b.WriteString("_test_prog && printf '%s\\n' ${COMPREPLY[@]+\"${COMPREPLY[@]}\"}\necho " + endOfAnswer + "\n")
	}
	return b.String()
}

func TestFish(t *testing.T) {
	shell := lookShell(t, "fish")
	questions := "source ./script\n"
	for _, c := range offerCases {
		questions += "complete -C '" + c.line + "'\necho " + endOfAnswer + "\n"
	}
	got := ask(t, shell, []string{"--no-config"}, questions, completion.Fish(testProgram(t)))
	for i, c := range offerCases {
		words := []string{}
		for line := range strings.Lines(got[i]) {
			word, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
			words = append(words, word[strings.LastIndex(word, "=")+1:])
		}
		want := strings.Fields(c.words)
		if c.files {
			want = append(want, "a-file.md", "questions", "script")
		}
		if c.files || c.dirs {
			want = append(want, "a-dir/")
		}
		slices.Sort(words)
		slices.Sort(want)
		if diff := cmp.Diff(want, words); diff != "" {
			t.Errorf("%q:\n%s", c.line, diff)
		}
	}
}

func TestZshSyntax(t *testing.T) {
	ask(t, lookShell(t, "zsh"), []string{"-f", "-n"}, "", completion.Zsh(testProgram(t)))
}

// TestZsh drives an interactive zsh, since zsh completes nothing without a
// terminal. What would be offered is noted where completion adds it.
func TestZsh(t *testing.T) {
	shell := lookShell(t, "zsh")
	got := ask(t, shell, []string{"-f"}, zshQuestions(shell), completion.Zsh(testProgram(t)))
	for i, c := range offerCases {
		words := strings.Fields(got[i])
		if strings.HasSuffix(c.line, " ") { // where nothing else fits, zsh offers the flags
			words = slices.DeleteFunc(words, func(word string) bool { return strings.HasPrefix(word, "-") })
		}
		want := strings.Fields(c.words)
		if c.files {
			want = append(want, "a-file.md", "questions", "script")
		}
		if c.files || c.dirs {
			want = append(want, "a-dir")
		}
		slices.Sort(words)
		slices.Sort(want)
		if diff := cmp.Diff(want, slices.Compact(words)); diff != "" {
			t.Errorf("%q:\n%s", c.line, diff)
		}
	}
}

// zshQuestions opens a terminal with a second zsh on it, which asks as soon as
// it would read a line.
func zshQuestions(shell string) string {
	var b strings.Builder
	for _, c := range offerCases {
		b.WriteString("\tBUFFER='" + c.line + "' CURSOR=${#BUFFER}\n\tzle ask\n\techo '" + endOfAnswer + "' >>$HOME/answers\n")
	}
	return `zmodload zsh/zpty
cat >$HOME/inner <<'EOF'
autoload -Uz compinit && compinit -u -D
. ./script
compadd() {
	local -a found
	if (( ${@[(I)-[a-zA-Z]#[OAD]]} )); then # it is asked what fits, nothing is added
		builtin compadd "$@"
		return
	fi
	builtin compadd -A found "$@"
	(( $#found )) || return 1
	print -rl -- $found >>$HOME/answers
	builtin compadd "$@"
}
zle -C ask list-choices _main_complete
zle-line-init() {
	{
` + b.String() + `	} always {
		exit
	}
}
zle -N zle-line-init
EOF
zpty inner ` + shell + ` -f -i
zpty -w inner '. $HOME/inner'
while zpty -r inner line; do :; done
cat $HOME/answers
`
}

func lookShell(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("no %s: %v", name, err)
	}
	return path
}

const endOfAnswer = "=========="

// ask runs questions, or script itself where there are none, in a directory with
// a file, a directory and the script, and returns the answers.
func ask(t *testing.T, shell string, args []string, questions, script string) []string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "a-dir"), 0o755); err != nil {
		t.Fatal(err)
	}
	run := "script"
	files := map[string]string{"a-file.md": "", "script": script}
	if questions != "" {
		run, files["questions"] = "questions", questions
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(shell, append(args, run)...)
	cmd.Dir = dir
	home := t.TempDir()
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_DATA_HOME="+home)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || stderr.String() != "" {
		t.Fatalf("%s: %v\n%s", shell, err, &stderr)
	}
	return strings.Split(string(out), endOfAnswer+"\n")
}

// A script holds no text of the grammar in a place where a shell would run it.
func TestTextsAreQuoted(t *testing.T) {
	program := testProgram(t)
	for _, one := range []struct{ name, script, want string }{
		{"zsh", completion.Zsh(program), `'[It'\''s \[here\]\: $HOME \\ it]`},
		{"fish", completion.Fish(program), `-d 'It\'s [here]: $HOME \\ it'`},
	} {
		if !strings.Contains(one.script, one.want) {
			t.Errorf("%s: %s is not in\n%s", one.name, one.want, one.script)
		}
	}
}
