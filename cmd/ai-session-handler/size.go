package main

import (
	"fmt"
	"math"

	"github.com/dustin/go-humanize"
)

// sizeFlag is a number of bytes from the command line; "none" is 0.
type sizeFlag struct {
	set   bool
	bytes int64
}

// UnmarshalText is called by the parser.
func (s *sizeFlag) UnmarshalText(text []byte) error {
	s.set = true
	if string(text) == "none" {
		s.bytes = 0
		return nil
	}
	n, err := humanize.ParseBytes(string(text))
	if err != nil || n == 0 || n > math.MaxInt64 {
		return fmt.Errorf(`%q is no size; write for example 500MB, 2GiB, a number of bytes, or "none"`, text)
	}
	s.bytes = int64(n)
	return nil
}

func sizeText(bytes int64) string {
	if bytes == 0 {
		return "none"
	}
	return fmt.Sprint(bytes)
}
