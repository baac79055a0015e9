package match

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// reserved returns the number of bytes that the cache holds on to, in use or
// not.
func (c *cache) reserved() int {
	return cap(c.steps)*refBytes + cap(c.states)*stateBytes + cap(c.sets)*2 + cap(c.table)*4 +
		cap(c.blank)*refBytes + cap(c.sorter)*8 + cap(c.sorted)*2
}

// reserved returns the number of bytes that the simulation holds on to.
func (s *simulation) reserved() int {
	n := cap(s.stack)
	for _, t := range []*threads{&s.now, &s.next, &s.decided} {
		n += cap(t.waiting) + cap(t.reached) + cap(t.place)
	}
	return 2 * n
}

// checkMemory compares what m holds with what the package comment says.
func checkMemory(t *testing.T, m *Matcher, l limits) {
	t.Helper()
	total := 0
	for i := range m.runners {
		r := &m.runners[i]
		if used, reserved := r.cache.size(), r.cache.reserved(); used > l.cache || reserved > l.cache*3/2 {
			t.Errorf("%s: the states use %d of %d bytes, %d are reserved", r.prog.expr, used, l.cache, reserved)
		}
		total += r.cache.reserved()
		simulating := r.sim.reserved()
		if r.spare != nil {
			simulating += r.spare.reserved()
		}
		if most := 40*len(r.prog.insts) + 64; simulating > most {
			t.Errorf("%s: %d instructions take %d bytes to simulate, more than %d", r.prog.expr, len(r.prog.insts), simulating, most)
		}
	}
	if total > cacheBytes*3/2 {
		t.Errorf("the states of all rules reserve %d bytes", total)
	}
}

func TestStatesStayWithinBounds(t *testing.T) {
	text := coins(24 << 10)
	for _, e := range explosions {
		t.Run(e.name, func(t *testing.T) {
			l := limitsFor(1)
			l.detour, l.maxDetour = 100, 100 // to fill the cache many times
			m := compile(t, e.expr).newMatcher(l)
			for rest := text; len(rest) > 0; rest = rest[1<<10:] {
				if _, ok := m.Write(rest[:1<<10]); ok {
					t.Fatal("hit")
				}
				m.Peek([]byte("a\xc3"))
				checkMemory(t, m, l)
			}
		})
	}
}

func TestAllRulesStayWithinBounds(t *testing.T) {
	var exprs []string
	for i := range MaxRules {
		exprs = append(exprs, strings.ReplaceAll(explosions[i%len(explosions)].expr, "c", string(rune('c'+i))))
	}
	m := compile(t, exprs...).NewMatcher()
	feed(t, m, coins(8<<10))
	checkMemory(t, m, limitsFor(MaxRules))
	used := 0
	for i := range m.runners {
		used += m.runners[i].cache.reserved()
	}
	if used < cacheBytes/4 {
		t.Errorf("%d bytes of states don't come near the bound", used)
	}
}

// A cache that is of no use is left alone most of the time, and tried again.
func TestUselessCacheIsLeft(t *testing.T) {
	m := compile(t, `[ab]*a[ab]{200}c`).newMatcher(limits{cache: 64 << 10, detour: 4 << 10, maxDetour: 64 << 10})
	r := &m.runners[0]
	cached := 0
	for rest := coins(32 << 10); len(rest) > 0; rest = rest[64:] {
		if r.at != 0 {
			cached += 64
		}
		m.Write(rest[:64])
	}
	if cached == 0 || cached > 4<<10 {
		t.Errorf("%d bytes were looked up", cached)
	}
	// What is simple now ends the detour, and is looked up.
	m.Write(make([]byte, 256<<10))
	if r.at == 0 {
		t.Errorf("%d bytes of the detour are left", r.left)
	}
}

// Each detour is twice as long as the one before, up to a bound.
func TestDetours(t *testing.T) {
	l := limits{cache: 4000, detour: 1000, maxDetour: 3500}
	m := compile(t, `[ab]*a[ab]{200}c`).newMatcher(l)
	r := &m.runners[0]
	var detours []int
	for _, b := range coins(32 << 10) {
		before := r.at
		m.Write([]byte{b})
		if before != 0 && r.at == 0 {
			detours = append(detours, r.left)
		}
	}
	if len(detours) < 4 || detours[0] != 1000 || detours[1] != 2000 || detours[2] != 3500 || detours[3] != 3500 {
		t.Fatalf("detours of %v bytes", detours[:min(4, len(detours))])
	}
}

func TestUsefulCacheIsKept(t *testing.T) {
	m := compile(t, `(a|b)*a(a|b){12}c`).NewMatcher()
	r := &m.runners[0]
	for rest := coins(256 << 10); len(rest) > 0; rest = rest[1<<10:] {
		m.Write(rest[:1<<10])
		if r.at == 0 {
			t.Fatal("the states don't fit")
		}
	}
	if n := len(r.cache.states); n < 1<<12 {
		t.Errorf("%d states: nothing to keep", n)
	}
}

