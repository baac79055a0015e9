package result

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

var benchmarks = []struct{ name, text string }{
	{"columns", strings.Repeat(strings.Repeat("x", 79)+"\n", 410)},
	{"oneline", strings.Repeat("x", 32<<10)},
	{"markup", strings.Repeat("a <b>bold</b> word and if x < y then\n", 900)},
	{"short", strings.Repeat("ok\n", 11<<10)},
}

func BenchmarkScanner(b *testing.B) {
	for _, bm := range benchmarks {
		b.Run(bm.name, func(b *testing.B) {
			var s Scanner
			feed(b, &s, bm.text)
		})
	}
	b.Run("body", func(b *testing.B) {
		for b.Loop() {
			var s Scanner
			write(&s, "<phase-complete>")
			for range 30 {
				write(&s, benchmarks[0].text)
			}
			b.SetBytes(30 * int64(len(benchmarks[0].text)))
		}
	})
}

func BenchmarkFilter(b *testing.B) {
	for _, bm := range benchmarks {
		b.Run(bm.name, func(b *testing.B) { feed(b, NewFilter(io.Discard), bm.text) })
	}
}

func feed(b *testing.B, w io.Writer, text string) {
	p := bytes.Clone([]byte(text))
	b.SetBytes(int64(len(p)))
	b.ReportAllocs()
	for b.Loop() {
		writeBytes(w, p)
	}
}
