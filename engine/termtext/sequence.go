package termtext

import "bytes"

const (
	// maxSequence is how many bytes an unfinished sequence takes before what
	// follows is shown again: enough for a title or a link, too little to hide
	// a page.
	maxSequence = 4 << 10
	// maxSGR is the largest number of parameter bytes of a colour sequence.
	maxSGR = 64
)

type seqState uint8

const (
	seqNone         seqState = iota
	seqEscape                // after ESC
	seqIntermediate          // after ESC and 0x20–0x2f
	seqControl               // in CSI
	seqString                // in OSC, DCS, APC, PM or SOS
)

// seqResult says what a character was to the sequence under way.
type seqResult uint8

const (
	seqSwallowed seqResult = iota
	seqColour              // it ended a well-formed SGR
	seqOutside             // it is text, and ended the sequence where one was under way
)

// sequence follows control sequences as a terminal does. It keeps no more of
// one than the parameters of an SGR.
type sequence struct {
	state  seqState
	length int              // bytes since the introducer
	sgr    bool             // all parameters so far may be those of an SGR
	params int              // how many
	text   [maxSGR + 3]byte // of an SGR: room for ESC [, the parameters, and m
}

// next reads r, which took size bytes.
func (s *sequence) next(r rune, size int) seqResult {
	if r == esc || isC1(r) {
		s.begin(r)
		return seqSwallowed
	}
	if s.state == seqNone {
		return seqOutside
	}
	s.length += size
	switch {
	case s.length > maxSequence:
		return s.abort(r)
	case s.state == seqControl:
		return s.inControl(r)
	case s.state == seqString:
		return s.inString(r)
	}
	return s.inEscape(r)
}

// begin reads an ESC or a C1 control, which a terminal obeys anywhere: it ends
// a sequence under way and may begin another.
func (s *sequence) begin(r rune) {
	s.length = 0
	if r == esc {
		s.state = seqEscape
		return
	}
	s.introduce(r - c1First + '@')
}

// introduce reads the character behind ESC, or a C1 control as the character
// that has the same meaning there.
func (s *sequence) introduce(r rune) {
	switch r {
	case '[':
		s.state, s.sgr, s.params = seqControl, true, 0
	case ']', 'P', 'X', '^', '_':
		s.state = seqString
	default:
		s.state = seqNone
	}
}

func (s *sequence) inEscape(r rune) seqResult {
	switch {
	case r >= ' ' && r <= '/':
		s.state = seqIntermediate
	case r >= '0' && r <= '~' && s.state == seqEscape:
		s.introduce(r)
	case r >= '0' && r <= '~':
		s.state = seqNone
	default:
		return s.abort(r)
	}
	return seqSwallowed
}

func (s *sequence) inControl(r rune) seqResult {
	switch {
	case r >= ' ' && r <= '?':
		s.parameter(byte(r))
	case r == 'm' && s.sgr:
		s.state = seqNone
		return seqColour
	case r >= '@' && r <= '~':
		s.state = seqNone
	default:
		return s.abort(r)
	}
	return seqSwallowed
}

func (s *sequence) parameter(b byte) {
	// 0–9, ':' and ';' follow each other in ASCII.
	if b < '0' || b > ';' || s.params == maxSGR {
		s.sgr = false
		return
	}
	s.text[2+s.params] = b
	s.params++
}

// inString ends at a line break too, which is not what a terminal does, lest a
// string that is never ended swallows what comes after it.
func (s *sequence) inString(r rune) seqResult {
	switch r {
	case bel:
		s.state = seqNone
	case can, sub, '\n', '\r':
		return s.abort(r)
	}
	return seqSwallowed
}

// abort ends a sequence that r is no part of.
func (s *sequence) abort(r rune) seqResult {
	s.state = seqNone
	if r == can || r == sub {
		return seqSwallowed
	}
	return seqOutside
}

// sgrText returns the SGR just ended, in its 7-bit form, until the next one.
func (s *sequence) sgrText() []byte {
	s.text[0], s.text[1], s.text[2+s.params] = esc, '[', 'm'
	return s.text[:2+s.params+1]
}

// resets reports whether the SGR just ended leaves nothing on. In doubt it
// does not: a last 0 may belong to the parameter before.
func (s *sequence) resets() bool {
	return len(bytes.Trim(s.text[2:2+s.params], "0;")) == 0
}
