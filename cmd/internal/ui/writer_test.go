package ui

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"
)

// gate is a destination that takes nothing until a value, for one write, or a
// close of its channel, for all, lets it. Read out after synctest.Wait.
type gate struct {
	open chan struct{}
	out  bytes.Buffer
}

func newGate() *gate { return &gate{open: make(chan struct{})} }

func (g *gate) Write(p []byte) (int, error) {
	<-g.open
	return g.out.Write(p)
}

// fill writes pieces until one is dropped, and returns what was taken and how
// long the last Write took.
func fill(t *testing.T, w *Writer, piece string) (taken string, waited time.Duration) {
	t.Helper()
	for {
		start := time.Now()
		n, err := io.WriteString(w, piece)
		if err == nil {
			taken += piece
			if len(taken) > 2*bufferSize {
				t.Fatal("a stuck destination takes everything")
			}
			continue
		}
		if n != 0 || !errors.Is(err, ErrNotTaken) || !strings.Contains(err.Error(), fmt.Sprint(len(piece))) {
			t.Fatalf("Write = %d, %v", n, err)
		}
		return taken, time.Since(start)
	}
}

func TestStalledDestination(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		w := newWriter(g, Patience, false)
		taken, waited := fill(t, w, strings.Repeat("0123456789abcde\n", 2<<10))
		if waited != Patience {
			t.Errorf("waited %v for room", waited)
		}
		if len(taken) > bufferSize {
			t.Errorf("%d bytes held", len(taken))
		}
		start := time.Now()
		for range 1000 {
			if n, err := w.Write([]byte("lost\n")); n != 0 || !errors.Is(err, ErrNotTaken) {
				t.Fatalf("Write = %d, %v", n, err)
			}
		}
		if waited := time.Since(start); waited != 0 {
			t.Errorf("waited %v although it was stalled already", waited)
		}

		close(g.open)
		synctest.Wait()
		write(t, w, "back\n")
		finish(t, w)
		want := taken + "[output dropped: 37768 bytes]\nback\n"
		if g.out.String() != want {
			t.Errorf("wrote …%q", tail(g.out.String()))
		}
	})
}

// TestBufferIsUsedInFull writes so fast that the first half of the buffer is
// full before anything is on its way.
func TestBufferIsUsedInFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		w := newWriter(g, Patience, false)
		synctest.Wait()
		start := time.Now()
		write(t, w, strings.Repeat("x", bufferSize))
		if waited := time.Since(start); waited != 0 {
			t.Errorf("waited %v", waited)
		}
		close(g.open)
		finish(t, w)
	})
}

func TestMarkStandsOnALineOfItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		w := newWriter(g, Patience, true)
		taken, _ := fill(t, w, strings.Repeat("x", maxPiece))
		close(g.open)
		finish(t, w)
		if got, want := g.out.String(), taken+"\x1b[0m\n[output dropped: 65536 bytes]\n"; got != want {
			t.Errorf("wrote …%q", tail(got))
		}
	})
}

// TestFlushWaitsForTheMark has nothing written after the cut.
func TestFlushWaitsForTheMark(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		w := newWriter(g, Patience, false)
		fill(t, w, strings.Repeat("x", maxPiece))
		go func() {
			time.Sleep(time.Second)
			close(g.open)
		}()
		start := time.Now()
		if err := w.Flush(Patience); err != nil {
			t.Error(err)
		}
		if waited := time.Since(start); waited != time.Second {
			t.Errorf("waited %v", waited)
		}
		if !strings.HasSuffix(g.out.String(), "\n[output dropped: 65536 bytes]\n") {
			t.Errorf("wrote …%q", tail(g.out.String()))
		}
		finish(t, w)
	})
}

// slow takes a chunk just before patience ends.
type slow struct{ bytes.Buffer }

func (s *slow) Write(p []byte) (int, error) {
	time.Sleep(Patience - time.Millisecond)
	return s.Buffer.Write(p)
}

func TestSlowDestinationLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s slow
		w := newWriter(&s, Patience, false)
		text := strings.Repeat("a line of text\n", 100_000)
		write(t, w, text)
		if err := w.Flush(time.Hour); err != nil {
			t.Error(err)
		}
		if s.String() != text {
			t.Errorf("%d bytes of %d", s.Len(), len(text))
		}
		finish(t, w)
	})
}

