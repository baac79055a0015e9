package ui

import "bytes"

// maxPen is how many bytes of colour sequences a pen keeps. A program that uses
// so many different ones without ever turning all off is painting, and loses
// the oldest.
const maxPen = 512

// pen is the colour that text leaves on: the SGR sequences since all was off,
// none twice.
type pen []byte

// follow takes note of the sequences in p, which is filtered text.
func (n *pen) follow(p []byte) {
	for {
		start := bytes.Index(p, []byte("\x1b["))
		if start < 0 {
			return
		}
		p = p[start:]
		end := bytes.IndexByte(p, 'm')
		if end < 0 {
			return
		}
		n.set(p[:end+1])
		p = p[end+1:]
	}
}

func (n *pen) set(sgr []byte) {
	parameters := sgr[len("\x1b[") : len(sgr)-len("m")]
	if first, _, _ := bytes.Cut(parameters, []byte(";")); len(first) == 0 || string(first) == "0" {
		*n = (*n)[:0] // whatever follows begins with nothing on
	}
	if len(bytes.Trim(parameters, "0;")) == 0 {
		return
	}
	// Of two that are equal the later one decides, whatever is between them.
	if at := bytes.Index(*n, sgr); at >= 0 {
		*n = append((*n)[:at], (*n)[at+len(sgr):]...)
	}
	for len(*n)+len(sgr) > maxPen {
		oldest := bytes.IndexByte(*n, 'm') + 1
		*n = append((*n)[:0], (*n)[oldest:]...)
	}
	*n = append(*n, sgr...)
}
