package match

import (
	"bytes"
	"errors"
	"fmt"
	"regexp/syntax"
	"slices"
	"unicode"
)

// A program is one rule, ready to run. It does not change.
type program struct {
	expr    string
	insts   []inst
	start   uint16
	classes classes

	// anchored says that no match begins behind the first byte.
	anchored bool
	// idle are the threads that wait where nothing of a match has been seen yet;
	// in an anchored program, those that wait when none can come any more. With
	// skip they stay the same until the text contains that.
	idle []uint16
	skip []byte
}

// An op is what an instruction does.
type op uint8

const (
	opFail   op = iota
	opMatch     // the rule has matched
	opAlt       // goes on at out and at arg
	opAssert    // goes on at out if the place fits assert
	opRune      // goes on at out behind a character of set
)

// An inst is one instruction of a program.
type inst struct {
	op       op
	assert   syntax.EmptyOp
	out, arg uint16
	set      uint16
}

// newProgram compiles expr. The error is a clause for the person who wrote it.
func newProgram(expr string) (*program, error) {
	prog, err := parse(expr)
	if err != nil {
		return nil, err
	}
	if n := len(prog.Inst); n > MaxInstructions {
		return nil, fmt.Errorf("it compiles to %d instructions, at most %d may be used: repeat less, or use smaller groups", n, MaxInstructions)
	}
	p := &program{expr: expr}
	p.translate(prog)
	if err := p.analyse(prog); err != nil {
		return nil, err
	}
	return p, nil
}

// parse does what regexp.Compile does.
func parse(expr string) (*syntax.Prog, error) {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, explain(expr, err)
	}
	return syntax.Compile(re.Simplify())
}

// translate fills in the instructions and the classes.
func (p *program) translate(prog *syntax.Prog) {
	var sets runeSets
	var asserts syntax.EmptyOp
	p.insts = make([]inst, len(prog.Inst))
	p.start = target(prog, uint32(prog.Start))
	for i := range prog.Inst {
		in := &prog.Inst[i]
		to := &p.insts[i]
		to.out = target(prog, in.Out)
		switch in.Op {
		case syntax.InstMatch:
			to.op, to.out = opMatch, 0
		case syntax.InstAlt, syntax.InstAltMatch:
			to.op, to.arg = opAlt, target(prog, in.Arg)
		case syntax.InstEmptyWidth:
			to.op, to.assert = opAssert, syntax.EmptyOp(in.Arg)
			asserts |= to.assert
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			to.op, to.set = opRune, sets.number(in)
		}
	}
	p.classes = newClasses(sets.ranges, asserts)
}

// target returns where an instruction leads that goes to pc, past those that
// do nothing.
func target(prog *syntax.Prog, pc uint32) uint16 {
	for prog.Inst[pc].Op == syntax.InstCapture || prog.Inst[pc].Op == syntax.InstNop {
		pc = prog.Inst[pc].Out
	}
	return uint16(pc)
}

// restsAt reports whether at these threads all text is passed over that pass
// names.
func (p *program) restsAt(threads []uint16) bool {
	return (p.anchored || p.skip != nil) && slices.Equal(threads, p.idle)
}

// pass returns the length of a prefix of text that changes nothing where the
// program rests. It may end inside a character: what is left of that is bad
// bytes, which change nothing either.
func (p *program) pass(text []byte) int {
	if p.anchored {
		return len(text)
	}
	if i := bytes.Index(text, p.skip); i >= 0 {
		return i
	}
	return max(0, len(text)-len(p.skip)+1)
}

var errEmptyMatch = errors.New("it matches the empty text, so that every attempt would be stopped at once: require at least one character")

// analyse finds out what the program does before it has read anything.
func (p *program) analyse(prog *syntax.Prog) error {
	s := newSimulation(p)
	if s.begin() || s.atEnd() {
		return errEmptyMatch
	}
	first := func(before kind) []uint16 {
		s.now.clear()
		s.follow(&s.now, p.start, known(before))
		return append([]uint16(nil), s.now.waiting...)
	}
	p.idle = first(kindOther)
	literal, _ := prog.Prefix()
	switch {
	case len(p.idle) == 0 && len(first(kindNewline)) == 0:
		p.anchored = true
	case len(p.idle) == 0:
		p.skip = []byte("\n")
	case literal != "":
		p.skip = []byte(literal)
	}
	return nil
}

// runeSets numbers the sets of characters that instructions wait for.
type runeSets struct {
	ranges [][]rune // pairs of first and last, by number
	byKey  map[setKey]uint16
}

// A setKey tells sets apart by where their ranges are kept: a repeated
// expression shares them. Two equal sets with different keys cost a little
// memory and no class.
type setKey struct {
	op    syntax.InstOp
	first *rune
	count int
	arg   uint32
}

func (s *runeSets) number(in *syntax.Inst) uint16 {
	key := setKey{op: in.Op, arg: in.Arg, count: len(in.Rune)}
	if len(in.Rune) > 0 {
		key.first = &in.Rune[0]
	}
	n, ok := s.byKey[key]
	if !ok {
		if s.byKey == nil {
			s.byKey = map[setKey]uint16{}
		}
		n = uint16(len(s.ranges))
		s.byKey[key] = n
		s.ranges = append(s.ranges, rangesOf(in))
	}
	return n
}

// rangesOf returns what in waits for, as pairs of first and last that do not
// overlap.
func rangesOf(in *syntax.Inst) []rune {
	switch {
	case in.Op == syntax.InstRuneAny:
		return []rune{0, unicode.MaxRune}
	case in.Op == syntax.InstRuneAnyNotNL:
		return []rune{0, '\n' - 1, '\n' + 1, unicode.MaxRune}
	case len(in.Rune) != 1:
		return in.Rune
	}
	r := in.Rune[0]
	ranges := []rune{r, r}
	if syntax.Flags(in.Arg)&syntax.FoldCase != 0 {
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			ranges = append(ranges, f, f)
		}
	}
	return ranges
}