func TestLongWriteIsCutBetweenCharacters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		w := newWriter(g, Patience, false)
		text := "xx" + strings.Repeat("€", bufferSize) // 64 KiB end within a character
		n, err := io.WriteString(w, text)
		if want := fmt.Sprintf("output not taken: %d bytes dropped: nobody reads it", len(text)-n); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
		close(g.open)
		finish(t, w)
		got, mark, _ := strings.Cut(g.out.String(), "\n")
		if n == 0 || got != text[:n] || !utf8.ValidString(got) {
			t.Errorf("%d bytes of %d, …%q", len(got), n, tail(got))
		}
		if want := fmt.Sprintf("[output dropped: %d bytes]\n", len(text)-n); mark != want {
			t.Errorf("marked %q, want %q", mark, want)
		}
	})
}

func TestFlushEndsWhenAllIsOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		w := newWriter(g, Patience, false)
		write(t, w, "text\n")
		synctest.Wait()
		go func() {
			time.Sleep(time.Second)
			close(g.open)
		}()
		start := time.Now()
		if err := w.Flush(Patience); err != nil {
			t.Error(err)
		}
		if waited := time.Since(start); waited != time.Second {
			t.Errorf("waited %v", waited)
		}
		finish(t, w)
	})
}

func TestFlushGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		w := newWriter(g, Patience, false)
		write(t, w, "text\n")
		start := time.Now()
		err := w.Flush(time.Second)
		if waited := time.Since(start); waited != time.Second {
			t.Errorf("waited %v", waited)
		}
		if want := "output not taken: 5 bytes not out after 1s"; err == nil || err.Error() != want || !errors.Is(err, ErrNotTaken) {
			t.Errorf("got %v, want %s", err, want)
		}
		if err := w.Flush(-1); !errors.Is(err, ErrNotTaken) {
			t.Errorf("got %v", err)
		}
		close(g.open)
		finish(t, w)
	})
}

func TestStopWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		w := newWriter(g, time.Hour, false)
		start := time.Now()
		go func() {
			time.Sleep(time.Second)
			w.stopWaiting()
		}()
		fill(t, w, strings.Repeat("x", maxPiece))
		if waited := time.Since(start); waited != time.Second {
			t.Errorf("waited %v", waited)
		}
		close(g.open)
		finish(t, w)
	})
}

func TestWriteAfterClose(t *testing.T) {
	var out bytes.Buffer
	w := newWriter(&out, Patience, false)
	write(t, w, "text\n")
	finish(t, w)
	if n, err := io.WriteString(w, "late"); n != 0 || !errors.Is(err, ErrNotTaken) || !errors.Is(err, os.ErrClosed) {
		t.Errorf("Write = %d, %v", n, err)
	}
	if out.String() != "text\n" {
		t.Errorf("wrote %q", out.String())
	}
}

// broken takes some bytes and then fails as told.
type broken struct {
	room  int
	err   error
	calls int
}

func (b *broken) Write(p []byte) (int, error) {
	b.calls++
	n := min(len(p), b.room)
	b.room -= n
	if n < len(p) {
		return n, b.err
	}
	return n, nil
}

func TestFailedDestination(t *testing.T) {
	tests := []struct {
		name      string
		err, want error
	}{
		{"broken pipe", syscall.EPIPE, syscall.EPIPE},
		{"terminal gone", syscall.EIO, syscall.EIO},
		{"short write", nil, io.ErrShortWrite},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := &broken{room: 3, err: tt.err}
			w := newWriter(b, time.Hour, false)
			write(t, w, "12345678")
			if err := w.Flush(time.Hour); !errors.Is(err, ErrNotTaken) || !errors.Is(err, tt.want) {
				t.Errorf("Flush: %v", err)
			}
			big := make([]byte, 3*bufferSize)
			for range 10 {
				if n, err := w.Write(big); n != 0 || !errors.Is(err, ErrNotTaken) || !errors.Is(err, tt.want) {
					t.Errorf("Write = %d, %v", n, err)
				}
			}
			if err := w.Close(time.Hour); !errors.Is(err, tt.want) {
				t.Errorf("Close: %v", err)
			}
			if b.calls != 1 {
				t.Errorf("%d writes to a destination that is gone", b.calls)
			}
		})
	}
}

// TestFailureEndsAWait has the destination fail while a Write waits for room.
func TestFailureEndsAWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pr, pw := io.Pipe()
		w := newWriter(pw, Patience, false)
		go func() {
			time.Sleep(time.Second)
			pr.CloseWithError(syscall.EIO)
		}()
		start := time.Now()
		_, err := w.Write(make([]byte, 2*bufferSize))
		if waited := time.Since(start); waited != time.Second || !errors.Is(err, syscall.EIO) {
			t.Errorf("%v after %v", err, waited)
		}
		if err := w.Close(Patience); !errors.Is(err, syscall.EIO) {
			t.Errorf("Close: %v", err)
		}
	})
}

