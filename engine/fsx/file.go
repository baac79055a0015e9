package fsx

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// File is a file being written, from its start or to its end.
type File struct {
	f    *os.File
	name string
	seam Seam
	bad  error

	size  int64 // written
	begun int64 // of that, what the kernel was asked to write out
}

// Write appends p whole or fails. A File that failed once is not trusted
// again: every later call fails with the first error.
func (f *File) Write(p []byte) (int, error) {
	if f.bad != nil {
		return 0, f.bad
	}
	n, err := f.seam.Write(f.name, p, f.f.Write)
	if err == nil && n != len(p) {
		err = fmt.Errorf("write %s: %w: %d of %d bytes", f.f.Name(), io.ErrShortWrite, n, len(p))
	}
	f.bad = located("write", f.f.Name(), err)
	f.size += int64(n)
	f.writeBehind()
	return n, f.bad
}

// writeBehindStep is how many bytes may wait before they begin to go to disk.
const writeBehindStep = 8 << 20

// writeBehind has the kernel begin to write out what a long file has, so that
// Sync need not wait for all of it. It is a hint and no step of durability: it
// waits for nothing, and an error of writing out is reported by Sync.
func (f *File) writeBehind() {
	if f.size-f.begun < writeBehindStep {
		return
	}
	_ = unix.SyncFileRange(int(f.f.Fd()), f.begun, f.size-f.begun, unix.SYNC_FILE_RANGE_WRITE)
	f.begun = f.size
}

// Sync makes the content durable. After an error the file is not trusted
// again, since the kernel may have dropped what it could not write.
func (f *File) Sync() error {
	if f.bad != nil {
		return f.bad
	}
	f.bad = f.do("sync", f.f.Sync)
	return f.bad
}

// Close closes the file; an error is a lost write.
func (f *File) Close() error {
	return f.do("close", f.f.Close)
}

func (f *File) do(op string, operation func() error) error {
	return located(op, f.f.Name(), f.seam.Do(op, f.name, operation))
}

func (f *File) writeAll(data []byte) error {
	_, err := f.Write(data)
	if err == nil {
		err = f.checkLength(int64(len(data)))
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// checkLength catches a file system that accepts a write and keeps less.
func (f *File) checkLength(want int64) error {
	var info fs.FileInfo
	err := f.do("stat", func() (err error) {
		info, err = f.f.Stat()
		return err
	})
	if err != nil {
		return err
	}
	if info.Size() != want {
		return fmt.Errorf("%s: has %d bytes after writing %d", f.f.Name(), info.Size(), want)
	}
	return nil
}
