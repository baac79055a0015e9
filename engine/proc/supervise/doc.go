// Package supervise is the small process between the handler and a worker. It
// owns the worker's process tree: it holds the worker back until it is told to
// let go, ends the whole tree when the worker ends, when it is told to, or when
// the handler is gone, and proves by ECHILD that nothing is left. It decides
// nothing about results and reads no output. See docs/state-and-recovery.md.
//
// The supervisor and the trampoline, which is the worker before it executes,
// are hidden modes of the handler's own binary.
package supervise

import (
	"fmt"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/ai-session-handler/ai-session-handler/engine/fsx"
)

// The hidden modes, as the first argument.
const (
	modeSupervisor = "__supervise"
	modeTrampoline = "__trampoline"
)

// Args is the argument vector of a supervisor.
func Args(attemptID string) []string {
	return []string{"ai-session-handler", modeSupervisor, attemptID}
}

// Dispatch runs the process as a supervisor or a trampoline when its arguments
// say so, and then never returns. It must come before anything else in main.
// seam is told of the steps of both, nil in the product.
func Dispatch(args []string, seam fsx.Seam) {
	if len(args) < 3 {
		return
	}
	switch args[1] {
	case modeSupervisor:
		// Not os.Exit, which in a race build sleeps for a second first.
		syscall.Exit(runSupervisor(args[2], seam))
	case modeTrampoline:
		os.Exit(trampoline(args[2], args[3:], seam))
	}
}

// runSupervisor stays on one thread: the kernel sends a worker its death
// signal when the thread that forked it ends, not when the process does.
func runSupervisor(attemptID string, seam fsx.Seam) int {
	runtime.LockOSThread()
	s, err := newSupervisor(seam)
	if err != nil {
		fmt.Fprintf(os.Stderr, "ai-session-handler: supervisor of %s: %v\n", attemptID, err)
		return 1
	}
	return s.run()
}

// harden makes this process the parent of everything its descendants leave
// behind, keeps others of the same user from tracing it, and keeps its
// descriptors from a worker.
func harden() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("become a subreaper: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("become untraceable: %w", err)
	}
	return closeOnExec()
}

// closeOnExec marks every descriptor but 0, 1 and 2, including those that
// whoever started the handler leaked into it.
func closeOnExec() error {
	if err := unix.CloseRange(3, 1<<32-1, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return fmt.Errorf("keep descriptors from the worker: %w", err)
	}
	return nil
}
