package supervise

import (
	"time"

	"golang.org/x/sys/unix"

	"github.com/ai-session-handler/ai-session-handler/engine/proc/wire"
)

// hurriedGrace is what an impatient operator leaves a worker to end by itself.
const hurriedGrace = 500 * time.Millisecond

// end begins to end the worker, once: SIGTERM to its group now, to every
// descendant at half of the grace, SIGKILL to the group at its end.
func (s *supervisor) end(cause string) {
	if s.cause != "" {
		return
	}
	s.cause = cause
	if !s.released {
		s.worker.giveUp()
	}
	s.deadline = time.Now().Add(s.start.Grace)
	s.signalLeader(unix.SIGTERM)
	s.worker.signalGroup(unix.SIGCONT)
	s.rung = func() {
		s.tree.ask()
		s.rung = s.kill
		s.timer.Reset(time.Until(s.deadline))
	}
	s.timer.Reset(s.start.Grace / 2)
}

func (s *supervisor) signalLeader(sig unix.Signal) {
	_ = s.seam.Do("signal", sig.String(), func() error {
		s.worker.signalGroup(sig)
		return nil
	})
}

// kill is the last rung but one: a leader that does not even die of it is
// stuck.
func (s *supervisor) kill() {
	s.killed = true
	s.signalLeader(unix.SIGKILL)
	s.rung = func() { s.stuck = true }
	s.timer.Reset(sweepBound)
}

func (s *supervisor) hurry() {
	if s.cause == "" || s.killed {
		return
	}
	s.tree.ask()
	if sooner := time.Now().Add(hurriedGrace); sooner.Before(s.deadline) {
		s.deadline = sooner
	}
	s.rung = s.kill
	s.timer.Reset(time.Until(s.deadline))
}

// settle gives what the leader left behind a chance to end by itself. After a
// stop that is what remains of the grace, but at least half of it, since these
// processes may not have been asked yet.
func (s *supervisor) settle() {
	if !s.tree.ask() {
		return
	}
	end := time.Now().Add(s.start.Grace / 2)
	if s.deadline.After(end) {
		end = s.deadline
	}
	s.deadline = end
	poll := time.NewTicker(5 * time.Millisecond)
	defer poll.Stop()
	for time.Now().Before(s.deadline) {
		select {
		case order, ok := <-s.orders:
			s.settleOrder(order, ok)
		case <-poll.C:
		case <-s.dead:
		}
		s.tree.reapAdopted()
		if !s.tree.ask() {
			return
		}
	}
}

func (s *supervisor) settleOrder(order wire.Order, ok bool) {
	if !ok {
		s.orders = nil
		return
	}
	if sooner := time.Now().Add(hurriedGrace); order != wire.Release && sooner.Before(s.deadline) {
		s.deadline = sooner
	}
}
