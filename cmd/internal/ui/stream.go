package ui

import (
	"sync"

	"github.com/ai-session-handler/ai-session-handler/engine/termtext"
)

// stream is one of a worker's two, on its way to a Writer.
type stream struct {
	w        *Writer
	activity *activity // of both

	mu     sync.Mutex
	filter *termtext.Filter
}

func newStream(w *Writer, a *activity) *stream {
	return &stream{w: w, activity: a, filter: termtext.NewFilter(w, w.colour)}
}

func (s *stream) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.activity.heard(0)
	return s.filter.Write(p)
}

// end shows what the filter holds back, a few bytes whose loss nobody would
// notice, and begins another stream.
func (s *stream) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.filter.Close()
	s.filter = termtext.NewFilter(s.w, s.w.colour)
}
