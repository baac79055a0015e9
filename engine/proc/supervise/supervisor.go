package supervise

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ai-session-handler/ai-session-handler/engine/fsx"
	"github.com/ai-session-handler/ai-session-handler/engine/proc/cgroup"
	"github.com/ai-session-handler/ai-session-handler/engine/proc/wire"
	"github.com/ai-session-handler/ai-session-handler/engine/workspace"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// supervisor runs one worker from its fork to the proof that nothing of it is
// left. All its state belongs to the one goroutine of run.
type supervisor struct {
	conn    *wire.Conn[wire.Report, wire.Order]
	start   wire.Start
	orders  <-chan wire.Order // closed when the handler is gone
	signals chan os.Signal
	dead    chan os.Signal // SIGCHLD
	seam    fsx.Seam

	worker   *worker
	tree     *tree
	group    *cgroup.Group // of the worker, nil without limits on its tree
	facts    *cgroup.Facts // what group has counted, once the tree is gone
	cause    string        // why the worker is being ended, empty while it is not
	rung     func()        // what the grace timer does when it fires
	timer    *time.Timer
	deadline time.Time // of the whole grace
	backstop *time.Timer
	released bool
	executed bool // the worker's program ran, or nobody can tell that it did not
	killed   bool // the leader got SIGKILL
	stuck    bool // the leader does not end though it was killed
}

func newSupervisor(seam fsx.Seam) (*supervisor, error) {
	if err := seam.Do("harden", "supervisor", harden); err != nil {
		return nil, err
	}
	s := &supervisor{seam: seam, timer: stopped(), backstop: stopped()}
	return s, seam.Do("receive", "start", s.connect)
}

// connect waits for the first message. It has another type than the orders
// behind it, and one decoder must read them both, since it may read ahead.
func (s *supervisor) connect() (err error) {
	s.conn, err = wire.NewConn[wire.Report, wire.Order](os.NewFile(wire.Control, "control"))
	if err == nil {
		err = s.conn.ReceiveStart(&s.start)
	}
	return err
}

func stopped() *time.Timer {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}

// run returns the exit code of the supervisor, which nobody relies on.
func (s *supervisor) run() int {
	s.listen()
	w, failed := forkHeld(s.start, s.seam)
	if failed == nil {
		failed = s.confine(w.pid)
	}
	if failed != nil {
		_ = s.tell("failed", wire.Report{Failed: failed})
		return 1
	}
	s.worker = w
	s.tree = newTree(w.pid, s.group, s.seam)
	if err := s.seam.Do("detach", "streams", detach); err != nil {
		s.end("the supervisor could not let go of the worker's streams: " + err.Error())
	}
	s.announce()
	s.watch()
	return s.conclude()
}

// listen begins to take orders and signals. Signals are caught, not ignored:
// an ignored one would stay ignored in the worker.
func (s *supervisor) listen() {
	orders := make(chan wire.Order)
	s.orders = orders
	go func() {
		defer close(orders)
		for {
			order, err := s.conn.Receive()
			if err != nil {
				return
			}
			orders <- order
		}
	}()
	s.signals = make(chan os.Signal, 4)
	signal.Notify(s.signals, unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT)
	signal.Notify(make(chan os.Signal, 1), unix.SIGPIPE)
	s.dead = make(chan os.Signal, 1)
	signal.Notify(s.dead, unix.SIGCHLD)
}

