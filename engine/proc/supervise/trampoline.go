package supervise

import (
	"encoding/json"
	"errors"
	"os"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/ai-session-handler/ai-session-handler/engine/proc/wire"
)

// Descriptors of the trampoline besides the worker's 0, 1 and 2.
const (
	holdFD    = 3 + iota // one byte comes when the worker may execute
	failureFD            // why it could not execute; closed by exec
	workDirFD            // the working directory
)

// Exit codes of a trampoline that did not become the worker.
const (
	exitNeverReleased = 125
	exitFailed        = 126
)

// trampoline is the worker until its release: its own session, group and
// identity, but not one instruction of the agent.
func trampoline(path string, argv []string) int {
	parent := os.Getppid()
	failure := os.NewFile(failureFD, "failure")
	if err := closeOnExec(); err != nil {
		return fail(failure, "close_range", err)
	}
	if err := unix.Fchdir(workDirFD); err != nil {
		return fail(failure, "chdir", err)
	}
	var released [1]byte
	if n, _ := os.NewFile(holdFD, "hold").Read(released[:]); n != 1 {
		return exitNeverReleased
	}
	runtime.LockOSThread()
	if err := dieWith(parent); err != nil {
		return fail(failure, "prctl", err)
	}
	defaultSignals()
	return fail(failure, "exec", syscall.Exec(path, argv, os.Environ()))
}

// dieWith has the kernel kill this process when its parent dies. The fork asked
// for that already, but it holds for one thread: should the runtime have moved
// on to another since, exec would make that one the process, and nothing would
// end the worker of a killed supervisor. A parent that died meanwhile is a
// failure too.
func dieWith(parent int) error {
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return err
	}
	if os.Getppid() != parent {
		return unix.ESRCH
	}
	return nil
}

// maxSignal is the largest signal number of the kernel.
const maxSignal = 64

// defaultSignals gives the worker default dispositions and an empty mask,
// whatever the handler was started with: exec resets a signal that is caught,
// but leaves one that is ignored. It asks the kernel itself, since os/signal
// does not reach the two signals that C libraries keep for themselves.
func defaultSignals() {
	var byDefault [4]uint64 // a struct sigaction of zeros, which is SIG_DFL
	for sig := uintptr(1); sig <= maxSignal; sig++ {
		_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGACTION, sig, uintptr(unsafe.Pointer(&byDefault)), 0, maxSignal/8, 0, 0)
	}
	var none unix.Sigset_t
	_ = unix.PthreadSigmask(unix.SIG_SETMASK, &none, nil)
}

func fail(to *os.File, op string, err error) int {
	var errno syscall.Errno
	if !errors.As(err, &errno) {
		errno = unix.EIO
	}
	_ = json.NewEncoder(to).Encode(wire.Failure{Op: op, Errno: int(errno)})
	return exitFailed
}
