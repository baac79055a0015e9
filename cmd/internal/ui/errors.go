package ui

import (
	"errors"
	"fmt"
	"time"
)

// ErrNotTaken is wrapped by every error of a [Writer]: bytes did not reach the
// destination. It never is a reason to stop a run.
var ErrNotTaken = errors.New("output not taken")

var errStalled = errors.New("nobody reads it")

// dropError is made for each Write to a console that is gone, so its text is
// put together only when somebody wants it.
type dropError struct {
	bytes int64
	cause error
}

func (e *dropError) Error() string {
	return fmt.Sprintf("%v: %d bytes dropped: %v", ErrNotTaken, e.bytes, e.cause)
}

func (e *dropError) Unwrap() []error { return []error{ErrNotTaken, e.cause} }

// lateError says that a Flush gave up; the bytes may still go out.
type lateError struct {
	bytes   int64
	timeout time.Duration
}

func (e *lateError) Error() string {
	return fmt.Sprintf("%v: %d bytes not out after %v", ErrNotTaken, e.bytes, e.timeout)
}

func (e *lateError) Unwrap() error { return ErrNotTaken }
