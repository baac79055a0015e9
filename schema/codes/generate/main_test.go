package main

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ai-session-handler/ai-session-handler/schema/codes"
)

func TestPageIsCurrent(t *testing.T) {
	t.Chdir("..")
	want, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(got), string(want)); diff != "" {
		t.Errorf("docs/errors.md is not current, run `make generate` (- file, + table):\n%s", diff)
	}
}

func TestPageTellsEveryCode(t *testing.T) {
	data, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for _, c := range codes.All() {
		_, section, ok := strings.Cut(text, "\n### "+c.ID+"\n")
		section, _, _ = strings.Cut(section, "\n### ")
		if !ok || !strings.Contains(section, c.Explanation) || !strings.Contains(section, c.Wrong) || !strings.Contains(section, c.Note) {
			t.Errorf("%s is not told: %s", c.ID, section)
		}
		if !strings.Contains(text, "| ["+c.ID+"](#"+strings.ToLower(c.ID)+") | "+c.Title+" |\n") {
			t.Errorf("%s is not in the table", c.ID)
		}
	}
	for _, s := range sections() {
		if s.Title == "" || len(s.Codes) == 0 {
			t.Errorf("an empty section: %+v", s)
		}
	}
}
