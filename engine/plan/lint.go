package plan

import (
	"bytes"
	"fmt"
	"strings"
)

// lint returns the findings in order of position.
func (d *document) lint(strict bool) []Finding {
	var findings []Finding
	findings = append(findings, d.lintSections()...)
	findings = append(findings, d.lintMisses()...)
	findings = append(findings, d.lintLost()...)
	findings = append(findings, d.lintFences()...)
	findings = append(findings, d.lintLevels()...)
	findings = append(findings, d.lintTitles()...)
	findings = append(findings, d.lintCheckBoxes()...)
	findings = append(findings, d.lintPaths()...)
	findings = append(findings, d.lintInvisible()...)
	if strict {
		findings = append(findings, d.lintValidation()...)
		findings = append(findings, d.lintLength()...)
	}
	sortProblems(findings)
	return findings
}

// lintSections reports the headings in a body that are at the level of its
// phase or above, and so don't belong to it.
func (d *document) lintSections() []Finding {
	var findings []Finding
	for i, s := range d.sections {
		var foreign []block
		for _, b := range s.blocks {
			if b.heading() && b.level <= s.Level && !isMiss(d.text(b)) && !ownSection(b.level, d.text(b)) {
				foreign = append(foreign, b)
			}
		}
		if len(foreign) > 0 {
			findings = append(findings, d.foreign(s, i+1 == len(d.sections), foreign))
		}
	}
	return findings
}

// ownSection reports whether a heading starts a section of the phase whatever
// the phase's level: the workspace has to be at level 3, and so its neighbours
// in the template usually are.
func ownSection(level int, text string) bool {
	if likeWorkspace(text) {
		return true
	}
	if level != 3 {
		return false
	}
	for _, name := range []string{
		"Goal", "Scope", "Non-goals", "Required context", "Execution steps",
		"Implementation notes", "Validation", "Completion criteria",
	} {
		if strings.EqualFold(text, name) {
			return true
		}
	}
	return false
}

func isMiss(text string) bool {
	_, ok := nearMiss(text)
	return ok
}

func (d *document) foreign(s section, last bool, foreign []block) Finding {
	code, where := codeBetween, fmt.Sprintf("comes after phase %s at its level or above", brief(s.Number))
	if last {
		code, where = codeTail, "comes after the last phase"
	}
	more := ""
	if len(foreign) > 1 {
		var numbers []int
		for _, b := range foreign[1:] {
			numbers = append(numbers, b.first)
		}
		more = fmt.Sprintf(", like %s behind it (%s)", many(len(numbers), "section"), lineList(numbers))
	}
	b := foreign[0]
	fix := "Move it before the first phase"
	if s.Level < 6 {
		fix += fmt.Sprintf(", or make it %q if it belongs to the phase", hashes(s.Level+1))
	}
	return d.problemAt(code, b.first,
		fmt.Sprintf("%s %s and will be sent to the worker as part of Phase %s%s",
			quote(d.lines.text(b.first)), where, brief(s.Number), more), fix+".")
}

// lintLost reports the lines that read like a phase and are code by their
// indentation.
func (d *document) lintLost() []Finding {
	var findings []Finding
	for _, l := range d.lost {
		if d.fate(l) == indented {
			findings = append(findings, d.problemAt(codeIndented, l.line,
				fmt.Sprintf("%s is not a phase: it is indented by four columns or more", quote(d.lines.text(l.line))),
				"Start the line with the heading, or put it between ``` fences if it is an example."))
		}
	}
	return findings
}

// lintFences reports fences and comments that end elsewhere than it seems.
func (d *document) lintFences() []Finding {
	var findings []Finding
	for _, b := range d.blocks {
		if b.kind != fenceBlock && b.kind != commentBlock {
			continue
		}
		if !b.closed && b.inside.kind != noContainer {
			findings = append(findings, d.cutShort(b))
		}
		if b.closed && b.kind == fenceBlock {
			findings = append(findings, d.lintInnerFence(b)...)
		}
	}
	return findings
}

func (d *document) cutShort(b block) Finding {
	return d.problemAt(codeCutShort, b.first,
		fmt.Sprintf("%s that opens here ends with %s, not by a line of its own", kindName(b.kind), b.inside),
		`Close it there, with the same indentation or ">" as its first line.`)
}

func (d *document) lintInnerFence(b block) []Finding {
	inner, ok := d.innerFence(b)
	if !ok {
		return nil
	}
	f := d.fenceOf(b.first)
	return []Finding{d.problemAt(codeInnerFence, inner,
		fmt.Sprintf("the end of %s ends the fence %s of line %d, too", quote(d.lines.text(inner)), quote(f.opening), b.first),
		fmt.Sprintf("Open and close the outer fence with %s.", quote(f.longer())))}
}

// lintLevels reports the first phase at another level than those before it.
func (d *document) lintLevels() []Finding {
	for i, s := range d.sections {
		if first := d.sections[0]; s.Level != first.Level {
			return []Finding{d.problemAt(codeLevels, s.Line,
				fmt.Sprintf("phase %s is a heading of level %d, %s of level %d: the level makes no difference, each runs on its own",
					brief(s.Number), s.Level, phaseList(d.sections[:i]), first.Level),
				fmt.Sprintf("Write all of them with %q.", hashes(first.Level)))}
		}
	}
	return nil
}

// lintCheckBoxes reports the first check box of the plan.
func (d *document) lintCheckBoxes() []Finding {
	first, count := 0, 0
	for _, b := range d.blocks {
		if !b.item || b.kind != paragraphBlock || !checkBox(d.lines.text(b.first)) {
			continue
		}
		if count++; count == 1 {
			first = b.first
		}
	}
	if count == 0 {
		return nil
	}
	return []Finding{d.problemAt(codeCheckBoxes, first,
		fmt.Sprintf("the plan has %s from here on; the runner neither reads nor ticks them", manyBoxes(count)),
		"Write plain list items; the state of a plan is kept outside of it.")}
}

func manyBoxes(n int) string {
	if n == 1 {
		return "1 check box"
	}
	return fmt.Sprintf("%d check boxes", n)
}

func checkBox(line []byte) bool {
	rest, _, _ := stripMarkers(line)
	if len(rest) < 3 || rest[0] != '[' || rest[2] != ']' || strings.IndexByte(" xX", rest[1]) < 0 {
		return false
	}
	return len(rest) == 3 || rest[3] == ' ' || rest[3] == '\t'
}

// lintPaths reports workspaces that hold what their author can't have meant
// literally.
func (d *document) lintPaths() []Finding {
	var findings []Finding
	for _, s := range d.sections {
		if why := odd(s.Workspace); why != "" {
			findings = append(findings, d.problemAt(codeOddPath, s.WorkspaceLine,
				fmt.Sprintf("the workspace %s of phase %s is taken literally, %s", quote(s.Workspace), brief(s.Number), why),
				"Write the bare path."))
		}
	}
	return findings
}

// odd says what in a path is not likely to be part of it, or nothing.
func odd(path string) string {
	switch {
	case path == "" || refused(path) != "":
		return ""
	case strings.ContainsAny(path[:1], "`\"'<*") || strings.HasPrefix(path, "- ") || strings.HasPrefix(path, "["):
		return "its Markdown or quotes included"
	case strings.Contains(path, `\`):
		return `where "\" does not separate directories`
	case bytes.ContainsFunc([]byte(path), invisible):
		return "an invisible character included"
	}
	return ""
}
