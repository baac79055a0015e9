package match

import "math"

const (
	// ruleCacheBytes is how much the states of one rule may fill.
	ruleCacheBytes = 1 << 20
	// cacheBytes is how much the states of all rules of a Matcher may fill. It
	// is shared out evenly.
	cacheBytes = 8 << 20
)

// limits are the bounds that tests make smaller.
type limits struct {
	cache int // bytes for the states of a rule; 0 to simulate always
	// After the cache has been of no use, so many bytes are simulated before it
	// is tried again, and twice as many after each further time.
	detour, maxDetour int
}

// limitsFor returns the limits of each of so many rules. The first detour costs
// several times what it takes to fill the cache in vain.
func limitsFor(rules int) limits {
	return limits{
		cache:     min(ruleCacheBytes, cacheBytes/max(rules, 1)),
		detour:    64 << 10,
		maxDetour: 16 << 20,
	}
}

// worthwhile is how many bytes a state must have served, on average, when the
// cache is full. A state costs a few times as much to make as to simulate one
// character.
const worthwhile = 10

// A runner searches one text for one rule.
type runner struct {
	prog   *program
	limits limits
	cache  cache
	// The runner is at state at of the cache, or, where that is 0, where sim is.
	at    ref
	sim   simulation
	spare *simulation // for questions, made when it is first needed

	read    int64 // bytes
	emptied int64 // read when the cache was last emptied
	left    int   // bytes to be simulated
	detour  int   // the next one
}

func newRunner(p *program, l limits) runner {
	r := runner{prog: p, limits: l, cache: newCache(p, l.cache), sim: newSimulation(p), detour: l.detour}
	r.sim.begin() // which doesn't match, or the rule would match the empty text
	if r.cache.limit == 0 {
		r.left = math.MaxInt
		return r
	}
	r.at, _ = r.cache.intern(&r.sim)
	return r
}

// add reads t and, if it shall, asks at its end. It returns the number of bytes
// read and whether that is a match, after which nothing may be added.
func (r *runner) add(t parts, ask bool) (int, bool) {
	head, hit := r.write(t.head)
	if hit {
		return head, true
	}
	body, hit := r.write(t.body)
	if hit {
		return head + body, true
	}
	if !ask {
		return head + body, false
	}
	tail, hit := r.end(t.tail)
	return head + body + tail, hit
}

// peek returns what add would.
func (r *runner) peek(t parts) (int, bool) {
	if len(t.head)+len(t.body) == 0 {
		return r.end(t.tail)
	}
	s := r.probe()
	head, hit := s.run(t.head, len(t.head))
	if hit {
		return head, true
	}
	body, hit := s.run(t.body, len(t.body))
	if hit {
		return head + body, true
	}
	tail, hit := s.end(t.tail)
	return head + body + tail, hit
}

// write reads p, which does not cut a character, up to its end or a match.
func (r *runner) write(p []byte) (int, bool) {
	n := 0
	for n < len(p) {
		read, hit := 0, false
		if r.at == 0 {
			read, hit = r.simulate(p[n:])
		} else {
			read, hit = r.lookUp(p[n:])
		}
		n += read
		r.read += int64(read)
		if hit {
			return n, true
		}
	}
	return n, false
}

// simulate reads p, or the beginning of it as far as the detour goes.
func (r *runner) simulate(p []byte) (int, bool) {
	n, hit := r.sim.run(p, min(r.left, len(p)))
	if r.left -= n; r.left <= 0 && !hit {
		r.at, _ = r.cache.intern(&r.sim) // it is empty
		r.emptied = r.read + int64(n)
	}
	return n, hit
}

// lookUp reads p, or the beginning of it up to the start of a detour.
func (r *runner) lookUp(p []byte) (int, bool) {
	classes := &r.prog.classes
	steps := r.cache.steps
	i, at := r.rest(p, 0, r.at)
	for i < len(p) {
		to := steps[at+ref(classes.ascii[p[i]])]
		if to.running() {
			at = to
			i++
			continue
		}
		class, size := classes.first(p[i:])
		i += size
		if to = steps[at+ref(class)]; to == 0 {
			hit := false
			if to, hit = r.explore(at, class, r.read+int64(i)); to == 0 {
				r.at = 0
				return i, hit
			}
			steps = r.cache.steps
		}
		i, at = r.rest(p, i, to)
	}
	r.at = at
	return len(p), false
}

// rest passes over what of p[i:] changes nothing at state at.
func (r *runner) rest(p []byte, i int, at ref) (int, ref) {
	if at.running() {
		return i, at
	}
	return i + r.prog.pass(p[i:]), at.row()
}

// explore finds the state that follows on class at state at; read is the
// position behind the character. There is no such state when the rule matches,
// and when a detour begins.
func (r *runner) explore(at ref, class int32, read int64) (to ref, hit bool) {
	r.cache.restore(at, &r.sim)
	if r.sim.step(class) {
		return 0, true
	}
	to, ok := r.cache.intern(&r.sim)
	if ok {
		r.cache.steps[at+ref(class)] = to
		return to, false
	}
	useful := read-r.emptied >= int64(worthwhile*len(r.cache.states))
	r.cache.empty()
	r.emptied = read
	if !useful {
		r.left = r.detour
		r.detour = min(2*r.detour, r.limits.maxDetour)
		return 0, false
	}
	r.detour = r.limits.detour
	to, _ = r.cache.intern(&r.sim)
	return to, false
}

// end asks whether the rule matches if the text ends behind tail, the first
// bytes of a character; see simulation.end.
func (r *runner) end(tail []byte) (int, bool) {
	switch {
	case len(tail) > 0:
		return r.probe().end(tail)
	case r.at == 0:
		return 0, r.sim.atEnd()
	}
	return 0, r.cache.state(r.at).matches
}

// probe returns a simulation that goes on from here, to ask what would be. It
// is good until the next call.
func (r *runner) probe() *simulation {
	if r.spare == nil {
		s := newSimulation(r.prog)
		r.spare = &s
	}
	if r.at == 0 {
		r.spare.load(r.sim.now.waiting, r.sim.now.asserting, r.sim.before)
	} else {
		r.cache.restore(r.at, r.spare)
	}
	return r.spare
}
