// Command agent is the worker of the benchmarks: it prints as much as it is told
// to, and then a result block.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"time"
)

func main() {
	lines := flag.Int64("lines", 0, "bytes of output in lines")
	oneLine := flag.Int64("one-line", 0, "bytes of output in one line")
	linger := flag.Duration("linger", 0, "how long to wait after the output")
	clock := flag.String("clock", "", "a file to add the time to, in nanoseconds since 1970")
	flag.Parse()
	err := work(*lines, *oneLine, *clock)
	time.Sleep(*linger)
	if err == nil {
		_, err = io.WriteString(os.Stdout, "\n<phase-complete>done</phase-complete>\n")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func work(lines, oneLine int64, clock string) error {
	if clock != "" {
		if err := note(clock); err != nil {
			return err
		}
	}
	if err := flood("2026-11-30 20:13:05 INFO step 42 of the build: package <main> took 13 ms, 0 warnings\n", lines); err != nil {
		return err
	}
	return flood("x", oneLine)
}

func note(clock string) error {
	f, err := os.OpenFile(clock, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(f, time.Now().UnixNano()); err != nil {
		return err
	}
	return f.Close()
}

// flood writes text over and over, this many bytes in all, in pieces of 64 KiB.
func flood(text string, size int64) error {
	piece := bytes.Repeat([]byte(text), 64<<10/len(text))
	for size > 0 {
		n, err := os.Stdout.Write(piece[:min(size, int64(len(piece)))])
		if err != nil {
			return err
		}
		size -= int64(n)
	}
	return nil
}
