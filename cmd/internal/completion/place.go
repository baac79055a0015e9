// Package completion makes the scripts that complete a program's command line in
// bash, zsh and fish. A script holds the whole grammar and never runs the
// program, which therefore needs no hook of its own: nothing in the environment
// can turn a run into a completion. The names of plans and agents it reads from the
// text of the manifest.
package completion

import (
	"strings"

	"github.com/ai-session-handler/ai-session-handler/cmd/internal/grammar"
)

// A place is where the cursor can stand: after the words of a command.
type place struct {
	path     []string // without the program's name
	flags    []grammar.Flag
	args     []grammar.Value
	commands []grammar.Command
	implied  string         // the command that is meant when none is named, or empty
	own      []grammar.Flag // of the implied command: after one of them it is meant
}

// places returns that of c, then those of the commands in it.
func places(c grammar.Command, outer []grammar.Flag) []place {
	accepted := append(outer[:len(outer):len(outer)], c.Flags...)
	here := place{path: c.Path[1:], flags: accepted, args: c.Args, commands: c.Commands}
	if c.Implied != nil {
		here.implied = c.Implied.Word()
		here.flags = append(accepted[:len(accepted):len(accepted)], c.Implied.Flags...)
		here.args = c.Implied.Args
		here.own = c.Implied.Flags
	}
	all := []place{here}
	for _, inner := range c.Commands {
		all = append(all, places(inner, accepted)...)
	}
	return all
}

func (p place) name() string { return strings.Join(p.path, " ") }

// spellings are the ways to write a flag, the short one first.
func spellings(f grammar.Flag) []string {
	if f.Short == "" {
		return []string{f.Long}
	}
	return []string{f.Short, f.Long}
}

// words lists all flags of a place in all spellings.
func (p place) words() []string {
	var words []string
	for _, f := range p.flags {
		words = append(words, spellings(f)...)
	}
	return words
}

// choosing lists the flags, in all spellings, after which no command can be named
// any more, each after the place.
func choosing(all []place) (patterns []choice) {
	for _, p := range all {
		for _, f := range p.own {
			for _, word := range spellings(f) {
				patterns = append(patterns, choice{p.name() + "," + word, p.implied})
			}
		}
	}
	return patterns
}

// A choice is a flag that means a command without naming it.
type choice struct{ pattern, command string }

func (p place) commandWords() []string {
	var words []string
	for _, c := range p.commands {
		words = append(words, c.Word())
	}
	return words
}

// identifier is the name of the program as part of a function's name.
func identifier(program grammar.Command) string {
	return strings.ReplaceAll(program.Name(), "-", "_")
}

// fill puts the program's names into the fixed part of a script, which calls
// them PROGRAM and IDENT.
func fill(script string, program grammar.Command) string {
	return strings.NewReplacer("PROGRAM", program.Name(), "IDENT", identifier(program)).Replace(script)
}
