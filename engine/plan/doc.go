// Package plan reads a Markdown plan: it cuts one read of the file's exact
// bytes into a preamble and phases, and says what is wrong with them.
//
// # What it owns
//
// The rules of docs/plan-format.md. A phase is a top-level heading whose text
// is exactly "Phase N: Title"; everything before the first one is the
// preamble, everything from the line after one up to the next is its body.
// Which line is a heading is CommonMark's decision, taken from goldmark's
// block structure; which heading is a phase, and whether a phase is complete,
// is decided here, from the source.
//
// # What holds
//
// The concatenation of Preamble and every phase's Heading and Body is Source,
// byte for byte, whatever the line ends and whether or not there is a BOM.
//
// No line that looks like a phase heading is lost in silence. It is a phase,
// or it lies in a fence or comment that is closed, or a problem or a finding
// names it. A plan is refused as a whole, with all its problems at once,
// rather than run with a phase missing. A line looks like one to a person, who
// can't tell a no-break space from a space.
//
// No phase runs that lies between a "<!--" and its "-->", read from left to
// right outside code, even where Markdown ends the comment earlier.
//
// Time and memory are linear in the size of the plan; nesting of lists and
// quotes is bounded, so that no input can exhaust the stack.
//
// # What it never does
//
// It never writes, follows a declared workspace, normalises bytes, or knows of
// state: whether AGENTS.md exists and whether a phase has run is for others.
package plan
