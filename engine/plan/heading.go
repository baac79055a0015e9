package plan

import (
	"bytes"
	"strings"
)

// phaseText splits the text of a heading that is exactly "Phase N: Title".
// digits are one or more of 0-9 and title holds more than white space.
func phaseText(text string) (digits, title string, ok bool) {
	rest, ok := strings.CutPrefix(text, "Phase ")
	if !ok {
		return "", "", false
	}
	digits, title, ok = strings.Cut(rest, ": ")
	if !ok || !wholeNumber(digits) || strings.TrimSpace(title) == "" {
		return "", "", false
	}
	return digits, title, true
}

func wholeNumber(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// canonical returns the number that digits name, without leading zeros.
func canonical(digits string) string {
	if n := strings.TrimLeft(digits, "0"); n != "" {
		return n
	}
	return "0"
}

// compareNumbers orders two canonical numbers of any size.
func compareNumbers(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

// successor returns the number after a canonical one.
func successor(n string) string {
	digits := []byte(n)
	for i := len(digits) - 1; i >= 0; i-- {
		if digits[i] < '9' {
			digits[i]++
			return string(digits)
		}
		digits[i] = '0'
	}
	return "1" + string(digits)
}

// candidate is a line that a reader would take for a phase heading, whatever
// Markdown makes of it.
type candidate struct {
	line   int
	hashes int // 0 for a line that is underlined
	// disguise is set where the line reads like a phase only to a person.
	disguise *disguise
}

// candidates returns the lines that look like an executable phase: hashes and
// the exact text, or the exact text and an underline, behind any quote and
// list markers.
func candidates(l lines) []candidate {
	var found []candidate
	for n := 1; n <= l.count(); n++ {
		if hashes, ok := looksLikePhase(l, n); ok {
			found = append(found, candidate{line: n, hashes: hashes})
		}
	}
	return found
}

func looksLikePhase(l lines, n int) (hashes int, ok bool) {
	line := l.text(n)
	if !bytes.Contains(line, []byte("Phase ")) {
		return 0, false
	}
	rest, quotes, items := stripMarkers(line)
	text := bytes.TrimLeft(rest, "#")
	hashes = len(rest) - len(text)
	if hashes == 0 {
		return 0, items == 0 && isPhase(text) && underlined(l, n+1, quotes)
	}
	if len(text) == 0 || text[0] != ' ' && text[0] != '\t' {
		return 0, false
	}
	return hashes, isPhase(bytes.Trim(text, " \t"))
}

func isPhase(text []byte) bool {
	_, _, ok := phaseText(string(text))
	return ok
}

// underlined reports whether line n makes the line above it a heading, seen
// from the same depth of quotes.
func underlined(l lines, n, quotes int) bool {
	if n > l.count() {
		return false
	}
	rest, q := stripQuotes(l.text(n))
	rest = bytes.TrimRight(rest, " \t")
	return q == quotes && len(rest) > 0 &&
		(len(bytes.Trim(rest, "=")) == 0 || len(bytes.Trim(rest, "-")) == 0)
}

// stripQuotes removes indentation and quote markers from the start of a line.
func stripQuotes(line []byte) (rest []byte, quotes int) {
	rest = bytes.TrimLeft(line, " \t>")
	return rest, bytes.Count(line[:len(line)-len(rest)], []byte(">"))
}

// stripMarkers removes indentation, quote markers and list markers from the
// start of a line.
func stripMarkers(line []byte) (rest []byte, quotes, items int) {
	rest = line
	for {
		var q int
		rest, q = stripQuotes(rest)
		quotes += q
		marker := listMarker(rest)
		if marker == 0 {
			return rest, quotes, items
		}
		rest = rest[marker:]
		items++
	}
}

// listMarker returns the length of the list marker a line starts with, or 0.
func listMarker(line []byte) int {
	digits := 0
	for digits < len(line) && digits < 9 && line[digits] >= '0' && line[digits] <= '9' {
		digits++
	}
	signs := "-*+"
	if digits > 0 {
		signs = ".)"
	}
	end := digits + 1
	if end >= len(line) || strings.IndexByte(signs, line[digits]) < 0 {
		return 0
	}
	if line[end] != ' ' && line[end] != '\t' {
		return 0
	}
	return end
}
