package result

import (
	"bytes"
	"io"
	"strings"
)

// maxHeld lets a Filter hide every block that a Scanner can accept.
const maxHeld = MaxText + 2*maxTag

// Filter copies one stream to the live console without its result blocks
// (docs/worker-protocol.md, "Out"). It is not safe for concurrent use.
//
// Hidden is what stands from an opening tag at the start of a line up to the
// next closing tag of the same kind, and a newline right behind it, so that a
// block on lines of its own leaves no empty one. Everything else passes at once: a tag mentioned within a line holds nothing back. The
// beginning of an opening tag is held until the next byte decides. A block
// that is not closed is held until [Filter.Close], but never more than
// [MaxText] bytes and its tags: beyond that all of it is let through.
type Filter struct {
	w         io.Writer
	limit     int    // bytes held at most
	lineStart bool   // the next byte is the first of a line
	ended     bool   // a block has just ended; a newline now belongs to it
	held      []byte // an opening tag or its beginning, and what followed it
	kind      Kind   // of the block being held, 0 outside
	matched   int    // bytes of its closing tag that held ends with
	err       error  // of the call under way
}

// NewFilter returns a Filter that writes to w.
func NewFilter(w io.Writer) *Filter {
	return &Filter{w: w, limit: maxHeld, lineStart: true, held: make([]byte, 0, maxTag)}
}

// Write filters p. It always takes all of p and keeps no reference to it. The
// error is the first that w returned; what w refused then is lost, and the
// next call goes on from the end of p.
func (f *Filter) Write(p []byte) (int, error) {
	f.err = nil
	for rest := p; len(rest) > 0; {
		rest = rest[f.take(rest):]
	}
	return len(p), f.err
}

// Close writes what is still held back. It does not close w.
func (f *Filter) Close() error {
	f.err = nil
	f.release()
	return f.err
}

// take deals with some of p and returns how much. It may return 0, but then
// has changed its state so that the next call does not.
func (f *Filter) take(p []byte) int {
	switch {
	case f.ended:
		return f.behind(p)
	case f.kind != 0:
		return f.inside(p)
	case f.lineStart || len(f.held) > 0:
		return f.opening(p)
	}
	return f.pass(p)
}

// pass copies up to where a block can begin.
func (f *Filter) pass(p []byte) int {
	n := len(p)
	if i := bytes.Index(p, []byte("\n<")); i >= 0 {
		n = i + 1
	}
	f.emit(p[:n])
	f.lineStart = p[n-1] == '\n'
	return n
}

// behind takes the newline that belongs to the block before it.
func (f *Filter) behind(p []byte) int {
	f.ended = false
	if p[0] != '\n' {
		return 0
	}
	f.lineStart = true
	return 1
}

// opening reads the next byte of what may be an opening tag.
func (f *Filter) opening(p []byte) int {
	f.lineStart = false
	held := append(f.held, p[0])
	for k := Complete; k <= Clarification; k++ {
		if !strings.HasPrefix(k.opening(), string(held)) {
			continue
		}
		f.held = held
		if len(held) == len(k.opening()) {
			f.kind = k
		}
		return 1
	}
	f.release()
	return 0
}

// inside holds p back up to the closing tag, which ends the block, or up to
// the limit, which ends the holding back.
func (f *Filter) inside(p []byte) int {
	n, closed := f.findClosing(p[:min(len(p), f.limit-len(f.held))])
	if closed {
		f.reset()
		f.ended = true
		return n
	}
	f.held = appendWithin(f.held, p[:n], f.limit)
	if len(f.held) == f.limit {
		f.lineStart = f.held[len(f.held)-1] == '\n'
		f.release()
	}
	return n
}

// findClosing returns the length of p up to and including the closing tag, or
// all of it. A tag holds '<' only at its start, which makes restarting there
// enough.
func (f *Filter) findClosing(p []byte) (n int, closed bool) {
	tag := f.kind.closing()
	for n < len(p) {
		if f.matched == 0 {
			i := bytes.IndexByte(p[n:], '<')
			if i < 0 {
				return len(p), false
			}
			n += i
		}
		switch p[n] {
		case tag[f.matched]:
			f.matched++
		case '<':
			f.matched = 1
		default:
			f.matched = 0
		}
		n++
		if f.matched == len(tag) {
			return n, true
		}
	}
	return n, false
}

func (f *Filter) release() {
	f.emit(f.held)
	f.reset()
}

func (f *Filter) reset() {
	f.held, f.kind, f.matched = f.held[:0], 0, 0
}

// emit writes p unless w has already failed in this call.
func (f *Filter) emit(p []byte) {
	if len(p) == 0 || f.err != nil {
		return
	}
	n, err := f.w.Write(p)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	f.err = err
}
