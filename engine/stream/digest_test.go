package stream

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"
)

func TestADigestIsThatOfTheWhole(t *testing.T) {
	text := make([]byte, (digestBlocks+3)*digestBlock+1)
	for i := range text {
		text[i] = byte(i * i >> 7)
	}
	for _, size := range []int{0, 1, digestBlock - 1, digestBlock, digestBlock + 1, 2 * digestBlock, len(text) - 1, len(text)} {
		for _, piece := range []int{1 << 10, 100_003, digestBlock, len(text)} {
			var d digest
			p := make([]byte, 0, piece)
			for rest := text[:size]; len(rest) > 0; rest = rest[len(p):] {
				p = append(p[:0], rest[:min(piece, len(rest))]...)
				d.write(p)
				clear(p) // nothing of it may be needed any more
			}
			sum := sha256.Sum256(text[:size])
			if got, want := d.end(), hex.EncodeToString(sum[:]); got != want {
				t.Errorf("%d bytes in pieces of %d: %s, want %s", size, piece, got, want)
			}
		}
	}
}

func TestASmallDigestNeedsNoGoroutine(t *testing.T) {
	var d digest
	d.write(bytes.Repeat([]byte("x"), digestBlock))
	if d.full != nil {
		t.Error("a goroutine was started")
	}
}

func BenchmarkDigest(b *testing.B) {
	for _, size := range []int{80, 4 << 10, 256 << 10} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			p := bytes.Repeat([]byte("x"), size)
			var d digest
			b.SetBytes(int64(size))
			for b.Loop() {
				d.write(p)
			}
			d.end()
		})
	}
}