// busy would block on every other call, and takes three bytes at a time.
type busy struct {
	bytes.Buffer
	calls int
}

func (b *busy) Write(p []byte) (int, error) {
	if b.calls++; b.calls%2 == 1 {
		return 0, syscall.EAGAIN
	}
	n, _ := b.Buffer.Write(p[:min(3, len(p))])
	return n, syscall.EAGAIN
}

func TestTerminalMadeNonBlockingByAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b busy
		w := newWriter(&b, Patience, false)
		write(t, w, "text that is to come out in full\n")
		finish(t, w)
		if b.String() != "text that is to come out in full\n" {
			t.Errorf("wrote %q", b.String())
		}
	})
}

func TestConcurrentWritesComeOutWhole(t *testing.T) {
	const writers, lines = 8, 2000
	var out bytes.Buffer
	w := newWriter(&out, time.Hour, false)
	var wg sync.WaitGroup
	for id := range writers {
		wg.Go(func() {
			for i := range lines {
				fmt.Fprintf(w, "%d %d %s\n", id, i, strings.Repeat("x", i%300))
			}
		})
	}
	wg.Wait()
	if err := w.Close(time.Hour); err != nil {
		t.Fatal(err)
	}
	var next [writers]int
	for line := range strings.Lines(out.String()) {
		var id, i int
		var xs string
		n, _ := fmt.Sscanf(line, "%d %d %s", &id, &i, &xs)
		if n < 2 || i != next[id] || len(xs) != i%300 {
			t.Fatalf("line %q, want number %v", line, next)
		}
		next[id]++
	}
	for id, n := range next {
		if n != lines {
			t.Errorf("writer %d: %d lines", id, n)
		}
	}
}

// TestConcurrentLongWritesComeOutWhole has each of them wait for room.
func TestConcurrentLongWritesComeOutWhole(t *testing.T) {
	const length = 3 * bufferSize
	var out bytes.Buffer
	w := newWriter(&out, time.Hour, false)
	var wg sync.WaitGroup
	for id := range 8 {
		wg.Go(func() { write(t, w, strings.Repeat(fmt.Sprint(id), length)) })
	}
	wg.Wait()
	if err := w.Close(time.Hour); err != nil {
		t.Fatal(err)
	}
	for rest := out.Bytes(); len(rest) > 0; rest = rest[length:] {
		if n := len(rest) - len(bytes.TrimLeft(rest, string(rest[:1]))); n != length {
			t.Fatalf("%d bytes of %d without another Write between", n, length)
		}
	}
}

func TestLeavesMidLine(t *testing.T) {
	tests := []struct {
		text         string
		before, want bool
	}{
		{"", false, false},
		{"", true, true},
		{"text", false, true},
		{"text\n", true, false},
		{"\n\t", false, true},
		{"\x1b[31m", false, false},
		{"\x1b[31m", true, true},
		{"red\n\x1b[0m", true, false},
		{"red\x1b[0m\x1b[m\x1b[38;5;1m", false, true},
		{"a\n31m", false, true},
		{"a\n[31m", false, true},
	}
	for _, tt := range tests {
		if got := leavesMidLine([]byte(tt.text), tt.before); got != tt.want {
			t.Errorf("%q after %v: %v", tt.text, tt.before, got)
		}
	}
}

// write writes to w, which has to take it.
func write(t *testing.T, w io.Writer, text string) {
	t.Helper()
	if n, err := io.WriteString(w, text); n != len(text) || err != nil {
		t.Errorf("Write(%.40q) = %d, %v", text, n, err)
	}
}

func finish(t *testing.T, w *Writer) {
	t.Helper()
	if err := w.Close(Patience); err != nil {
		t.Error(err)
	}
}

func tail(s string) string { return s[max(0, len(s)-200):] }

// slowly takes every write after a while.
type slowly struct {
	io.Writer
	each time.Duration
}

func (s slowly) Write(p []byte) (int, error) {
	time.Sleep(s.each)
	return s.Writer.Write(p)
}

// TestAReaderThatIsOnlySlowGetsTheEnd takes longer in all than a reader that
// reads nothing is waited for.
func TestAReaderThatIsOnlySlowGetsTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		const patience = time.Second
		w := newWriter(slowly{&out, patience * 3 / 4}, patience, false)
		text := strings.Repeat("x", queueSize)
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(patience); err != nil {
			t.Error(err)
		}
		if out.String() != text {
			t.Errorf("%d bytes came through", out.Len())
		}
	})
}
