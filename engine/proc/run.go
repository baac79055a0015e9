package proc

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ai-session-handler/ai-session-handler/engine/proc/cgroup"
	"github.com/ai-session-handler/ai-session-handler/engine/proc/wire"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// Stream names one of a worker's output streams.
type Stream int

// The output streams.
const (
	Stdout Stream = iota
	Stderr
)

func (s Stream) String() string { return [...]string{"stdout", "stderr"}[s] }

// Sink takes a worker's output in order of arrival. Calls never overlap; p is
// valid during the call only and has at most 256 KiB. An error ends the worker.
type Sink interface {
	Chunk(from Stream, p []byte) error
}

// Limits are when a worker is ended though it does not end by itself. Zero is
// no limit. Suspended time counts.
type Limits struct {
	Timeout time.Duration // since its release
	Idle    time.Duration // since its release or the last byte on either stream
}

// Reason says what ended a worker.
type Reason int

// The reasons for which a worker ends.
const (
	Exited         Reason = iota // by itself
	LaunchFailed                 // its program did not run; Err is a *LaunchError
	TimedOut                     // the timeout, or the supervisor's backstop
	Idle                         // the idle timeout
	Cancelled                    // the context; Err is its cause
	SinkFailed                   // Err is the sink's error
	SupervisorDied               // somebody killed the supervisor
	SupervisorQuit               // the supervisor was asked to end by a signal
)

// Exit is how a worker and its tree ended.
type Exit struct {
	record.Exit
	Reason      Reason
	Err         error
	Elapsed     time.Duration     // from the release to the end of the tree, suspended time included
	PromptBytes int64             // taken by the worker's stdin pipe
	Tree        cgroup.Facts      // which limits on the whole tree were reached; zero without any
	Cut         bool              // an output pipe was given up though it was open
	Holders     []record.Leftover // who had it open, as far as can be seen
}

// answerBound is how long, beyond twice the grace, a supervisor may take to
// report the end of a worker. It has its own bounds and keeps them, unless a
// hostile worker stopped it.
const answerBound = 20 * time.Second

// clockStep bounds a wait for a deadline, so that time spent suspended is
// noticed soon after.
const clockStep = time.Second

// session is one Run.
type session struct {
	w       *Worker
	sink    Sink
	limits  Limits
	exit    Exit
	ordered bool // the worker's end was ordered, or seen
	begun   time.Duration
	answer  time.Duration // boot time by which the supervisor must have reported
	last    atomic.Int64  // boot time at which the last byte was passed on
	passing atomic.Int32  // streams whose bytes are being passed on
	gone    atomic.Bool   // the tree has ended: what comes now was written before
	cut     atomic.Bool   // somebody outside the tree holds a stream open
	failed  chan error    // the sink's first error
	mu      sync.Mutex    // serialises the sink
	streams sync.WaitGroup
	taken   atomic.Int64
}

// Run lets the worker execute and returns when its tree is gone and its output
// is read. When ctx ends, the worker is ended; a receive from hurry shortens
// its grace. [Worker.Close] must follow.
func (w *Worker) Run(ctx context.Context, hurry <-chan struct{}, sink Sink, limits Limits) Exit {
	s := &session{w: w, sink: sink, limits: limits, begun: bootTime(), failed: make(chan error, 1)}
	s.last.Store(int64(s.begun))
	if ctx.Err() == nil {
		s.release()
	} else { // the reason why it never runs counts, whatever else fails meanwhile
		s.order(Cancelled, context.Cause(ctx))
	}
	s.streams.Add(3)
	go s.feed()
	go s.read(Stdout, w.stdout)
	go s.read(Stderr, w.stderr)
	s.watch(ctx, hurry)
	s.exit.Elapsed = bootTime() - s.begun
	s.drain()
	s.exit.PromptBytes = s.taken.Load()
	return s.exit
}

func (s *session) release() {
	err := s.w.launcher.seam.Do("release", "worker", func() error { return s.w.conn.Send(wire.Release) })
	if err != nil && !errors.Is(err, unix.EPIPE) { // a supervisor that is gone is noticed by watch
		s.order(SinkFailed, fmt.Errorf("release the worker: %w", err))
	}
}

// watch returns when the supervisor has reported the end, or is gone.
func (s *session) watch(ctx context.Context, hurry <-chan struct{}) {
	timer := time.NewTimer(s.untilDeadline())
	defer timer.Stop()
	done, leaderEnded := ctx.Done(), s.w.leaderEnd()
	for {
		select {
		case report, ok := <-s.w.reports:
			if !ok {
				s.supervisorDied()
				return
			}
			if s.noteReport(report) {
				return
			}
		case <-done:
			done = nil
			s.order(Cancelled, context.Cause(ctx))
		case <-hurry:
			s.w.order(wire.Hurry)
		case err := <-s.failed:
			s.order(SinkFailed, err)
		case <-leaderEnded:
			leaderEnded = nil
			s.expectEnd() // too late for a deadline: it ended by itself
		case <-timer.C:
			s.checkDeadlines()
			timer.Reset(s.untilDeadline())
		}
	}
}

