package language_test

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/ai-session-handler/ai-session-handler/schema/language"
)

// blocks returns every block of the table once, the root first.
func blocks() (all []*language.Block) {
	var walk func(b *language.Block)
	walk = func(b *language.Block) {
		if slices.Contains(all, b) {
			return
		}
		all = append(all, b)
		for _, child := range b.Blocks {
			walk(child)
		}
	}
	walk(language.Manifest())
	return all
}

var (
	release  = regexp.MustCompile(`^\d+\.\d+$`)
	attrName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	sentence = regexp.MustCompile("^[A-Z`].*\\.$")
)

func TestEveryBlockIsDescribed(t *testing.T) {
	seen := map[string]bool{}
	for _, b := range blocks()[1:] {
		if seen[b.Name] {
			t.Errorf("two different blocks are called %s", b.Name)
		}
		seen[b.Name] = true
		if !attrName.MatchString(b.Name) || !release.MatchString(b.Since) || !sentence.MatchString(b.Doc) {
			t.Errorf("block %q: since %q, doc %q", b.Name, b.Since, b.Doc)
		}
		if (b.Label == "") != (b.LabelPattern() == "") {
			t.Errorf("block %s: label %q, pattern %q", b.Name, b.Label, b.LabelPattern())
		}
	}
	if len(seen) < 10 {
		t.Errorf("only %d blocks", len(seen))
	}
}

func TestEveryAttributeIsDescribed(t *testing.T) {
	for _, b := range blocks() {
		seen := map[string]bool{}
		for _, a := range attributes(b) {
			where := b.Name + "." + a.Name
			if seen[a.Name] {
				t.Errorf("%s stands in the table twice", where)
			}
			seen[a.Name] = true
			if b.Free == nil && !attrName.MatchString(a.Name) {
				t.Errorf("%s: not a name", where)
			}
			if !sentence.MatchString(a.Doc) || !release.MatchString(a.Since) || a.Example == "" {
				t.Errorf("%s: since %q, example %q, doc %q", where, a.Since, a.Example, a.Doc)
			}
			if _, nested := b.Block(a.Name); nested {
				t.Errorf("%s is an attribute and a block", where)
			}
			if a.Required && a.Default != "" {
				t.Errorf("%s is required and has a default", where)
			}
			checkKind(t, where, a)
			checkValue(t, where, "example", a, a.Example)
			if a.Default != "" {
				checkValue(t, where, "default", a, a.Default)
			}
		}
	}
}

func attributes(b *language.Block) []language.Attr {
	if b.Free != nil {
		return []language.Attr{*b.Free}
	}
	return b.Attrs
}

// checkKind looks at the fields that belong to a kind.
func checkKind(t *testing.T, where string, a language.Attr) {
	t.Helper()
	one := a.Kind == language.Choice || a.Kind == language.Choices
	if one != (len(a.Choices) > 0) {
		t.Errorf("%s: choices %q", where, a.Choices)
	}
	if (a.Kind == language.Int) != (a.Max > 0) || a.Min > a.Max {
		t.Errorf("%s: from %d to %d", where, a.Min, a.Max)
	}
	refers := a.Kind == language.Reference || a.Kind == language.References
	if refers != (a.Refers != "") {
		t.Errorf("%s refers to %q", where, a.Refers)
	}
	if a.Off && a.Kind != language.Duration && a.Kind != language.Size {
		t.Errorf("%s can't be switched off", where)
	}
	if a.Globs && a.Kind != language.Names {
		t.Errorf("%s has no globs", where)
	}
	if a.Kind.String() == "" || language.Kind(-1).String() != language.Kind(99).String() {
		t.Errorf("%s: the kind %d has no name", where, a.Kind)
	}
}

