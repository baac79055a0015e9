package proc

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// stdio are the pipes of a worker: ours is the pollable end, theirs blocks, as
// programs expect of their standard streams.
type stdio struct{ ours, theirs *os.File }

func inputPipe() (stdio, error) { return newPipe(1) }

// outputPipe makes a pipe that holds more than the usual 64 KiB, so that a
// worker that prints a lot and this process take turns less often. Where the
// kernel does not allow it, the usual will do. It counts against the 64 MiB that
// a user may have in pipes by default, so it is not larger still.
func outputPipe() (stdio, error) {
	s, err := newPipe(0)
	if err == nil {
		_, _ = unix.FcntlInt(s.theirs.Fd(), unix.F_SETPIPE_SZ, readSize)
	}
	return s, err
}

// newPipe makes a pipe of which the end with this index is ours.
func newPipe(ours int) (stdio, error) {
	var fds [2]int
	if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
		return stdio{}, fmt.Errorf("pipe: %w", err)
	}
	err := unix.SetNonblock(fds[ours], true)
	return stdio{os.NewFile(uintptr(fds[ours]), "|worker"), os.NewFile(uintptr(fds[1-ours]), "|")}, err
}

// controlSocket is what handler and supervisor talk over.
func controlSocket() (stdio, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return stdio{}, fmt.Errorf("socketpair: %w", err)
	}
	return stdio{os.NewFile(uintptr(fds[0]), "control"), os.NewFile(uintptr(fds[1]), "control")}, nil
}

func (l *Launcher) open(name string, open func() (stdio, error)) (s stdio, err error) {
	err = l.seam.Do("pipe", name, func() (err error) {
		s, err = open()
		return err
	})
	return s, err
}

// closeAll closes what is open of some files.
func closeAll(files ...*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close()
		}
	}
}
