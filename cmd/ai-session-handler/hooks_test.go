package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ai-session-handler/ai-session-handler/manifest"
)

// TestPreCommitHooks runs what each hook runs, and looks at which files it is for.
func TestPreCommitHooks(t *testing.T) {
	t.Parallel()
	text := readDoc(t, ".pre-commit-hooks.yaml")
	entries := regexp.MustCompile(`(?m)^  entry: ai-session-handler (.+)$`).FindAllStringSubmatch(text, -1)
	files := regexp.MustCompile(`(?m)^  files: '(.+)'$`).FindAllStringSubmatch(text, -1)
	if len(entries) != 2 || len(files) != len(entries) {
		t.Fatalf("%d entries, %d patterns of files", len(entries), len(files))
	}
	for i, entry := range entries {
		pattern := regexp.MustCompile(files[i][1])
		for name, want := range map[string]bool{
			manifest.FileName: true, "sub/" + manifest.FileName: true, "agents.handler.hcl": true,
			"x" + manifest.FileName: false, "other.hcl": false, "handler.hcl": false,
		} {
			if pattern.MatchString(name) != want {
				t.Errorf("%s is for %s: %v", entry[1], name, !want)
			}
		}
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(filepath.Join(repository, "examples/team"))); err != nil {
			t.Fatal(err)
		}
		args := append([]string{"-C", dir}, strings.Fields(entry[1])...)
		if code := Main(t.Context(), args, os.Environ(), nil, devNull(t), devNull(t)); code != exitOK {
			t.Errorf("%q: exit code %d", args, code)
		}
	}
}

func devNull(t *testing.T) *os.File {
	t.Helper()
	file, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	return file
}
