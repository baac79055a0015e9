package fsx

import "cmp"

// Point is a moment just before or just after an operation that matters for
// durability, or for which process exists.
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
