package stream

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
)

const (
	digestBlock  = 256 << 10
	digestBlocks = 3 // besides the one that fills
)

// digest is the SHA-256 of bytes as they come. To hash them takes about as long
// as everything else that happens to them, so once there are more than a block
// of 256 KiB it is done by a goroutine, at most three blocks behind. It is not
// safe for concurrent use; the zero digest is ready to use.
type digest struct {
	sum   hash.Hash     // of what was handed over; the goroutine's while there is one
	block []byte        // not handed over yet
	full  chan<- []byte // nil while there is no goroutine
	free  <-chan []byte // closed when the goroutine has ended
}

// write takes p, of which no reference is kept.
func (d *digest) write(p []byte) {
	for len(p) > 0 {
		if len(d.block) == digestBlock {
			d.handOver()
		}
		n := min(len(p), digestBlock-len(d.block))
		d.block = append(d.block, p[:n]...)
		p = p[n:]
	}
}

func (d *digest) handOver() {
	if d.full == nil {
		d.start()
	}
	d.full <- d.block
	d.block = (<-d.free)[:0]
}

func (d *digest) start() {
	full, free := make(chan []byte, digestBlocks), make(chan []byte, digestBlocks+1)
	for range digestBlocks {
		free <- nil // grows when it is needed
	}
	d.sum, d.full, d.free = sha256.New(), full, free
	go func() {
		defer close(free)
		for block := range full {
			d.sum.Write(block)
			free <- block
		}
	}()
}

// end ends the goroutine and returns the digest in hex. No write may follow.
func (d *digest) end() string {
	if d.full == nil {
		sum := sha256.Sum256(d.block)
		return hex.EncodeToString(sum[:])
	}
	close(d.full)
	for range d.free { // until all is hashed
	}
	d.sum.Write(d.block)
	return hex.EncodeToString(d.sum.Sum(nil))
}
