// Package lock keeps two handlers from working in one directory. A lock is a
// nonblocking flock on the directory itself: no lock file is ever made, and a
// lock ends with the last process that holds its descriptor. It coordinates
// handlers only; what a lock's end proves about interrupted work is nothing.
// See docs/state-and-recovery.md.
package lock

import (
	"context"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Lock is a held directory. It is released by Close only, never by LOCK_UN,
// which would also free the lock of a supervisor that inherited the descriptor
// and is still cleaning up.
type Lock struct {
	dir    *os.File
	id     identity
	path   string
	cancel context.CancelFunc
}

// identity tells directories apart whatever their paths.
type identity struct{ dev, ino uint64 }

// HeldError means that another process holds the directory.
type HeldError struct {
	Path string
	PID  int  // the holder as the kernel names it, 0 when it is not visible
	Gone bool // it has ended, and a supervisor that it started holds on
}

func (e *HeldError) Error() string {
	switch {
	case e.Gone:
		return fmt.Sprintf("%s is in use by the supervisor of handler %d, which is still ending its worker; wait some seconds and repeat this command, nothing was changed", e.Path, e.PID)
	case e.PID != 0:
		return fmt.Sprintf("%s is in use by process %d; wait until it has ended, nothing was changed", e.Path, e.PID)
	}
	return e.Path + " is in use by another ai-session-handler; wait until it has ended, nothing was changed"
}

// Acquire locks the directory at path, which must be canonical, at once or not
// at all. The returned context ends when the lock is closed. Contention is a
// *HeldError. A file system that cannot lock is an error too: going on without
// a lock is not an option.
func Acquire(ctx context.Context, path string) (*Lock, context.Context, error) {
	dir, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	id, err := lockFile(dir, path)
	if err != nil {
		_ = dir.Close()
		return nil, nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	return &Lock{dir, id, path, cancel}, ctx, nil
}

func lockFile(dir *os.File, path string) (identity, error) {
	id, err := identify(int(dir.Fd()))
	if err != nil {
		return id, fmt.Errorf("%s: %w", path, err)
	}
	switch err := flock(dir); {
	case errors.Is(err, unix.EWOULDBLOCK):
		pid := holder(id)
		return id, &HeldError{path, pid, pid != 0 && gone(pid)}
	case errors.Is(err, unix.ENOLCK), errors.Is(err, unix.EBADF), errors.Is(err, unix.EOPNOTSUPP):
		return id, fmt.Errorf("%s: this file system cannot lock directories (%w); move the workspace to a local one", path, err)
	case err != nil:
		return id, fmt.Errorf("lock %s: %w", path, err)
	}
	return id, stillThere(path, id)
}

func flock(dir *os.File) error {
	for {
		if err := unix.Flock(int(dir.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != unix.EINTR {
			return err
		}
	}
}

// stillThere holds when path leads to the locked directory. Between opening
// and locking, another directory could have been put in its place.
func stillThere(path string, id identity) error {
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return fmt.Errorf("%s: went away while it was being locked: %w", path, err)
	}
	if (identity{st.Dev, st.Ino}) != id {
		return fmt.Errorf("%s: was replaced by another directory while it was being locked; run the command again", path)
	}
	return nil
}

func identify(fd int) (identity, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return identity{}, err
	}
	return identity{st.Dev, st.Ino}, nil
}

// Covers reports whether the lock is on the directory at path, so that it need
// not, and cannot, be locked again.
func (l *Lock) Covers(path string) (bool, error) {
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return false, fmt.Errorf("stat %s: %w", path, err)
	}
	return identity{st.Dev, st.Ino} == l.id, nil
}

// File is the descriptor that carries the lock, for a child that shall keep
// the directory locked after this process is gone.
func (l *Lock) File() *os.File { return l.dir }

// Close gives up this process's hold and ends the lock's context. The lock
// itself ends when no inherited descriptor is left.
func (l *Lock) Close() error {
	l.cancel()
	return l.dir.Close()
}
