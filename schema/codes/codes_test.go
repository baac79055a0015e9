package codes_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ai-session-handler/ai-session-handler/schema/codes"
)

// prefixes are how the ids of a level begin.
var prefixes = map[codes.Level]string{
	codes.Limits:     "E0",
	codes.Syntax:     "E10",
	codes.Version:    "E15",
	codes.Schema:     "E2",
	codes.Reference:  "E3",
	codes.Value:      "E4",
	codes.Filesystem: "E5",
	codes.Warning:    "W6",
}

// A code is never used again, so one that is gone from the table must not come
// back as something else: this list only grows.
var everUsed = strings.Fields(`
	E001 E002 E003 E004 E005 E006 E007
	E101
	E150 E151
	E201 E202 E203 E204 E205 E206 E207 E208
	E301 E302 E303 E304 E305 E306 E307 E308 E309 E310 E311 E312 E313
	E401 E402 E403 E404 E405 E406 E407 E408 E409 E410 E411 E412 E413 E414 E415
	E501 E502 E503 E504 E505 E506 E507 E508
	W601 W602 W603 W604 W605`)

func TestTheTableIsInOrder(t *testing.T) {
	var ids []string
	for _, c := range codes.All() {
		ids = append(ids, c.ID)
		if !strings.HasPrefix(c.ID, prefixes[c.Level]) {
			t.Errorf("%s is of level %s", c.ID, c.Level)
		}
	}
	if diff := cmp.Diff(everUsed, ids); diff != "" {
		t.Errorf("codes (- ever used, + table):\n%s", diff)
	}
}

func TestEveryCodeIsExplained(t *testing.T) {
	sentence := regexp.MustCompile(`[.?]( |$)`)
	for _, c := range codes.All() {
		if c.Title == "" || strings.HasSuffix(c.Title, ".") || strings.ContainsAny(c.Title, "\n|") {
			t.Errorf("%s: title %q", c.ID, c.Title)
		}
		if n := len(sentence.FindAllString(c.Explanation, -1)); n < 2 || n > 6 || !strings.HasSuffix(c.Explanation, ".") {
			t.Errorf("%s: %d sentences: %s", c.ID, n, c.Explanation)
		}
		if c.Wrong == "" && c.Note == "" {
			t.Errorf("%s has no example, and no note says why", c.ID)
		}
		if c.Note != "" && !strings.HasSuffix(c.Note, ".") {
			t.Errorf("%s: note %q", c.ID, c.Note)
		}
	}
}

// Whether Wrong has the problem and Right has none is tested where manifests
// are read.
func TestExamplesAreManifests(t *testing.T) {
	for _, c := range codes.All() {
		if (c.Wrong == "") != (c.Right == "") || c.Wrong == c.Right && c.Wrong != "" {
			t.Errorf("%s: wrong %q, right %q", c.ID, c.Wrong, c.Right)
		}
		for _, text := range []string{c.Wrong, c.Right} {
			if text == "" {
				continue
			}
			if !strings.HasPrefix(text, "manifest {\n  version") || !strings.HasSuffix(text, "}\n") || strings.Contains(text, "\n\n\n") {
				t.Errorf("%s: no manifest: %s", c.ID, text)
			}
		}
	}
}

func TestLookup(t *testing.T) {
	for _, id := range []string{"E304", "e304"} {
		if c, ok := codes.Lookup(id); !ok || c.ID != "E304" {
			t.Errorf("%s: %v", id, c)
		}
	}
	if c, ok := codes.Lookup("E999"); ok {
		t.Errorf("E999: %v", c)
	}
}

func TestLevels(t *testing.T) {
	var words []string
	for _, l := range codes.Levels() {
		words = append(words, l.String())
	}
	want := strings.Fields("limits syntax version schema reference value filesystem warning")
	if diff := cmp.Diff(want, words); diff != "" {
		t.Error(diff)
	}
	if codes.Level(-1).String() != "unknown" || codes.Level(99).String() != "unknown" {
		t.Error("a level that is none has a word")
	}
}
