package manual

import (
	"fmt"
	"strings"

	"github.com/ai-session-handler/ai-session-handler/cmd/internal/grammar"
)

// Markdown returns the manual as a document. It leaves the version out: the
// document is kept beside the source.
func (m Manual) Markdown() string {
	var d document
	name := m.Program.Name()
	d.block("# " + name)
	d.block("<!-- Generated from the grammar of the command line by `make generate`. -->")
	d.parts(detail(m.Program.Help))
	d.block("## Global flags")
	d.block(escape(globalFlags))
	d.flags(m.Program.Flags)
	d.block("## Commands")
	d.table("command", "does", func(row func(string, string)) {
		for _, c := range m.commands() {
			words := strings.Join(c.Path[1:], " ")
			row(fmt.Sprintf("[`%s`](#%s)", words, strings.ReplaceAll(words, " ", "-")), escape(c.Help))
		}
	})
	for _, c := range m.commands() {
		d.command(m.Program, c)
	}
	for _, s := range m.sections() {
		d.block("## " + s.title)
		d.terms(s.column, s.terms)
	}
	return strings.TrimSuffix(d.String(), "\n")
}

// A document is Markdown that is being written.
type document struct{ strings.Builder }

func (d *document) command(program, c grammar.Command) {
	d.block("### " + strings.Join(c.Path[1:], " "))
	d.block(escape(c.Help))
	d.block("```\n" + program.Name() + " " + c.Usage + "\n```")
	if len(c.Args) > 0 {
		d.table("argument", "is", func(row func(string, string)) {
			for _, arg := range c.Args {
				row("`"+arg.Name+"`", escape(meaning(arg)))
			}
		})
	}
	d.flags(c.Flags)
	d.parts(detail(c.Detail))
}

func (d *document) flags(flags []grammar.Flag) {
	if len(flags) == 0 {
		return
	}
	d.WriteString("| flag | does | default |\n|---|---|---|\n")
	for _, f := range flags {
		word := f.Long
		if f.Short != "" {
			word = f.Short + ", " + word
		}
		if f.Name != "" {
			word += "=" + f.Name
		}
		initial := f.Default
		f.Default = ""
		fmt.Fprintf(d, "| `%s` | %s | %s |\n", strings.ReplaceAll(word, "|", `\|`), escape(meaning(f.Value)), escape(initial))
	}
	d.WriteString("\n")
}

func (d *document) parts(parts []part) {
	for _, one := range parts {
		switch {
		case one.heading != "":
			d.block("**" + escape(capitalised(one.heading)) + "**")
		case one.terms != nil:
			d.terms("", one.terms)
		case one.verbatim != "":
			d.block("```\n" + one.verbatim + "```")
		case one.items != nil:
			d.block("- " + escape(strings.Join(one.items, "\n- ")))
		default:
			d.block(escape(one.paragraph))
		}
	}
}

func (d *document) terms(column string, terms []Term) {
	d.table(column, "means", func(row func(string, string)) {
		for _, t := range terms {
			row("`"+strings.ReplaceAll(t.Word, "|", `\|`)+"`", escape(t.Meaning))
		}
	})
}

func (d *document) table(first, second string, rows func(row func(string, string))) {
	fmt.Fprintf(d, "| %s | %s |\n|---|---|\n", first, second)
	rows(func(a, b string) { fmt.Fprintf(d, "| %s | %s |\n", a, b) })
	d.WriteString("\n")
}

func (d *document) block(text string) { d.WriteString(text + "\n\n") }

// escape keeps text from being taken for Markdown or HTML. An underscore within
// a word means nothing, and stays.
func escape(s string) string { return markdownEscapes.Replace(s) }

var markdownEscapes = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "<", `\<`, "[", `\[`, "|", `\|`, "&", `\&`)
