package completion_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ai-session-handler/ai-session-handler/cmd/internal/completion"
)

// enter is the command that goes to the directory of a case.
func (s suite) enter(c offerCase) string {
	if c.in == "" {
		return ""
	}
	return "cd '" + filepath.Join(s.root, c.in) + "'\n"
}

func TestBash(t *testing.T) {
	shell := lookShell(t, "bash")
	for _, s := range suites(t) {
		for _, setup := range []string{"", "set -u; IFS=,"} {
			t.Run(s.name+" "+setup, func(t *testing.T) {
				got := ask(t, shell, []string{"--norc"}, s.bashQuestions(setup), completion.Bash(s.program, testFacts))
				s.compare(t, got, func(c offerCase, words []string) (offered, want []string) {
					if c.files {
						want = append(want, "compopt", "-o", "default")
					}
					if c.dirs {
						want = append(want, "compopt", "-o", "dirnames")
					}
					return words, want
				})
			})
		}
	}
}

// compare holds the answers against the cases. The function says what else than
// their words should be there, and what of an answer counts.
func (s suite) compare(t *testing.T, got []string, shell func(c offerCase, words []string) (offered, want []string)) {
	t.Helper()
	for i, c := range s.cases {
		words, want := shell(c, strings.Fields(got[i]))
		want = append(want, strings.Fields(c.words)...)
		slices.Sort(words)
		slices.Sort(want)
		if diff := cmp.Diff(want, words, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: %q:\n%s", c.in, c.line, diff)
		}
	}
}

// bashQuestions asks as bash does at a tab: with the words cut at = and : too, and
// with their quotes.
func (s suite) bashQuestions(setup string) string {
	var b strings.Builder
	b.WriteString(setup + "\n. ./script\ncompopt() { echo compopt \"$@\"; }\n")
	for _, c := range s.cases {
		words := strings.Fields(strings.NewReplacer("=", " = ", ":", " : ").Replace(c.line))
		if strings.HasSuffix(c.line, " ") {
			words = append(words, "")
		}
		b.WriteString(s.enter(c) + "COMP_WORDS=('" + strings.Join(words, "' '") + "')\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n")
		b.WriteString("_test_prog && printf '%s\\n' ${COMPREPLY[@]+\"${COMPREPLY[@]}\"}\necho " + endOfAnswer + "\n")
	}
	return b.String()
}

func TestFish(t *testing.T) {
	shell := lookShell(t, "fish")
	for _, s := range suites(t) {
		questions := "source ./script\n"
		for _, c := range s.cases {
			questions += s.enter(c) + "complete -C '" + c.line + "' | string replace -r '\\t.*' ''\necho " + endOfAnswer + "\n"
		}
		got := ask(t, shell, []string{"--no-config"}, questions, completion.Fish(s.program, testFacts))
		s.compare(t, got, func(c offerCase, words []string) (offered, want []string) {
			for i, word := range words {
				words[i] = word[strings.LastIndex(word, "=")+1:]
			}
			return words, listed(c, "a-dir/")
		})
	}
}

// listed is what the shells that list files offer for paths.
func listed(c offerCase, dir string) (paths []string) {
	if c.files {
		paths = []string{"a-file.md", "questions", "script"}
	}
	if c.files || c.dirs {
		paths = append(paths, dir)
	}
	return paths
}

func TestZshSyntax(t *testing.T) {
	for _, s := range suites(t) {
		ask(t, lookShell(t, "zsh"), []string{"-f", "-n"}, "", completion.Zsh(s.program, testFacts))
	}
}

// TestZsh drives an interactive zsh, since zsh completes nothing without a
// terminal. What would be offered is noted where completion adds it.
func TestZsh(t *testing.T) {
	shell := lookShell(t, "zsh")
	for _, s := range suites(t) {
		got := ask(t, shell, []string{"-f"}, s.zshQuestions(shell), completion.Zsh(s.program, testFacts))
		s.compare(t, got, func(c offerCase, words []string) (offered, want []string) {
			if c.notZsh {
				return strings.Fields(c.words), nil
			}
			if strings.HasSuffix(c.line, " ") { // where nothing else fits, zsh offers the flags
				words = slices.DeleteFunc(words, func(word string) bool { return strings.HasPrefix(word, "-") })
			}
			slices.Sort(words)
			return slices.Compact(words), listed(c, "a-dir")
		})
	}
}

// zshQuestions opens a terminal with a second zsh on it, which asks as soon as
// it would read a line.
func (s suite) zshQuestions(shell string) string {
	var b strings.Builder
	for _, c := range s.cases {
		b.WriteString("\t" + s.enter(c) + "\tBUFFER='" + c.line + "' CURSOR=${#BUFFER}\n\tzle ask\n\techo '" + endOfAnswer + "' >>$HOME/answers\n")
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
	must(t, os.WriteFile(filepath.Join(home, "main.hcl"), []byte("plan \"at-home\" {\n"), 0o644))
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_DATA_HOME="+home)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || stderr.String() != "" {
		t.Fatalf("%s: %v\n%s", shell, err, &stderr)
	}
	return strings.Split(string(out), endOfAnswer+"\n")
}
