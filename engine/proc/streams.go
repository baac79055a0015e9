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

const readSize = 64 << 10

// drainBound is how long output is still read after the tree is gone: a pipe
// that somebody outside the tree holds open never ends.
const drainBound = 2 * time.Second

// feed writes the prompt and closes the pipe. A worker that does not read it,
// or closes it, is within its rights.
func (s *session) feed() {
	n, _ := s.w.stdin.Write(s.w.spec.Prompt)
	s.taken.Store(int64(n))
	_ = s.w.stdin.Close()
}

func (s *session) read(from Stream, pipe *os.File) {
	defer s.streams.Done()
	buf := make([]byte, readSize)
	for {
		n, err := pipe.Read(buf)
		if n > 0 {
			s.last.Store(int64(bootTime()))
			s.pass(from, buf[:n])
		}
		if err != nil {
			s.readEnded(from, err)
			return
		}
	}
}

func (s *session) pass(from Stream, p []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.sink.Chunk(from, p); err != nil {
		s.fail(err)
	}
}

func (s *session) readEnded(from Stream, err error) {
	if !errors.Is(err, io.EOF) && !errors.Is(err, os.ErrDeadlineExceeded) {
		s.fail(fmt.Errorf("read the worker's %s: %w", from, err))
	}
}

func (s *session) fail(err error) {
	select {
	case s.failed <- err:
	default:
	}
}

// drain reads what is left in the pipes, for a bounded time, and takes the
// prompt's writer off its pipe.
func (s *session) drain() {
	_ = s.w.stdin.SetWriteDeadline(time.Now())
	done := make(chan struct{})
	go func() { s.streams.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(drainBound):
		s.exit.Holders = append(holders(s.w.stdout), holders(s.w.stderr)...)
		_ = s.w.stdout.SetReadDeadline(time.Now())
		_ = s.w.stderr.SetReadDeadline(time.Now())
		<-done
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
