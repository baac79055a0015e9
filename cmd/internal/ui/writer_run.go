package ui

import (
	"errors"
	"fmt"
	"io"
	"syscall"
	"time"
)

const (
	// chunkSize is how much the destination is given at a time. It counts as
	// stalled if it does not take that much while a Write is patient, so 8 KiB
	// a second is not too slow.
	chunkSize = 16 << 10

	// tryAgainAfter is the pause before a destination that would block is
	// asked again.
	tryAgainAfter = 10 * time.Millisecond
)

// run writes out what is taken. It owns batch, and exchanges it for the queue.
func (w *Writer) run(batch []byte) {
	for ok := true; ok; {
		var out []byte
		var count int64
		if batch, out, count, ok = w.swap(batch); ok {
			ok = w.writeOut(out, count)
		}
	}
}

// swap waits for something to write, and returns it for an empty batch: as it
// was taken, as it goes out, and how much that is of what was taken. It reports
// whether there will be anything.
func (w *Writer) swap(empty []byte) (batch, out []byte, count int64, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.announce() // the batch before is out
	for w.err == nil && !w.ready() {
		w.work.Wait()
	}
	if w.err != nil {
		return nil, nil, 0, false
	}
	batch, w.queue = w.queue, empty[:0]
	if w.dropped > 0 {
		w.markCut()
	}
	w.announce()
	if w.live == nil {
		return batch, batch, int64(len(batch)), true
	}
	count = int64(len(batch)) + w.live.owed
	return batch, w.live.frame(batch), count, true
}

// ready reports whether there is something to write now. If not, look is called
// when there may be, unless something is taken before.
func (w *Writer) ready() bool {
	if w.live == nil {
		return len(w.queue) > 0
	}
	wait := w.live.wait(len(w.queue), w.moved != nil)
	if wait > 0 {
		w.live.alarm.Reset(wait)
	}
	return wait <= 0
}

func (w *Writer) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.work.Signal()
}

// markCut ends a stall, during which nothing was taken, at the start of an
// empty queue.
func (w *Writer) markCut() {
	mark := fmt.Appendf(w.lineStart(), "[output dropped: %d bytes]\n", w.dropped)
	w.dropped = 0
	w.enqueue(mark)
}

// writeOut writes out, which stands for count bytes that were taken.
func (w *Writer) writeOut(out []byte, count int64) bool {
	for len(out) > 0 {
		n, err := writeChunk(w.dst, out[:min(len(out), chunkSize)])
		share := min(int64(n), count)
		if !w.advance(n, share, err) {
			return false
		}
		out, count = out[n:], count-share
	}
	return w.advance(0, count, nil)
}

// writeChunk writes some of p. Another process that shares the destination may
// have made it non-blocking, also while we write; that is no reason to give up.
func writeChunk(dst io.Writer, p []byte) (int, error) {
	n, err := dst.Write(p)
	if errors.Is(err, syscall.EAGAIN) {
		if n == 0 {
			time.Sleep(tryAgainAfter)
		}
		return n, nil
	}
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	return n, err
}

// advance notes that n bytes are out, which stand for share bytes that were
// taken, and reports whether more may follow.
func (w *Writer) advance(n int, share int64, err error) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.written += share
	if n > 0 {
		w.movedAt = time.Now()
	}
	if err != nil {
		w.fail(err)
	}
	return w.err == nil
}

// fail makes err, unless there is one, the reason why nothing is taken or
// written any more.
func (w *Writer) fail(err error) {
	if w.err != nil {
		return
	}
	w.err = err
	w.queue = nil
	if w.live != nil {
		w.live.alarm.Stop()
	}
	w.announce()
	w.work.Signal()
}
