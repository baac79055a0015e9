package ui

import (
	"fmt"
	"strings"
	"time"

	"github.com/ai-session-handler/ai-session-handler/engine/termtext"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// maxTitle is how many columns of a phase's title are shown.
const maxTitle = 80

// Progress shows the events of an invocation as plain lines and, on a terminal,
// the phase in progress as a block below the output.
type Progress struct {
	console *Console
}

// NewProgress returns a Progress that shows what it does on c.
func NewProgress(c *Console) *Progress { return &Progress{console: c} }

// Event shows e, if it is of a kind that has a line. How often a phase in
// progress has one is up to the sender; it has none while there is a block.
// Safe for concurrent use.
func (p *Progress) Event(e record.Event) {
	c := p.console
	switch e.Kind {
	case record.PhaseProgress:
		if e.Bytes > 0 { // some of which may be held back on its way to the console
			c.activity.heard(time.Duration(e.SilentMS) * time.Millisecond)
		}
		if c.err.showsBlock() {
			return
		}
	case record.PhaseEnded, record.InvocationEnded:
		c.hideBlock()
	}
	if line := progressLine(e, c.palette()); line != "" {
		c.safeLine(line)
	}
	if e.Kind == record.PhaseStarted {
		c.showBlock(newBlock(e, c.activity))
	}
	if e.Detail != "" {
		p.console.Lines("  " + strings.ReplaceAll(e.Detail, "\n", "\n  "))
	}
}

// progressLine returns the line of e, or "" if it has none. It is safe to show.
func progressLine(e record.Event, colours palette) string {
	switch e.Kind {
	case record.PhaseStarted:
		return phaseStarted(e)
	case record.PhaseProgress:
		return phaseProgress(e)
	case record.PhaseEnded:
		status := colours.status(e.Status, termtext.Line(string(e.Status)))
		return fmt.Sprintf("%s: %s after %s", phaseName(e), status, duration(e.ElapsedMS))
	case record.RetryScheduled, record.LimitDropped:
		return phaseName(e) + ": " + message(e)
	case record.PlanChanged, record.ManifestChanged, record.HistoryArchived, record.HistoryStarted, record.AttemptAbandoned, record.EventsLost:
		return message(e)
	}
	return ""
}

func phaseStarted(e record.Event) string {
	timeout := "no timeout"
	if e.TimeoutMS > 0 {
		timeout = "timeout " + duration(e.TimeoutMS)
	}
	return fmt.Sprintf("%s%s: started, agent %s, %s, attempt %s", phaseName(e), phaseTitle(e),
		termtext.Line(e.Agent), timeout, termtext.Line(e.AttemptID))
}

func phaseProgress(e record.Event) string {
	line := fmt.Sprintf("%s: running %s", phaseName(e), duration(e.ElapsedMS))
	if e.TimeoutMS > 0 {
		line += " of " + duration(e.TimeoutMS)
	}
	if e.Bytes == 0 {
		return line + ", no output yet"
	}
	return line + fmt.Sprintf(", last output %s ago, %s of output", duration(e.SilentMS), size(e.Bytes))
}

// message falls back on the kind, which is made of words.
func message(e record.Event) string {
	if text := strings.TrimSpace(termtext.Line(e.Message)); text != "" {
		return text
	}
	return strings.ReplaceAll(string(e.Kind), "-", " ")
}

// phaseName says which phase of how many, and its id.
func phaseName(e record.Event) string {
	name := fmt.Sprintf("phase %d/%d", e.Index, e.Count)
	if e.Phase != nil {
		name += " " + termtext.Line(e.Phase.ID)
	}
	return name
}

func phaseTitle(e record.Event) string {
	if e.Phase == nil || e.Phase.Title == "" {
		return ""
	}
	return ` "` + fit(termtext.Line(e.Phase.Title), maxTitle) + `"`
}
