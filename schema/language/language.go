// Package language is the manifest language as data: one table of every block
// and every attribute. The decoder, the reference (docs/manifest-reference.md),
// the JSON Schema, completion and suggestions are made from it. It holds no
// rules that go beyond one attribute, and imports nothing of ours.
package language

import "time"

//go:generate go run ./generate

// Version is the language version that this release reads.
const Version = 1

// Bounds of values, for every attribute of the kind.
const (
	MaxDuration = 168 * time.Hour
	MaxDepth    = 8 // of a chain of extends
)

// NamePattern is what a name of an agent, plan, pipeline, stage, variable or
// local matches.
const NamePattern = `^[a-z][a-z0-9_-]{0,63}$`

// PhasePattern is what the label of a phase block matches: a positive number
// without leading zeros.
const PhasePattern = `^[1-9][0-9]*$`

// Kind is what an attribute holds.
type Kind int

// The kinds of attributes.
const (
	String     Kind = iota
	Bool            // true or false
	Int             // a whole number from Min to Max
	CPUs            // a number of processors, in steps of a thousandth: 0.01 to 1024
	Duration        // "45m", "1h30m": positive, at most MaxDuration; "none" where Off
	Size            // "500MB", "2GiB", or a number of bytes; "none" where Off
	Choice          // one of Choices
	Choices         // a list of different Choices
	Regexes         // a list of RE2 expressions
	Names           // a list of names of environment variables; with * and ? where Globs
	Environ         // a map from names of environment variables to values
	Argv            // a list of words, or one string that is split into words
	Reference       // a traversal to a block of type Refers, for example agent.codex
	References      // a list of those
	Type            // of a variable: string, number, bool, list(string), map(string)
	Any             // a value of any type, for locals and defaults of variables
	Condition       // an expression that is true or false, evaluated for its variable
)

// Attr is one attribute of a block.
type Attr struct {
	Name     string
	Kind     Kind
	Required bool
	Refers   string   // block type, of Reference and References
	Choices  []string // of Choice and Choices
	Min, Max int64    // of Int, both included
	Off      bool     // "none" switches the limit off
	Globs    bool     // of Names
	Default  string   // as a manifest would write it, empty where there is none
	AddsUp   bool     // layers add to the list instead of replacing it
	Since    string   // the release that brought it
	Doc      string   // Markdown, one or a few sentences
	Example  string   // a value, as a manifest would write it
}

// Block is one type of block. A block of the root stands at the top level.
type Block struct {
	Name   string
	Label  string // what its one label is; empty where it has none
	Once   bool   // at most one of it in its parent
	Free   *Attr  // every name is an attribute like this one: locals
	Attrs  []Attr
	Blocks []*Block
	Since  string
	Doc    string // Markdown
}

// LabelPattern returns what the label of b matches, empty where it has none.
func (b *Block) LabelPattern() string {
	switch {
	case b.Label == "":
		return ""
	case b.Name == "phase":
		return PhasePattern
	}
	return NamePattern
}

// Attr returns the attribute with a name.
func (b *Block) Attr(name string) (*Attr, bool) {
	if b.Free != nil {
		free := *b.Free
		free.Name = name
		return &free, true
	}
	for i := range b.Attrs {
		if b.Attrs[i].Name == name {
			return &b.Attrs[i], true
		}
	}
	return nil, false
}

// Block returns the type of block with a name that may stand in b.
func (b *Block) Block(name string) (*Block, bool) {
	for _, child := range b.Blocks {
		if child.Name == name {
			return child, true
		}
	}
	return nil, false
}
