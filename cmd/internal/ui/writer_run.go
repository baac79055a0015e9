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
		if batch, ok = w.swap(batch); ok {
			ok = w.writeOut(batch)
		}
	}
}

// swap waits for something to write, and returns it for an empty batch. It
// reports whether there will be anything.
func (w *Writer) swap(batch []byte) ([]byte, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.announce() // the batch before is out
	for len(w.queue) == 0 && w.err == nil {
		w.work.Wait()
	}
	if w.err != nil {
		return nil, false
	}
	batch, w.queue = w.queue, batch[:0]
	if w.dropped > 0 {
		w.markCut()
	}
	w.announce()
	return batch, true
}

// markCut ends a stall, during which nothing was taken, at the start of an
// empty queue.
func (w *Writer) markCut() {
	mark := fmt.Appendf(w.lineStart(), "[output dropped: %d bytes]\n", w.dropped)
	w.dropped = 0
	w.enqueue(mark)
}

func (w *Writer) writeOut(batch []byte) bool {
	for len(batch) > 0 {
		n, err := w.writeChunk(batch[:min(len(batch), chunkSize)])
		if !w.advance(n, err) {
			return false
		}
		batch = batch[n:]
	}
	return true
}

// writeChunk writes some of p. Another process that shares the terminal may
// have made it non-blocking, also while we write; that is no reason to give up.
func (w *Writer) writeChunk(p []byte) (int, error) {
	n, err := w.dst.Write(p)
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

// advance notes that n bytes are out, and reports whether more may follow.
func (w *Writer) advance(n int, err error) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if n > 0 {
		w.written += int64(n)
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
	w.announce()
	w.work.Signal()
}
