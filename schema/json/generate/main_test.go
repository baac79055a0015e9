package main

import (
	"bytes"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

func TestFilesAreCurrent(t *testing.T) {
	t.Chdir("..")
	files, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatal("nothing was generated")
	}
	for _, f := range files {
		got, err := os.ReadFile(f.name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(got), string(f.data)); diff != "" {
			t.Errorf("%s is not current, run `make generate` (- file, + types):\n%s", f.name, diff)
		}
	}
}

// The order of maps differs from run to run; that of the output must not.
func TestOutputIsDeterministic(t *testing.T) {
	t.Chdir("..")
	first, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		again, err := generate()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(first, again, cmp.AllowUnexported(file{})); diff != "" {
			t.Fatal(diff)
		}
	}
}

var docLink = regexp.MustCompile(`\[[A-Z]\w*\]`)

func TestOutputIsFitToCheckIn(t *testing.T) {
	t.Chdir("..")
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	files, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text := strings.Replace(string(f.data), "https://json-schema.org/draft/2020-12/schema", "", 1)
		for _, unwanted := range []string{dir, importPath, "://", "../", `\u00`} {
			if strings.Contains(text, unwanted) {
				t.Errorf("%s contains %q", f.name, unwanted)
			}
		}
		if link := docLink.FindString(text); link != "" {
			t.Errorf("%s contains %s, which means nothing outside Go", f.name, link)
		}
		if !bytes.HasSuffix(f.data, []byte("\n}\n")) {
			t.Errorf("%s doesn't end with one newline", f.name)
		}
		if !strings.Contains(text, `"description"`) {
			t.Errorf("%s has no descriptions: the comments were not found", f.name)
		}
	}
}

// wordless is a string type without constants.
type wordless string

func TestWordsAreThoseOfTheSource(t *testing.T) {
	t.Chdir("..")
	src, err := readSource()
	if err != nil {
		t.Fatal(err)
	}
	var want []any
	for _, status := range record.Statuses() {
		want = append(want, string(status))
	}
	if diff := cmp.Diff(want, src.words["Status"]); diff != "" {
		t.Errorf("statuses (- record.Statuses, + source):\n%s", diff)
	}
	var v struct {
		Word wordless `json:"word"`
	}
	_, err = src.schema(reflect.TypeOf(v))
	if err == nil || !strings.Contains(err.Error(), "wordless has no constants") {
		t.Errorf("a string type without constants: got %v", err)
	}
}
