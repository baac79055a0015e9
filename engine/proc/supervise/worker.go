package supervise

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/ai-session-handler/ai-session-handler/engine/fsx"
	"github.com/ai-session-handler/ai-session-handler/engine/proc/procfs"
	"github.com/ai-session-handler/ai-session-handler/engine/proc/wire"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// worker is the direct child: the leader of its own session and group.
type worker struct {
	pid     int
	pidfd   int
	hold    *os.File           // a byte lets go, closing it first gives up
	fail    *os.File           // ends when the program runs; says why it does not
	started chan *wire.Failure // nil when fail has ended without saying anything
	ended   chan struct{}
}

// forkHeld forks the trampoline. It must be called on the thread that stays.
// The worker dies with that thread, should this process be killed.
func forkHeld(start wire.Start, seam fsx.Seam) (*worker, *wire.Failure) {
	hold, fail := pipe(seam, "hold"), pipe(seam, "failure")
	if hold.err != nil || fail.err != nil {
		return nil, failure("pipe", errors.Join(hold.err, fail.err))
	}
	argv := append([]string{"ai-session-handler", modeTrampoline, string(start.Path)}, wire.Strings(start.Argv)...)
	w := &worker{hold: hold.write, fail: fail.read, started: make(chan *wire.Failure, 1), ended: make(chan struct{})}
	err := seam.Do("fork", "worker", func() (err error) {
		w.pid, err = syscall.ForkExec("/proc/self/exe", argv, &syscall.ProcAttr{
			Env:   wire.Strings(start.Env),
			Files: []uintptr{0, 1, 2, hold.read.Fd(), fail.write.Fd(), wire.WorkDir},
			Sys:   &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL, PidFD: &w.pidfd},
		})
		return err
	})
	_, _ = hold.read.Close(), fail.write.Close()
	if err != nil {
		return nil, failure("fork", err) // a worker that exists ends with this process
	}
	go w.awaitStart()
	go w.awaitEnd()
	return w, nil
}

// ends are the two ends of a close-on-exec, blocking pipe.
type ends struct {
	read, write *os.File
	err         error
}

func pipe(seam fsx.Seam, name string) ends {
	var fds [2]int
	if err := seam.Do("pipe", name, func() error { return unix.Pipe2(fds[:], unix.O_CLOEXEC) }); err != nil {
		return ends{err: err}
	}
	return ends{read: os.NewFile(uintptr(fds[0]), "pipe"), write: os.NewFile(uintptr(fds[1]), "pipe")}
}

func failure(op string, err error) *wire.Failure {
	var errno syscall.Errno
	if !errors.As(err, &errno) {
		errno = unix.EIO
	}
	return &wire.Failure{Op: op, Errno: int(errno)}
}

// awaitEnd watches the leader without reaping it: while it is a zombie its PID
// and its group's id can't be given to anybody else.
func (w *worker) awaitEnd() {
	for unix.Waitid(unix.P_PIDFD, w.pidfd, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
	close(w.ended)
}

func (w *worker) identity() (*record.Process, error) {
	stat, err := procfs.ReadStat(w.pid)
	if err != nil {
		return nil, err
	}
	self, err := procfs.ReadStat(os.Getpid())
	if err != nil {
		return nil, err
	}
	return &record.Process{
		PID: w.pid, PGID: w.pid, StartTime: stat.StartTime,
		BootID: procfs.BootID(), PidNS: procfs.PidNS(), PidfdInode: procfs.PidfdInode(w.pidfd),
		SupervisorPID: self.PID, SupervisorStartTime: self.StartTime,
	}, nil
}

// awaitStart waits until the worker's program runs, or says why it does not,
// which it may do before its release.
func (w *worker) awaitStart() {
	var f wire.Failure
	if json.NewDecoder(w.fail).Decode(&f) != nil {
		w.started <- nil
		return
	}
	w.started <- &f
}

// release lets the worker execute.
func (w *worker) release() error {
	if _, err := w.hold.Write([]byte{'G'}); err != nil {
		return fmt.Errorf("release the worker: %w", err)
	}
	return nil
}

// giveUp ends a worker that was never released.
func (w *worker) giveUp() {
	_ = w.hold.Close()
	_ = unix.Kill(w.pid, unix.SIGKILL)
}

// signalGroup reaches the leader and everything that stayed in its group. It
// is safe until the leader is reaped.
func (w *worker) signalGroup(sig unix.Signal) {
	_ = unix.Kill(-w.pid, sig)
}
