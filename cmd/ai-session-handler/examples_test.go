package main

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestExamples runs every example as its README says, with the real program on
// the PATH.
func TestExamples(t *testing.T) {
	bin := buildProduct(t)
	scripts, err := filepath.Glob(filepath.Join(repository, "examples/*/run.sh"))
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	before := treeOf(t, filepath.Join(repository, "examples"))
	for _, script := range scripts {
		t.Run(filepath.Base(filepath.Dir(script)), func(t *testing.T) {
			e := runExample(t, bin, script)
			e.wants(t, "runner-complete: all phases complete", "complete: all phases are complete", "phases: 3 of 3 complete")
			e.left(t, "outcomes", 3)
		})
	}
	t.Run("quickstart with a stop", func(t *testing.T) {
		e := runExample(t, bin, filepath.Join(repository, "examples/quickstart/run.sh"), "--with-stop")
		e.wants(t, "phase-needs-clarification: Whom", "exit code 3", "stopped: phase-2", "phases: 1 of 3 complete",
			"runner-complete: all phases complete", "(2 attempts)", "\nHello, world!\n")
		e.left(t, "outcomes", 4)
	})
	if diff := cmp.Diff(before, treeOf(t, filepath.Join(repository, "examples"))); diff != "" {
		t.Errorf("the examples changed the checkout:\n%s", diff)
	}
}

// TestExamplesAsTheirReadmesSay copies each example that has no script and types what
// its README says.
func TestExamplesAsTheirReadmesSay(t *testing.T) {
	bin := buildProduct(t)
	for name, want := range map[string]struct {
		texts []string // in the output, in this order
		files map[string]string
	}{
		"minimal": {
			[]string{"ok (agents: 1, plans: 1)", "runner-complete: all phases complete", "hello", "complete"},
			map[string]string{"hello.txt": "hello from phase-1\n"},
		},
		"team": {
			[]string{"ok (agents: 3, plans: 2)", "role", "20m0s", "agents.handler.hcl:", "the token is [masked:TEAM_TOKEN]", "runner-complete", "Worked as reviewer with effort high", "complete"},
			map[string]string{"writer.txt": "role writer, effort medium, other variables: none\n", "reviewer.txt": "role reviewer, effort high, other variables: none\n"},
		},
		"per-phase": {
			[]string{"ok (agents: 2, plans: 1)", "pause_after", "phase-complete: phase-1", "paused after phase-1, as the manifest says", "runner-complete"},
			map[string]string{"log.txt": "phase-1: fast\nphase-2: careful\nphase-3: fast\n"},
		},
		"json": {
			[]string{"ok (agents: 1, plans: 1)", "agent: agent.echo", "runner-complete"},
			map[string]string{"hello.txt": "hello\n"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, output := followReadme(t, bin, name)
			example{output: output}.wants(t, want.texts...)
			for file, text := range want.files {
				if got, err := os.ReadFile(filepath.Join(dir, file)); string(got) != text || err != nil {
					t.Errorf("%s: %q, %v", file, got, err)
				}
			}
			if found := holdersOf(t, dir, "a-secret-of-the-team"); len(found) > 0 {
				t.Errorf("the secret is in %s", found)
			}
			if strings.Contains(output, "a-secret-of-the-team") {
				t.Errorf("the secret is shown:\n%s", output)
			}
		})
	}
}

// followReadme runs the first block of commands of an example's README in a copy.
func followReadme(t *testing.T, bin, name string) (dir, output string) {
	t.Helper()
	source := filepath.Join(repository, "examples", name)
	readme, err := os.ReadFile(filepath.Join(source, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(readme), "```sh\n")
	commands, _, ok := strings.Cut(block, "```")
	if !ok {
		t.Fatalf("%s has no block of commands", name)
	}
	dir = filepath.Join(t.TempDir(), name)
	if err := os.CopyFS(dir, os.DirFS(source)); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "README.md")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-ec", commands)
	cmd.Dir = dir
	cmd.Env = append(exampleEnv(bin, t.TempDir(), t.TempDir()), "SOMETHING_ELSE=leaked")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir, string(out)
}

// holdersOf lists the files below dir that hold a text.
func holdersOf(t *testing.T, dir, text string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), text) {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// An example does not depend on the shell, the umask or the directory it is
// started with, and leaves room for the next run.
func TestExampleUnderOddCircumstances(t *testing.T) {
	bin := buildProduct(t)
	script, err := filepath.Abs(filepath.Join(repository, "examples/quickstart/run.sh"))
	if err != nil {
		t.Fatal(err)
	}
	scratch := filepath.Join(t.TempDir(), "a b")
	if err := os.Mkdir(scratch, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, umask := range []string{"0000", "0777"} {
		cmd := exec.Command("sh", "-c", "umask "+umask+" && exec sh "+script)
		cmd.Dir = "/"
		cmd.Env = exampleEnv(bin, scratch, t.TempDir())
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("umask %s: %v\n%s", umask, err, out)
		}
	}
}

// buildProduct returns a directory that holds the program as make builds it.
func buildProduct(t *testing.T) string {
	t.Helper()
	bin := t.TempDir()
	build := exec.Command("go", "build", "-o", filepath.Join(bin, "ai-session-handler"), ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", build, err, out)
	}
	return bin
}

// exampleEnv is that of a newcomer, whose git has no configuration.
func exampleEnv(bin, scratch, home string) []string {
	return []string{"PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH"), "TMPDIR=" + scratch, "HOME=" + home}
}

// example is one run that ended well.
type example struct {
	output  string
	scratch string
}

func runExample(t *testing.T, bin, script string, args ...string) example {
	t.Helper()
	scratch := t.TempDir()
	cmd := exec.Command(script, args...)
	cmd.Env = exampleEnv(bin, scratch, t.TempDir())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
	return example{string(out), scratch}
}

func (e example) wants(t *testing.T, texts ...string) {
	t.Helper()
	rest := e.output
	for _, text := range texts {
		_, after, ok := strings.Cut(rest, text)
		if !ok {
			t.Fatalf("%q is missing, or not in its place:\n%s", text, e.output)
		}
		rest = after
	}
}

// left counts the files of one kind in the history of the only plan.
func (e example) left(t *testing.T, kind string, want int) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(e.scratch, "*/.ai-session-handler/plans/*", kind, "*"))
	if err != nil || len(files) != want {
		t.Errorf("%d %s, want %d: %v", len(files), kind, want, err)
	}
}

// treeOf describes every file below dir.
func treeOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	tree := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		tree[path] = info.Mode().String()
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			tree[path] += fmt.Sprintf(" %x", sha256.Sum256(data))
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}