// checkValue looks at an example or default as lightly as can be done without
// reading HCL.
func checkValue(t *testing.T, where, what string, a language.Attr, value string) {
	t.Helper()
	text, err := strconv.Unquote(value)
	quoted := err == nil
	var ok bool
	switch a.Kind {
	case language.String:
		ok = quoted
	case language.Bool:
		ok = value == "true" || value == "false"
	case language.Int:
		n, err := strconv.ParseInt(value, 10, 64)
		ok = err == nil && n >= a.Min && n <= a.Max
	case language.CPUs:
		n, err := strconv.ParseFloat(value, 64)
		ok = err == nil && n >= 0.01 && n <= 1024
	case language.Duration:
		d, err := time.ParseDuration(text)
		ok = a.Off && text == "none" || err == nil && d > 0 && d <= language.MaxDuration
	case language.Size:
		n, err := humanize.ParseBytes(text)
		ok = a.Off && text == "none" || err == nil && n > 0
	case language.Choice:
		ok = quoted && slices.Contains(a.Choices, text)
	case language.Choices, language.Regexes, language.Names, language.Argv:
		ok = strings.HasPrefix(value, `["`) && strings.HasSuffix(value, `"]`)
	case language.Environ:
		ok = strings.HasPrefix(value, "{ ") && strings.HasSuffix(value, " }")
	case language.Reference:
		ok = strings.HasPrefix(value, a.Refers+".")
	case language.References:
		ok = strings.HasPrefix(value, "["+a.Refers+".")
	case language.Type, language.Any, language.Condition:
		ok = true
	}
	if !ok {
		t.Errorf("%s: the %s %s is no %s", where, what, value, a.Kind)
	}
}

func TestReferencesLeadToBlocks(t *testing.T) {
	var labelled []string
	for _, b := range blocks() {
		if b.Label != "" {
			labelled = append(labelled, b.Name)
		}
	}
	for _, b := range blocks() {
		for _, a := range b.Attrs {
			if a.Refers != "" && !slices.Contains(labelled, a.Refers) {
				t.Errorf("%s.%s refers to %s, which is no block with a label", b.Name, a.Name, a.Refers)
			}
		}
	}
}

func TestLookUp(t *testing.T) {
	root := language.Manifest()
	plan, ok := root.Block("plan")
	if !ok || plan.Name != "plan" {
		t.Fatalf("plan: %v", plan)
	}
	if _, ok := root.Block("phase"); ok {
		t.Error("a phase may stand at the top level")
	}
	if a, ok := plan.Attr("source"); !ok || !a.Required {
		t.Errorf("source: %v", a)
	}
	if _, ok := plan.Attr("sauce"); ok {
		t.Error("a plan has a sauce")
	}
	locals, _ := root.Block("locals")
	a, ok := locals.Attr("anything")
	b, _ := locals.Attr("other")
	if !ok || a.Name != "anything" || b.Name != "other" || locals.Free.Name != "" {
		t.Errorf("locals: %v %v %v", a, b, locals.Free)
	}
}

func TestPatterns(t *testing.T) {
	name, phase := regexp.MustCompile(language.NamePattern), regexp.MustCompile(language.PhasePattern)
	for text, want := range map[string][2]bool{
		"a":                           {true, false},
		"a-b_2":                       {true, false},
		"a" + strings.Repeat("b", 63): {true, false},
		"a" + strings.Repeat("b", 64): {},
		"A":                           {},
		"2a":                          {},
		"12":                          {false, true},
		"0":                           {},
		"01":                          {},
		"":                            {},
		"a\n":                         {},
	} {
		if got := [2]bool{name.MatchString(text), phase.MatchString(text)}; got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestFunctionsAreDescribed(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range language.Functions {
		if seen[f.Name] || !attrName.MatchString(f.Name) || f.Params == "" || !sentence.MatchString(f.Doc) {
			t.Errorf("%+v", f)
		}
		seen[f.Name] = true
	}
	if len(seen) != 18 {
		t.Errorf("%d functions", len(seen))
	}
}

func TestSettingsAreACopy(t *testing.T) {
	language.Settings()[0].Name = "changed"
	if got := language.Settings()[0].Name; got != "timeout" {
		t.Errorf("the first setting is %s", got)
	}
}
