package result

// MaxText is the largest text of a block in bytes, counted between its tags
// and again once made valid UTF-8 (docs/worker-protocol.md, "Out").
const MaxText = 1 << 20

// Kind says which of the three blocks a worker printed
// (docs/worker-protocol.md, "Out"). The zero Kind is none of them.
type Kind uint8

const (
	// Complete means that the phase is done; the text is its summary.
	Complete Kind = iota + 1
	// Blocked means that the phase can't be done; the text is the reason.
	Blocked
	// Clarification means that the worker asks instead of guessing; the text is the
	// question for the user.
	Clarification
)

// Tag returns the name between the angle brackets, or "" for the zero Kind.
func (k Kind) Tag() string {
	switch k {
	case Complete:
		return "phase-complete"
	case Blocked:
		return "phase-blocked"
	case Clarification:
		return "phase-needs-clarification"
	}
	return ""
}

// String returns the tag.
func (k Kind) String() string { return k.Tag() }

func (k Kind) opening() string { return "<" + k.Tag() + ">" }

func (k Kind) closing() string { return "</" + k.Tag() + ">" }

// maxTag is the length of the longest exact tag.
const maxTag = len("</phase-needs-clarification>")

// Block is one accepted result block. Text is valid UTF-8 of 1 to [MaxText]
// bytes without surrounding white space. It may hold any other character, a
// control sequence too, and must be made safe before it is shown.
type Block struct {
	Kind Kind
	Text string
}

// String returns the block as a worker prints it, without a final newline.
func (b Block) String() string { return b.Kind.opening() + b.Text + b.Kind.closing() }

// Verdict is what a stream, or the two streams of an attempt, amount to
// (docs/worker-protocol.md, "Out").
type Verdict uint8

const (
	// None means that no reserved tag was printed.
	None Verdict = iota
	// Valid means exactly one block, where and how it must be.
	Valid
	// Invalid means that a reserved tag was printed in a way that is not a result.
	Invalid
	// Multiple means more than one block, or more than two exact tags.
	Multiple
)

// String returns the verdict in the words of the documentation.
func (v Verdict) String() string {
	switch v {
	case Valid:
		return "valid"
	case Invalid:
		return "invalid"
	case Multiple:
		return "multiple"
	}
	return "missing"
}
