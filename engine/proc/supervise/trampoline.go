package supervise

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/ai-session-handler/ai-session-handler/engine/fsx"
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
func trampoline(path string, argv []string, seam fsx.Seam) int {
	parent := os.Getppid()
	failure := os.NewFile(failureFD, "failure")
	if err := seam.Do("close-range", "worker", closeOnExec); err != nil {
		return fail(failure, "close-range", err)
	}
	if err := seam.Do("chdir", "worker", func() error { return unix.Fchdir(workDirFD) }); err != nil {
		return fail(failure, "chdir", err)
	}
	switch err := seam.Do("wait", "release", awaitRelease); {
	case errors.Is(err, io.EOF):
		return exitNeverReleased
	case err != nil:
		return fail(failure, "wait", err)
	}
	runtime.LockOSThread()
	if err := seam.Do("prctl", "worker", func() error { return dieWith(parent) }); err != nil {
		return fail(failure, "prctl", err)
	}
	defaultSignals()
	return fail(failure, "exec", seam.Do("exec", "worker", func() error { return syscall.Exec(path, argv, os.Environ()) }))
}

// awaitRelease returns io.EOF when the supervisor gives the worker up, or is
// gone.
func awaitRelease() error {
	var released [1]byte
	_, err := os.NewFile(holdFD, "hold").Read(released[:])
	return err
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
