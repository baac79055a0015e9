package plan

import (
	"fmt"
	"strconv"
	"strings"
)

// found is a text of the document that might have been a phase.
type found struct {
	miss
	line  int
	level int // of a heading, else 0
	bold  bool
	after int // sections before it
}

// misses returns the headings and bold lines of the document that are nearly
// phases, in order.
func (d *document) misses() []found {
	var all []found
	after := 0
	for _, b := range d.blocks {
		if b.inside.kind != noContainer {
			continue
		}
		for after < len(d.sections) && d.sections[after].Line <= b.first {
			after++
		}
		switch b.kind {
		case headingBlock:
			if m, ok := nearMiss(d.text(b)); ok && !d.isSection(after, b.first) && !d.looksLikeOne(b.first) {
				if m.reason == "" {
					m.reason = "it has more than one line"
				}
				all = append(all, found{miss: m, line: b.first, level: b.level, after: after})
			}
		case paragraphBlock:
			all = append(all, d.textMisses(b, after)...)
		}
	}
	return all
}

func (d *document) isSection(after, line int) bool {
	return after > 0 && d.sections[after-1].Line == line
}

// textMisses returns the lines of a paragraph that are almost headings, and
// nearly a phase.
func (d *document) textMisses(b block, after int) []found {
	var all []found
	for n := b.first; n <= b.last; n++ {
		line := strings.Trim(string(d.lines.text(n)), " \t")
		text := strings.TrimSpace(plainText(line))
		bold := boldLine(text)
		reason := noHeading(line, text)
		if reason == "" || d.looksLikeOne(n) {
			continue
		}
		if m, ok := nearMiss(strings.Trim(text, "*_# :")); ok {
			m.reason = reason
			all = append(all, found{miss: m, line: n, bold: bold, after: after})
		}
	}
	return all
}

// noHeading says why a line that is almost a heading is none; text is its
// plain text.
func noHeading(line, text string) string {
	switch {
	case boldLine(text):
		return "bold text is no heading"
	case hashWithoutSpace(line):
		return `a space must follow the "#"`
	case strings.HasPrefix(text, "#") && !strings.HasPrefix(line, "#"):
		return `no odd space and no invisible character may stand before the "#"`
	}
	return ""
}

// boldLine reports whether a whole line is bold.
func boldLine(text string) bool {
	text = strings.TrimRight(text, ":")
	for _, mark := range []string{"**", "__"} {
		if len(text) > 4 && strings.HasPrefix(text, mark) && strings.HasSuffix(text, mark) &&
			strings.Count(text, mark) == 2 {
			return true
		}
	}
	return false
}

func hashWithoutSpace(text string) bool {
	rest := strings.TrimLeft(text, "#")
	n := len(text) - len(rest)
	return n > 0 && n <= 6 && rest != "" && rest[0] != ' ' && rest[0] != '\t'
}

// hashes returns the marker of a heading of a level.
func hashes(level int) string { return strings.Repeat("#", level) }

// corrected returns the heading that a near miss should have been.
func corrected(level int, number, title string) string {
	if title == "" {
		title = "Title"
	}
	return fmt.Sprintf("%s Phase %s: %s", hashes(level), number, title)
}

// lintMisses reports the near misses that the phase before them swallows.
func (d *document) lintMisses() []Finding {
	if len(d.sections) == 0 {
		return nil // the error says it
	}
	numbers := map[string]bool{}
	for _, s := range d.sections {
		numbers[s.Number] = true
	}
	var findings []Finding
	for _, f := range d.misses() {
		if d.overlooks(f, numbers) {
			continue
		}
		findings = append(findings, d.swallowedMiss(f))
	}
	return findings
}

// overlooks reports whether a near miss is more likely to speak of a phase
// than to be one.
func (d *document) overlooks(f found, numbers map[string]bool) bool {
	switch {
	case f.bold:
		return f.after == 0 || numbers[f.number]
	case f.loose && f.level > 0:
		return f.level > d.sections[max(f.after-1, 0)].Level
	}
	return false
}

