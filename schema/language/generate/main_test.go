package main

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ai-session-handler/ai-session-handler/schema/language"
)

func TestFilesAreCurrent(t *testing.T) {
	t.Chdir("..")
	files, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 2 {
		t.Fatalf("%d files", len(files))
	}
	for _, f := range files {
		got, err := os.ReadFile(f.name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(got), string(f.data)); diff != "" {
			t.Errorf("%s is not current, run `make generate` (- file, + table):\n%s", f.name, diff)
		}
	}
}

// The settings have a section of their own, and so must be left out of exactly
// the blocks that it names.
func TestReferenceTellsEveryAttribute(t *testing.T) {
	page, err := reference()
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]string{}
	for _, section := range strings.Split(string(page), "\n### ") {
		name, text, _ := strings.Cut(section, "\n")
		sections[name] = text
	}
	for _, p := range places() {
		text, ok := sections[p.block.Name]
		if !ok {
			t.Errorf("no section about %s", p.block.Name)
		}
		if !strings.Contains(text, p.block.Doc) {
			t.Errorf("%s: not described", p.block.Name)
		}
		shared := strings.Contains(text, "[settings](#settings)")
		for _, a := range p.block.Attrs {
			if told := strings.Contains(text, "| `"+a.Name+"` |"); !told && (!shared || !isSetting(a.Name)) {
				t.Errorf("%s: %s is missing", p.block.Name, a.Name)
			}
		}
	}
}

func isSetting(name string) bool {
	for _, s := range language.Settings() {
		if s.Name == name {
			return true
		}
	}
	return false
}

// A block stands behind all that it may stand in.
func TestPlaces(t *testing.T) {
	seen := map[*language.Block]bool{language.Manifest(): true}
	for _, p := range places() {
		for _, parent := range p.parents {
			if !seen[parent] {
				t.Errorf("%s stands before %s", p.block.Name, parent.Name)
			}
		}
		if seen[p.block] {
			t.Errorf("%s stands twice", p.block.Name)
		}
		seen[p.block] = true
	}
}
