package proc

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ai-session-handler/ai-session-handler/engine/proc/procfs"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// readSize is how much is read at once, and how much an output pipe holds.
const readSize = 256 << 10

// drainBound is how long a stream is waited for after the tree is gone: one that
// somebody outside the tree holds open never ends.
const drainBound = 2 * time.Second

// feed writes the prompt and closes the pipe. A worker that does not read it,
// or closes it, is within its rights; one that gets half of it for any other
// reason works on half a task.
func (s *session) feed() {
	defer s.streams.Done()
	n, err := s.w.launcher.seam.Write("stdin", s.w.spec.Prompt, s.w.stdin.Write)
	s.taken.Store(int64(n))
	_ = s.w.stdin.Close()
	if err == nil && n < len(s.w.spec.Prompt) {
		err = io.ErrShortWrite
	}
	if err != nil && !errors.Is(err, unix.EPIPE) && !errors.Is(err, os.ErrDeadlineExceeded) {
		s.fail(fmt.Errorf("write the prompt to the worker's stdin: %w", err))
	}
}

// read reads one stream to its end. Once the tree is gone, what the pipe holds
// then is the last of the worker: what comes later was written by others.
func (s *session) read(from Stream, pipe *os.File) {
	defer s.streams.Done()
	buf := make([]byte, readSize)
	for !s.gone.Load() {
		if n := s.readSome(from, pipe, buf); n == 0 {
			return
		}
	}
	for left := pending(pipe); left > 0; {
		_ = pipe.SetReadDeadline(time.Now().Add(drainBound)) // it has bytes to read
		n := s.readSome(from, pipe, buf[:min(left, readSize)])
		if n == 0 {
			return
		}
		left -= n
	}
	_ = pipe.SetReadDeadline(time.Now().Add(drainBound))
	if _, err := pipe.Read(buf[:1]); !errors.Is(err, io.EOF) {
		s.cut.Store(true)
	}
}

// readSome passes on what one Read gives; 0 is the end.
func (s *session) readSome(from Stream, pipe *os.File, buf []byte) int {
	n := 0
	err := s.w.launcher.seam.Do("receive", from.String(), func() (err error) {
		n, err = pipe.Read(buf)
		return err
	})
	if n > 0 {
		s.pass(from, buf[:n])
	}
	switch {
	case err == nil:
		return n
	case errors.Is(err, os.ErrDeadlineExceeded):
		s.cut.Store(true)
	case !errors.Is(err, io.EOF):
		s.fail(fmt.Errorf("read the worker's %s: %w", from, err))
	}
	return 0
}

// pending is how many bytes a pipe holds.
func pending(pipe *os.File) (n int) {
	conn, err := pipe.SyscallConn()
	if err != nil {
		return 0
	}
	_ = conn.Control(func(fd uintptr) { n, _ = unix.IoctlGetInt(int(fd), unix.TIOCINQ) })
	return n
}

func (s *session) pass(from Stream, p []byte) {
	s.passing.Add(1)
	defer s.passing.Add(-1)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.sink.Chunk(from, p); err != nil {
		s.fail(err)
	}
	s.last.Store(int64(bootTime()))
}

func (s *session) fail(err error) {
	select {
	case s.failed <- err:
	default:
	}
}

// drain reads what the worker's tree left in the pipes, all of it, however slow
// the sink is, and takes the prompt's writer off its pipe.
func (s *session) drain() {
	_ = s.w.stdin.SetWriteDeadline(time.Now())
	s.gone.Store(true)
	for _, pipe := range []*os.File{s.w.stdout, s.w.stderr} {
		_ = pipe.SetReadDeadline(time.Now().Add(drainBound)) // for a Read under way
	}
	s.streams.Wait()
	if s.exit.Cut = s.cut.Load(); s.exit.Cut {
		s.exit.Holders = append(holders(s.w.stdout), holders(s.w.stderr)...)
	}
	select {
	case err := <-s.failed:
		s.order(SinkFailed, err)
	default:
	}
}

func holders(pipe *os.File) []record.Leftover {
	conn, err := pipe.SyscallConn()
	if err != nil {
		return nil
	}
	var st unix.Stat_t
	_ = conn.Control(func(fd uintptr) { err = unix.Fstat(int(fd), &st) })
	if err != nil {
		return nil
	}
	var list []record.Leftover
	for _, p := range procfs.Holding(st.Ino) {
		list = append(list, record.Leftover{PID: p.PID, Name: p.Name})
	}
	return list
}
