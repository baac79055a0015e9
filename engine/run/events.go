package run

import (
	"fmt"
	"sync"
	"time"

	"github.com/ai-session-handler/ai-session-handler/engine/fsx"
	"github.com/ai-session-handler/ai-session-handler/engine/plan"
	"github.com/ai-session-handler/ai-session-handler/engine/workspace"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// eventLog appends the events of an invocation to the plan's events.jsonl. The
// file is for diagnosis only: it is not made durable, nothing is ever decided
// from it, and an error ends the log and never the run.
type eventLog struct {
	mu      sync.Mutex
	dir     *fsx.Dir // of the plan; nil until it is there for good
	waiting []byte   // lines from before there was a directory
	file    *fsx.File
	lost    bool
}

// in says where the log belongs.
func (l *eventLog) in(dir *fsx.Dir) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dir = dir
}

// add writes one event, or keeps it until there is a directory. The error comes
// once.
func (l *eventLog) add(e record.Event) error {
	line, err := record.EncodeLine(e)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lost {
		return nil
	}
	l.waiting = append(l.waiting, line...)
	if l.dir == nil {
		return nil
	}
	err = l.flush()
	l.waiting, l.lost = nil, err != nil
	return err
}

func (l *eventLog) flush() error {
	if l.file == nil {
		if err := l.open(); err != nil {
			return err
		}
	}
	_, err := l.file.Write(l.waiting)
	return err
}

// open opens the file. A line that a crash cut off is ended first.
func (l *eventLog) open() (err error) {
	whole := false
	l.file, whole, err = l.dir.Append(workspace.EventsFile)
	if err == nil && !whole {
		l.waiting = append([]byte{'\n'}, l.waiting...)
	}
	return err
}

func (l *eventLog) close() {
	if l.file != nil {
		_ = l.file.Close()
	}
}

// observe tells of an event, masked, and once when the log has ended.
func (v *invocation) observe(e record.Event) {
	v.stamp(&e)
	if err := v.events.add(e); err != nil {
		lost := record.Event{Kind: record.EventsLost,
			Message: fmt.Sprintf("warning: %s gets no more events, which does no harm to the run: %v", workspace.EventsFile, err)}
		v.stamp(&lost)
		v.job.Observe(lost)
	}
	v.job.Observe(e)
}

// stamp gives an event what all have, and masks it.
func (v *invocation) stamp(e *record.Event) {
	e.Format, e.At, e.Plan, e.Count = record.EventFormat, v.now(), v.job.Plan.Path, len(v.snapshot.Phases)
	v.maskEvent(e)
}

func (v *invocation) observePhase(p plan.Phase, e record.Event) {
	phase := phaseRecord(p)
	e.Phase = &phase
	for i, one := range v.snapshot.Phases {
		if one.ID == phase.ID {
			e.Index = i + 1
		}
	}
	v.observe(e)
}

// reportProgress sends an event now and then until it is stopped.
func (v *invocation) reportProgress(t *target, s *sink) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	began := time.Now()
	go func() {
		defer close(ended)
		tick := time.NewTicker(v.r.ProgressEvery)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				v.observePhase(t.phase, record.Event{
					Kind: record.PhaseProgress, AttemptID: t.attemptID, Bytes: s.bytes.Load(),
					ElapsedMS: time.Since(began).Milliseconds(), SilentMS: time.Since(time.Unix(0, s.last.Load())).Milliseconds(),
					TimeoutMS: t.how.Limits.Timeout.Milliseconds(),
				})
			}
		}
	}()
	return func() { close(done); <-ended }
}
