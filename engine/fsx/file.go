package fsx

import (
	"errors"
	"fmt"
	"os"
)

// File is a file being written, from its start or to its end.
type File struct {
	f    *os.File
	name string
	seam Seam
	bad  error
}

// Write appends p whole or fails. A File that failed once is not trusted
// again: every later call fails with the first error.
func (f *File) Write(p []byte) (int, error) {
	if f.bad != nil {
		return 0, f.bad
	}
	n := 0
	err := f.seam.Do("write", f.name, func() (err error) {
		n, err = f.f.Write(p)
		return err
	})
	if err == nil && n != len(p) {
		err = fmt.Errorf("%s: wrote %d of %d bytes", f.f.Name(), n, len(p))
	}
	f.bad = err
	return n, err
}

// Sync makes the content durable. After an error the file is not trusted
// again, since the kernel may have dropped what it could not write.
func (f *File) Sync() error {
	if f.bad != nil {
		return f.bad
	}
	f.bad = f.seam.Do("sync", f.name, f.f.Sync)
	return f.bad
}

// Close closes the file; an error is a lost write.
func (f *File) Close() error {
	return f.seam.Do("close", f.name, f.f.Close)
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
	info, err := f.f.Stat()
	if err != nil {
		return err
	}
	if info.Size() != want {
		return fmt.Errorf("%s: has %d bytes after writing %d", f.f.Name(), info.Size(), want)
	}
	return nil
}
