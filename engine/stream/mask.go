package stream

import "sort"

// Masker masks a stream, and how the stream is cut into calls makes no
// difference. Its memory is bounded by the largest piece and the longest value.
// It is not safe for concurrent use.
type Masker struct {
	values []value
	trie   *trie // nil: nothing is masked
	count  int64

	// Offsets are counted from the first byte that was ever read.
	end   int64   // of what was read
	from  int64   // of what was neither returned nor replaced yet
	node  int32   // the undecided text, which is the end of what was read
	found matches // that begin in the undecided text

	// Of the call under way.
	base  int64  // where piece begins
	held  []byte // the undecided text before it
	piece []byte
	out   []byte
}

// Write reads the next piece of the stream and returns what is decided by then,
// masked. That must not be changed and holds until the next call; it is part of
// p where nothing before p was held back and nothing is masked.
func (m *Masker) Write(p []byte) []byte {
	if m.trie == nil {
		return p
	}
	m.begin(p)
	for i := m.skip(0); i < len(p); i = m.skip(i + 1) {
		m.end = m.base + int64(i) + 1
		m.step(p[i])
	}
	m.end = m.base + int64(len(p))
	return m.decided()
}

// Held returns the undecided end of the stream: the longest one, behind what was
// replaced, that is the beginning of a value and not all of it. It may be all of
// a shorter value, so it must not be shown. Nor must it be changed, and it holds
// until the next call.
func (m *Masker) Held() []byte {
	if m.trie == nil {
		return nil
	}
	n := m.trie.nodes[m.node]
	return m.values[n.value].text[:n.depth:n.depth]
}

// Close ends the stream and returns what was held back. If that is MinSecret
// bytes or more it is masked as a whole: a worker that is killed while it prints
// a value has printed most of it. What is returned must not be changed and holds
// until the next call; a Write after it begins another stream.
func (m *Masker) Close() []byte {
	if m.trie == nil {
		return nil
	}
	if n := m.trie.nodes[m.node]; n.depth >= MinSecret {
		m.found.add(match{m.end - int64(n.depth), m.end, n.value})
	}
	return m.finish()
}

// Count returns how many masks were written so far.
func (m *Masker) Count() int64 { return m.count }

// finish ends a stream in which a value that was cut off is text.
func (m *Masker) finish() []byte {
	if m.trie == nil {
		return nil
	}
	m.begin(nil)
	m.node = root
	m.settle()
	return m.decided()
}

func (m *Masker) begin(p []byte) {
	m.base, m.held, m.piece, m.out = m.end, m.Held(), p, m.out[:0]
}

// skip returns the index of the next byte of the piece to read, from i on.
func (m *Masker) skip(i int) int {
	if m.node != root {
		return i
	}
	return m.trie.skip(m.piece, i)
}

// step reads the byte before m.end.
func (m *Masker) step(c byte) {
	m.node = m.trie.follow(m.node, c)
	if m.trie.nodes[m.node].match != root {
		m.note()
	}
	m.settle()
}

// note adds the longest of the values that end at m.end which is not refused.
// Whatever is shorter is part of it.
func (m *Masker) note() {
	nodes := m.trie.nodes
	for n := nodes[m.node].match; n != root; n = nodes[nodes[n].fail].match {
		if m.found.add(match{m.end - int64(nodes[n].depth), m.end, nodes[n].value}) {
			return
		}
	}
}

// settle gives up the undecided text that can't become a value any more, and
// replaces the values that begin in it.
func (m *Masker) settle() {
	m.shrink()
	for next := m.found.first(); next != nil && next.start < m.undecided(); next = m.found.first() {
		m.emit(next.start)
		m.out = append(m.out, m.values[next.value].mask...)
		m.count++
		m.from = next.end
		m.found.drop()
		m.shrink()
	}
}

// shrink makes the undecided text one that is the beginning of a value and not
// all of it, and that has no byte of what was replaced.
func (m *Masker) shrink() {
	for m.node != root && (m.trie.nodes[m.node].child == root || m.undecided() < m.from) {
		m.node = m.trie.nodes[m.node].fail
	}
}

// undecided is where the undecided text begins.
func (m *Masker) undecided() int64 { return m.end - int64(m.trie.nodes[m.node].depth) }

// decided ends a call and returns what is decided by then.
func (m *Masker) decided() []byte {
	to := m.undecided()
	if len(m.out) == 0 && m.from >= m.base {
		unchanged := m.piece[m.from-m.base : to-m.base]
		m.from = to
		return unchanged
	}
	m.emit(to)
	return m.out
}

// emit adds what comes before the offset to what the call returns.
func (m *Masker) emit(to int64) {
	if m.from < m.base {
		stop := min(to, m.base)
		start := m.base - int64(len(m.held))
		m.out = append(m.out, m.held[m.from-start:stop-start]...)
		m.from = stop
	}
	if m.from < to {
		m.out = append(m.out, m.piece[m.from-m.base:to-m.base]...)
		m.from = to
	}
}

// match is an occurrence of a value, from start up to end.
type match struct {
	start, end int64
	value      int32
}

// matches is a queue of the occurrences that will be replaced if no others are
// found: in order, none overlapping another.
type matches struct {
	all  []match
	done int // dropped from its front
}

// add adds an occurrence. They come by where they end, and of those that end
// together the longest comes first. So those that begin in x are part of x, which
// takes their place. If one that begins before x overlaps it, x is refused, for
// good: what takes the place of that one later has all of x in it.
func (q *matches) add(x match) bool {
	live := q.all[q.done:]
	n := sort.Search(len(live), func(i int) bool { return live[i].start >= x.start })
	if n > 0 && live[n-1].end > x.start {
		return false
	}
	q.all = append(q.all[:q.done+n], x)
	return true
}

// first returns the first occurrence, nil if there is none.
func (q *matches) first() *match {
	if q.done == len(q.all) {
		return nil
	}
	return &q.all[q.done]
}

// drop takes the first one away. The others move up when they are the fewer, so
// that a queue that is never empty does not grow for ever.
func (q *matches) drop() {
	q.done++
	if 2*q.done >= len(q.all) {
		q.all = q.all[:copy(q.all, q.all[q.done:])]
		q.done = 0
	}
}
