package engine_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/ai-session-handler/ai-session-handler"

// A rule says what the packages from must not depend on. Both are import paths,
// those of the module relative to it; with /... they stand for the whole tree.
type rule struct {
	from   []string
	except []string
	never  []string
	// direct limits the rule to imports written in the package itself.
	direct bool
	why    string
}

// rules is the dependency rule of docs/architecture.md. .golangci.yml reports the
// imports that break it where they are written.
var rules = []rule{
	{
		from:  []string{"engine/..."},
		never: []string{"manifest/...", "github.com/hashicorp/hcl/...", "github.com/zclconf/go-cty/..."},
		why:   "the engine is given bindings and never reads a manifest",
	},
	{
		from:   []string{"..."},
		except: []string{"manifest/hclfile/..."},
		never:  []string{"github.com/hashicorp/hcl/...", "github.com/zclconf/go-cty/..."},
		direct: true,
		why:    "manifest/hclfile is the only importer of HCL",
	},
	{
		from:   []string{"..."},
		except: []string{"cmd/..."},
		never:  []string{"cmd/..."},
		why:    "nothing imports the command line",
	},
	{
		from:  []string{"schema/..."},
		never: []string{"cmd/...", "engine/...", "manifest/..."},
		why:   "schema imports nothing of ours",
	},
	{
		from:  []string{"engine/state/..."},
		never: []string{"engine/proc/..."},
		why:   "transitions are pure; they know no processes",
	},
	{
		from: []string{
			"engine/binding", "engine/plan", "engine/fsx", "engine/result",
			"engine/prompt", "engine/termtext", "engine/workspace", "engine/lock", "engine/match",
		},
		never: []string{"engine/run/..."},
		why:   "a leaf never imports what is built on it",
	},
	{
		from:  []string{"engine/harness"},
		never: []string{"engine/harness/ollama", "engine/harness/openai", "engine/harness/docker"},
		why:   "the harness declares interfaces; cmd wires its adapters",
	},
	{
		from:  []string{"manifest/hclfile/...", "manifest/problem/..."},
		never: []string{"manifest"},
		why:   "a part never imports what is built on it",
	},
	{
		from:   []string{"..."},
		except: []string{"engine/enginetest/..."},
		never:  []string{"engine/enginetest/...", "cmd/internal/termtest"},
		why:    "only tests import it",
	},
}

// A listedPackage is what `go list -json` says about a package.
type listedPackage struct {
	ImportPath string
	Imports    []string
	Deps       []string // of Imports, and theirs, and so on
}

// violations returns one line for every import that a rule forbids.
func (r rule) violations(packages []listedPackage) []string {
	var found []string
	for _, p := range packages {
		name := strings.TrimPrefix(p.ImportPath, module+"/")
		if !matchesAny(r.from, name) || matchesAny(r.except, name) {
			continue
		}
		imports := p.Deps
		if r.direct {
			imports = p.Imports
		}
		for _, dep := range imports {
			if dep = strings.TrimPrefix(dep, module+"/"); matchesAny(r.never, dep) {
				found = append(found, fmt.Sprintf("%s depends on %s: %s", name, dep, r.why))
			}
		}
	}
	return found
}

func matchesAny(patterns []string, path string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		tree, whole := strings.CutSuffix(pattern, "...")
		return path == pattern || whole && strings.HasPrefix(path+"/", tree)
	})
}

func TestDependencyRule(t *testing.T) {
	packages := list(t)
	for _, r := range rules {
		for _, v := range r.violations(packages) {
			t.Error(v)
		}
	}
}

func list(t *testing.T) []listedPackage {
	t.Helper()
	out := output(t, "go", "list", "-json=ImportPath,Imports,Deps", module+"/...")
	var packages []listedPackage
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listedPackage
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
	if len(packages) == 0 {
		t.Fatal("go list found no package")
	}
	return packages
}

func output(t *testing.T, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(name, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, &stderr)
	}
	return out
}

// Every rule must be able to fail, and must leave its exceptions alone.
func TestRulesFindWhatTheyForbid(t *testing.T) {
	for _, r := range rules {
		for _, from := range r.from {
			for _, never := range r.never {
				p := listedPackage{
					ImportPath: module + "/" + strings.ReplaceAll(from, "...", "x"),
					Imports:    []string{"fmt", inModule(strings.TrimSuffix(never, "/..."))},
				}
				p.Deps = p.Imports
				if got := r.violations([]listedPackage{p}); len(got) != 1 {
					t.Errorf("%s → %s: found %q", from, never, got)
				}
			}
		}
		for _, except := range r.except {
			p := listedPackage{ImportPath: module + "/" + strings.TrimSuffix(except, "/..."), Deps: []string{inModule(r.never[0])}}
			if got := r.violations([]listedPackage{p}); len(got) != 0 {
				t.Errorf("excepted %s: found %q", except, got)
			}
		}
	}
}

func inModule(path string) string {
	if strings.HasPrefix(path, "github.com/") {
		return path
	}
	return module + "/" + path
}

// TestTopLevel keeps the repository's first page short: a newcomer reads it whole.
func TestTopLevel(t *testing.T) {
	allowed := []string{
		"cmd", "schema", "manifest", "engine", "examples", "docs",
		"go.mod", "go.sum", "Makefile", "README.md", "LICENSE", "CHANGELOG.md", "AGENTS.md",
	}
	if err := exec.Command("git", "-C", "..", "rev-parse", "--git-dir").Run(); err != nil {
		t.Skipf("not a git checkout, or no git: %v", err)
	}
	files := output(t, "git", "-C", "..", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	seen := map[string]bool{}
	for file := range strings.SplitSeq(strings.TrimRight(string(files), "\x00"), "\x00") {
		top, _, _ := strings.Cut(file, "/")
		if !seen[top] && !strings.HasPrefix(top, ".") && !slices.Contains(allowed, top) {
			t.Errorf("%s doesn't belong at the top level, which holds %s", top, strings.Join(allowed, " "))
		}
		seen[top] = true
	}
}
