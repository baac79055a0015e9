package termtext

import (
	"bytes"
	"testing"
)

// TestPlainStopsAtTheFirstOfTwoBytes has two bytes in a word of eight of which
// the upper one may be taken for another because of the lower one.
func TestPlainStopsAtTheFirstOfTwoBytes(t *testing.T) {
	stops := []byte{0, '\a', 0x1f, 0x7f, 0x80, 0xff}
	for _, low := range append(stops, '\n', ' ', '~') {
		for _, high := range stops {
			for at := range 7 {
				p := []byte("abcdefgh")
				p[at], p[at+1] = low, high
				want := at + 1
				if bytes.IndexByte(stops, low) >= 0 {
					want = at
				}
				if got := plain(p); got != want {
					t.Fatalf("%q: %d plain bytes, want %d", p, got, want)
				}
			}
		}
	}
}

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
