package ui

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/mattn/go-runewidth"

	"github.com/ai-session-handler/ai-session-handler/engine/termtext"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

const (
	// minColumns is the narrowest terminal that gets a block.
	minColumns = 20

	// maxColumns bounds a row, so that rows that a narrower terminal wraps
	// still fit on it.
	maxColumns = 120

	// blockRows is how many rows a block has at most.
	blockRows = 3

	// minName is how many columns the name of a plan gets, or it is left out.
	minName = 8
)

// block is what stands below the output while a phase runs: where the plan is,
// and how long it has been there.
type block struct {
	phase    record.Event // that started it
	began    time.Duration
	activity *activity
}

// newBlock returns the block of a phase that starts now.
func newBlock(started record.Event, a *activity) *block {
	return &block{phase: started, began: a.clock(), activity: a}
}

// rows lays the block out for a terminal of so many columns, and leaves the
// last of them free. No row is empty.
func (b *block) rows(columns int) []string {
	width := min(columns, maxColumns) - 1
	return flow([]string{b.heading(width)}, b.facts(), width)
}

// heading says where the plan is. What others wrote stands behind words of ours
// and before no digits, so that a name written from right to left turns nothing
// around but itself.
func (b *block) heading(width int) string {
	e, plan, title := b.phase, "", ""
	if room := width / 4; room >= minName {
		name := strings.TrimSuffix(filepath.Base(e.Plan), ".md")
		plan = "plan " + fit(termtext.Line(name), room) + ", "
	}
	if e.Phase != nil && e.Phase.Title != "" {
		title = ": " + termtext.Line(e.Phase.Title)
	}
	return fit(fmt.Sprintf("%sphase %d/%d%s", plan, e.Index, e.Count, title), width)
}

// facts are what else is worth a place, most important first.
func (b *block) facts() []string {
	now, e := b.activity.clock(), b.phase
	elapsed := wholeSeconds(now - b.began)
	if e.TimeoutMS > 0 {
		elapsed += " of " + duration(e.TimeoutMS)
	}
	silence := "no output yet"
	if last := b.activity.last(); last >= b.began {
		silence = "last output " + wholeSeconds(now-last) + " ago"
	}
	// The start of an id says when the attempt began, and is enough to find it.
	attempt, _, _ := strings.Cut(e.AttemptID, "-")
	return []string{elapsed, silence, "agent " + termtext.Line(e.Agent), "attempt " + termtext.Line(attempt)}
}

// wholeSeconds does not round up: what is shown has passed.
func wholeSeconds(d time.Duration) string {
	return duration(d.Truncate(time.Second).Milliseconds())
}

// flow puts facts behind each other into rows below rows, up to blockRows. What
// finds no place is left out.
func flow(rows, facts []string, width int) []string {
	row := ""
	for _, fact := range facts {
		fact = fit(fact, width)
		switch joined := row + ", " + fact; {
		case row == "":
			row = fact
		case runewidth.StringWidth(joined) <= width:
			row = joined
		case len(rows)+1 < blockRows:
			rows = append(rows, row)
			row = fact
		}
	}
	return append(rows, row)
}

// ellipsis stands where something was cut off.
const ellipsis = "…"

// fit cuts the end of s off where it is wider than so many columns.
func fit(s string, columns int) string { return runewidth.Truncate(s, columns, ellipsis) }

// fitEnd is fit that cuts the beginning off.
func fitEnd(s string, columns int) string {
	if over := runewidth.StringWidth(s) - columns; over > 0 {
		return runewidth.TruncateLeft(s, over+runewidth.StringWidth(ellipsis), ellipsis)
	}
	return s
}
