// Package result reads the one framed block with which a worker ends, and
// hides such blocks from live output. docs/worker-protocol.md holds the
// grammar.
//
// A worker says how its phase ended by printing exactly one block, last, on
// one of its two streams:
//
//	<phase-complete>summary</phase-complete>
//	<phase-blocked>reason</phase-blocked>
//	<phase-needs-clarification>question for the user</phase-needs-clarification>
//
// A [Scanner] judges one stream, [Judge] puts the two together. The three tags
// are reserved: wherever one is printed otherwise (inside a line, quoted,
// fenced, nested, misspelt by a space, twice) the result is refused, because
// work taken for finished by mistake costs more than work asked for again.
//
// A [Filter] copies a stream to the live console without its blocks.
//
// Everything here is incremental. The outcome does not depend on how reads cut
// the stream, and memory is bounded by the largest text of a block, [MaxText],
// whatever the volume of output and the length of its lines.
//
// The package never decides what a block means for an attempt: an exit status,
// a signal, a timeout or a stop overrides it, and that belongs to the caller.
package result
