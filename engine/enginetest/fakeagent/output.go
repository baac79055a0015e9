//go:build linux

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

func outputVerbs() map[string]verb {
	table := map[string]verb{
		"out":          {do: writeTo(os.Stdout)},
		"err":          {do: writeTo(os.Stderr)},
		"split":        {do: writeSplit},
		"flood":        {do: flood},
		"oneline":      {do: oneLine},
		"close-stdout": {do: closing(os.Stdout), value: none},
		"close-stderr": {do: closing(os.Stderr), value: none},
		"close-stdin":  {do: closing(os.Stdin), value: none},
	}
	for name, tag := range map[string]string{
		"complete": "phase-complete",
		"blocked":  "phase-blocked",
		"clarify":  "phase-needs-clarification",
	} {
		table[name] = verb{do: writeBlock(os.Stdout, tag)}
		table["err-"+name] = verb{do: writeBlock(os.Stderr, tag)}
	}
	return table
}

func writeTo(w io.Writer) action {
	return func(_ *agent, text string) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

func writeBlock(w io.Writer, tag string) action {
	return func(_ *agent, text string) error {
		_, err := fmt.Fprintf(w, "<%s>%s</%s>\n", tag, text, tag)
		return err
	}
}

func writeSplit(_ *agent, text string) error {
	for i := range len(text) {
		if _, err := os.Stdout.Write([]byte{text[i]}); err != nil {
			return err
		}
	}
	return nil
}

func closing(f *os.File) action {
	return func(*agent, string) error { return f.Close() }
}

func flood(_ *agent, value string) error {
	sizeText, lineText, cut := strings.Cut(value, ",")
	line := 80
	if cut {
		n, err := strconv.Atoi(lineText)
		if err != nil || n < 1 {
			return fmt.Errorf("%q is not a line length", lineText)
		}
		line = n
	}
	size, err := parseSize(sizeText)
	if err != nil {
		return err
	}
	return writeRepeated(os.Stdout, chatter(line), size)
}

func oneLine(_ *agent, value string) error {
	size, err := parseSize(value)
	if err != nil {
		return err
	}
	return writeRepeated(os.Stdout, bytes.ReplaceAll(chatter(80), []byte("\n"), []byte(" ")), size)
}

// chatter returns what agents print all day: at least 64 KiB of whole lines of
// the given length, newline included, no two neighbours alike.
func chatter(line int) []byte {
	const words = "Reading internal/store/wal.go: the append path fsyncs before it acknowledges (42 tests, 0 failed). "
	var b bytes.Buffer
	for n := 0; b.Len() < 64<<10; n++ {
		text := fmt.Sprintf("[%06d] ", n) + strings.Repeat(words, line/len(words)+1)
		b.WriteString(text[:line-1])
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// writeRepeated writes exactly size bytes of block, over and over.
func writeRepeated(w io.Writer, block []byte, size int64) error {
	for size > 0 {
		n, err := w.Write(block[:min(size, int64(len(block)))])
		if err != nil {
			return err
		}
		size -= int64(n)
	}
	return nil
}
