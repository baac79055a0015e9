package ui

import (
	"os"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// place is what there is of a terminal at the moment.
type place struct {
	columns, rows int // 0: not known
	// background holds while a shell, or another job of it, has the terminal:
	// then what stands there is not ours.
	background bool
}

// isTerminal reports whether f is a terminal.
func isTerminal(f *os.File) bool {
	is := false
	control(f, func(fd int) { is = term.IsTerminal(fd) })
	return is
}

// placeOf looks at a terminal. It asks the kernel, never the terminal itself.
func placeOf(f *os.File) place {
	var p place
	control(f, func(fd int) {
		if size, err := unix.IoctlGetWinsize(fd, unix.TIOCGWINSZ); err == nil {
			p.columns, p.rows = int(size.Col), int(size.Row)
		}
		// Of a terminal that is not the controlling one, no group is told; one
		// of another PID namespace is 0.
		group, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP)
		p.background = err == nil && group != 0 && group != unix.Getpgrp()
	})
	return p
}

// sameOutput reports whether a and b are one file, or one terminal by two names
// such as /dev/tty and /dev/pts/0.
func sameOutput(a, b *os.File) bool {
	infoA, errA := a.Stat()
	infoB, errB := b.Stat()
	if errA != nil || errB != nil {
		return false
	}
	device := terminalDevice(a)
	return os.SameFile(infoA, infoB) || device != 0 && device == terminalDevice(b)
}

// terminalDevice returns the number of the device behind a terminal, or 0.
func terminalDevice(f *os.File) uint32 {
	var device uint32
	control(f, func(fd int) {
		if n, err := unix.IoctlGetUint32(fd, unix.TIOCGDEV); err == nil {
			device = n
		}
	})
	return device
}

// isPipe reports whether f leads to another process.
func isPipe(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&(os.ModeNamedPipe|os.ModeSocket) != 0
}

// control does not use File.Fd, which may change the mode of a file.
func control(f *os.File, do func(fd int)) {
	conn, err := f.SyscallConn()
	if err != nil {
		return
	}
	// A file that is closed is no terminal.
	_ = conn.Control(func(fd uintptr) { do(int(fd)) })
}
