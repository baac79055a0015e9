package match

import (
	"math/bits"
	"slices"
	"unsafe"
)

// A ref names a state of a cache: the place of the state's row in steps, and
// whether it is resting. 0 is no state.
type ref uint32

const resting ref = 1 << 31

// row returns the place of the state's row.
func (r ref) row() ref { return r &^ resting }

// running reports whether r is a state that is not resting.
func (r ref) running() bool { return int32(r) > 0 }

// A cache holds the states of one automaton that are known so far: sets of
// threads, and which set follows on which class of character. It is emptied as
// a whole. There are no pointers in what it holds.
type cache struct {
	limit   int // bytes; 0 for no cache
	classes int // the length of a row

	// steps has a row for each state, with the state that follows on each class,
	// or 0 where that isn't known. The first row belongs to no state.
	steps  []ref
	states []state  // by row
	sets   []uint16 // the threads of all states, each set in ascending order
	table  []int32  // of the states by hash, open addressing; 0 is free

	blank  []ref    // a row of zeros
	sorter []uint64 // a bit for each instruction, all 0
	sorted []uint16
}

// A state is a set of threads, and what stands in front of them.
type state struct {
	hash      uint32
	first     uint32 // of its threads in sets
	count     uint16
	before    kind
	asserting bool
	matches   bool // if the text ends here
	// resting says that most text changes nothing here: none at all in an
	// anchored program, or none before the literal that it starts with.
	resting bool
}

const (
	refBytes   = int(unsafe.Sizeof(ref(0)))
	stateBytes = int(unsafe.Sizeof(state{}))
	minTable   = 16 // entries
)

// newCache returns an empty cache for p of at most limit bytes. Where that
// is too little for a few states of the largest size there is no cache, and so
// an empty one always has room for the next state, whatever its table takes.
func newCache(p *program, limit int) cache {
	c := cache{classes: p.classes.count()}
	largest := c.classes*refBytes + stateBytes + 2*len(p.insts)
	if few := 4 * (largest + 4*minTable); limit < few {
		return c
	}
	c.limit = limit
	c.blank = make([]ref, c.classes)
	c.sorter = make([]uint64, (len(p.insts)+63)/64)
	c.sorted = make([]uint16, 0, len(p.insts))
	c.table = make([]int32, minTable)
	c.empty()
	return c
}

// empty forgets all states. What they were kept in is used again.
func (c *cache) empty() {
	c.steps = append(c.steps[:0], c.blank...)
	c.states = append(c.states[:0], state{})
	c.sets = c.sets[:0]
	clear(c.table)
}

// size returns the number of bytes in use.
func (c *cache) size() int {
	return len(c.steps)*refBytes + len(c.states)*stateBytes + len(c.sets)*2 + len(c.table)*4
}

func (c *cache) state(r ref) *state { return &c.states[int(r.row())/c.classes] }

func (c *cache) threads(s *state) []uint16 { return c.sets[s.first:][:s.count] }

// restore makes s go on from state r.
func (c *cache) restore(r ref, s *simulation) {
	st := c.state(r)
	s.load(c.threads(st), st.asserting, st.before)
}

// intern returns the state at which s is, and makes it where it isn't known.
// It reports false when there is no room for that.
func (c *cache) intern(s *simulation) (ref, bool) {
	set := c.sort(s.now.waiting)
	h := hash(set, s.before)
	slot := c.find(h, set, s.before)
	if i := c.table[slot]; i != 0 {
		return c.refTo(i), true
	}
	if !c.room(len(set)) {
		return 0, false
	}
	i := int32(len(c.states))
	c.states = append(c.states, state{
		hash:      h,
		first:     uint32(len(c.sets)),
		count:     uint16(len(set)),
		before:    s.before,
		asserting: s.now.asserting,
		matches:   s.atEnd(),
		resting:   s.prog.restsAt(set),
	})
	c.sets = append(c.sets, set...)
	c.steps = append(c.steps, c.blank...)
	c.table[slot] = i
	c.grow()
	return c.refTo(i), true
}

// refTo returns the reference to state i.
func (c *cache) refTo(i int32) ref {
	r := ref(int(i) * c.classes)
	if c.states[i].resting {
		r |= resting
	}
	return r
}

// room reports whether another state of so many threads stays within the
// limit.
func (c *cache) room(threads int) bool {
	more := len(c.blank)*refBytes + stateBytes + threads*2
	if c.crowded(1) {
		more += len(c.table) * 4
	}
	return c.size()+more <= c.limit
}

// crowded reports whether with so many more states the table is more than half
// full.
func (c *cache) crowded(more int) bool { return 2*(len(c.states)+more) > len(c.table) }

// grow doubles the table when it is crowded.
func (c *cache) grow() {
	if !c.crowded(0) {
		return
	}
	c.table = make([]int32, 2*len(c.table))
	for i := 1; i < len(c.states); i++ {
		s := &c.states[i]
		c.table[c.find(s.hash, c.threads(s), s.before)] = int32(i)
	}
}

// find returns the slot of the table that holds the state, or is free for it.
func (c *cache) find(h uint32, set []uint16, before kind) int {
	mask := len(c.table) - 1
	slot := int(h) & mask
	for ; c.table[slot] != 0; slot = (slot + 1) & mask {
		s := &c.states[c.table[slot]]
		if s.hash == h && s.before == before && slices.Equal(c.threads(s), set) {
			break
		}
	}
	return slot
}

// sort returns waiting in ascending order, until the next call.
func (c *cache) sort(waiting []uint16) []uint16 {
	for _, pc := range waiting {
		c.sorter[pc/64] |= 1 << (pc % 64)
	}
	c.sorted = c.sorted[:0]
	for i, word := range c.sorter {
		for ; word != 0; word &= word - 1 {
			c.sorted = append(c.sorted, uint16(64*i+bits.TrailingZeros64(word)))
		}
		c.sorter[i] = 0
	}
	return c.sorted
}

func hash(set []uint16, before kind) uint32 {
	h := uint64(before) + 1
	for _, pc := range set {
		h = (h ^ uint64(pc)) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return uint32(h ^ h>>32)
}
