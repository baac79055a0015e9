package termtext

import (
	"io"
	"unicode/utf8"
)

// maxOut is how many bytes are gathered before they are written.
const maxOut = 4 << 10

// Filter makes a stream safe for a terminal; the package comment says what
// becomes of what. Each stream has a Filter of its own, also where several end
// on one terminal. It holds at most a few KiB, and is not safe for concurrent
// use.
//
// A call of Write writes all that is decided by then, and each write to the
// sink holds whole characters and whole colour sequences, so that other output
// may come in between.
type Filter struct {
	w          io.Writer
	keepColour bool
	coloured   bool // a colour is on

	seq  sequence
	tail [utf8.UTFMax]byte // an unfinished character
	held int               // its length

	started bool // the current line has text
	broken  bool // a CR ended the line before: an LF is part of that
	scratch [utf8.UTFMax]byte
	out     []byte // to be written by the end of the call
	err     error  // of the call under way
}

// NewFilter returns a Filter that writes to w. With keepColour SGR sequences of
// up to 64 bytes of digits, ';' and ':' are kept.
func NewFilter(w io.Writer, keepColour bool) *Filter {
	return &Filter{w: w, keepColour: keepColour}
}

// Write filters p. It always takes all of p and keeps no reference to it. The
// error is the first that w returned; what w refused then is lost, and the
// next call goes on from the end of p.
func (f *Filter) Write(p []byte) (int, error) {
	f.err = nil
	rest := f.join(p)
	whole := len(rest) - unfinished(rest)
	f.feed(rest[:whole])
	f.held += copy(f.tail[f.held:], rest[whole:])
	f.flush()
	return len(p), f.err
}

// Close ends the stream: a character that was cut off is shown as U+FFFD, a
// sequence that was cut off is dropped, and a colour left on is turned off. It
// does not close w.
func (f *Filter) Close() error {
	f.err = nil
	f.feedTail()
	f.seq = sequence{}
	if f.coloured {
		f.emit([]byte("\x1b[0m"))
		f.coloured = false
	}
	f.flush()
	return f.err
}

// join completes the unfinished character with the start of p, and returns
// the rest of p.
func (f *Filter) join(p []byte) []byte {
	for f.held > 0 && len(p) > 0 {
		f.tail[f.held] = p[0]
		joined := f.tail[:f.held+1]
		if utf8.FullRune(joined) && !utf8.Valid(joined) {
			f.feedTail() // p[0] may begin a character itself
			return p
		}
		f.held++
		p = p[1:]
		if utf8.FullRune(joined) {
			f.feedTail()
		}
	}
	return p
}

func (f *Filter) feedTail() {
	tail := f.tail[:f.held]
	f.held = 0
	f.feed(tail)
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

// feed reads p, which does not cut a character.
func (f *Filter) feed(p []byte) {
	for len(p) > 0 {
		if f.seq.state == seqNone {
			if n := plain(p); n > 0 {
				f.show(p[:n])
				p = p[n:]
				continue
			}
		}
		r, size := decode(p)
		f.step(r, size)
		p = p[size:]
	}
}

func (f *Filter) step(r rune, size int) {
	switch f.seq.next(r, size) {
	case seqColour:
		if f.keepColour {
			f.emit(f.seq.sgrText())
			f.coloured = !f.seq.resets()
		}
	case seqOutside:
		f.character(r)
	}
}

func (f *Filter) character(r rune) {
	if r == '\r' {
		f.carriageReturn()
		return
	}
	if r, ok := shown(r); ok {
		f.show(utf8.AppendRune(f.scratch[:0], r))
	}
}

// carriageReturn ends a line that has text, because what comes next would
// overwrite it. On an empty line it changes nothing.
func (f *Filter) carriageReturn() {
	if f.started {
		f.show(append(f.scratch[:0], '\n'))
		f.broken = true
	}
}

// show puts out text that is safe.
func (f *Filter) show(p []byte) {
	if f.broken && p[0] == '\n' {
		p = p[1:]
	}
	f.broken = false
	if len(p) > 0 {
		f.started = p[len(p)-1] != '\n'
		f.emit(p)
	}
}

// emit gathers p, or writes it where it is long.
func (f *Filter) emit(p []byte) {
	if len(f.out)+len(p) > maxOut {
		f.flush()
	}
	if len(p) > maxOut {
		f.write(p)
		return
	}
	f.out = append(f.out, p...)
}

func (f *Filter) flush() {
	f.write(f.out)
	f.out = f.out[:0]
}

// write writes p unless the sink has already failed in this call.
func (f *Filter) write(p []byte) {
	if len(p) == 0 || f.err != nil {
		return
	}
	n, err := f.w.Write(p)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	f.err = err
}