// order tells the supervisor to end the worker; the first reason counts. A
// failed sink counts even after the worker ended by itself: what it said is
// not all on disk.
func (s *session) order(why Reason, err error) {
	if why == SinkFailed && s.exit.Reason == Exited {
		s.exit.Reason, s.exit.Err = why, err
	}
	if s.ordered {
		return
	}
	s.expectEnd()
	s.exit.Reason, s.exit.Err = why, err
	s.w.order(wire.Stop)
}

// expectEnd notes that the worker's end is under way: no deadline of the
// worker counts any more, but its supervisor has one.
func (s *session) expectEnd() {
	if !s.ordered {
		s.ordered = true
		s.answer = bootTime() + 2*s.w.spec.Grace + answerBound
	}
}

// noteReport reports whether it was the last one.
func (s *session) noteReport(r wire.Report) bool {
	switch {
	case r.Failed != nil:
		s.expectEnd()
		s.exit.Reason, s.exit.Err = LaunchFailed, launchError(s.w.spec.Argv[0], r.Failed)
	case r.Exited:
		s.expectEnd()
	case r.Ended != nil:
		if r.Tree != nil {
			s.exit.Tree = *r.Tree
		}
		s.noteEnd(*r.Ended)
		return true
	}
	return false
}

// noteEnd explains an end that the supervisor decided on its own.
func (s *session) noteEnd(end record.Exit) {
	s.exit.Exit = end
	s.w.guarded = len(end.Survivors) > 0
	if s.exit.Reason != Exited || end.Cause == wire.ByItself {
		return
	}
	s.exit.Reason, s.exit.Err = SupervisorQuit, errors.New(end.Cause)
	if end.Cause == wire.ByBackstop {
		s.exit.Reason = TimedOut
	}
}

func (s *session) checkDeadlines() {
	now := bootTime()
	if s.ordered && now >= s.answer {
		_ = s.w.supervisor.Kill()
	}
	if s.limits.Timeout > 0 && now-s.begun >= s.limits.Timeout {
		s.order(TimedOut, nil)
	}
	if s.passing.Load() > 0 {
		s.last.Store(int64(now)) // a slow console is not the worker's silence
	}
	if s.limits.Idle > 0 && now-time.Duration(s.last.Load()) >= s.limits.Idle {
		s.order(Idle, nil)
	}
}

func (s *session) untilDeadline() time.Duration {
	now, wait := bootTime(), clockStep
	if s.limits.Timeout > 0 {
		wait = min(wait, s.begun+s.limits.Timeout-now)
	}
	if s.limits.Idle > 0 {
		wait = min(wait, time.Duration(s.last.Load())+s.limits.Idle-now)
	}
	if s.ordered {
		return clockStep
	}
	return max(wait, time.Millisecond)
}

// supervisorDied ends what the supervisor left: the worker's leader has got
// its death signal, the rest has become our children.
func (s *session) supervisorDied() {
	_ = s.w.supervisor.Kill() // in case it only closed the socket
	s.w.reapSupervisor()
	leader, swept, survivors := s.w.launcher.sweepOrphans(s.w)
	facts, left := s.w.group.End()
	s.exit.Tree, survivors = facts, append(survivors, left...)
	s.exit.Exit = record.Exit{
		Format: record.ExitFormat, AttemptID: s.w.spec.AttemptID, Cause: "its supervisor was killed",
		Executed: true, EndedAt: time.Now().UTC().Truncate(time.Millisecond),
		Signal: leader, Swept: swept, Survivors: survivors,
	}
	if s.exit.Reason == Exited {
		s.exit.Reason = SupervisorDied
		s.exit.Err = errors.New("the supervisor of the worker was killed, so how the worker would have ended is unknown")
	}
}

// Committed tells the supervisor that the end of the attempt is on disk.
// Without it, the supervisor writes down itself how the worker ended.
func (w *Worker) Committed() { w.order(wire.Committed) }

// order tells the supervisor something. One that can't be told is left: it then
// ends the worker, and is taken for dead.
func (w *Worker) order(o wire.Order) {
	if err := w.launcher.seam.Do("send", string(o), func() error { return w.conn.Send(o) }); err != nil {
		_ = w.conn.Close()
	}
}

// Close releases the worker's pipes and waits until the supervisor has let go
// of the locks. A supervisor that has survivors to guard is not waited for.
func (w *Worker) Close() {
	_ = w.conn.Close()
	closeAll(w.stdin, w.stdout, w.stderr, w.leader)
	w.group.Close()
	if !w.guarded {
		w.reapSupervisor()
	}
}

// bootTime is the time since boot, suspended time included.
func bootTime() time.Duration {
	var ts unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts) != nil {
		return 0
	}
	return time.Duration(ts.Nano())
}
