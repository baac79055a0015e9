package ui

import (
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

func BenchmarkWriter(b *testing.B) {
	for name, length := range map[string]int{"64KiB": 64 << 10, "4KiB": 4 << 10, "line": 80} {
		b.Run(name, func(b *testing.B) {
			w := newWriter(devNull(b), time.Hour, false)
			benchmarkWrites(b, w, strings.Repeat("x", length-1)+"\n")
			if err := w.Close(time.Hour); err != nil {
				b.Error(err)
			}
		})
	}
}

func BenchmarkWriterToPipe(b *testing.B) {
	r, pipe, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	defer pipe.Close()
	go func() { _, _ = io.CopyBuffer(struct{ io.Writer }{io.Discard}, r, make([]byte, 128<<10)) }()
	w := newWriter(pipe, time.Hour, false)
	benchmarkWrites(b, w, strings.Repeat("x", 64<<10))
	if err := w.Close(time.Hour); err != nil {
		b.Error(err)
	}
}

// BenchmarkWriterWithBlock is BenchmarkWriter for a terminal with a block.
func BenchmarkWriterWithBlock(b *testing.B) {
	for name, length := range map[string]int{"64KiB": 64 << 10, "line": 80} {
		b.Run(name, func(b *testing.B) {
			w := newTerminalWriter(devNull(b), time.Hour, true, func() place { return place{columns: 80, rows: 24} })
			w.setBlock(blockAt(phaseStartedEvent("Move"), 0, 0).rows)
			benchmarkWrites(b, w, strings.Repeat("x", length-1)+"\n")
			if err := w.Close(time.Hour); err != nil {
				b.Error(err)
			}
		})
	}
}

func BenchmarkConsole(b *testing.B) {
	null := devNull(b)
	c := newConsole(null, null, Options{}, time.Hour)
	benchmarkWrites(b, c.Stdout(), strings.Repeat("a line of a worker's output, as it comes\n", 1600))
	if err := c.Close(); err != nil {
		b.Error(err)
	}
}

func devNull(b *testing.B) *os.File {
	b.Helper()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { null.Close() })
	return null
}

func benchmarkWrites(b *testing.B, w io.Writer, text string) {
	b.Helper()
	p := []byte(text)
	b.SetBytes(int64(len(p)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := w.Write(p); err != nil {
			b.Fatal(err)
		}
	}
}
