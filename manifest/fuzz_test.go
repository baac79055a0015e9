package manifest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/ai-session-handler/ai-session-handler/manifest/hclfile"
	"github.com/ai-session-handler/ai-session-handler/manifest/problem"
	"github.com/ai-session-handler/ai-session-handler/schema/codes"
)

// FuzzLoad reads any bytes as a manifest, native or JSON: nothing panics, every
// problem has a place inside its file, the same is said twice, and what has no
// errors can be resolved, explained and formatted without a change of meaning.
func FuzzLoad(f *testing.F) {
	seed(f)
	root, err := filepath.EvalSymlinks(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte, json bool) {
		name := FileName
		if json {
			name = JSONName
		}
		path := filepath.Join(root, name)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		in := Input{Root: root, Path: path, Vars: []string{"effort=low"}, Program: "1.0.0", Config: Layer{}}
		m, problems := Load(in)
		again, same := Load(in)
		if diff := cmp.Diff(problems, same); diff != "" {
			t.Fatalf("another time it has other problems:\n%s", diff)
		}
		for _, p := range problems {
			within(t, p.Range, name, len(text))
			for _, r := range p.Related {
				within(t, r.Range, name, len(text))
			}
		}
		_ = problems.Text(false)
		if _, ok := m.Graph(""); !ok {
			t.Fatal("there is no graph")
		}
		if problems.HasErrors() {
			return
		}
		use(t, again)
		if !json && len(text) < 1<<20 {
			formatKeeps(t, in, m, text)
		}
	})
}

func seed(f *testing.F) {
	f.Helper()
	for _, code := range codes.All() {
		f.Add([]byte(code.Wrong), false)
		f.Add([]byte(code.Right), false)
	}
	paths, _ := filepath.Glob("testdata/mistakes/*.txtar")
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			if file.Name == FileName || file.Name == JSONName {
				f.Add(file.Data, file.Name == JSONName)
			}
		}
	}
}

// within checks that a place is in the file, as far as it is in a file.
func within(t *testing.T, r problem.Range, name string, length int) {
	t.Helper()
	if r.File != name || r.Start.Line == 0 {
		if r.Start != (problem.Pos{}) || r.File == "" {
			t.Fatalf("a place without a file: %+v", r)
		}
		return
	}
	if r.Start.Byte < 0 || r.End.Byte < r.Start.Byte || r.End.Byte > length || r.Start.Column < 1 || r.End.Line < r.Start.Line {
		t.Fatalf("%+v is not within %d bytes", r, length)
	}
}

// use does with a good manifest what commands do.
func use(t *testing.T, m *Manifest) {
	t.Helper()
	m.CheckFiles(fakeMachine{}, nil)
	for _, p := range m.Plans {
		resolved, err := m.Resolve(Request{Plan: p})
		if err != nil {
			t.Fatalf("plan %s: %v", p.Name, err)
		}
		if err := resolved.Default.CheckRules(); err != nil {
			t.Fatalf("plan %s: %v", p.Name, err)
		}
		for _, e := range resolved.Default.Explain() {
			if len(e.Origins) == 0 {
				t.Fatalf("plan %s: %s has no origin", p.Name, e.Name)
			}
		}
	}
}

func formatKeeps(t *testing.T, in Input, m *Manifest, text []byte) {
	t.Helper()
	want := digestsOf(t, m)
	formatted := hclfile.Format(text)
	if err := os.WriteFile(in.Path, formatted, 0o600); err != nil {
		t.Fatal(err)
	}
	after, problems := Load(in)
	if problems.HasErrors() {
		t.Fatalf("formatted it has errors:\n%s\n%s", problems.Text(false), formatted)
	}
	if diff := cmp.Diff(want, digestsOf(t, after)); diff != "" {
		t.Fatalf("formatted it means something else:\n%s\n%s", diff, formatted)
	}
}
