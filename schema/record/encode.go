package record

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Encode renders a record as it is written: two-space indented JSON without
// HTML escaping and with a final newline. Invalid UTF-8 in a string becomes
// U+FFFD.
func Encode(v any) ([]byte, error) { return encode(v, "  ") }

// EncodeLine returns v as JSON in one line, the newline included.
func EncodeLine(v any) ([]byte, error) { return encode(v, "") }

func encode(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encode record: %w", err)
	}
	return b.Bytes(), nil
}
