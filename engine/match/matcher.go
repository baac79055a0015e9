package match

import "unicode/utf8"

// A Hit says which rule has matched, and where.
type Hit struct {
	Rule int    // its place in the list, from 0
	Expr string // as it was given
	// Offset is the number of bytes of the history after which the match was
	// certain: the end of the first character up to which the rule has a match
	// whatever characters follow, none included. A byte that is no UTF-8 is a
	// character. Where there is no such place, because the match depends on the
	// text's end, it is the whole history.
	Offset int64
}

// A Matcher searches one history for all rules at once. The history is what
// [Matcher.Write] was given, in that order, from however many streams. A Matcher
// is not safe for concurrent use.
type Matcher struct {
	runners []runner // none without rules, and once there is a hit
	read    int64    // bytes of the history

	tail [utf8.UTFMax]byte // an unfinished character at the end of the history
	held int               // its length
	join [utf8.UTFMax]byte // for split

	hit    Hit
	hasHit bool
}

// NewMatcher returns a Matcher with an empty history.
func (r *Rules) NewMatcher() *Matcher { return r.newMatcher(limitsFor(r.Len())) }

func (r *Rules) newMatcher(l limits) *Matcher {
	m := &Matcher{runners: make([]runner, r.Len())}
	for i, p := range r.list() {
		m.runners[i] = newRunner(p, l)
	}
	return m
}

// Write adds p to the history and reports whether a rule has matched: whether
// there is a Write, this one or an earlier one, at the end of which
// regexp.MustCompile(expr).Match(history) was true for some rule. Of several
// rules for which it became true in the same Write the first in the list is
// reported, wherever in p they match. Once there is a Hit it stays, and
// nothing is read any more.
func (m *Matcher) Write(p []byte) (Hit, bool) { return m.add(p, true) }

// Add is Write without the question at the end of p: for when it is known that
// something follows, as what something before the Matcher holds back. Peek asks
// the question then.
func (m *Matcher) Add(p []byte) (Hit, bool) { return m.add(p, false) }

func (m *Matcher) add(p []byte, ask bool) (Hit, bool) {
	if len(m.runners) == 0 {
		return m.hit, m.hasHit
	}
	parts := m.split(p)
	for i := range m.runners {
		if n, ok := m.runners[i].add(parts, ask); ok {
			m.hit, m.hasHit = m.hitBy(i, n), true
			m.runners = nil // nothing is searched for any more
			return m.hit, true
		}
	}
	m.read += int64(len(p))
	m.held = copy(m.tail[:], parts.tail)
	return Hit{}, false
}

// Peek reports what Write(held) would, and changes nothing. So Peek(nil) asks
// again whether a rule matches if the text ends here.
//
// It is meant for few bytes, which something before the Matcher holds back:
// they are simulated, at a fraction of the speed of Write.
func (m *Matcher) Peek(held []byte) (Hit, bool) {
	if len(m.runners) == 0 {
		return m.hit, m.hasHit
	}
	parts := m.split(held)
	for i := range m.runners {
		if n, ok := m.runners[i].peek(parts); ok {
			return m.hitBy(i, n), true
		}
	}
	return Hit{}, false
}

// hitBy returns the hit of rule i, n bytes behind the last whole character.
func (m *Matcher) hitBy(i, n int) Hit {
	return Hit{Rule: i, Expr: m.runners[i].prog.expr, Offset: m.read - int64(m.held) + int64(n)}
}

// parts is the history behind the last whole character that has been read, with
// what is added to it.
type parts struct {
	head []byte // the unfinished character, with what finishes it
	body []byte // whole characters
	tail []byte // a character that is unfinished still
}

// split joins p to the unfinished character. It cuts no character but that of
// the tail; bytes that can't be part of one are whole. The result is good until
// the next call.
func (m *Matcher) split(p []byte) parts {
	head, taken := append(m.join[:0], m.tail[:m.held]...), 0
	for len(head) > 0 && !utf8.FullRune(head) {
		if taken == len(p) {
			return parts{tail: head}
		}
		head = append(head, p[taken])
		taken++
	}
	if !utf8.Valid(head) { // then the byte taken last is not part of it
		taken--
		head = head[:len(head)-1]
	}
	whole := len(p) - unfinished(p[taken:])
	return parts{head: head, body: p[taken:whole], tail: p[whole:]}
}

// unfinished returns how many bytes at the end of p begin a character that p
// does not finish.
func unfinished(p []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(p); n++ {
		last := p[len(p)-n:]
		if !utf8.RuneStart(last[0]) {
			continue
		}
		if utf8.FullRune(last) {
			return 0
		}
		return n
	}
	return 0
}
