package ui

import (
	"io"
	"os"
	"sync"
	"time"
	"unicode/utf8"
)

const (
	// Patience is how long the console may hold up a run.
	Patience = 2 * time.Second

	// bufferSize bounds the bytes taken and not yet written. Half of them are
	// on their way out while the other half fills.
	bufferSize = 256 << 10
	queueSize  = bufferSize / 2

	// maxPiece is the longest Write that is taken whole or not at all.
	maxPiece = 64 << 10
)

// Writer passes what is written on to a destination that may be slow, stuck or
// gone, from a goroutine of its own and through a buffer of 256 KiB. It is safe
// for concurrent use: Writes come out whole and in the order of the calls.
//
// A destination that takes something now and then slows its writers down, as a
// pipe does. One that takes nothing while a Write waits for room is stalled
// once patience has passed: that Write and all later ones are dropped at once,
// until the destination has taken the half of the buffer it was given. Then a
// line "[output dropped: N bytes]" stands where they would have been. After an
// error of the destination everything is dropped for good.
//
// On a terminal a block of rows may stand below the output. Then what is written
// waits for up to [redrawEvery], so that it goes out together with the block.
type Writer struct {
	dst    io.Writer
	colour bool // what is written may leave a colour on

	// turn is held by one Write from start to end. It comes before mu, which
	// a Write that waits for room gives up.
	turn sync.Mutex

	mu       sync.Mutex
	work     *sync.Cond    // there may be something to write, or err was set
	moved    chan struct{} // closed at the next swap or error; nil if nobody waits
	patience time.Duration
	queue    []byte    // taken, not yet on its way
	midLine  bool      // what was taken last leaves a line unfinished
	taken    int64     // bytes in all, marks included
	written  int64     // of those
	movedAt  time.Time // when written grew last
	dropped  int64     // bytes not taken since the stall began; 0: not stalled
	err      error     // why nothing is taken any more
	live     *live     // nil: there never is a block
}

// newWriter returns a Writer to dst, whose Writes wait for room no longer than
// patience while dst takes nothing. Where colour, what is written may leave one
// on. The caller has to Close it.
func newWriter(dst io.Writer, patience time.Duration, colour bool) *Writer {
	return startWriter(dst, patience, colour, nil)
}

// newTerminalWriter is newWriter for a terminal, which place looks at.
func newTerminalWriter(dst io.Writer, patience time.Duration, colour bool, place func() place) *Writer {
	return startWriter(dst, patience, colour, &live{place: place, screen: screen{limit: maxHeld}})
}

func startWriter(dst io.Writer, patience time.Duration, colour bool, l *live) *Writer {
	w := &Writer{dst: dst, colour: colour, patience: patience, queue: make([]byte, 0, queueSize), live: l}
	w.work = sync.NewCond(&w.mu)
	if l != nil {
		l.alarm = time.AfterFunc(never, w.look)
	}
	go w.run(make([]byte, 0, queueSize))
	return w
}

// Write takes a copy of p, or of as much of it as there is room for: a p of up
// to 64 KiB whole or not at all, a longer one in such pieces, cut between
// characters. The error wraps [ErrNotTaken], says how many bytes were dropped,
// and wraps the destination's error where there was one.
func (w *Writer) Write(p []byte) (int, error) {
	w.turn.Lock()
	defer w.turn.Unlock()
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.take(p)
}

// Flush waits until everything taken so far has gone out, a mark of dropped
// bytes included, but gives up once the destination has taken nothing for the
// time of timeout. The error wraps [ErrNotTaken] and says how many bytes have
// not gone out.
func (w *Writer) Flush(timeout time.Duration) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	target := w.taken
	if w.dropped > 0 {
		target++ // the mark comes next, and goes out in one piece
	}
	began := time.Now()
	for w.written < target && w.err == nil {
		since := began
		if w.movedAt.After(began) {
			since = w.movedAt
		}
		left := timeout - time.Since(since)
		if left <= 0 {
			return &lateError{w.taken - w.written, timeout}
		}
		w.wait(left)
	}
	if w.written < target {
		return &dropError{w.taken - w.written, w.err}
	}
	return nil
}

// Close is Flush without a block, after which nothing is taken any more. It
// does not close the destination. The goroutine ends as soon as the destination
// lets go of it.
func (w *Writer) Close(timeout time.Duration) error {
	w.setBlock(nil)
	err := w.Flush(timeout)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fail(os.ErrClosed)
	return err
}

// own takes text of the handler's own, from the start of a line and without
// the worker's colour, which might hide it.
func (w *Writer) own(text string) {
	w.turn.Lock()
	defer w.turn.Unlock()
	w.mu.Lock()
	defer w.mu.Unlock()
	// What is lost here is marked, or Close tells of it.
	_, _ = w.take(append(w.lineStart(), text...))
}

// endLine ends an unfinished line.
func (w *Writer) endLine() {
	w.turn.Lock()
	defer w.turn.Unlock()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.midLine {
		_, _ = w.take([]byte("\n"))
	}
}

// stopWaiting makes a Write that finds no room fail at once, also one that
// waits already.
func (w *Writer) stopWaiting() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.patience = 0
	w.announce()
}

// setBlock makes rows, which must not wait, what stands below the output of a
// terminal: it is asked for them now and at least once a second, for a number
// of columns. With nil nothing does; Flush waits until that is so.
func (w *Writer) setBlock(rows func(columns int) []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.live != nil {
		w.taken += w.live.set(rows)
		w.work.Signal()
	}
}

// showsBlock reports whether there is a block that somebody can read.
func (w *Writer) showsBlock() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.live != nil && w.live.rows != nil && w.live.fits
}

// take is Write for the holder of turn and mu.
func (w *Writer) take(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		n := pieceLen(rest)
		if !w.room(n) {
			return len(p) - len(rest), w.drop(len(rest))
		}
		w.enqueue(rest[:n])
		rest = rest[n:]
	}
	return len(p), nil
}

func pieceLen(p []byte) int {
	if len(p) <= maxPiece {
		return len(p)
	}
	n := maxPiece
	for n > maxPiece-utf8.UTFMax && !utf8.RuneStart(p[n]) {
		n--
	}
	return n
}

// room waits until n bytes may be taken, and reports whether they may.
func (w *Writer) room(n int) bool {
	var since time.Time
	for w.err == nil && w.dropped == 0 && len(w.queue)+n > queueSize {
		if since.IsZero() {
			since = time.Now()
		}
		if w.movedAt.After(since) {
			since = w.movedAt
		}
		left := w.patience - time.Since(since)
		if left <= 0 {
			return false
		}
		w.wait(left)
	}
	return w.err == nil && w.dropped == 0
}

func (w *Writer) enqueue(p []byte) {
	w.queue = append(w.queue, p...)
	w.taken += int64(len(p))
	w.midLine = leavesMidLine(p, w.midLine)
	w.work.Signal()
}

func (w *Writer) drop(n int) error {
	if w.err != nil {
		return &dropError{int64(n), w.err}
	}
	w.dropped += int64(n)
	return &dropError{int64(n), errStalled}
}

// wait gives up mu until the next swap or error, but no longer than d.
func (w *Writer) wait(d time.Duration) {
	if w.moved == nil {
		w.moved = make(chan struct{})
		w.work.Signal() // what waits for a block waits no longer
	}
	moved := w.moved
	w.mu.Unlock()
	defer w.mu.Lock()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-moved:
	case <-timer.C:
	}
}

// announce ends every wait.
func (w *Writer) announce() {
	if w.moved != nil {
		close(w.moved)
		w.moved = nil
	}
}
