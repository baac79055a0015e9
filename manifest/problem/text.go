package problem

import (
	"fmt"
	"strings"

	"github.com/mattn/go-runewidth"

	"github.com/ai-session-handler/ai-session-handler/engine/termtext"
)

const (
	// maxHeader is how many columns a header may take with its hint. A longer
	// hint gets a line of its own.
	maxHeader = 100
	// gutter is the least width of the column of line numbers.
	gutter = 5
	margin = "      "
)

// Text renders the problems for people, up to Max of them, each with its place
// and a caret below it, and then how many there are besides:
//
//	error[E304]: no agent is named "codx". Did you mean agent.codex?
//	  --> ai-session-handler.hcl:31:16
//	   31 |   agent      = agent.codx
//	      |                ^^^^^^^^^^
//
// A hint that does not fit beside the summary gets a line of its own that begins
// with "=". With colour the severity and the caret have one; nothing is told by
// colour alone. What others wrote is safe to show.
func (l List) Text(colour bool) string {
	shown, more := l.shown()
	var out strings.Builder
	for i, p := range shown {
		if i > 0 {
			out.WriteByte('\n')
		}
		p.text(&out, pen(colour))
	}
	if more > 0 {
		fmt.Fprintf(&out, "\nand %d more\n", more)
	}
	return out.String()
}

func (p Problem) text(out *strings.Builder, ink pen) {
	label := fmt.Sprintf("%s[%s]", p.Severity, termtext.Line(p.Code))
	header, hint := sentence(p), ""
	if runewidth.StringWidth(label+": "+header) > maxHeader && p.Hint != "" {
		header, hint = termtext.Line(p.Summary), termtext.Line(p.Hint)
	}
	fmt.Fprintf(out, "%s: %s\n", ink.bold(p.Severity, label), header)
	if place := place(p.Range); place != "" {
		fmt.Fprintf(out, "  --> %s\n", place)
	}
	p.caret(out, ink)
	if hint != "" {
		fmt.Fprintf(out, "%s= %s\n", margin, hint)
	}
	for _, r := range p.Related {
		fmt.Fprintf(out, "  --> %s\n", related(r))
	}
	if p.Detail != "" {
		fmt.Fprintf(out, "%s%s\n", margin, termtext.Indented(p.Detail, margin))
	}
}

// caret writes the snippet and marks its part.
func (p Problem) caret(out *strings.Builder, ink pen) {
	if p.Snippet == "" {
		return
	}
	lead, marked, rest := p.parts()
	number := fmt.Sprintf("%*d", gutter, p.Range.Start.Line)
	fmt.Fprintf(out, "%s | %s\n", number, termtext.Text(lead+marked+rest))
	carets := strings.Repeat("^", max(1, runewidth.StringWidth(marked)+strings.Count(marked, "\t")))
	fmt.Fprintf(out, "%*s | %s%s\n", len(number), "", blank(lead), ink.bold(p.Severity, carets))
}

// parts cuts the snippet before and behind its mark, each part safe to show.
func (p Problem) parts() (lead, marked, rest string) {
	from := min(max(p.Mark.From, 0), len(p.Snippet))
	to := min(max(p.Mark.To, from), len(p.Snippet))
	return visible(p.Snippet[:from]), visible(p.Snippet[from:to]), visible(p.Snippet[to:])
}

// visible makes a part of a line safe to show with a character for each that it
// has, also for those that termtext leaves out: a caret has to find its place,
// and a source is looked at for what is wrong in it. Tabs are kept.
func visible(s string) string {
	var out strings.Builder
	for _, r := range s {
		shown := termtext.Line(string(r))
		switch {
		case r == '\t':
			shown = "\t"
		case shown == "":
			shown = "\ufffd"
		}
		out.WriteString(shown)
	}
	return out.String()
}

// blank returns white space as wide as s. Tabs stay tabs, whose width only the
// terminal knows.
func blank(s string) string {
	columns := strings.Split(s, "\t")
	for i, text := range columns {
		columns[i] = strings.Repeat(" ", runewidth.StringWidth(text))
	}
	return strings.Join(columns, "\t")
}

// sentence is the summary and the hint in one line.
func sentence(p Problem) string {
	summary, hint := termtext.Line(p.Summary), termtext.Line(p.Hint)
	switch {
	case hint == "":
		return summary
	case strings.HasSuffix(summary, ".") || strings.HasSuffix(summary, "?") || strings.HasSuffix(summary, "!"):
		return summary + " " + hint
	}
	return summary + ". " + hint
}

func related(r Related) string {
	message := termtext.Line(r.Message)
	if place := place(r.Range); place != "" {
		return place + ": " + message
	}
	return message
}

// place is file:line:column, without what is not known.
func place(r Range) string {
	file := termtext.Line(r.File)
	if r.Start.Line < 1 {
		return file
	}
	return fmt.Sprintf("%s:%d:%d", file, r.Start.Line, r.Start.Column)
}

// pen colours, or leaves text as it is where it is false.
type pen bool

func (p pen) bold(s Severity, text string) string {
	if !p {
		return text
	}
	colour := "31"
	if s == Warning {
		colour = "33"
	}
	return "\x1b[1;" + colour + "m" + text + "\x1b[0m"
}
