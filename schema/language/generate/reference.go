package main

import (
	"bytes"
	_ "embed" // for the prose of the reference
	"fmt"
	"slices"
	"strings"
	"text/template"

	"github.com/ai-session-handler/ai-session-handler/schema/language"
)

//go:embed reference.md.tmpl
var prose string

// reference returns docs/manifest-reference.md: the prose with what is in the
// table.
func reference() ([]byte, error) {
	page, err := template.New("reference").Funcs(template.FuncMap{
		"blocks":    blockSections,
		"settings":  func() string { return attrTable(language.Settings()) },
		"functions": functionTable,
		"version":   func() int { return language.Version },
	}).Parse(prose)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := page.Execute(&out, nil); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// A place is a block and the blocks that it may stand in.
type place struct {
	block   *language.Block
	parents []*language.Block
}

// places returns every block but the root once, behind all that it may stand in.
func places() (all []place) {
	var walk func(parent *language.Block)
	walk = func(parent *language.Block) {
		for _, b := range parent.Blocks {
			p := place{b, nil}
			if at := slices.IndexFunc(all, func(p place) bool { return p.block == b }); at >= 0 {
				p = all[at]
				all = slices.Delete(all, at, at+1)
			}
			p.parents = append(p.parents, parent)
			all = append(all, p)
			walk(b)
		}
	}
	walk(language.Manifest())
	return all
}

func blockSections() string {
	var out strings.Builder
	for i, p := range places() {
		if i > 0 {
			out.WriteByte('\n')
		}
		p.section(&out)
	}
	return out.String()
}

func (p place) section(out *strings.Builder) {
	b := p.block
	fmt.Fprintf(out, "### %s\n\n%s\n\n", b.Name, b.Doc)
	fmt.Fprintf(out, "- Stands %s%s.\n", p.where(), often(b))
	if b.Label != "" {
		fmt.Fprintf(out, "- Its label: the %s.\n", b.Label)
	}
	if len(b.Blocks) > 0 {
		fmt.Fprintf(out, "- May hold: %s.\n", links(b.Blocks))
	}
	own, rest := b.Attrs, ""
	if count := len(own) - len(language.Settings()); hasSettings(b) {
		own, rest = own[:count], "\nAnd the [settings](#settings).\n"
	}
	if b.Free != nil {
		fmt.Fprintf(out, "\nEvery name may stand here, with a value. %s For example `fatal = %s`.\n", b.Free.Doc, b.Free.Example)
		return
	}
	fmt.Fprintf(out, "\n%s%s", attrTable(own), rest)
}

func (p place) where() string {
	if p.parents[0].Name == "" {
		return "at the top level"
	}
	return "in " + links(p.parents)
}

func often(b *language.Block) string {
	if b.Once {
		return ", at most once"
	}
	return ""
}

func links(blocks []*language.Block) string {
	var names []string
	for _, b := range blocks {
		names = append(names, fmt.Sprintf("[%s](#%s)", b.Name, b.Name))
	}
	return strings.Join(names, ", ")
}

// hasSettings reports whether the last attributes of b are the settings.
func hasSettings(b *language.Block) bool {
	settings := language.Settings()
	own := len(b.Attrs) - len(settings)
	return own >= 0 && slices.EqualFunc(b.Attrs[own:], settings, func(a, s language.Attr) bool { return a.Name == s.Name })
}

func attrTable(attrs []language.Attr) string {
	var out strings.Builder
	out.WriteString("| argument | holds | default | meaning |\n|---|---|---|---|\n")
	for _, a := range attrs {
		fmt.Fprintf(&out, "| `%s` | %s | %s | %s For example `%s`. |\n", a.Name, cell(holds(a)), cell(byDefault(a)), cell(a.Doc), cell(a.Example))
	}
	return out.String()
}

// cell keeps text from ending a cell of a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

func byDefault(a language.Attr) string {
	switch {
	case a.Required:
		return "**required**"
	case a.Default != "":
		return "`" + a.Default + "`"
	}
	return ""
}

// holds says what an attribute may be.
func holds(a language.Attr) string {
	text := a.Kind.String()
	switch a.Kind {
	case language.Int:
		text += bounds(a)
	case language.CPUs:
		text += ", 0.01 to 1024"
	case language.Choice, language.Choices:
		text += ": " + words(a.Choices)
	case language.Reference, language.References:
		text += fmt.Sprintf(" to [%s](#%s)", a.Refers, a.Refers)
	case language.Duration, language.Size:
		text = fmt.Sprintf("[%s](#durations-and-sizes)", text)
	case language.Argv:
		text = fmt.Sprintf("[%s](#commands)", text)
	}
	if a.Off {
		text += " or `\"none\"`"
	}
	if a.AddsUp {
		text += ", adds up"
	}
	return text
}

// bounds leaves out an upper bound that is there for no one's sake.
func bounds(a language.Attr) string {
	if a.Max >= 1<<30 {
		return fmt.Sprintf(", at least %d", a.Min)
	}
	return fmt.Sprintf(", %d to %d", a.Min, a.Max)
}

func words(choices []string) string {
	var quoted []string
	for _, c := range choices {
		quoted = append(quoted, "`\""+c+"\"`")
	}
	return strings.Join(quoted, ", ")
}

func functionTable() string {
	var out strings.Builder
	out.WriteString("| function | gives |\n|---|---|\n")
	for _, f := range language.Functions {
		fmt.Fprintf(&out, "| `%s(%s)` | %s |\n", f.Name, f.Params, cell(f.Doc))
	}
	return out.String()
}
