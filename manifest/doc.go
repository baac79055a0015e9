// Package manifest turns the text of a manifest into a checked [Manifest], and
// that into bindings: which agent runs each phase of a plan, how, and where every
// value came from. It owns names, references, inheritance and precedence. How the
// text is read is for package hclfile; what runs is for the engine. It writes
// nothing. See docs/manifest-reference.md.
package manifest
