package argv

import (
	"errors"
	"strings"
)

// split divides a template into words as a POSIX shell would, without any
// expansion: single quotes keep everything, double quotes keep everything but
// a backslash before a double quote or a backslash, and a backslash outside
// quotes keeps the next character. # $ * ~ | ; are ordinary characters. The
// known libraries take # for a comment, or drop backslashes inside double
// quotes that are part of a regular expression.
func split(template string) ([]string, error) {
	var s splitter
	// Byte by byte: every special character is ASCII, and a path need not be
	// UTF-8.
	for i := range len(template) {
		s.next(template[i])
	}
	return s.end()
}

type splitter struct {
	words  []string
	word   strings.Builder
	open   bool // a word has begun, perhaps with nothing in it yet
	quote  byte // ' or " inside quotes, else 0
	escape bool // the byte before was an active backslash
}

func (s *splitter) next(c byte) {
	switch {
	case s.escape:
		s.escaped(c)
	case c == '\\' && s.quote != '\'':
		s.escape, s.open = true, true
	case s.quote != 0:
		s.quoted(c)
	case c == '\'' || c == '"':
		s.quote, s.open = c, true
	case strings.IndexByte(" \t\r\n", c) >= 0:
		s.finish()
	default:
		s.keep(c)
	}
}

func (s *splitter) escaped(c byte) {
	s.escape = false
	if s.quote == '"' && c != '"' && c != '\\' {
		s.keep('\\')
	}
	s.keep(c)
}

func (s *splitter) quoted(c byte) {
	if c == s.quote {
		s.quote = 0
		return
	}
	s.keep(c)
}

func (s *splitter) keep(c byte) {
	s.open = true
	s.word.WriteByte(c)
}

func (s *splitter) finish() {
	if s.open {
		s.words = append(s.words, s.word.String())
		s.word.Reset()
		s.open = false
	}
}

func (s *splitter) end() ([]string, error) {
	switch {
	case s.escape:
		return nil, errors.New("the command template ends in a backslash with nothing to quote")
	case s.quote == '\'':
		return nil, errors.New("the command template has a single quote that is not closed")
	case s.quote == '"':
		return nil, errors.New("the command template has a double quote that is not closed")
	}
	s.finish()
	return s.words, nil
}
