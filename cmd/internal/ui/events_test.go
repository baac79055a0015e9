package ui

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

func event(message string) record.Event {
	return record.Event{Format: record.EventFormat, Kind: record.PhaseStarted, At: time.Unix(0, 0), Message: message}
}

func TestEventsAreOneLineEach(t *testing.T) {
	var out bytes.Buffer
	e := NewEvents(&out)
	e.Event(event("a\nb <&>"))
	e.Event(event("c"))
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	e.Event(event("after the end"))
	lines := strings.SplitAfter(out.String(), "\n")
	if len(lines) != 3 || lines[2] != "" || !strings.Contains(lines[0], `"a\nb <&>"`) {
		t.Errorf("%q", lines)
	}
	for _, line := range lines[:2] {
		var got record.Event
		if err := record.Decode([]byte(line), &got); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// TestEventsNobodyReadsCostNoTime fills the queue in front of a pipe that is
// read only later.
func TestEventsNobodyReadsCostNoTime(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	e := NewEvents(w)
	const sent = 20 * eventQueue
	for range sent {
		e.Event(event(strings.Repeat("x", 100)))
	}
	if e.lost == 0 {
		t.Fatal("nothing was lost; the test shows nothing")
	}
	text := make(chan []byte)
	go func() {
		data, _ := io.ReadAll(r)
		text <- data
	}()
	for lost := true; lost; { // until there was room to tell of the loss
		e.Event(event("last"))
		e.mu.Lock()
		lost = e.lost > 0
		e.mu.Unlock()
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	_ = w.Close()
	data := <-text
	if !bytes.Contains(data, []byte(`"kind":"events-lost"`)) || !bytes.Contains(data, []byte(`events are lost here, since nobody read them"`)) {
		t.Error("the loss is not told")
	}
	for _, line := range bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n")) {
		if !json.Valid(line) {
			t.Fatalf("not whole: %s", line)
		}
	}
}

func TestCloseTellsOfEventsThatWereNotWritten(t *testing.T) {
	full := errors.New("disk full")
	e := NewEvents(writerFunc(func([]byte) (int, error) { return 0, full }))
	e.Event(event("a"))
	if err := e.Close(); !errors.Is(err, full) {
		t.Errorf("%v", err)
	}
	stuck := make(chan struct{})
	defer close(stuck)
	e = NewEvents(writerFunc(func(p []byte) (int, error) { <-stuck; return len(p), nil }))
	e.Event(event("a"))
	e.Event(event("b"))
	if err := e.Close(); err == nil || !strings.Contains(err.Error(), "2 events were not written") {
		t.Errorf("%v", err)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
