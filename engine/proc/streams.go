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

// drainBound is how long a stream is waited for after the tree is gone: one that
// somebody outside the tree holds open never ends.
const drainBound = 2 * time.Second

// feed writes the prompt and closes the pipe. A worker that does not read it,
// or closes it, is within its rights.
func (s *session) feed() {
	defer s.streams.Done()
	n, _ := s.w.stdin.Write(s.w.spec.Prompt)
	s.taken.Store(int64(n))
	_ = s.w.stdin.Close()
}

// read reads one stream to its end. After the end of the tree that is also
// where nothing comes for a while, or where more has come than the pipe held
// then: all of it was written by others.
func (s *session) read(from Stream, pipe *os.File) {
	defer s.streams.Done()
	buf := make([]byte, readSize)
	for left := pipeCapacity(pipe); left > 0; {
		gone := s.gone.Load()
		if gone {
			_ = pipe.SetReadDeadline(time.Now().Add(drainBound))
		}
		n, err := pipe.Read(buf)
		if n > 0 {
			s.pass(from, buf[:n])
		}
		if gone {
			left -= n
		}
		if err != nil {
			s.readEnded(from, err)
			return
		}
	}
	s.cut.Store(true)
}

// defaultPipe is the capacity of a pipe that does not tell it, in bytes.
const defaultPipe = 1 << 20

func pipeCapacity(pipe *os.File) int {
	conn, err := pipe.SyscallConn()
	if err != nil {
		return defaultPipe
	}
	size := 0
	if conn.Control(func(fd uintptr) { size, err = unix.FcntlInt(fd, unix.F_GETPIPE_SZ, 0) }) != nil || err != nil {
		return defaultPipe
	}
	return size
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

func (s *session) readEnded(from Stream, err error) {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		s.cut.Store(true)
	case !errors.Is(err, io.EOF):
		s.fail(fmt.Errorf("read the worker's %s: %w", from, err))
	}
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
	if s.cut.Load() {
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
