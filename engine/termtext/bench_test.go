package termtext

import (
	"io"
	"strings"
	"testing"
)

var benchmarks = []struct{ name, text string }{
	{"ascii", strings.Repeat(strings.Repeat("word ", 15)+"end.\n", 410)},
	{"agent", strings.Repeat("func (s *Scanner) Write(p []byte) (int, error) { // – it's 'done'\n\treturn len(p), nil\n}\n", 360)},
	{"colour", strings.Repeat("\x1b[32m+ added line of a diff\x1b[0m\n\x1b[31m- removed line\x1b[0m\n", 480)},
	{"cyrillic", strings.Repeat("Привет, мир! ", 1400)},
	{"crlf", strings.Repeat("a line of text that ends as on Windows\r\n", 800)},
}

func BenchmarkFilter(b *testing.B) {
	for _, bm := range benchmarks {
		b.Run(bm.name, func(b *testing.B) {
			f := NewFilter(io.Discard, true)
			p := []byte(bm.text)
			b.SetBytes(int64(len(p)))
			b.ReportAllocs()
			for b.Loop() {
				writeBytes(f, p)
			}
		})
	}
}

func BenchmarkLine(b *testing.B) {
	const title = "Phase 12: Rename the engine's packages and update the documentation"
	b.SetBytes(int64(len(title)))
	b.ReportAllocs()
	for b.Loop() {
		_ = Line(title)
	}
}
