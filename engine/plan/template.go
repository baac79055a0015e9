package plan

import (
	"fmt"
	"strings"
	"unicode"
)

// Template returns the canonical template of a plan with that many phases; a
// number below 1 counts as 1. Parse accepts the result and a strict lint finds
// nothing in it, whatever the title: control characters become spaces, invisible
// ones are left out, an empty title becomes "Plan", and a title that reads like a phase gets "Plan: " before
// it. See docs/plan-format.md, "Canonical template".
func Template(title string, phases int) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n%s", plainTitle(title), templatePreamble)
	for n := range max(phases, 1) {
		fmt.Fprintf(&b, "\n## Phase %d: Title of phase %d\n%s", n+1, n+1, templateBody)
	}
	return []byte(b.String())
}

func plainTitle(title string) string {
	title = strings.ToValidUTF8(title, "")
	title = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, title)
	title = strings.TrimSpace(strings.ReplaceAll(withoutUnseen(title), "<!--", "<! --"))
	switch {
	case title == "" || strings.Trim(title, "#") == "":
		return "Plan"
	case isPhase([]byte(title)) || isMiss(title):
		return "Plan: " + title
	}
	return title
}

const templatePreamble = `
Every worker gets this text, up to the first phase. Say here what holds for
the whole plan: its intent, what must stay safe, where it ends. Keep it short
and link to documents for the rest.
`

const templateBody = `
### Workspace

.

### Goal

What is true when this phase is done, in one or two sentences.

### Scope

What the phase changes.

### Non-goals

What it leaves alone, though it may look related.

### Required context

Files and documents to read first.

### Execution steps

1. The first step.
2. The next step.

### Implementation notes

Decisions already taken, and traps.

### Validation

The commands that show that it works, and what they must print.

### Completion criteria

What must hold before the phase may be reported complete.
`
