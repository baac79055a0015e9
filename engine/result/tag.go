package result

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// tagEvent is what the character just read has made of a tag.
type tagEvent uint8

const (
	tagNothing   tagEvent = iota
	tagExact              // <name> or </name>
	tagMalformed          // a reserved name with space, '/' or the end where none may be
)

type tagState uint8

const (
	tagIdle  tagState = iota
	tagLead           // after '<': white space and one '/' may follow
	tagName           // n characters of kind's name have been read
	tagAfter          // the whole name has been read
)

// tagMatcher recognises reserved tags one character at a time. A tag holds '<'
// only at its start, so every '<' begins anew and nothing is ever read twice;
// white space is counted, not kept, so that any amount of it costs nothing.
type tagMatcher struct {
	state  tagState
	close  bool // a '/' stands before the name
	spaced bool // white space stands before the name
	kind   Kind // the first kind whose name begins with what was read
	n      int
}

// plain returns the length of a prefix of p that is neither part of a tag nor
// its beginning.
func (m *tagMatcher) plain(p []byte) int {
	if m.state != tagIdle {
		return 0
	}
	for n := 0; ; n++ {
		i := bytes.IndexByte(p[n:], '<')
		if i < 0 {
			return len(p)
		}
		n += i
		if mayBeTag(p[n+1:]) {
			return n
		}
	}
}

// mayBeTag reports whether p can follow the '<' of a reserved tag, by its first
// characters. It saves other markup, of which output is full, the slow way
// through next; what it lets through wrongly, next finds out.
func mayBeTag(p []byte) bool {
	for _, c := range p[:min(len(p), 3)] {
		switch {
		case c == 'p', c >= utf8.RuneSelf: // a name, or white space perhaps
			return true
		case c != '/' && c > ' ':
			return false
		}
	}
	return true
}

// next reads r. After an event, kind and close tell which tag it was.
func (m *tagMatcher) next(r rune) tagEvent {
	if r == '<' {
		*m = tagMatcher{state: tagLead, kind: Complete}
		return tagNothing
	}
	switch m.state {
	case tagLead:
		m.lead(r)
	case tagName:
		m.letter(r)
	case tagAfter:
		return m.after(r)
	}
	return tagNothing
}

func (m *tagMatcher) lead(r rune) {
	switch {
	case unicode.IsSpace(r):
		m.spaced = true
	case r == '/' && !m.close:
		m.close = true
	default:
		m.letter(r)
	}
}

// letter extends the name by r, moving on to a later kind where only that has
// a name so spelt.
func (m *tagMatcher) letter(r rune) {
	read := m.kind.Tag()[:m.n]
	m.state = tagIdle
	for k := m.kind; k <= Clarification; k++ {
		name := k.Tag()
		if m.n >= len(name) || rune(name[m.n]) != r || name[:m.n] != read {
			continue
		}
		m.kind, m.n, m.state = k, m.n+1, tagName
		if m.n == len(name) {
			m.state = tagAfter
		}
		return
	}
}

func (m *tagMatcher) after(r rune) tagEvent {
	m.state = tagIdle
	switch {
	case r == '>' && !m.spaced:
		return tagExact
	case r == '>', r == '/', unicode.IsSpace(r):
		return tagMalformed
	}
	return tagNothing // a longer word, which is not reserved
}

// end reads the end of the stream.
func (m *tagMatcher) end() tagEvent {
	if m.state != tagAfter {
		return tagNothing
	}
	m.state = tagIdle
	return tagMalformed
}
