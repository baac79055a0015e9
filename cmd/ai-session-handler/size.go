package main

import (
	"fmt"

	"github.com/ai-session-handler/ai-session-handler/manifest"
)

// sizeFlag is a number of bytes from the command line; "none" is 0.
type sizeFlag struct {
	set   bool
	bytes int64
}

// UnmarshalText is called by the parser.
func (s *sizeFlag) UnmarshalText(text []byte) (err error) {
	s.set = true
	if string(text) == "none" {
		s.bytes = 0
		return nil
	}
	if s.bytes, err = manifest.Size(string(text)); err != nil {
		return fmt.Errorf(`%w; write for example 500MB, 2GiB, a number of bytes, or "none"`, err)
	}
	return nil
}
