package result

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Scanner judges one stream of a worker by the rules of
// docs/worker-protocol.md, "Out". The zero Scanner is ready to use. It holds
// at most [MaxText] bytes and a small constant, and is not safe for concurrent
// use.
type Scanner struct {
	runes  runeJoiner
	tag    tagMatcher
	lines  lineTracker
	offset int64 // of the next byte

	// Where the last '<' stood, should it begin a tag.
	tagOffset int64
	tagPlace  place

	tags      int    // exact tags so far
	kind      Kind   // of the first tag
	body      []byte // since the first tag, while it can be a block
	text      string // of the finished block
	seen      bool
	fault     string // the first reason why the tags make no block
	malformed string // the first malformed tag
}

const reasonNone = "no result block was printed"

// place says whether an opening tag may stand somewhere.
type place uint8

const (
	placeGood place = iota
	placeInline
	placeFenced
)

// StreamResult is the judgement on one whole stream.
type StreamResult struct {
	Verdict Verdict
	// Block is set with Valid only.
	Block Block
	// Reason is one clause saying why the verdict is not Valid, without a
	// final stop. Offsets in it are bytes from the start of the stream, from 0.
	Reason string
}

// Write reads the next piece of the stream. It returns len(p) and no error,
// and keeps no reference to p.
func (s *Scanner) Write(p []byte) (int, error) {
	s.runes.write(p, s.scan)
	return len(p), nil
}

// Seen reports whether a complete block has been read that stands where it
// must. It stays true when later output spoils the result.
func (s *Scanner) Seen() bool { return s.seen }

// End judges the stream; no Write may follow.
func (s *Scanner) End() StreamResult {
	s.runes.end(s.scan)
	s.note(s.tag.end())
	switch {
	case s.tags > 2:
		return StreamResult{Verdict: Multiple, Reason: "more than one opening and one closing tag were printed"}
	case s.malformed != "":
		return StreamResult{Verdict: Invalid, Reason: s.malformed}
	case s.tags == 0:
		return StreamResult{Verdict: None, Reason: reasonNone}
	case s.fault != "":
		return StreamResult{Verdict: Invalid, Reason: s.fault}
	case s.tags == 1:
		return StreamResult{Verdict: Invalid, Reason: "the block is not closed by " + s.kind.closing()}
	}
	return StreamResult{Verdict: Valid, Block: Block{s.kind, s.text}}
}

// scan reads p, which does not cut a character. A third exact tag decides the
// stream, so nothing behind it is looked at.
func (s *Scanner) scan(p []byte) {
	for len(p) > 0 && s.tags <= 2 {
		if n := s.tag.plain(p); n > 0 {
			s.read(p[:n])
			p = p[n:]
			continue
		}
		r, size := utf8.DecodeRune(p)
		if r == '<' {
			s.tagOffset, s.tagPlace = s.offset, s.place()
		}
		s.read(p[:size])
		s.note(s.tag.next(r))
		p = p[size:]
	}
}

func (s *Scanner) place() place {
	switch {
	case !s.lines.atStart():
		return placeInline
	case s.lines.fenced():
		return placeFenced
	}
	return placeGood
}

// read takes p, tags included, as what it is by the number of tags before it:
// lines before the block, its body, or what follows it.
func (s *Scanner) read(p []byte) {
	switch s.tags {
	case 0:
		s.lines.write(p)
	case 1:
		s.keep(p)
	default:
		s.trail(p)
	}
	s.offset += int64(len(p))
}

func (s *Scanner) keep(p []byte) {
	if s.fault != "" {
		return
	}
	const limit = MaxText + maxTag // the closing tag is cut off once it is known to be one
	if len(s.body)+len(p) > limit {
		s.failTooLong()
		return
	}
	s.body = appendWithin(s.body, p, limit)
}

func (s *Scanner) trail(p []byte) {
	if s.fault != "" {
		return
	}
	i := bytes.IndexFunc(p, func(r rune) bool { return !unicode.IsSpace(r) })
	if i >= 0 {
		s.fail("text follows the block at offset %d", s.offset+int64(i))
	}
}

func (s *Scanner) note(e tagEvent) {
	switch {
	case e == tagMalformed && s.malformed == "":
		s.malformed = fmt.Sprintf("the %s tag at offset %d is malformed", s.tag.kind, s.tagOffset)
	case e == tagExact:
		s.tags++
		s.exact()
	}
}

func (s *Scanner) exact() {
	switch s.tags {
	case 1:
		s.kind = s.tag.kind
		s.first()
	case 2:
		s.second()
	}
}

// first judges the first exact tag, which has to open the block.
func (s *Scanner) first() {
	switch {
	case s.tag.close:
		s.fail("%s at offset %d closes no block", s.kind.closing(), s.tagOffset)
	case s.tagPlace == placeInline:
		s.fail("%s at offset %d is not at the start of a line", s.kind.opening(), s.tagOffset)
	case s.tagPlace == placeFenced:
		s.fail("%s at offset %d is inside a code fence", s.kind.opening(), s.tagOffset)
	}
}

// second judges the second exact tag, which has to close the block.
func (s *Scanner) second() {
	if s.fault != "" {
		return
	}
	if !s.tag.close || s.tag.kind != s.kind {
		s.fail("the tag at offset %d is not %s", s.tagOffset, s.kind.closing())
		return
	}
	body := bytes.TrimSuffix(s.body, []byte(s.kind.closing()))
	text := strings.ToValidUTF8(string(bytes.TrimSpace(body)), string(utf8.RuneError))
	switch {
	case len(body) > MaxText, len(text) > MaxText:
		s.failTooLong()
	case text == "":
		s.fail("the block has no text")
	default:
		s.text, s.body = text, nil
		s.seen = s.malformed == ""
	}
}

func (s *Scanner) failTooLong() { s.fail("the text of the block is longer than %d bytes", MaxText) }

// fail records why the tags make no block, unless that is known, and lets go
// of the text.
func (s *Scanner) fail(format string, args ...any) {
	if s.fault == "" {
		s.fault = fmt.Sprintf(format, args...)
	}
	s.body, s.text = nil, ""
}

// appendWithin appends p to buf and never lets its capacity pass limit, which
// is at least the sum of their lengths.
func appendWithin(buf, p []byte, limit int) []byte {
	if need := len(buf) + len(p); need > cap(buf) {
		grown := make([]byte, len(buf), min(max(need, 2*cap(buf)), limit))
		copy(grown, buf)
		buf = grown
	}
	return append(buf, p...)
}
