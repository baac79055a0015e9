package plan

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// maxBytes is where a file stops being a plan: a sparse file of a terabyte
// must not take all memory. It is no limit on plans, which are a thousandth
// of it at most.
const maxBytes = 1 << 30

// Read reads and parses the plan at a canonical path: absolute, symbolic links
// resolved. The file is opened once, without blocking, must be a regular file
// of at most 1 GiB, and is read once. The error is an *Error; it wraps the
// error of the operating system when the file can't be read.
// See docs/plan-format.md, "Errors".
func Read(path string) (*Snapshot, error) {
	source, err := readFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, source)
}

// Reread reads the plan again. It returns s itself where the bytes are the same,
// which spares parsing them.
func (s *Snapshot) Reread() (*Snapshot, error) {
	source, err := readFile(s.Path)
	if err != nil {
		return nil, err
	}
	if bytes.Equal(source, s.Source) {
		return s, nil
	}
	return Parse(s.Path, source)
}

func readFile(path string) ([]byte, error) {
	// Without O_NONBLOCK, opening a FIFO waits for a writer. A link here was
	// put in place after the path had been made canonical.
	const flags = os.O_RDONLY | syscall.O_NONBLOCK | syscall.O_NOFOLLOW | syscall.O_NOCTTY
	f, err := os.OpenFile(path, flags, 0)
	if err != nil {
		return nil, unreadable(path, err)
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, unreadable(path, err)
	}
	if !info.Mode().IsRegular() {
		return nil, irregular(path, info.Mode(), nil)
	}
	if info.Size() > maxBytes {
		return nil, tooLarge(path)
	}
	source, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err != nil {
		return nil, unreadable(path, err)
	}
	if len(source) > maxBytes {
		return nil, tooLarge(path)
	}
	return source, nil
}

func failure(path, message, fix string, cause error) *Error {
	return &Error{Path: path, Problems: []Problem{{Code: codeUnreadable, Message: message, Fix: fix}}, cause: cause}
}

func tooLarge(path string) *Error {
	return failure(path, "the file is larger than 1 GiB, which no plan is", "Give the path of a Markdown plan.", nil)
}

func irregular(path string, mode fs.FileMode, cause error) *Error {
	return failure(path, "the plan is "+kindOf(mode)+", not a regular file", "Give the path of a Markdown file.", cause)
}

func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a directory"
	case mode&fs.ModeNamedPipe != 0:
		return "a FIFO"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeSymlink != 0:
		return "a symbolic link"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "a special file"
}

// unreadable explains an error of the operating system. What the path names,
// it only asks when opening has failed: a socket and a link can't be opened.
func unreadable(path string, err error) *Error {
	if errors.Is(err, fs.ErrNotExist) {
		return failure(path, "there is no such file", "Check the path; a plan is a Markdown file.", err)
	}
	if info, statErr := os.Lstat(path); statErr == nil && !info.Mode().IsRegular() {
		return irregular(path, info.Mode(), err)
	}
	fix := "Settle that, then give the command again."
	if errors.Is(err, fs.ErrPermission) {
		fix = "Give yourself the permission to read it."
	}
	var op *fs.PathError
	if errors.As(err, &op) {
		return failure(path, fmt.Sprintf("the plan can't be read: %v", op.Err), fix, err)
	}
	return failure(path, fmt.Sprintf("the plan can't be read: %v", err), fix, err)
}
