package result

import "unicode/utf8"

// runeJoiner hands a stream on in pieces that never cut a character, however
// reads cut it. It holds back at most three bytes.
type runeJoiner struct {
	buf [utf8.UTFMax]byte
	n   int // bytes of an unfinished character in buf
}

// write passes p on, together with what was held back and without what has to
// be.
func (j *runeJoiner) write(p []byte, emit func([]byte)) {
	for j.n > 0 && len(p) > 0 {
		j.buf[j.n] = p[0]
		switch joined := j.buf[:j.n+1]; {
		case !utf8.FullRune(joined):
			j.n++
			p = p[1:]
		case utf8.Valid(joined):
			j.n = 0
			p = p[1:]
			emit(joined)
		default:
			// p[0] is no continuation and may begin a character itself.
			j.end(emit)
		}
	}
	whole := len(p) - unfinished(p)
	if whole > 0 {
		emit(p[:whole])
	}
	j.n += copy(j.buf[j.n:], p[whole:])
}

// end passes on what is held back: bytes that are no character.
func (j *runeJoiner) end(emit func([]byte)) {
	held := j.buf[:j.n]
	j.n = 0
	if len(held) > 0 {
		emit(held)
	}
}

// unfinished returns how many bytes at the end of p begin a character that p
// does not finish.
func unfinished(p []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(p); n++ {
		if tail := p[len(p)-n:]; utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return n
		}
	}
	return 0
}