func (d *document) swallowedMiss(f found) Finding {
	code := codeNearMiss
	if f.bold {
		code = codeBold
	}
	level, previous := d.sections[0].Level, "0"
	where := "it would stay in the preamble, which every worker gets"
	if f.after > 0 {
		s := &d.sections[f.after-1]
		level, previous = s.Level, s.Number
		where = fmt.Sprintf("it would be sent to the worker as part of Phase %s", brief(s.Number))
	}
	return d.problemAt(code, f.line,
		fmt.Sprintf("%s is not a phase: %s; %s", quote(d.lines.text(f.line)), f.reason, where),
		f.fix(level, previous))
}

// fix says how to make a phase of a near miss, after the phase with the number
// previous.
func (f found) fix(level int, previous string) string {
	if f.number != "" && f.number != "0" {
		return fmt.Sprintf("Write %s.", quote(corrected(level, f.number, f.title)))
	}
	return fmt.Sprintf("Write %s, and renumber the phases after it.",
		quote(corrected(level, successor(previous), f.title)))
}

// maxHints is how many near misses the error for a plan without phases names.
const maxHints = 8

// noPhase is the problem of a plan without any phase, with what comes nearest.
func (d *document) noPhase() Problem {
	near, what := d.nearest()
	if len(near) == 0 {
		return Problem{Code: codeNoPhase,
			Message: "no executable phase, and no numbered headings; this looks like a design document",
			Fix:     `Give each part that a fresh worker can finish alone a heading like "## Phase 1: Title".`}
	}
	message := fmt.Sprintf("no executable phase; found %s like %s (line %d)",
		many(len(near), what), quote(d.lines.text(near[0].line)), near[0].line)
	return Problem{Code: codeNoPhase, Message: message, Fix: d.hints(near[:min(len(near), maxHints)])}
}

// nearest returns the lines that come nearest to phases, all of one kind, and
// the name of the kind.
func (d *document) nearest() (near []found, what string) {
	if near = d.misses(); len(near) > 0 {
		return near, "heading"
	}
	if near = d.indentedPhases(); len(near) > 0 {
		return near, "indented heading"
	}
	if near = d.tableRows(); len(near) > 0 {
		return near, "row"
	}
	return d.units(), "other numbered heading"
}

// indentedPhases returns the lines that read like a phase but are code.
func (d *document) indentedPhases() []found {
	var all []found
	for _, l := range d.lost {
		rest, _, _ := stripMarkers(d.lines.text(l.line))
		if m, ok := nearMiss(strings.Trim(string(rest), "# \t")); ok {
			all = append(all, found{miss: m, line: l.line})
		}
	}
	return all
}

// hints writes a corrected heading for each near miss. Their own numbers stay
// where they are valid for a plan.
func (d *document) hints(near []found) string {
	keep, last := true, "0"
	for _, f := range near {
		keep = keep && f.number != "" && compareNumbers(f.number, last) > 0
		last = f.number
	}
	hints := make([]string, 0, len(near))
	for i, f := range near {
		number := f.number
		if !keep {
			number = strconv.Itoa(i + 1)
		}
		hints = append(hints, fmt.Sprintf("Line %d: write %s.", f.line, quote(corrected(2, number, f.title))))
	}
	return strings.Join(hints, "\n")
}

// tableRows returns the rows of tables whose first cell is a phase.
func (d *document) tableRows() []found {
	var rows []found
	for _, b := range d.blocks {
		for n := b.first; n <= b.last && b.kind == paragraphBlock; n++ {
			text, isRow := strings.CutPrefix(strings.TrimSpace(string(d.lines.text(n))), "|")
			if m, ok := nearMiss(strings.TrimSpace(text)); ok && isRow {
				m.title, _, _ = strings.Cut(m.title, "|")
				m.title = strings.TrimSpace(m.title)
				rows = append(rows, found{miss: m, line: n})
			}
		}
	}
	return rows
}

// unit is a numbered heading of another kind than a phase.
var unit = lazily(`^(?i:task|step|stage|milestone|sprint|iteration|part|workstream|issue|week|day|module|story|epic|feature|wave|round)?\s*#?(\d+)(?:\.\d+)*\s*[.:)–—-]\s*(.*)$`)

func (d *document) units() []found {
	var units []found
	for _, b := range d.blocks {
		if !b.heading() {
			continue
		}
		if m := unit().FindStringSubmatch(d.text(b)); m != nil {
			units = append(units, found{miss: miss{number: canonical(m[1]), title: m[2]}, line: b.first, level: b.level})
		}
	}
	return units
}
