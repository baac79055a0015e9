package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/ai-session-handler/ai-session-handler/cmd/internal/grammar"
	"github.com/ai-session-handler/ai-session-handler/engine/plan"
)

// repository is the root of the checkout, from the directory the tests run in.
const repository = "../.."

func readDoc(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(repository, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// tableRows returns the rows of all tables whose first cell is a `word`, by
// that word.
func tableRows(text string) map[string]string {
	rows := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|.*$").FindAllStringSubmatch(text, -1) {
		rows[row[1]] += row[0]
	}
	return rows
}

func TestDocsNameEveryLintCode(t *testing.T) {
	rows := tableRows(readDoc(t, "docs/plan-format.md"))
	for _, rule := range plan.Rules() {
		row, ok := rows[rule.Code]
		if !ok {
			t.Errorf("docs/plan-format.md has no row for %s (%s): %s", rule.Code, rule.Title, rule.Explanation)
		} else if !strings.Contains(row, rule.Title) {
			t.Errorf("the row of %s does not say %q: %s", rule.Code, rule.Title, row)
		}
		delete(rows, rule.Code)
	}
	for code := range rows {
		if regexp.MustCompile(`^P\d+$`).MatchString(code) {
			t.Errorf("docs/plan-format.md has a row for %s, which is no rule", code)
		}
	}
}

func TestDocsHoldTheTemplate(t *testing.T) {
	want := "````markdown\n" + string(plan.Template("Title of the plan", 1)) + "````\n"
	if !strings.Contains(readDoc(t, "docs/plan-format.md"), want) {
		t.Errorf("docs/plan-format.md does not hold the template as it is:\n%s", want)
	}
}

// The exit codes of the README are those of exit.go, and every status stands
// in the row of its code.
func TestReadmeNamesEveryExitCode(t *testing.T) {
	rows := tableRows(readDoc(t, "README.md"))
	want, got := map[string]bool{}, map[string]bool{}
	for _, code := range exitConstants(t) {
		want[code] = true
	}
	for _, s := range []unix.Signal{unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM} {
		want[strconv.Itoa(signalCode(s))] = true
	}
	for word := range rows {
		if _, err := strconv.Atoi(word); err == nil {
			got[word] = true
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("exit codes of exit.go (-) and of README.md (+):\n%s", diff)
	}
	for status, code := range statusCodes {
		if row := rows[strconv.Itoa(code)]; !strings.Contains(row, fmt.Sprintf("`%s`", status)) {
			t.Errorf("the row of code %d does not name `%s`: %s", code, status, row)
		}
	}
}

// The manual says what each exit code means, in the words of the README.
func TestManualNamesEveryExitCode(t *testing.T) {
	rows := tableRows(readDoc(t, "README.md"))
	for _, e := range exitMeanings {
		code := strconv.Itoa(e.code)
		if !strings.Contains(strings.ReplaceAll(rows[code], "`", ""), "| "+e.meaning+" |") {
			t.Errorf("README.md and exitMeanings differ about code %s: %q, %q", code, rows[code], e.meaning)
		}
		delete(rows, code)
	}
	for word := range rows {
		if _, err := strconv.Atoi(word); err == nil {
			t.Errorf("exitMeanings lacks code %s", word)
		}
	}
}

// The manual names every variable that a worker gets, and no other of ours.
func TestManualNamesEveryVariableOfWorkers(t *testing.T) {
	want, got := map[string]bool{}, map[string]bool{}
	for word := range tableRows(readDoc(t, "docs/worker-protocol.md")) {
		if strings.HasPrefix(word, "AI_SESSION_HANDLER") {
			want[word] = true
		}
	}
	for _, term := range environment {
		if strings.HasPrefix(term.Word, "AI_SESSION_HANDLER") && strings.Contains(term.Meaning, "for a worker") {
			got[term.Word] = true
		}
	}
	if diff := cmp.Diff(want, got); diff != "" || len(want) == 0 {
		t.Errorf("variables of docs/worker-protocol.md (-) and of the manual (+):\n%s", diff)
	}
}

func TestCommandLineDocumentIsCurrent(t *testing.T) {
	out, err := os.Create(filepath.Join(t.TempDir(), "cli.md"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = out.Close() }()
	if code := Main(t.Context(), []string{"man", "--format", "markdown"}, nil, nil, out, out); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	generated, err := os.ReadFile(out.Name())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(readDoc(t, "docs/cli.md"), string(generated)); diff != "" {
		t.Errorf("docs/cli.md is not current, run `make generate` (- file, + grammar):\n%s", diff)
	}
}

// Every command says in its help how it exits, and describes what it takes.
func TestEveryCommandIsDescribed(t *testing.T) {
	app, err := kong.New(&cli{}, kong.Vars{"version": ""})
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range grammar.From(app.Model).Leaves() {
		if !strings.Contains(command.Detail, "EXIT STATUS\n  0    ") {
			t.Errorf("the help of %q has no EXIT STATUS", command.Name())
		}
		values := slices.Clone(command.Args)
		for _, flag := range command.Flags {
			values = append(values, flag.Value)
		}
		for _, v := range values {
			if v.Help == "" {
				t.Errorf("%s: a flag or an argument %s has no help", command.Name(), v.Name)
			}
		}
	}
}

func TestReadmeNamesEveryCommand(t *testing.T) {
	app, err := kong.New(&cli{}, kong.Name("ai-session-handler"), kong.Vars{"version": ""})
	if err != nil {
		t.Fatal(err)
	}
	readme := readDoc(t, "README.md")
	for _, command := range grammar.From(app.Model).Leaves() {
		words := strings.TrimPrefix(command.Name(), "ai-session-handler ")
		if !regexp.MustCompile("(?m)^\\|[^|\n]*`" + words + "`[^|\n]*\\|").MatchString(readme) {
			t.Errorf("no table of README.md has a row for %s", words)
		}
	}
}

// exitConstants returns the values of the constants of exit.go, but for the one
// that signals are added to.
func exitConstants(t *testing.T) (codes []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "exit.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if ok && strings.HasPrefix(spec.Names[0].Name, "exit") && spec.Names[0].Name != "exitSignal" {
			if value, ok := spec.Values[0].(*ast.BasicLit); ok {
				codes = append(codes, value.Value)
			}
		}
		return true
	})
	if len(codes) == 0 {
		t.Fatal("exit.go has no exit codes")
	}
	return codes
}