// detach puts /dev/null in the place of the worker's streams, so that they end
// with the last process of the worker's tree, and leaves the worker's
// directory.
func detach() error {
	null, err := unix.Open("/dev/null", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	for fd := range 3 {
		if err := unix.Dup3(null, fd, 0); err != nil {
			return err
		}
	}
	return errors.Join(unix.Close(null), unix.Close(wire.WorkDir), unix.Chdir("/"))
}

func (s *supervisor) announce() {
	var identity *record.Process
	err := s.seam.Do("identify", "worker", func() (err error) {
		identity, err = s.worker.identity()
		return err
	})
	if err != nil {
		s.end("the worker could not be identified: " + err.Error())
		return
	}
	if err := s.tell("held", wire.Report{Held: identity}); err != nil {
		s.end("the handler could not be told of the held worker: " + err.Error())
	}
}

// tell sends a report to the handler.
func (s *supervisor) tell(what string, report wire.Report) error {
	return s.seam.Do("send", what, func() error { return s.conn.Send(report) })
}

// watch returns when the leader has ended, and is a zombie then, or when
// nothing ends it.
func (s *supervisor) watch() {
	for started := s.worker.started; !s.stuck; {
		select {
		case <-s.worker.ended:
			// A failure to execute is reported before the end it leads to.
			if started != nil {
				s.reportStart(<-started)
			}
			return
		case f := <-started:
			started = nil
			s.reportStart(f)
		case order, ok := <-s.orders:
			if order == wire.Release && s.cause == "" {
				s.release()
			} else {
				s.obey(order, ok)
			}
		case sig := <-s.signals:
			s.end(fmt.Sprintf("the supervisor received signal %q", sig))
		case <-s.backstop.C:
			s.end(wire.ByBackstop)
		case <-s.timer.C:
			s.rung()
		case <-s.dead:
			s.tree.reapAdopted()
		}
	}
}

func (s *supervisor) release() {
	s.released = true
	if err := s.seam.Do("let-go", "worker", s.worker.release); err != nil {
		s.end("the worker could not be let go: " + err.Error())
		return
	}
	if s.start.Backstop > 0 {
		s.backstop.Reset(s.start.Backstop)
	}
}

// reportStart tells what became of the worker's program. Without a failure it
// runs, or ran, unless it was never released.
func (s *supervisor) reportStart(f *wire.Failure) {
	switch {
	case f != nil:
		_ = s.tell("failed", wire.Report{Failed: f})
	case s.released:
		s.executed = true
		_ = s.tell("executed", wire.Report{Executed: true})
	}
}

func (s *supervisor) obey(order wire.Order, ok bool) {
	switch {
	case !ok:
		s.orders = nil
		s.end("the handler went away")
	case order == wire.Stop:
		s.end("the handler stopped it")
	case order == wire.Hurry:
		s.hurry()
	}
}

// conclude cleans the tree up, reports how it ended, and stays until the
// handler has that on disk, or writes it down itself. A handler that can't be
// told is left, so that it does not wait.
func (s *supervisor) conclude() int {
	_ = s.tell("exited", wire.Report{Exited: true})
	s.settle()
	exit := s.reap()
	if s.tell("ended", wire.Report{Ended: &exit, Tree: s.facts}) != nil {
		_ = s.conn.Close()
	}
	code := 0
	if !s.awaitCommit() {
		exit.Cause += s.reached()
		code = s.writeExit(exit)
	}
	s.outlive(exit.Survivors)
	return code
}

// awaitCommit reports whether the handler has the end on disk, which otherwise is
// gone. No other order counts any more: there is nobody left to signal, and the
// group's id may be somebody else's by now.
func (s *supervisor) awaitCommit() bool {
	for s.orders != nil {
		order, ok := <-s.orders
		if !ok || order == wire.Committed {
			return ok
		}
	}
	return false
}

// reap kills what is left of the group while the leader, still a zombie, keeps
// the group's id from being reused, then the leader is reaped and the rest of
// the tree destroyed. A leader that does not end is one of the survivors.
func (s *supervisor) reap() record.Exit {
	s.signalLeader(unix.SIGKILL)
	exit := record.Exit{Format: record.ExitFormat, AttemptID: s.start.AttemptID, Cause: s.cause, Executed: s.executed}
	if exit.Cause == "" {
		exit.Cause = wire.ByItself
	}
	if !s.stuck {
		s.reapLeader(&exit)
	}
	s.tree.leader = 0
	exit.Survivors = append(s.tree.destroy(), s.endGroup()...)
	exit.Swept = append([]record.Leftover{}, s.tree.left...)
	exit.Resources = resources()
	exit.EndedAt = time.Now().UTC().Truncate(time.Millisecond)
	return exit
}

// reapLeader leaves exit code and signal empty when the kernel does not say how
// the leader ended: that must not look like an exit code of 0.
func (s *supervisor) reapLeader(exit *record.Exit) {
	var status unix.WaitStatus
	err := s.seam.Do("wait", "worker", func() error {
		_, err := unix.Wait4(s.worker.pid, &status, 0, nil)
		for err == unix.EINTR {
			_, err = unix.Wait4(s.worker.pid, &status, 0, nil)
		}
		return err
	})
	switch {
	case err != nil:
		exit.Cause = fmt.Sprintf("how it ended can't be told: %v", err)
	case status.Signaled():
		name := status.Signal().String()
		exit.Signal = &name
	default:
		code := status.ExitStatus()
		exit.ExitCode = &code
	}
}

func resources() *record.Resources {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_CHILDREN, &u) != nil {
		return nil
	}
	cpu := time.Duration(u.Utime.Nano() + u.Stime.Nano())
	return &record.Resources{CPUMS: cpu.Milliseconds(), PeakRSSBytes: u.Maxrss << 10}
}

// writeExit writes the exit record as a whole, since others may look for it at
// any moment, and in the place of whatever a worker may have planted there.
func (s *supervisor) writeExit(exit record.Exit) int {
	dir, err := fsx.OpenDirFile(os.NewFile(wire.PlanDir, "plan directory"), s.seam)
	if err != nil {
		return 1
	}
	data, err := record.Encode(exit)
	if err == nil {
		err = dir.Replace(workspace.ExitFile(s.start.AttemptID), data)
	}
	if err != nil {
		return 1
	}
	return 0
}

// outlive keeps the locked directories locked while something that could not
// be killed may still write to them.
func (s *supervisor) outlive(survivors []record.Leftover) {
	for len(survivors) > 0 && !(s.tree.killOnce() && s.emptied()) {
		time.Sleep(time.Second)
	}
}
