package main

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
)

// documentedKeys are the keys in the tables of docs/json-output.md, by format.
func documentedKeys(t *testing.T) map[string]map[string]bool {
	t.Helper()
	text, err := os.ReadFile("../../docs/json-output.md")
	if err != nil {
		t.Fatal(err)
	}
	keys := map[string]map[string]bool{}
	for _, section := range strings.Split(string(text), "\n## ")[1:] {
		format, body, _ := strings.Cut(section, "\n")
		keys[format] = map[string]bool{}
		for _, row := range regexp.MustCompile("(?m)^\\| (`.*`) \\|").FindAllStringSubmatch(body, -1) {
			cell, _, _ := strings.Cut(row[1], " |")
			for _, key := range strings.Fields(strings.ReplaceAll(cell, "`", "")) {
				keys[format][key] = true
			}
		}
	}
	return keys
}

// wholeManifest has one of everything that JSON has a key for, and a warning.
const wholeManifest = `manifest {
  version = 1
}
agent "a" {
  command = ["sh"]
}
agent "unused" {
  command = ["sh"]
}
plan "p" {
  source = "docs/plans/p.md"
  agent  = agent.a
}
pipeline "all" {
  stage "one" {
    plan = plan.p
  }
}
`

// TestEveryKeyOfJSONIsDocumented looks at what the commands print: each key is
// in the document, itself or with what it is in, and nothing else is.
func TestEveryKeyOfJSONIsDocumented(t *testing.T) {
	t.Parallel()
	r := unresolvedRepo(t)
	r.write("bad.md", "## Phase 1: One (done)\u200b\n")
	r.write("ai-session-handler.hcl", wholeManifest)
	documented := documentedKeys(t)
	seen := map[string]map[string]bool{}
	for _, args := range [][]string{
		{"status", "--plan", r.plan},
		{"status"},
		{"validate"},
		{"show"},
		{"graph"},
		{"explain", "E304"},
		{"attempts", "--plan", r.plan},
		{"attempts", "show", "--plan", r.plan},
		{"plan", "lint", r.path("bad.md")},
		{"plan", "show", r.plan, "--phase", "1"},
		{"plan", "show", r.path("bad.md")},
	} {
		e := r.exec(nil, append([]string{"-C", r.path(".")}, append(args, "--json")...)...)
		var object map[string]any
		if err := json.Unmarshal([]byte(e.out), &object); err != nil {
			t.Fatalf("%q: %v: %s", args, err, e.out)
		}
		format, _ := object["format"].(string)
		delete(object, "format")
		seen[format] = map[string]bool{}
		checkKeys(t, documented[format], seen[format], "", object)
	}
	for format, keys := range documented {
		for key := range keys {
			if !seen[format][key] {
				t.Errorf("%s has no key %s", format, key)
			}
		}
		if _, ok := seen[format]; !ok && format != "ai-session-handler/outcome/1" { // which is a record
			t.Errorf("nothing prints %s", format)
		}
	}
}

// checkKeys notes each documented key in a value, and reports those that are not.
func checkKeys(t *testing.T, documented, seen map[string]bool, at string, value any) {
	t.Helper()
	if documented[at] {
		seen[at] = true
		return
	}
	switch value := value.(type) {
	case map[string]any:
		for key, inner := range value {
			checkKeys(t, documented, seen, strings.TrimPrefix(at+"."+key, "."), inner)
		}
	case []any:
		for _, inner := range value {
			checkKeys(t, documented, seen, at+"[]", inner)
		}
		if len(value) == 0 {
			t.Errorf("%s is empty, so nothing shows its keys", at)
		}
	default:
		t.Errorf("%s is not documented", at)
	}
}
