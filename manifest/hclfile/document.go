package hclfile

import (
	"github.com/ai-session-handler/ai-session-handler/manifest/problem"
	"github.com/ai-session-handler/ai-session-handler/schema/language"
)

// Source is one file as it was read. Name is as shown to people.
type Source struct {
	Name  string
	Bytes []byte
	JSON  bool // HCL's JSON form
}

// Inputs are what gives variables their values, and what expressions may see.
type Inputs struct {
	VarFiles []Source // `name = value` lines, or a JSON object; later ones win
	Environ  []string // of the process, name=value; AI_SESSION_HANDLER_VAR_name counts where name is declared
	Vars     []string // name=value, as given by --var; later ones win
	Root     string   // path.root
	Program  string   // version of this program for required_version; "dev", or what is no version, meets every one
}

// Document is a manifest as far as it could be read.
type Document struct {
	Blocks  []*Block // of the top level, of all files in their order
	Sources []Source // as they were given to Load

	variables []Variable
	lost      map[string]bool
	broken    bool
}

// Lost tells whether there may be blocks of the type that could not be read, for
// reasons that are reported. Then an unknown name of that type is no news.
func (d *Document) Lost(blockType string) bool { return d.broken || d.lost[blockType] }

// Variables returns the variables that are declared, in their order.
func (d *Document) Variables() []Variable { return d.variables }

// Variable is a declared variable. Its value is not part of it, so that nobody
// shows it by accident.
type Variable struct {
	Name        Text
	Type        string // as written in a manifest, empty where it is not known
	Description string
	From        Origin // zero where it has no value
	Range       problem.Range
}

// Origin is where the value of a variable came from.
type Origin struct {
	Kind OriginKind
	Name string // of the var file or of the environment variable; empty for others
}

// OriginKind is a way for a variable to get its value.
type OriginKind string

// The origins, a later one wins.
const (
	FromDefault OriginKind = "default"
	FromFile    OriginKind = "var file"
	FromEnviron OriginKind = "environment"
	FromFlag    OriginKind = "--var"
)

// String returns the origin as messages name it.
func (o Origin) String() string {
	switch o.Kind {
	case FromFile:
		return "the var file " + o.Name
	case FromEnviron:
		return "the environment variable " + o.Name
	case FromDefault:
		return "its default"
	}
	return string(o.Kind)
}

// Block is one block of a manifest.
type Block struct {
	Schema *language.Block
	Label  Text          // zero where the type has none
	Range  problem.Range // of its header: type and label
	Blocks []*Block      // inside it, in their order

	attrs   []*Attr
	written map[string]bool
}

// Attr returns the attribute with a name where it is written and intact.
func (b *Block) Attr(name string) (*Attr, bool) {
	for _, a := range b.attrs {
		if a.intact && a.Schema.Name == name {
			return a, true
		}
	}
	return nil, false
}

// Has tells whether the attribute is written, intact or not.
func (b *Block) Has(name string) bool { return b.written[name] }

// Attrs returns the intact attributes in the order of the table, those of locals
// in the order of the source.
func (b *Block) Attrs() []*Attr {
	var intact []*Attr
	for _, a := range b.attrs {
		if a.intact {
			intact = append(intact, a)
		}
	}
	return intact
}

// Attr is one attribute. The type of Value follows from the kind:
//
//   - String, Duration, Size, Choice: Text
//   - Bool: bool
//   - Int: int64 within the bounds; CPUs: int64, thousandths of a processor
//   - Regexes, Names, Choices: []Text
//   - Environ: []Entry, sorted by key
//   - Argv: Command
//   - Reference: Ref; References: []Ref
//   - Type, Any, Condition: nil, this package makes use of them itself
//
// What a text says (of a duration, size, expression or name) is not checked,
// that of a choice is.
type Attr struct {
	Schema    *language.Attr
	NameRange problem.Range
	Range     problem.Range // of the value
	Value     any
	Varies    bool // the value depends on that of a variable: a message must not show it

	source rawAttr
	within string // "retry.", for one in a nested block without a name
	intact bool
}

// shown is the name that messages use.
func (a *Attr) shown() string { return a.within + a.Schema.Name }

// Text is a string and where it stands. An element of a list that is not written
// out where it is used has the range of the whole expression.
type Text struct {
	Value string
	Range problem.Range
}

// Entry is one entry of a map.
type Entry struct{ Key, Value Text }

// Ref names a block: agent.codex has the type agent and the name codex. Whether
// there is such a block is not known.
type Ref struct {
	Type, Name string
	Range      problem.Range
}

// Command is a list of words, or one line that is to be split into words.
type Command struct {
	Words []Text
	Line  *Text // nil where there is a list
}
