package termtest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// sequence obeys the sequence that p starts with, and returns its length, or 0
// if it is not all there.
func (t *Terminal) sequence(p []byte) int {
	if len(p) < 2 {
		return 0
	}
	if p[1] != '[' {
		t.err = fmt.Errorf("sequence %q", p[:2])
		return 2
	}
	end := slices.IndexFunc(p[2:], func(b byte) bool { return b >= '@' && b <= '~' })
	if end < 0 {
		return 0
	}
	end += 2
	t.control(string(p[2:end]), p[end])
	return end + 1
}

func (t *Terminal) control(parameters string, final byte) {
	switch parameters + string(final) {
	case "J":
		t.eraseRight()
		t.lines = t.lines[:t.top+t.row+1]
		return
	case "K":
		t.eraseRight()
		return
	case "?7l", "?7h":
		if t.noWrap = final == 'l'; !t.noWrap {
			t.draws++
		}
		return
	case "?2026h":
		t.held = true
		return
	case "?2026l":
		if !t.held {
			t.err = fmt.Errorf("the end of synchronised output without a beginning")
		}
		t.held = false
		return
	}
	switch final {
	case 'm':
		t.style.set(parameters)
	case 'A':
		n, err := strconv.Atoi(parameters)
		if err != nil || n < 1 || n > t.row {
			t.err = fmt.Errorf("%q rows up from row %d", parameters, t.row)
			return
		}
		t.row, t.pending = t.row-n, false
	default:
		t.err = fmt.Errorf("sequence CSI %q %c", parameters, final)
	}
}

// style is what SGR sequences have set: for each kind of attribute the
// parameters that set it last.
type style struct {
	fore, back string
	attributes [10]bool // 1–9
}

// String is a sequence that sets the style whatever was set before.
func (s style) String() string {
	parts := []string{"0"}
	for i, on := range s.attributes {
		if on {
			parts = append(parts, strconv.Itoa(i))
		}
	}
	for _, color := range []string{s.fore, s.back} {
		if color != "" {
			parts = append(parts, color)
		}
	}
	return "\x1b[" + strings.Join(parts, ";") + "m"
}

func (s *style) set(parameters string) {
	rest := strings.Split(parameters, ";")
	for len(rest) > 0 {
		n := 1
		if (rest[0] == "38" || rest[0] == "48") && len(rest) > 2 && rest[1] == "5" {
			n = 3
		}
		s.setOne(rest[0], strings.Join(rest[:n], ";"))
		rest = rest[n:]
	}
}

func (s *style) setOne(code, text string) {
	n, _ := strconv.Atoi(code) // empty is 0
	switch {
	case n == 0:
		*s = style{}
	case n < 10:
		s.attributes[n] = true
	case n == 22:
		s.attributes[1], s.attributes[2] = false, false
	case n > 22 && n < 30:
		s.attributes[n-20] = false
	case n >= 30 && n <= 38:
		s.fore = text
	case n == 39:
		s.fore = ""
	case n >= 40 && n <= 48:
		s.back = text
	case n == 49:
		s.back = ""
	}
}
