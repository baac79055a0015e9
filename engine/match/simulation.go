package match

import "regexp/syntax"

// A simulation runs a program on a text, all threads side by side: the
// meaning of a rule, in time that depends on its size.
type simulation struct {
	prog   *program
	now    threads
	before kind // what stands in front of now, if now is asserting

	next, decided threads
	stack         []uint16
}

// threads is a set of instructions. Each was reached at the place in the text
// that is at hand.
type threads struct {
	waiting   []uint16 // those that need to know the next character
	asserting bool     // one of waiting is an assertion

	reached []uint16 // all, in the order of arrival
	place   []uint16 // of an instruction in reached; any value where it is not there
}

func newThreads(insts int) threads {
	return threads{
		waiting: make([]uint16, 0, insts),
		reached: make([]uint16, 0, insts),
		place:   make([]uint16, insts),
	}
}

func (t *threads) clear() {
	t.waiting, t.asserting, t.reached = t.waiting[:0], false, t.reached[:0]
}

// reach adds pc and reports whether it is new.
func (t *threads) reach(pc uint16) bool {
	if i := int(t.place[pc]); i < len(t.reached) && t.reached[i] == pc {
		return false
	}
	t.place[pc] = uint16(len(t.reached))
	t.reached = append(t.reached, pc)
	return true
}

// context is what is known of a place in the text: the assertions that hold
// there, and those that can't be answered yet. All others do not hold.
type context struct {
	holds, open syntax.EmptyOp
}

// known returns the context of a place of which only the character before it
// is known.
func known(before kind) context {
	const behind = syntax.EmptyBeginText | syntax.EmptyBeginLine
	return context{
		holds: syntax.EmptyOpContext(samples[before], samples[kindOther]) & behind,
		open:  syntax.EmptyEndText | syntax.EmptyEndLine | syntax.EmptyWordBoundary | syntax.EmptyNoWordBoundary,
	}
}

func between(before, after kind) context {
	return context{holds: syntax.EmptyOpContext(samples[before], samples[after])}
}

func newSimulation(p *program) simulation {
	n := len(p.insts)
	return simulation{prog: p, now: newThreads(n), next: newThreads(n), decided: newThreads(n)}
}

// begin goes to the start of the text, and reports whether the program matches
// there whatever follows.
func (s *simulation) begin() bool {
	s.now.clear()
	return s.follow(&s.now, s.prog.start, known(kindNone)) || s.settle(kindNone)
}

// load takes over threads that wait behind a character of kind before.
func (s *simulation) load(waiting []uint16, asserting bool, before kind) {
	s.now.waiting = append(s.now.waiting[:0], waiting...)
	s.now.asserting, s.before = asserting, before
}

// step reads a character of class, and reports whether the program has matched
// in front of it or behind it, whatever follows. After that the simulation is of
// no use any more.
func (s *simulation) step(class int32) bool {
	p := s.prog
	read := p.classes.kinds[class]
	waiting := s.now.waiting
	if s.now.asserting {
		if s.decide(read) {
			return true
		}
		waiting = s.decided.waiting
	}
	sets, here := p.classes.row(class), known(read)
	s.next.clear()
	for _, pc := range waiting {
		in := &p.insts[pc]
		if has(sets, in.set) && s.follow(&s.next, in.out, here) {
			return true
		}
	}
	if s.follow(&s.next, p.start, here) {
		return true
	}
	s.now, s.next = s.next, s.now
	return s.settle(read)
}

// follow adds what can be reached from pc without reading a character, and
// reports whether that is a match.
func (s *simulation) follow(to *threads, pc uint16, at context) bool {
	s.stack = append(s.stack[:0], pc)
	for len(s.stack) > 0 {
		pc = s.stack[len(s.stack)-1]
		s.stack = s.stack[:len(s.stack)-1]
		if !to.reach(pc) {
			continue
		}
		switch in := &s.prog.insts[pc]; in.op {
		case opMatch:
			return true
		case opRune:
			to.waiting = append(to.waiting, pc)
		case opAlt:
			s.stack = append(s.stack, in.arg, in.out)
		case opAssert:
			switch {
			case in.assert&^at.holds == 0:
				s.stack = append(s.stack, in.out)
			case in.assert&^(at.holds|at.open) == 0:
				to.waiting, to.asserting = append(to.waiting, pc), true
			}
		}
	}
	return false
}

// settle completes now, which has been reached behind a character of kind
// before. It reports whether the program matches here whatever follows, as
// a(?:\b|\B) does behind its a. Two kinds stand for all that may follow: a newline
// and the end satisfy every assertion that kindOther does.
func (s *simulation) settle(before kind) bool {
	if !s.now.asserting {
		s.before = kindOther
		return false
	}
	s.before = before
	return s.decide(kindOther) && s.decide(kindWord)
}

// decide answers the assertions of now by the kind of what follows, into
// decided, and reports whether the program matches.
func (s *simulation) decide(after kind) bool {
	s.decided.clear()
	at := between(s.before, after)
	for _, pc := range s.now.waiting {
		if s.follow(&s.decided, pc, at) {
			return true
		}
	}
	return false
}

// atEnd reports whether the program matches if the text ends here.
func (s *simulation) atEnd() bool { return s.now.asserting && s.decide(kindNone) }

// run reads characters until at least n bytes of p are read, which p does not
// cut short. It returns how many it has read, and whether that is a match.
func (s *simulation) run(p []byte, n int) (int, bool) {
	i := 0
	for i < n {
		class, size := s.prog.classes.first(p[i:])
		i += size
		if s.step(class) {
			return i, true
		}
	}
	return i, false
}

// end reads tail, the first bytes of a character, as bad bytes and asks at the
// end of the text. It returns what run does.
func (s *simulation) end(tail []byte) (int, bool) {
	for i := range tail {
		if s.step(s.prog.classes.bad) {
			return i + 1, true
		}
	}
	return len(tail), s.atEnd()
}
