package plan

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"
)

const (
	maxCompared = 1 << 20 // bytes of a section, old and new together
	maxDiffLine = 400     // runes
	diffContext = 3       // unchanged lines around a change
)

// Diff says in lines of text, without line ends, how now differs from old:
// unified diffs of the preamble and of the phases of one id that differ, with
// line numbers of the whole plans, and the names of phases that came or went.
// Each is one line wherever it is shown, and shows what a screen would not:
// control and invisible characters, odd spaces and blanks at the end of a line
// are written as \u{200B}. What is long is cut. Snapshots of the same bytes differ in no line.
func Diff(old, now *Snapshot) []string {
	lines := diffSection("preamble", stretch{1, old.Preamble}, stretch{1, now.Preamble})
	i, j := 0, 0
	for i < len(old.Phases) || j < len(now.Phases) {
		switch order := phaseOrder(old.Phases[i:], now.Phases[j:]); {
		case order < 0:
			lines = append(lines, phaseName(old.Phases[i])+" is gone")
			i++
		case order > 0:
			lines = append(lines, phaseName(now.Phases[j])+" is new")
			j++
		default:
			a, b := old.Phases[i], now.Phases[j]
			lines = append(lines, diffSection(phaseName(b), wholePhase(a), wholePhase(b))...)
			i, j = i+1, j+1
		}
	}
	if len(lines) > 0 {
		lines = append([]string{"--- accepted", "+++ now"}, lines...)
	}
	return lines
}

// phaseOrder says which of two lists of phases, not both empty, has the lower
// number first.
func phaseOrder(a, b []Phase) int {
	switch {
	case len(b) == 0:
		return -1
	case len(a) == 0:
		return 1
	}
	return compareNumbers(a[0].Number, b[0].Number)
}

func phaseName(p Phase) string { return diffLine(p.ID + " " + p.Title) }

// stretch is a part of a plan that begins with this line, 1-based.
type stretch struct {
	line int
	text []byte
}

// wholePhase takes heading and body, which follow each other in the source.
func wholePhase(p Phase) stretch {
	return stretch{p.Line, append(p.Heading[:len(p.Heading):len(p.Heading)], p.Body...)}
}

func diffSection(name string, old, now stretch) []string {
	if string(old.text) == string(now.text) {
		return nil
	}
	if len(old.text)+len(now.text) > maxCompared {
		return []string{fmt.Sprintf("%s: %d bytes became %d, too much to compare here", name, len(old.text), len(now.text))}
	}
	a, oldCRLF := plainEnds(old.text)
	b, nowCRLF := plainEnds(now.text)
	switch {
	case a == b:
		return []string{name + ": only line ends differ"}
	case oldCRLF != nowCRLF:
		name += ", where line ends differ too"
	}
	return append([]string{name + ":"}, hunks(a, b, old.line-1, now.line-1)...)
}

// plainEnds is a text with LF only, and whether it had CR LF.
func plainEnds(text []byte) (plain string, crlf bool) {
	plain = strings.ReplaceAll(string(text), "\r\n", "\n")
	return plain, len(plain) != len(text)
}

// hunks are those of a unified diff, shifted by so many lines.
func hunks(old, now string, oldShift, nowShift int) []string {
	u, err := udiff.ToUnifiedDiff("accepted", "now", old, udiff.Lines(old, now), diffContext)
	if err != nil { // the edits would contradict each other
		return []string{diffLine(err.Error())}
	}
	for _, h := range u.Hunks {
		h.FromLine += oldShift
		h.ToLine += nowShift
	}
	lines := strings.Split(strings.TrimSuffix(u.String(), "\n"), "\n")
	lines = lines[2:] // which file is which is said once
	for i, line := range lines {
		lines[i] = line[:1] + diffLine(line[1:]) // the mark is none of its blanks
	}
	return lines
}

// diffLine makes text one line in which nothing hides: what a terminal would
// obey or leave out, and the blanks at its end, is shown by its number. A plan
// is read by an agent too, which sees every character.
func diffLine(text string) string {
	inner := strings.TrimRight(text, " \t")
	var b strings.Builder
	for i, r := range text {
		if hides(r) || i >= len(inner) {
			fmt.Fprintf(&b, `\u{%04X}`, r)
		} else {
			b.WriteRune(r)
		}
	}
	text = b.String()
	if utf8.RuneCountInString(text) <= maxDiffLine {
		return text
	}
	return string([]rune(text)[:maxDiffLine]) + "…"
}

// hides reports whether a character can't be told from nothing, from a common
// blank or from a line end by looking at it.
func hides(r rune) bool {
	return unicode.IsControl(r) && r != '\t' || plainRune(r) != r || r == brailleBlank
}

// brailleBlank has no dot, and is no white space to Unicode.
const brailleBlank = '\u2800'
