package hclfile

import (
	"bytes"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
)

// Format returns a file in native syntax in the usual layout: HCL's spaces, lines
// that end with a line feed and without spaces, at most one empty line in a row
// and none at the start and the end, no byte order mark. What a heredoc says is
// left as it is, its line ends included, since they are part of the value. The
// file must parse; formatting it again changes nothing.
func Format(src []byte) []byte {
	return tidyLines(hclwrite.Format(tidyLines(bytes.TrimPrefix(src, byteOrderMark))))
}

// tidyLines does what is about lines, outside of heredocs and comments that span
// lines.
func tidyLines(src []byte) []byte {
	kept := keptSpans(src)
	out := make([]byte, 0, len(src)+1)
	empty := true // the line before, or there is none
	for at := 0; at < len(src); {
		end := lineEnd(src, at)
		line := src[at:end]
		startsKept, endsKept := kept.holds(at), kept.holds(end-1)
		if !endsKept {
			line = append(bytes.TrimRight(line, " \t\r\n"), '\n')
		}
		blank := !startsKept && len(line) == 1
		if !blank || !empty {
			out = append(out, line...)
		}
		empty, at = blank, end
	}
	if empty {
		out = bytes.TrimSuffix(out, []byte{'\n'})
	}
	return out
}

func lineEnd(src []byte, at int) int {
	if n := bytes.IndexByte(src[at:], '\n'); n >= 0 {
		return at + n + 1
	}
	return len(src)
}

// spans are stretches of a file in their order.
type spans struct {
	from, to []int
	next     int
}

// holds tells whether a byte is in a span. It must be asked in ascending order.
func (s *spans) holds(at int) bool {
	for s.next < len(s.to) && s.to[s.next] <= at {
		s.next++
	}
	return s.next < len(s.to) && s.from[s.next] <= at
}

// keptSpans returns the texts of heredocs and what is in comments that span
// lines.
func keptSpans(src []byte) *spans {
	tokens, _ := hclsyntax.LexConfig(src, "", firstPos)
	s, depth := &spans{}, 0
	for _, t := range tokens {
		switch {
		case t.Type == hclsyntax.TokenOHeredoc:
			if depth++; depth == 1 {
				s.from = append(s.from, t.Range.End.Byte)
			}
		case t.Type == hclsyntax.TokenCHeredoc:
			if depth--; depth == 0 {
				s.to = append(s.to, t.Range.Start.Byte)
			}
		case depth == 0 && t.Type == hclsyntax.TokenComment && bytes.HasPrefix(t.Bytes, []byte("/*")):
			s.from, s.to = append(s.from, t.Range.Start.Byte), append(s.to, t.Range.End.Byte)
		}
	}
	if len(s.from) > len(s.to) {
		s.to = append(s.to, len(src))
	}
	return s
}
