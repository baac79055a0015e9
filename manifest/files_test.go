package manifest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

func TestTheManifestOfAWorkspaceIsFound(t *testing.T) {
	root := workspaceOf(t)
	if path, err := In(root); err != nil || path != "" {
		t.Errorf("without one: %q, %v", path, err)
	}
	for _, name := range []string{FileName, JSONName} {
		want := filepath.Join(root, name)
		write(t, want, "")
		if path, err := In(root); err != nil || path != want {
			t.Errorf("%s: %q, %v", name, path, err)
		}
		if err := os.Remove(want); err != nil {
			t.Fatal(err)
		}
	}
}

// Which of two forms counts would be a guess.
func TestTwoFormsAreRefused(t *testing.T) {
	root := workspaceOf(t)
	write(t, filepath.Join(root, FileName), headPart)
	write(t, filepath.Join(root, JSONName), "{}")
	_, err := In(root)
	var two *TwoError
	if !errors.As(err, &two) || len(two.Paths) != 2 {
		t.Fatal(err)
	}
}

// Companions come in the order of bytes; directories below are not searched.
func TestFilesOfAManifest(t *testing.T) {
	root := workspaceOf(t)
	for _, name := range []string{FileName, "b.handler.hcl", "B.handler.hcl", "a.hcl", "sub/c.handler.hcl", "d.handler.hcl.json"} {
		write(t, filepath.Join(root, name), "")
	}
	paths, err := Files(filepath.Join(root, FileName))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, path := range paths {
		names = append(names, filepath.Base(path))
	}
	if diff := cmp.Diff([]string{FileName, "B.handler.hcl", "b.handler.hcl"}, names); diff != "" {
		t.Error(diff)
	}
}

// A link that stays in the workspace is as good as a file.
func TestLinksInsideTheWorkspace(t *testing.T) {
	root := workspaceOf(t)
	write(t, filepath.Join(root, "shared", "m.hcl"), headPart)
	if err := os.Symlink(filepath.Join("shared", "m.hcl"), filepath.Join(root, FileName)); err != nil {
		t.Fatal(err)
	}
	m, problems := Load(Input{Root: root, Path: filepath.Join(root, FileName), Config: Layer{}})
	if len(problems) > 0 || len(m.Sources) != 1 || m.Sources[0].Path != FileName {
		t.Errorf("%v %s", m.Sources, problems.Text(false))
	}
}

// TestUnchanged changes each file that a manifest is made of, adds one and takes
// one away.
func TestUnchanged(t *testing.T) {
	root := workspaceOf(t)
	in := Input{Root: root, Path: filepath.Join(root, FileName), VarFiles: []string{filepath.Join(root, "values.hcl")}, Config: Layer{}}
	files := map[string]string{FileName: headPart + variablePart, "a.handler.hcl": "", "values.hcl": "effort = \"low\"\n"}
	reset := func() {
		for name, text := range files {
			write(t, filepath.Join(root, name), text)
		}
		_ = os.Remove(filepath.Join(root, "b.handler.hcl"))
	}
	reset()
	m, _ := Load(in)
	for name, change := range map[string]func(){
		"the manifest":     func() { write(t, in.Path, headPart+"# more\n"+variablePart) },
		"a companion":      func() { write(t, filepath.Join(root, "a.handler.hcl"), "# x\n") },
		"a var file":       func() { write(t, in.VarFiles[0], "effort = \"high\"\n") },
		"a file more":      func() { write(t, filepath.Join(root, "b.handler.hcl"), "") },
		"a file less":      func() { _ = os.Remove(filepath.Join(root, "a.handler.hcl")) },
		"no manifest left": func() { _ = os.Remove(in.Path) },
	} {
		reset()
		if !m.Unchanged(in) {
			t.Fatalf("before %s: it changed", name)
		}
		if change(); m.Unchanged(in) {
			t.Errorf("%s: no change is seen", name)
		}
	}
	reset()
	if none, _ := Load(Input{Root: root}); none.Unchanged(in) || !none.Unchanged(Input{Root: root}) {
		t.Error("a manifest came without being seen")
	}
}

// Whatever takes the place of a file after its path was resolved: opening it leads
// nowhere else, and waits for nobody.
func TestAFileThatIsSwappedBeforeItIsOpened(t *testing.T) {
	root := workspaceOf(t)
	r := &reader{root: root}
	outside := filepath.Join(filepath.Dir(root), "outside.hcl")
	write(t, outside, headPart)
	if err := os.Symlink(outside, filepath.Join(root, "link.hcl")); err != nil {
		t.Fatal(err)
	}
	if file, err := r.open("link.hcl"); err == nil {
		t.Error("a link out was followed to " + file.Name())
	}
	if err := unix.Mkfifo(filepath.Join(root, "fifo.hcl"), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := r.open("fifo.hcl")
	if err != nil {
		t.Fatal(err)
	}
	_ = file.Close()
}

// More files than a manifest may have are counted, and not read.
func TestTooManyCompanionsAreNotRead(t *testing.T) {
	root := workspaceOf(t)
	path := filepath.Join(root, FileName)
	write(t, path, headPart)
	for i := range maxCompanions {
		write(t, filepath.Join(root, fmt.Sprintf("%d.handler.hcl", i)), "")
	}
	in := Input{Root: root, Path: path, Program: "1.0.0"}
	if m, problems := Load(in); len(problems) > 0 || len(m.Sources) != maxCompanions+1 {
		t.Fatalf("%d files were read:\n%s", len(m.Sources), problems.Text(false))
	}
	write(t, filepath.Join(root, "more.handler.hcl"), "")
	m, problems := Load(in)
	if len(problems) != 1 || problems[0].Code != "E007" || len(m.Sources) > 0 {
		t.Errorf("%d files were read:\n%s", len(m.Sources), problems.Text(false))
	}
}
