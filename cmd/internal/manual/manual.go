// Package manual writes the manual of a program, as a man page and as Markdown:
// every command of its grammar with flags and long help, and what holds for all
// of them. It decides how the manual looks and nothing of what it says.
package manual

import (
	"cmp"
	"fmt"
	"go/doc/comment"
	"slices"
	"strings"

	"github.com/ai-session-handler/ai-session-handler/cmd/internal/grammar"
)

// A Manual is what there is to say.
type Manual struct {
	Program grammar.Command
	Version string // as the program prints it
	// ExitCodes, Environment and Files hold for every command.
	ExitCodes, Environment, Files []Term
}

// A Term is a word and what it stands for.
type Term struct{ Word, Meaning string }

// commands are all commands that do something.
func (m Manual) commands() []grammar.Command {
	return slices.DeleteFunc(m.Program.Leaves(), func(c grammar.Command) bool { return len(c.Path) == 1 })
}

// summary is the first sentence about the program, as the end of one.
func (m Manual) summary() string {
	first := grammar.Brief(strings.Join(strings.Fields(m.Program.Help), " "))
	return strings.ToLower(first[:min(1, len(first))]) + first[min(1, len(first)):]
}

const globalFlags = "Every command accepts these, before its name and behind it."

// A section is what holds for every command. The words are a column of a table.
type section struct {
	title, column string
	terms         []Term
}

func (m Manual) sections() []section {
	return []section{
		{"Exit status", "code", m.ExitCodes},
		{"Environment", "variable", m.Environment},
		{"Files", "file", m.Files},
	}
}

// A part of a long help. One of its fields is set.
type part struct {
	heading   string
	paragraph string
	items     []string
	terms     []Term
	verbatim  string
}

// detail takes a long help apart by the rules of go/doc/comment, which the help
// on the terminal follows too. A paragraph in capitals is a heading, and an
// indented block of words that each have a meaning behind two spaces is a table.
func detail(text string) []part {
	var parts []part
	for _, block := range new(comment.Parser).Parse(text).Content {
		switch b := block.(type) {
		case *comment.Code:
			if terms := parseTerms(b.Text); terms != nil {
				parts = append(parts, part{terms: terms})
			} else {
				parts = append(parts, part{verbatim: b.Text})
			}
		case *comment.List:
			var items []string
			for _, item := range b.Items {
				items = append(items, plain(item.Content...))
			}
			parts = append(parts, part{items: items})
		default:
			words := plain(block)
			if words == strings.ToUpper(words) {
				parts = append(parts, part{heading: words})
			} else {
				parts = append(parts, part{paragraph: words})
			}
		}
	}
	return parts
}

// plain is the text of blocks as one line.
func plain(blocks ...comment.Block) string {
	text := (&comment.Printer{TextWidth: -1}).Text(&comment.Doc{Content: blocks})
	return strings.Join(strings.Fields(string(text)), " ")
}

// parseTerms returns nil for a block that is not words and their meanings.
func parseTerms(block string) []Term {
	var terms []Term
	for line := range strings.Lines(block) {
		word, meaning, _ := strings.Cut(line, "  ")
		meaning = strings.TrimSpace(meaning)
		switch {
		case meaning == "":
			return nil
		case word != "":
			terms = append(terms, Term{word, meaning})
		case len(terms) > 0:
			terms[len(terms)-1].Meaning += " " + meaning
		default:
			return nil
		}
	}
	return terms
}

// meaning is all that is said about a value in running text.
func meaning(v grammar.Value) string {
	text := v.Help
	if v.Required {
		text += " Required."
	}
	if v.Repeated {
		text += " May be given more than once."
	}
	if v.Default != "" {
		text += fmt.Sprintf(" Default: %s.", v.Default)
	}
	return strings.TrimSpace(text)
}

// capitalised is for headings: "EXIT STATUS" is "Exit status".
func capitalised(s string) string { return cmp.Or(s, " ")[:1] + strings.ToLower(s[min(1, len(s)):]) }
