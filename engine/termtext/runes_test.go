package termtext

import (
	"bytes"
	"testing"
)

// TestPlainStopsAtEachByte puts every byte at every place of words of eight.
func TestPlainStopsAtEachByte(t *testing.T) {
	for b := range 256 {
		for at := range 24 {
			p := bytes.Repeat([]byte("~ "), 12)
			p[at] = byte(b)
			want := len(p)
			if b < 0x20 && b != '\n' && b != '\t' || b >= 0x7f {
				want = at
			}
			if got := plain(p); got != want {
				t.Fatalf("byte %#x at %d: %d plain bytes, want %d", b, at, got, want)
			}
		}
	}
}
