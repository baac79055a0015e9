package record

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Encode renders a record as it is written: two-space indented JSON without
// HTML escaping and with a final newline. Invalid UTF-8 in a string becomes
// U+FFFD.
func Encode(v any) ([]byte, error) {
	line, err := EncodeLine(v)
	if err != nil {
		return nil, err
	}
	return indent(line), nil
}

// EncodeLine is Encode in one line.
func EncodeLine(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encode record: %w", err)
	}
	return b.Bytes(), nil
}

const indentation = "  "

// indent lays out compact, valid JSON and keeps its final newline. It does what
// json.Indent does, which looks at every byte as if it might be wrong and so
// takes three times as long as the encoding: too long for a state, which grows
// with every attempt and is written three times for each.
func indent(compact []byte) []byte {
	out := make([]byte, 0, len(compact)+len(compact)/3)
	depth := 0
	for rest := compact; len(rest) > 0; {
		token := rest[:tokenLen(rest)]
		rest = rest[len(token):]
		switch token[0] {
		case '{', '[':
			out = append(out, token...)
			if len(token) == 1 {
				depth++
				out = appendNewline(out, depth)
			}
		case '}', ']':
			depth--
			out = append(appendNewline(out, depth), token...)
		case ',':
			out = appendNewline(append(out, ','), depth)
		case ':':
			out = append(out, ": "...)
		default:
			out = append(out, token...)
		}
	}
	return out
}

func appendNewline(out []byte, depth int) []byte {
	out = append(out, '\n')
	for range depth {
		out = append(out, indentation...)
	}
	return out
}

// tokenLen is the length of what p begins with: a string, an empty object or
// list, or one byte of something else.
func tokenLen(p []byte) int {
	switch {
	case p[0] == '"':
		return stringLen(p)
	case p[0] == '{' && p[1] == '}', p[0] == '[' && p[1] == ']':
		return 2
	}
	return 1
}

func stringLen(p []byte) int {
	n := 1
	for {
		n += bytes.IndexByte(p[n:], '"') + 1
		if !escaped(p[:n-1]) {
			return n
		}
	}
}

// escaped reports whether the byte behind p, which is in a string, is escaped.
func escaped(p []byte) bool {
	backslashes := len(p) - len(bytes.TrimRight(p, `\`))
	return backslashes%2 == 1
}
