package fsx

import (
	"cmp"
	"errors"
)

// Point is a moment just before or just after an operation that can fail, that
// matters for durability, or that decides which process exists.
type Point struct {
	Op    string // for example "sync" or "rename"
	Name  string // the file, relative to its Dir, or what else is acted on
	Dir   string // the directory of Name, as it was opened; empty for what is no file
	After bool
}

func (p Point) String() string {
	if p.After {
		return "after " + p.Op + " " + p.Name
	}
	return "before " + p.Op + " " + p.Name
}

// Seam is called at every [Point]. An error before an operation takes the
// operation's place; one after it is reported as if the operation had failed.
// Tests use it to fail, or to kill the process, at each point in turn; in the
// product it is nil.
type Seam func(Point) error

// below makes the points of a seam tell the directory that their names are
// relative to. The innermost directory of a point counts.
func (s Seam) below(dir string) Seam {
	if s == nil {
		return nil
	}
	return func(p Point) error {
		p.Dir = cmp.Or(p.Dir, dir)
		return s(p)
	}
}

// ShortWrite is an error of a [Seam] before a write that lets half of the bytes
// through, as a disk does that fills up meanwhile. Err is what the write then
// reports; without one it only says that it took fewer bytes.
type ShortWrite struct{ Err error }

func (e *ShortWrite) Error() string { return "a short write" }

// Do runs an operation between its two points.
func (s Seam) Do(op, name string, operation func() error) error {
	if s == nil {
		return operation()
	}
	if err := s(Point{Op: op, Name: name}); err != nil {
		return err
	}
	if err := operation(); err != nil {
		return err
	}
	return s(Point{Op: op, Name: name, After: true})
}

// Write is Do for a write of p, of which a seam may let only a part through.
func (s Seam) Write(name string, p []byte, write func([]byte) (int, error)) (n int, err error) {
	err = s.Do("write", name, func() (err error) {
		n, err = write(p)
		return err
	})
	var short *ShortWrite
	if errors.As(err, &short) {
		n, err = write(p[:len(p)/2])
		err = cmp.Or(err, short.Err)
	}
	return n, err
}
