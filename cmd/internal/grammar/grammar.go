// Package grammar is the command line as data, for whoever describes it:
// completion scripts and the manual. It is read from the model that the parser
// itself uses, so a new command or flag is described without further ado. It
// never parses and never prints.
package grammar

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/alecthomas/kong"
)

// A Command is one command, or the program, which is the outermost.
type Command struct {
	Path     []string // the words that name it, beginning with the program's
	Usage    string   // how it is called, after the program's name
	Help     string   // a sentence; paragraphs for the program
	Detail   string   // the long help, in the syntax of go/doc/comment
	Flags    []Flag   // its own; inner commands accept them as well
	Args     []Value  // in their order
	Commands []Command
	// Implied is the one of Commands whose flags and arguments are accepted
	// without its name. Nil when it must be given.
	Implied *Command
}

// A Flag is a value that is given by name.
type Flag struct {
	Value
	Long  string // with its hyphens
	Short string // with its hyphen, or empty
}

// A Value is what a flag or an argument takes.
type Value struct {
	Name     string // of an argument, or what stands for a flag's value: PATH
	Kind     Kind
	Words    []string // all that are accepted, where Kind is OneOf
	Help     string   // without what is in Default
	Default  string   // in words, empty when there is none
	Required bool
	Repeated bool
}

// Kind is what can be offered for a value.
type Kind int

// The kinds of values.
const (
	Nothing  Kind = iota // there is no value: the flag alone says it
	Text                 // only the user knows
	File                 // the path of a file
	Dir                  // the path of a directory
	OneOf                // one of a few words
	Plan                 // the name of a plan or a pipeline of the manifest
	PlanFile             // the name of a plan, or the path of its file
	Agent                // the name of an agent of the manifest
	Code                 // of a problem
)

// From reads a parser's model. Hidden flags and commands are left out.
func From(app *kong.Application) Command {
	return command(app.Node, nil)
}

func command(n *kong.Node, outer []string) Command {
	c := Command{
		Path: append(slices.Clip(outer), n.Name), Usage: strings.TrimSpace(n.Summary()), Help: n.Help, Detail: n.Detail,
	}
	for _, f := range n.Flags {
		if !f.Hidden {
			c.Flags = append(c.Flags, flag(f))
		}
	}
	for _, arg := range n.Positional {
		c.Args = append(c.Args, value(arg, arg.Name))
	}
	for _, child := range n.Children {
		if !child.Hidden {
			c.Commands = append(c.Commands, command(child, c.Path))
		}
	}
	if d := n.DefaultCmd; d != nil && d.Tag.Default == "withargs" {
		c.Implied = c.inner(d.Name)
	}
	return c
}

func flag(f *kong.Flag) Flag {
	flag := Flag{Value: value(f.Value, cmp.Or(f.PlaceHolder, strings.ToUpper(f.Name))), Long: "--" + f.Name}
	if f.Short != 0 {
		flag.Short = "-" + string(f.Short)
	}
	switch {
	case flag.Kind == Nothing:
		flag.Name = ""
	case flag.Kind == OneOf && f.PlaceHolder == "":
		flag.Name = strings.Join(flag.Words, "|")
	}
	return flag
}

func value(v *kong.Value, name string) Value {
	out := Value{Name: name, Kind: kind(v, name), Required: v.Required, Repeated: v.IsCumulative()}
	if out.Kind == OneOf {
		out.Words = v.EnumSlice()
	}
	out.Help, out.Default, _ = strings.Cut(v.Help, "Default: ")
	out.Help = strings.TrimSpace(out.Help)
	out.Default = cmp.Or(strings.TrimSuffix(out.Default, "."), v.Default)
	return out
}

// kind tells by the name of the value. Paths too: those that the parser knows as
// paths would be changed by it.
func kind(v *kong.Value, name string) Kind {
	words := strings.FieldsFunc(strings.ToUpper(name), func(r rune) bool { return !unicode.IsLetter(r) })
	switch {
	case v.IsBool(), v.IsCounter():
		return Nothing
	case v.Enum != "":
		return OneOf
	case slices.Contains(words, "PLAN") && slices.Contains(words, "PATH"):
		return PlanFile
	}
	for _, named := range named {
		if slices.Contains(words, named.word) {
			return named.kind
		}
	}
	return Text
}

// named are the kinds that are told by a word of the name.
var named = []struct {
	word string
	kind Kind
}{{"PATH", File}, {"FILE", File}, {"DIR", Dir}, {"PLAN", Plan}, {"AGENT", Agent}, {"CODE", Code}}

// Brief is the first sentence of a help, without its full stop.
func Brief(help string) string {
	first, _, _ := strings.Cut(help, ". ")
	return strings.TrimSuffix(strings.TrimSpace(first), ".")
}

// Name is the whole name of a command, as it is typed.
func (c Command) Name() string { return strings.Join(c.Path, " ") }

// Word is the last word of the name: what is typed after the outer command's.
func (c Command) Word() string { return c.Path[len(c.Path)-1] }

// inner returns the inner command with the word, or nil.
func (c Command) inner(word string) *Command {
	i := slices.IndexFunc(c.Commands, func(inner Command) bool { return inner.Word() == word })
	if i < 0 {
		return nil
	}
	return &c.Commands[i]
}

// Leaves returns the commands that do something, in their order: c itself when
// it has no inner ones.
func (c Command) Leaves() []Command {
	if len(c.Commands) == 0 {
		return []Command{c}
	}
	var leaves []Command
	for _, inner := range c.Commands {
		leaves = append(leaves, inner.Leaves()...)
	}
	return leaves
}
