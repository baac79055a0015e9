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
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encode record: %w", err)
	}
	return b.Bytes(), nil
}
