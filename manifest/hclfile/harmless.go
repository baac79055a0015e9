package hclfile

// harmless tells, without reading tokens, that a file in native syntax can't be
// near a limit of the guard: reading tokens takes as long as parsing. It gives up
// at heredocs, templates and comments in /* */, after which it could not tell
// what is text, and counts bytes where the guard counts tokens.
func harmless(text []byte) bool {
	s := skimmer{text: text}
	for s.at < len(text) {
		if !s.step() {
			return false
		}
	}
	return true
}

// skimmer follows the guard from byte to byte.
type skimmer struct {
	text      []byte
	at        int
	open      [maxDepth]openBracket
	depth     int
	item      int // where the argument or block began that is being read
	equals    bool
	questions int
	unary     int
}

type openBracket struct {
	closes byte
	body   bool
}

// step passes one byte, string or comment, or tells that it gives up.
func (s *skimmer) step() bool {
	b := s.text[s.at]
	ok := true
	switch b {
	case '"':
		ok = s.quote()
	case '#':
		s.comment()
	case '/':
		if ok = s.follows('/'); ok {
			s.comment()
		}
	case '<':
		ok = !s.follows('<')
	case '{', '[', '(':
		ok = s.push(b)
	case '}', ']', ')':
		ok = s.pop(b)
	case '=':
		s.equals = true
	case '?':
		s.questions++
	case '\n':
		s.line()
	}
	s.count(b)
	s.at++
	return ok && s.at-s.item <= maxTokens && s.questions < maxQuestion && s.unary < maxUnary-1
}

func (s *skimmer) count(b byte) {
	switch b {
	case '!', '-':
		s.unary++
	case ' ', '\t', '\r', '\n', '#', '/':
	default:
		s.unary = 0
	}
}

func (s *skimmer) follows(b byte) bool { return s.at+1 < len(s.text) && s.text[s.at+1] == b }

// quote passes a string that has nothing but text in it.
func (s *skimmer) quote() bool {
	for s.at++; s.at < len(s.text); s.at++ {
		switch s.text[s.at] {
		case '"':
			return true
		case '\\':
			s.at++
		case '\n':
			return false
		case '$', '%':
			if s.follows('{') {
				return false
			}
		}
	}
	return false
}

// comment passes what is before the end of the line.
func (s *skimmer) comment() {
	for s.at+1 < len(s.text) && s.text[s.at+1] != '\n' {
		s.at++
	}
}

func (s *skimmer) inBody() bool { return s.depth == 0 || s.open[s.depth-1].body }

func (s *skimmer) push(opens byte) bool {
	if s.depth == len(s.open)-2 {
		return false
	}
	block := opens == '{' && s.inBody() && !s.equals
	closes := opens + 2
	if opens == '(' {
		closes = ')'
	}
	s.open[s.depth] = openBracket{closes: closes, body: block}
	s.depth++
	if block {
		s.item, s.questions = s.at, 0
	}
	return true
}

func (s *skimmer) pop(closes byte) bool {
	if s.depth == 0 || s.open[s.depth-1].closes != closes {
		return false
	}
	s.depth--
	return true
}

func (s *skimmer) line() {
	if s.inBody() {
		s.item, s.questions, s.equals = s.at, 0, false
	}
}
