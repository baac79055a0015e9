package manual

import (
	"fmt"
	"strings"

	"github.com/ai-session-handler/ai-session-handler/cmd/internal/grammar"
)

// Man returns the manual as a man page of section 1. It has no date, so that the
// same program always prints the same page.
func (m Manual) Man() string {
	var p page
	name := m.Program.Name()
	p.macro("TH", strings.ToUpper(name), "1", "", m.Version, "User Commands")
	p.heading("SH", "NAME")
	p.text(name + " - " + m.summary())
	p.heading("SH", "SYNOPSIS")
	for i, c := range m.commands() {
		if i > 0 {
			p.macro("br")
		}
		p.usage(m.Program, c)
	}
	p.heading("SH", "DESCRIPTION")
	p.parts(detail(m.Program.Help))
	p.heading("SH", "GLOBAL FLAGS")
	p.text(globalFlags)
	p.flags(m.Program.Flags)
	p.heading("SH", "COMMANDS")
	for _, c := range m.commands() {
		p.command(m.Program, c)
	}
	for _, s := range m.sections() {
		p.heading("SH", strings.ToUpper(s.title))
		p.terms(s.terms)
	}
	return p.String()
}

// A page is a man page that is being written.
type page struct {
	strings.Builder
	fresh bool // nothing was written since the last heading
}

func (p *page) command(program, c grammar.Command) {
	p.heading("SS", strings.Join(c.Path[1:], " "))
	p.usage(program, c)
	p.paragraph(c.Help)
	for _, arg := range c.Args {
		p.term(`\fI`+roff(arg.Name)+`\fR`, meaning(arg))
	}
	p.flags(c.Flags)
	p.parts(detail(c.Detail))
}

func (p *page) usage(program, c grammar.Command) {
	p.line(`\fB` + roff(program.Name()) + `\fR ` + roff(c.Usage))
}

func (p *page) flags(flags []grammar.Flag) {
	for _, f := range flags {
		word := `\fB` + roff(f.Long) + `\fR`
		if f.Short != "" {
			word = `\fB` + roff(f.Short) + `\fR, ` + word
		}
		if f.Name != "" {
			word += `=\fI` + roff(f.Name) + `\fR`
		}
		p.term(word, meaning(f.Value))
	}
}

func (p *page) parts(parts []part) {
	for _, one := range parts {
		switch {
		case one.heading != "":
			p.begin()
			p.line(`\fB` + roff(capitalised(one.heading)) + `\fR`)
		case one.terms != nil:
			p.terms(one.terms)
		case one.verbatim != "":
			p.verbatim(one.verbatim)
		case one.items != nil:
			for _, item := range one.items {
				p.line(`.IP \(bu 2`)
				p.text(item)
			}
		default:
			p.paragraph(one.paragraph)
		}
	}
}

func (p *page) terms(terms []Term) {
	for _, t := range terms {
		p.term(`\fB`+roff(t.Word)+`\fR`, t.Meaning)
	}
}

// term writes a word, which is escaped already, and what it means.
func (p *page) term(word, meaning string) {
	p.macro("TP")
	p.line(word)
	p.text(meaning)
}

func (p *page) verbatim(text string) {
	p.begin()
	p.macro("RS", "4")
	p.macro("EX")
	for line := range strings.Lines(text) {
		p.text(strings.TrimRight(line, "\n"))
	}
	p.macro("EE")
	p.macro("RE")
}

func (p *page) paragraph(text string) {
	p.begin()
	p.text(text)
}

// begin starts a paragraph, which a heading has done already.
func (p *page) begin() {
	if !p.fresh {
		p.macro("PP")
	}
}

func (p *page) heading(macro, title string) {
	p.macro(macro, title)
	p.fresh = true
}

// text writes a line of text. An empty one would end a paragraph.
func (p *page) text(s string) {
	if s == "" {
		s = " "
	}
	p.line(roff(s))
}

func (p *page) line(s string) {
	p.fresh = false
	p.WriteString(s + "\n")
}

func (p *page) macro(name string, args ...string) {
	p.WriteString("." + name)
	for _, arg := range args {
		p.WriteString(` "` + roff(arg) + `"`)
	}
	p.WriteString("\n")
	p.fresh = false
}

// roff escapes what would be a request, an escape sequence, the end of an
// argument, or a character that is shown as another one: a hyphen comes out such
// that it can be copied into a shell.
func roff(s string) string {
	var b strings.Builder
	if strings.HasPrefix(s, ".") {
		b.WriteString(`\&`)
	}
	for _, r := range s {
		b.WriteString(roffRune(r))
	}
	return b.String()
}

func roffRune(r rune) string {
	switch {
	case r == '\\':
		return `\e`
	case r == '-':
		return `\-`
	case r == '"':
		return `\(dq`
	case r == '\'':
		return `\(aq`
	case r == '`':
		return `\(ga`
	case r == '^':
		return `\(ha`
	case r == '~':
		return `\(ti`
	case r > '~':
		return fmt.Sprintf(`\[u%04X]`, r)
	}
	return string(r)
}
