// Package record holds the only Go types of everything the handler writes
// down: the state of a plan, the outcome of an attempt, how a worker ended when
// the handler was gone, and the events of an invocation.
//
// It owns shapes, not rules: which transitions between states are allowed is
// the matter of engine/state. Records are release-scoped: a reader accepts
// exactly the format named in the record and nothing else, see
// docs/state-and-recovery.md. The JSON Schemas in schema/json are generated
// from these types.
package record
