// Package codes is the table of everything that can be wrong with a manifest:
// each code with what it means, why it is refused and what to do. docs/errors.md
// is generated from it, and `explain` shows its rows. It imports nothing of ours
// but what finds a misspelled code, and never reports anything itself.
//
// A code is never used for something else later.
package codes

import (
	"slices"
	"strings"
)

//go:generate go run ./generate

// Level is how far a manifest is read when a problem is found. The problems of a
// level are looked for in what the levels before it left intact.
type Level int

// The levels, in their order.
const (
	Limits     Level = iota // before anything is parsed, and where values grow
	Syntax                  // HCL
	Version                 // reported alone
	Schema                  // blocks and arguments
	Reference               // what names something else
	Value                   // what an argument says
	Filesystem              // what lies on this machine
	Warning                 // nothing is refused
)

// Levels returns all levels in their order.
func Levels() []Level {
	return []Level{Limits, Syntax, Version, Schema, Reference, Value, Filesystem, Warning}
}

// String returns the word for the level, as the command line takes it.
func (l Level) String() string {
	words := [...]string{"limits", "syntax", "version", "schema", "reference", "value", "filesystem", "warning"}
	if l < 0 || int(l) >= len(words) {
		return "unknown"
	}
	return words[l]
}

// Code is one row of the table.
//
// Wrong and Right are manifests that differ in the mistake alone. They belong
// into a plan workspace with an AGENTS.md, the plans plan.md and web.md, whose
// phases 1 to 3 run in it, and a program my-agent on the PATH. Wrong has this
// problem and no other, Right has none. Both are empty where a manifest can't
// show the mistake.
type Code struct {
	ID           string // E and a number, or W and a number for a warning
	Level        Level
	Title        string // a few words
	Explanation  string // what it means, why it is refused, what to do; Markdown
	Wrong, Right string // HCL
	Note         string // what the mistake depends on besides the manifest; Markdown, may be empty
}

// All returns the table in the order of levels and codes. The caller may change
// its copy.
func All() []Code {
	return slices.Concat(limits(), syntax(), version(), schema(), reference(), value(), filesystem(), warnings())
}

// Lookup returns the row with an id; letter case does not count.
func Lookup(id string) (Code, bool) {
	all := All()
	at := slices.IndexFunc(all, func(c Code) bool { return strings.EqualFold(c.ID, id) })
	if at < 0 {
		return Code{}, false
	}
	return all[at], true
}

// What most examples begin with.
const (
	head = `manifest {
  version = 1
}
`
	agent = head + `
agent "codex" {
  command = ["my-agent"]
}
`
	// bound binds every plan, so that the agent is used whatever a plan says.
	bound = agent + `
defaults {
  agent = agent.codex
}
`
	plan = bound + `
plan "rollout" {
  source = "plan.md"
}
`
	plans = plan + `
plan "web" {
  source = "web.md"
}
`
)

// inPlan returns a manifest whose plan has some more lines.
func inPlan(lines string) string {
	return bound + `
plan "rollout" {
  source = "plan.md"
` + lines + `}
`
}

// inAgent returns a manifest whose agent has some more lines.
func inAgent(lines string) string {
	return head + `
agent "codex" {
  command = ["my-agent"]
` + lines + `}
` + `
plan "rollout" {
  source = "plan.md"
  agent  = agent.codex
}
`
}
