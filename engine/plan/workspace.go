package plan

import (
	"fmt"
	"strings"
)

// workspaceHeading is the text of the level-3 heading of the section.
const workspaceHeading = "Workspace"

// checkWorkspaces reads the workspace of every phase into d.sections.
func (d *document) checkWorkspaces() []Problem {
	var problems []Problem
	var missing []section
	for i := range d.sections {
		found, ok := d.workspace(&d.sections[i])
		problems = append(problems, found...)
		if !ok {
			missing = append(missing, d.sections[i])
		}
	}
	if len(missing) > 0 {
		problems = append(problems, d.missingWorkspaces(missing))
	}
	return problems
}

func (d *document) missingWorkspaces(missing []section) Problem {
	verb := "has"
	if len(missing) > 1 {
		verb = "have"
	}
	return d.problemAt(codeNoWorkspace, missing[0].Line,
		fmt.Sprintf(`%s %s no "### Workspace" section`, phaseList(missing), verb),
		`Write "### Workspace" below the heading, and below that the path from the root of the plan's workspace, "." for the root.`)
}

// workspace reads the section of one phase; ok is false when nothing looks
// like one.
func (d *document) workspace(s *section) (problems []Problem, ok bool) {
	var exact, near []int
	for i, b := range s.blocks {
		if !b.heading() {
			continue
		}
		text := d.text(b)
		if b.level == 3 && text == workspaceHeading {
			exact = append(exact, i)
		} else if likeWorkspace(text) {
			near = append(near, i)
		}
	}
	switch {
	case len(exact) > 0:
		return d.declared(s, exact), true
	case len(near) > 0:
		return []Problem{d.misspelt(s.blocks[near[0]])}, true
	}
	return nil, false
}

// likeWorkspace reports whether a heading is meant to be the section's.
func likeWorkspace(text string) bool {
	return len(text) >= len(workspaceHeading) && strings.EqualFold(text[:len(workspaceHeading)], workspaceHeading)
}

func (d *document) misspelt(b block) Problem {
	text := d.text(b)
	fix := `Write "### Workspace"`
	if path := strings.Trim(text[len(workspaceHeading):], " \t:"); path != "" && !strings.HasPrefix(path, "s") {
		fix += fmt.Sprintf(" and the path, perhaps %s, below it", quote(path))
	}
	return d.problemAt(codeMisspelt, b.first,
		fmt.Sprintf(`%s is not the heading "### Workspace", and its phase has no other`, quote(hashes(b.level)+" "+text)),
		fix+".")
}

// declared checks the sections with the exact heading and takes the path from
// the only one.
func (d *document) declared(s *section, exact []int) []Problem {
	var problems []Problem
	first := s.blocks[exact[0]]
	for _, i := range exact[1:] {
		if d.lostBetween(first.first, s.blocks[i].first) {
			break // it belongs to the phase that is hidden, which is reported
		}
		problems = append(problems, d.problemAt(codeSecondWorkspace, s.blocks[i].first,
			fmt.Sprintf("phase %s has a second workspace section; the first is at line %d", brief(s.Number), first.first),
			"Keep one of them: work in another repository is a phase of its own."))
	}
	content := d.content(s, exact[0])
	switch len(content) {
	case 0:
		return append(problems, d.emptyWorkspace(s, exact[0]))
	case 1:
		return append(problems, d.takePath(s, content[0])...)
	}
	return append(problems, d.problemAt(codeManyPaths, content[1],
		fmt.Sprintf("the workspace section of line %d has %s; it must have exactly one, the path",
			first.first, many(len(content), "line")),
		"Leave one relative path there; everything else needs a heading of its own before it."))
}

// content returns the lines with text of a workspace section. Examples in
// fences and comments are none of them.
func (d *document) content(s *section, heading int) []int {
	end := s.EndLine
	skip := map[int]bool{}
	for _, b := range s.blocks[heading+1:] {
		if b.heading() {
			end = b.first - 1
			break
		}
		for n := b.first; n <= b.last && d.isExample(b); n++ {
			skip[n] = true
		}
	}
	var content []int
	for n := s.blocks[heading].last + 1; n <= end; n++ {
		if !skip[n] && !blank(d.lines.text(n)) {
			content = append(content, n)
		}
	}
	return content
}

// isExample reports whether the lines of a block hold nothing but a closed
// fence or comment.
func (d *document) isExample(b block) bool {
	switch {
	case !b.closed || b.inside.kind != noContainer:
		return false
	case b.kind == fenceBlock:
		return true
	}
	return b.kind == commentBlock && strings.HasSuffix(strings.TrimRight(string(d.lines.text(b.last)), " \t"), "-->")
}

func (d *document) emptyWorkspace(s *section, heading int) Problem {
	b := s.blocks[heading]
	fix := `Write one relative path below it: "." for the plan's own repository.`
	if next := heading + 1; next < len(s.blocks) {
		if n := s.blocks[next]; n.heading() && n.last > n.first {
			fix = fmt.Sprintf("Put an empty line before line %d: it makes %s above it a heading.", n.last, quote(d.text(n)))
		}
	}
	return d.problemAt(codeEmptyWorkspace, b.first,
		fmt.Sprintf("the workspace section of phase %s is empty", brief(s.Number)), fix)
}

// takePath takes the path on a line, literally but for the spaces around it.
func (d *document) takePath(s *section, line int) []Problem {
	path := strings.Trim(string(d.lines.text(line)), " \t")
	s.Workspace, s.WorkspaceLine = path, line
	why := refused(path)
	if why == "" {
		return nil
	}
	return []Problem{d.problemAt(codePath, line,
		fmt.Sprintf("the workspace of phase %s must be a relative path, but %s %s", brief(s.Number), quote(path), why),
		`Write the path from the root of the plan's workspace, like "." or "../transaction-service".`)}
}

// refused says why a path can't be taken as relative, or nothing.
func refused(path string) string {
	switch {
	case strings.ContainsRune(path, 0):
		return "holds a NUL character"
	case path[0] == '/':
		return "is absolute"
	case path[0] == '\\' || windowsDrive(path):
		return "is absolute on Windows"
	case path[0] == '~':
		return "starts at a home directory"
	}
	return ""
}

func windowsDrive(path string) bool {
	return len(path) >= 2 && isLetter(path[0]) && path[1] == ':' &&
		(len(path) == 2 || path[2] == '/' || path[2] == '\\')
}