// A cache that is full, but was of use, is emptied and goes on.
func TestFullCacheIsEmptied(t *testing.T) {
	m := compile(t, `[ab]*a[ab]{8}c`).newMatcher(limits{cache: 4000, detour: 1 << 29, maxDetour: 1 << 30})
	r := &m.runners[0]
	r.detour *= 2 // as after one that was of no use
	random := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		word := string(coins(64)[random.IntN(32):][:12])
		m.Write([]byte(strings.Repeat(word, 100)))
		if r.at == 0 {
			t.Fatal("a detour")
		}
	}
	if r.emptied == 0 {
		t.Error("the cache was never full")
	}
	if r.detour != r.limits.detour {
		t.Errorf("the next detour would be of %d bytes", r.detour)
	}
}

// Where a rule rests, text is passed over: all of it when no match can come any
// more, or up to a literal or a newline.
func TestRest(t *testing.T) {
	for _, c := range []struct {
		expr, text, skip string
		anchored, rests  bool
	}{
		{`STOP(?:ped)?\b`, "we ", "STOP", false, true},
		{`STOP`, "ST", "STOP", false, false},
		{`(?m)^(?:FATAL|PANIC)`, "x", "\n", false, true},
		{`(?m)^(?:FATAL|PANIC)`, "x\n", "\n", false, false},
		{`\AOK`, "x", "", true, true},
		{`\AOK`, "O", "", true, false},
		{`^OK|^FAILED`, "x", "", true, true},
		{`(?i)stop`, "x", "", false, false},
		{`a|b`, "x", "", false, false},
		{`\bstop`, " ", "", false, false},
		{`\x{FFFD}x`, "x", "", false, false}, // any bad byte may be it
	} {
		m := compile(t, c.expr).NewMatcher()
		if hit, ok := m.Write([]byte(c.text)); ok {
			t.Fatalf("%s on %q: %+v", c.expr, c.text, hit)
		}
		r := &m.runners[0]
		if p := r.prog; string(p.skip) != c.skip || p.anchored != c.anchored || r.cache.state(r.at).resting != c.rests {
			t.Errorf("%s on %q: skip %q, anchored %t, rests %t", c.expr, c.text, p.skip, p.anchored, r.cache.state(r.at).resting)
		}
	}
}

func TestWriteAllocatesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		exprs []string
		text  []byte
		l     limits
	}{
		"agent":     {sixteen, agentText(chunk), limitsFor(MaxRules)},
		"simulated": {sixteen, agentText(1 << 10), limits{}},
		"explosion": {[]string{`[ab]*a[ab]{20}c`}, coins(4 << 10), limits{cache: 10_000, detour: 100, maxDetour: 1000}},
	} {
		t.Run(name, func(t *testing.T) {
			m := compile(t, c.exprs...).newMatcher(c.l)
			write := func() {
				if hit, ok := m.Write(c.text); ok {
					t.Fatalf("hit %+v", hit)
				}
				m.Write([]byte("\xe2\x82"))
				m.Peek([]byte("\xac x"))
			}
			for range 10 {
				write()
			}
			if n := testing.AllocsPerRun(10, write); n != 0 {
				t.Errorf("%v allocations", n)
			}
		})
	}
}

// Rules with a great many classes, and those for which a row of a state is too
// long for any cache, match like all others.
func TestManyClasses(t *testing.T) {
	var literal, class strings.Builder
	for i := range 1900 {
		literal.WriteRune(rune(0x4e00 + 3*i))
	}
	for i := range 3000 {
		class.WriteRune(rune(0x4e00 + 3*i))
	}
	many := literal.String()
	for _, expr := range []string{many, "(?i)" + many[:900] + `\pL`, "[" + class.String() + `]{3}\P{Greek}`, `[\pL\pN]{2}[^\p{Han}\p{Cyrillic}]\PL`} {
		for _, l := range []limits{limitsFor(1), {cache: 20_000, detour: 5, maxDetour: 5}, {}} {
			text := "x" + many[:2000] + "Ж" + many[:1000] + many + "Ω!"
			var writes [][]byte
			for rest := []byte(text); len(rest) > 0; rest = rest[min(101, len(rest)):] {
				writes = append(writes, rest[:min(101, len(rest))])
			}
			if !check(t, []string{expr}, writes, l) {
				t.Errorf("%.20q…: no hit", expr)
			}
		}
	}
	if n := compile(t, many).programs[0].classes.count(); n != 1900+2 {
		t.Errorf("%d classes", n)
	}
}

func TestUnicodeClassesAreFew(t *testing.T) {
	p := compile(t, `[\pL\pN]{2}[^\p{Han}\p{Cyrillic}]\PL|(?i)\p{Lu}`).programs[0]
	if n := p.classes.count(); n > 20 {
		t.Errorf("%d classes", n)
	}
}
