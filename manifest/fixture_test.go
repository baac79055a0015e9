package manifest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/ai-session-handler/ai-session-handler/engine/binding"
	"github.com/ai-session-handler/ai-session-handler/manifest/problem"
)

// A fixture is a workspace in a txtar archive. What is wrong with it stands where
// it is wrong, at the end of the line:
//
//	agent = agent.codx # want E304 `agent.codx` "no agent is named"
//
// that is a code, the text that the caret marks, and a part of summary and hint.
// Problems that have no line, and those of files that hold no comments, stand in
// the head of the archive, as FILE:LINE before the code, or just FILE. Its other
// lines are empty, begin with #, or are one of these:
//
//	var NAME=VALUE       --var
//	varfile FILE         --var-file
//	env NAME=VALUE       of the environment
//	missing PROGRAM      no such program is found
//	limits REASON        limits can't be enforced, because
//	link NAME TARGET     a symbolic link
//	fill NAME N "TEXT"   a file gets N times a text, at its end
//	hidden TEXT          which no message may show
//
// Besides its own files a workspace has AGENTS.md, plan.md and web.md, whose
// phases 1 to 3 run in it. A file whose name begins with ../ lies beside it.
//
// Everything that is reported must be wanted, and the other way round.
type fixture struct {
	in       Input
	machine  fakeMachine
	wants    []want
	hidden   []string
	problems problem.List
}

type want struct {
	file string
	line int
	code string
	mark string
	text string
}

type fakeMachine struct {
	missing string
	limits  string
	environ []string
}

func (m fakeMachine) LookPath(program, _ string, _ binding.Environment) error {
	if program == m.missing {
		return errors.New(program + " is not on the PATH of the worker")
	}
	return nil
}

func (m fakeMachine) Enforceable(limits binding.TreeLimits) error {
	if m.limits == "" || limits == (binding.TreeLimits{}) {
		return nil
	}
	return errors.New(m.limits)
}

func (m fakeMachine) IsSet(name string) bool {
	return slices.ContainsFunc(m.environ, func(e string) bool { return strings.HasPrefix(e, name+"=") })
}

var wantLine = regexp.MustCompile("^([EW][0-9]{3})(?: `([^`]*)`)?(?: (\".*\"))?$")

func (f *fixture) want(t *testing.T, file string, line int, text string) {
	t.Helper()
	m := wantLine.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		t.Fatalf("%s:%d: not a want: %s", file, line, text)
	}
	w := want{file: file, line: line, code: m[1], mark: m[2]}
	if m[3] != "" {
		var err error
		if w.text, err = strconv.Unquote(m[3]); err != nil {
			t.Fatalf("%s:%d: %v: %s", file, line, err, m[3])
		}
	}
	f.wants = append(f.wants, w)
}

func loadFixture(t *testing.T, path string) *fixture {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{in: Input{Root: workspaceOf(t), Program: "1.0.0", Config: Layer{}}}
	for _, file := range archive.Files {
		write(t, filepath.Join(f.in.Root, file.Name), string(file.Data))
		for i, line := range strings.Split(string(file.Data), "\n") {
			if _, wants, ok := strings.Cut(line, "# want "); ok {
				for one := range strings.SplitSeq(wants, " # want ") {
					f.want(t, file.Name, i+1, one)
				}
			}
		}
	}
	for line := range strings.Lines(string(archive.Comment)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			f.head(t, line)
		}
	}
	if f.in.Path, err = In(f.in.Root); err != nil {
		t.Fatal(err)
	}
	return f
}

// workspaceOf makes a plan workspace with what every fixture has.
func workspaceOf(t *testing.T) string {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(top, "ws")
	for _, name := range []string{".git/HEAD", "AGENTS.md"} {
		write(t, filepath.Join(root, name), "")
	}
	for _, name := range []string{"plan.md", "web.md"} {
		write(t, filepath.Join(root, name), threePhases)
	}
	return root
}

const threePhases = `## Phase 1: One

### Workspace

.

## Phase 2: Two

### Workspace

.

## Phase 3: Three

### Workspace

.
`

// head reads a line that is not in a file of the workspace.
func (f *fixture) head(t *testing.T, line string) {
	t.Helper()
	key, rest, _ := strings.Cut(line, " ")
	switch key {
	case "var":
		f.in.Vars = append(f.in.Vars, rest)
	case "varfile":
		f.in.VarFiles = append(f.in.VarFiles, filepath.Join(f.in.Root, rest))
	case "env":
		f.in.Environ = append(f.in.Environ, rest)
		f.machine.environ = f.in.Environ
	case "missing":
		f.machine.missing = rest
	case "limits":
		f.machine.limits = rest
	case "hidden":
		f.hidden = append(f.hidden, rest)
	case "link":
		name, target, _ := strings.Cut(rest, " ")
		if err := os.Symlink(target, filepath.Join(f.in.Root, name)); err != nil {
			t.Fatal(err)
		}
	case "fill":
		f.fill(t, rest)
	default:
		file, number, _ := strings.Cut(key, ":")
		n, _ := strconv.Atoi(number)
		f.want(t, file, n, rest)
	}
}

func (f *fixture) fill(t *testing.T, line string) {
	t.Helper()
	var name, text string
	var count int
	if _, err := fmt.Sscanf(line, "%s %d %q", &name, &count, &text); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(f.in.Root, name)
	before, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	write(t, path, string(before)+strings.Repeat(text, count))
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// check validates a fixture as the command does.
func (f *fixture) check() *Manifest {
	m, problems := Load(f.in)
	if !problems.HasErrors() {
		problems = append(problems, m.CheckFiles(f.machine, nil)...).Sort()
	}
	f.problems = problems
	return m
}

func (w want) fits(p problem.Problem) bool {
	marked := p.Snippet[p.Mark.From:p.Mark.To]
	return w.code == p.Code && w.file == p.Range.File && w.line == p.Range.Start.Line &&
		(w.mark == "" || w.mark == marked) && strings.Contains(p.Summary+". "+p.Hint, w.text)
}

func (w want) String() string {
	return fmt.Sprintf("%s:%d %s `%s` %q", w.file, w.line, w.code, w.mark, w.text)
}