// documents returns the Markdown files for people, by path from the root.
func documents(t *testing.T) map[string]string {
	t.Helper()
	docs := map[string]string{}
	err := filepath.WalkDir(repository, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == ".git"):
			return fs.SkipDir
		case !d.IsDir() && strings.HasSuffix(path, ".md"):
			name, _ := filepath.Rel(repository, path)
			docs[name] = readDoc(t, name)
		}
		return nil
	})
	if err != nil || len(docs) < 5 {
		t.Fatalf("%d documents, %v", len(docs), err)
	}
	return docs
}

func TestRelativeLinksLeadSomewhere(t *testing.T) {
	docs := documents(t)
	for name, text := range docs {
		for _, link := range regexp.MustCompile(`\]\(([^)\s]+)\)`).FindAllStringSubmatch(text, -1) {
			if strings.Contains(link[1], "://") {
				continue
			}
			path, anchor, _ := strings.Cut(link[1], "#")
			target := name
			if path != "" {
				target = filepath.Join(filepath.Dir(name), path)
			}
			if _, err := os.Stat(filepath.Join(repository, target)); err != nil {
				t.Errorf("%s: the link to %s leads nowhere", name, link[1])
			} else if anchor != "" && !hasHeading(docs[target], anchor) {
				t.Errorf("%s: %s has no heading #%s", name, target, anchor)
			}
		}
	}
}

// hasHeading reports whether a heading gets this anchor on GitHub.
func hasHeading(text, anchor string) bool {
	for _, heading := range regexp.MustCompile(`(?m)^#{1,6} (.*)$`).FindAllStringSubmatch(text, -1) {
		slug := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, heading[1])
		if slug == anchor {
			return true
		}
	}
	return false
}

// Documents speak of what is there: every flag in a command line of ours exists.
func TestDocumentedFlagsExist(t *testing.T) {
	app, err := kong.New(&cli{}, kong.Vars{"version": ""})
	if err != nil {
		t.Fatal(err)
	}
	flags := map[string]bool{}
	addFlags(flags, app.Model.Node)
	found := 0
	for name, text := range documents(t) {
		text = strings.ReplaceAll(text, "\\\n", " ")
		for _, line := range regexp.MustCompile("(?m)ai-session-handler (run|status|init|plan|attempts|completion|man)[^\n]*").FindAllString(text, -1) {
			own := regexp.MustCompile(`"(\\.|[^"\\])*"`).ReplaceAllString(line, "…") // without the agent's flags
			for _, flag := range regexp.MustCompile(`\s--[a-z][a-z-]*`).FindAllString(own, -1) {
				found++
				if !flags[strings.TrimSpace(flag)] {
					t.Errorf("%s: there is no flag%s: %s", name, flag, line)
				}
			}
		}
	}
	if found == 0 {
		t.Error("no document shows a command line with flags")
	}
}

func addFlags(to map[string]bool, node *kong.Node) {
	for _, flag := range node.Flags {
		to["--"+flag.Name] = true
	}
	for _, child := range node.Children {
		addFlags(to, child)
	}
}
