package ui

import (
	"errors"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// soon is more than anything here may take, and less than waiting for ever.
const soon = 30 * time.Second

// blockingPipe returns a pipe of one page as a shell makes them: without
// O_NONBLOCK.
func blockingPipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	var fds [2]int
	if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	r, w = os.NewFile(uintptr(fds[0]), "read end"), os.NewFile(uintptr(fds[1]), "write end")
	t.Cleanup(func() { r.Close(); w.Close() })
	if _, err := unix.FcntlInt(uintptr(fds[1]), unix.F_SETPIPE_SZ, os.Getpagesize()); err != nil {
		t.Fatal(err)
	}
	return r, w
}

// drain reads r to its end.
func drain(r io.Reader) <-chan string {
	read := make(chan string, 1)
	go func() {
		text, _ := io.ReadAll(r)
		read <- string(text)
	}()
	return read
}

func TestPipeNobodyReads(t *testing.T) {
	r, pipe := blockingPipe(t)
	w := newWriter(pipe, 20*time.Millisecond, false)
	start := time.Now()
	taken, _ := fill(t, w, strings.Repeat("a line of output\n", 1000))
	for range 1000 {
		if _, err := w.Write([]byte("lost\n")); !errors.Is(err, ErrNotTaken) {
			t.Fatalf("Write: %v", err)
		}
	}
	if took := time.Since(start); took > soon {
		t.Errorf("took %v", took)
	}

	read := drain(r)
	if err := w.Flush(soon); err != nil {
		t.Fatal(err)
	}
	write(t, w, "back\n")
	if err := w.Close(soon); err != nil {
		t.Error(err)
	}
	pipe.Close()
	if got, want := <-read, taken+"[output dropped: 22000 bytes]\nback\n"; got != want {
		t.Errorf("read %d bytes …%q, want %d", len(got), tail(got), len(want))
	}
}

func TestPipeIsLeftAsItWas(t *testing.T) {
	r, pipe := blockingPipe(t)
	c := newConsole(pipe, pipe, Options{}, soon)
	read := drain(r)
	write(t, c.Stdout(), strings.Repeat("text\n", 10_000))
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	flags, err := unix.FcntlInt(pipe.Fd(), unix.F_GETFL, 0)
	if err != nil || flags&unix.O_NONBLOCK != 0 {
		t.Errorf("flags %#x, %v", flags, err)
	}
	pipe.Close()
	if got := <-read; len(got) != 50_000 {
		t.Errorf("read %d bytes", len(got))
	}
}

// TestPipeClosed has the reader go while the writer is blocked.
func TestPipeClosed(t *testing.T) {
	r, pipe := blockingPipe(t)
	w := newWriter(pipe, time.Hour, false)
	write(t, w, strings.Repeat("x", maxPiece))
	if _, err := io.ReadFull(r, make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	r.Close()
	if err := w.Flush(soon); !errors.Is(err, syscall.EPIPE) || !errors.Is(err, ErrNotTaken) {
		t.Errorf("Flush: %v", err)
	}
	if n, err := w.Write(make([]byte, 2*bufferSize)); n != 0 || !errors.Is(err, syscall.EPIPE) {
		t.Errorf("Write = %d, %v", n, err)
	}
	if err := w.Close(soon); !errors.Is(err, syscall.EPIPE) {
		t.Errorf("Close: %v", err)
	}
}

// TestConsoleNobodyReads uses every method without a wait that adds up.
func TestConsoleNobodyReads(t *testing.T) {
	_, pipe := blockingPipe(t)
	c := newConsole(pipe, pipe, Options{}, 20*time.Millisecond)
	start := time.Now()
	for range 100 {
		_, _ = c.Stdout().Write([]byte(strings.Repeat("x", 2*bufferSize) + "\xe2"))
		c.EndAttempt()
		c.Line("line")
		c.Error("error")
		c.Result("result")
	}
	if err := c.Close(); !errors.Is(err, ErrNotTaken) {
		t.Errorf("Close: %v", err)
	}
	if took := time.Since(start); took > soon {
		t.Errorf("took %v", took)
	}
}
