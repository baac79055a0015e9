package ui

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// eventQueue is how many events wait for a reader that is slow.
const eventQueue = 1024

// Events writes events as JSON, one object per line, from a goroutine of its
// own: a destination that takes nothing costs events and never time. What is
// lost is told in an event of its own as soon as there is room. It is safe for
// concurrent use.
type Events struct {
	dst     io.Writer
	ended   chan struct{}
	mu      sync.Mutex
	queue   chan record.Event // nil once closed
	lost    int
	failure error // why nothing is written any more
}

// NewEvents returns Events that write to dst. The caller has to Close them.
func NewEvents(dst io.Writer) *Events {
	e := &Events{dst: dst, ended: make(chan struct{}), queue: make(chan record.Event, eventQueue)}
	go e.run(e.queue)
	return e
}

// Event takes an event, or counts it as lost.
func (e *Events) Event(event record.Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.queue == nil {
		return
	}
	if e.lost > 0 && cap(e.queue)-len(e.queue) > 1 {
		e.queue <- record.Event{
			Format: record.EventFormat, Kind: record.EventsLost, At: event.At, Plan: event.Plan,
			Message: fmt.Sprintf("%d events are lost here, since nobody read them", e.lost),
		}
		e.lost = 0
	}
	select {
	case e.queue <- event:
	default:
		e.lost++
	}
}

// Close waits until everything is written, but no longer than [Patience] for a
// destination that takes nothing. It does not close the destination. The error
// says what did not go out.
func (e *Events) Close() error {
	e.mu.Lock()
	queue := e.queue
	e.queue = nil
	if queue != nil {
		close(queue)
	}
	e.mu.Unlock()
	inFlight := 0
	select {
	case <-e.ended:
	case <-time.After(Patience):
		inFlight = 1
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	left := e.lost + len(queue) + inFlight
	if e.failure != nil {
		return fmt.Errorf("the events could not be written: %w", e.failure)
	}
	if left > 0 {
		return fmt.Errorf("%d events were not written, since nobody read them", left)
	}
	return nil
}

func (e *Events) run(queue <-chan record.Event) {
	defer close(e.ended)
	for event := range queue {
		if err := e.write(event); err != nil {
			e.fail(err)
			return
		}
	}
}

func (e *Events) write(event record.Event) error {
	line, err := record.EncodeLine(event)
	for err == nil && len(line) > 0 {
		var n int
		n, err = writeChunk(e.dst, line)
		line = line[n:]
	}
	return err
}

func (e *Events) fail(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.failure = err
}
