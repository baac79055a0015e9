// Package termtext makes text that others wrote safe to show on a terminal:
// output of workers, titles from plans, file names, error texts
// (docs/worker-protocol.md, "Out").
//
// Nothing it lets through can move the cursor, set a title, write to the
// clipboard, ask the terminal a question, or make a line read in another order
// than it is stored. What is left is valid UTF-8 whose only control characters
// are newline, tab and, where asked for, complete SGR colour sequences.
//
// [Filter] works on a stream and does not depend on how reads cut it. [Text]
// and [Line] do the same for a string.
//
// What becomes of what:
//
//	escape and control sequences, 7-bit and 8-bit   removed
//	SGR (ESC [ digits ; : m)                        kept on request
//	CR LF, a run of CR on a line with text          one newline
//	U+2028, U+2029                                  newline
//	BEL, BS, SO, SI, other C1 controls              removed
//	other C0 controls, DEL                          U+FFFD
//	invalid UTF-8                                   U+FFFD for each maximal subpart
//	bidirectional controls                          U+FFFD
//	tag characters and their block, U+E0000–E0FFF   removed
//
// The package never decides where text goes, and knows nothing of its width.
package termtext
