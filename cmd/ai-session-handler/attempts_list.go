package main

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/mattn/go-runewidth"

	"github.com/ai-session-handler/ai-session-handler/engine/termtext"
	"github.com/ai-session-handler/ai-session-handler/engine/workspace"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

type attemptsListCmd struct {
	readFlags

	Plan   string `required:"" placeholder:"PLAN|PATH" help:"The plan, by its file or by its name in the manifest."`
	Phase  string `placeholder:"ID" help:"Only attempts of this phase, for example phase-3 or 3."`
	Status string `placeholder:"STATUS" help:"Only attempts of this status, for example blocked or unresolved."`
}

// Help is the long help of the command.
func (*attemptsListCmd) Help() string {
	return `Lists every attempt of the plan, oldest first. The last one may have no outcome yet: it
is running, or unresolved when its handler is gone. Takes no lock, changes nothing, and
works during a run.

EXIT STATUS
  0    the attempts were listed, or there are none
  5    the state can't be read, or there is no such plan or status`
}

// attemptList is what the list is as JSON.
type attemptList struct {
	Format   string          `json:"format"`
	Plan     string          `json:"plan"`
	Attempts []listedAttempt `json:"attempts"`
}

// attemptsFormat is the format word of a list of attempts as JSON.
const attemptsFormat = "ai-session-handler/attempts/1"

// listedAttempt is one row. What an outcome that can't be read would tell is
// empty or null.
type listedAttempt struct {
	ID         string       `json:"id"`
	Phase      record.Phase `json:"phase"`
	Status     string       `json:"status"`    // of the outcome; or where the active attempt stands
	Committed  bool         `json:"committed"` // its outcome is on disk and linked
	ByHand     bool         `json:"decided_by_hand"`
	Agent      string       `json:"agent"`
	StartedAt  *time.Time   `json:"started_at"`
	DurationMS *int64       `json:"duration_ms"` // null where nobody saw the end; so far, while it runs
	Outcome    string       `json:"outcome"`     // planned only, unless committed
	Transcript string       `json:"transcript"`
	Problem    string       `json:"problem"` // what is wrong with its outcome
	flaw       string       // the same in few words
}

// Run runs the command.
func (c *attemptsListCmd) Run(a *app) error {
	if err := c.check(); err != nil {
		return err
	}
	h, err := a.openAttempts(c.Plan)
	if err != nil {
		return err
	}
	defer h.close()
	list := attemptList{Format: attemptsFormat, Plan: h.plan.Path, Attempts: c.list(h)}
	switch {
	case a.json:
		return a.JSON(list)
	case len(h.attempts()) == 0:
		a.Result(h.plan.Path + " has no attempts yet")
	case len(list.Attempts) == 0:
		a.Result("no attempt is of that phase and status")
	default:
		a.Result(list.text())
	}
	return nil
}

// check refuses a status that no attempt can have.
func (c *attemptsListCmd) check() error {
	known := []string{standsRunning, standsAbandoned, standsUnknown}
	for _, s := range record.Statuses() {
		known = append(known, string(s))
	}
	if c.Status == "" || slices.Contains(known, c.Status) {
		return nil
	}
	return inputErrorf("--status %s: there is no such status; there are %s", c.Status, strings.Join(known, ", "))
}

// list makes the rows that are asked for. It opens outcomes of no others.
func (c *attemptsListCmd) list(h *history) []listedAttempt {
	rows := []listedAttempt{}
	phase := ""
	if c.Phase != "" {
		phase = "phase-" + strings.TrimPrefix(c.Phase, "phase-")
	}
	for _, one := range h.attempts() {
		status := string(one.Status)
		if h.isActive(one.AttemptID) {
			status = h.activeStatus()
		}
		if phase != "" && phase != one.PhaseID || c.Status != "" && c.Status != status {
			continue
		}
		row := listedAttempt{
			ID: one.AttemptID, Phase: record.Phase{ID: one.PhaseID}, Status: status,
			Transcript: h.path(workspace.TranscriptFile(one.AttemptID)),
		}
		if h.isActive(one.AttemptID) {
			row.addActive(h, *h.state.ActiveAttempt)
		} else {
			row.addOutcome(h, one)
		}
		rows = append(rows, row)
	}
	return rows
}

func (r *listedAttempt) addActive(h *history, a record.ActiveAttempt) {
	r.Phase, r.Agent, r.StartedAt, r.Outcome = a.Phase, a.Agent, &a.StartedAt, h.path(a.OutcomePath)
	if r.Status == standsRunning {
		soFar := max(0, time.Since(a.StartedAt).Milliseconds())
		r.DurationMS = &soFar
	}
}

func (r *listedAttempt) addOutcome(h *history, c record.CommittedOutcome) {
	r.Committed, r.Outcome = true, h.path(c.Path)
	o, err := h.store.SkimOutcome(c.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		r.Problem, r.flaw = err.Error(), "outcome missing"
	case err != nil:
		r.Problem, r.flaw = err.Error(), "outcome unreadable"
	case o.AttemptID != c.AttemptID || o.Status != c.Status:
		r.Problem, r.flaw = r.Outcome+" is not the outcome that was committed", "not the outcome that was committed"
	}
	if r.Problem != "" {
		if at, ok := workspace.AttemptTime(c.AttemptID); ok {
			r.StartedAt = &at
		}
		return
	}
	r.Phase.Title, r.Agent, r.StartedAt, r.ByHand = o.Phase.Title, o.Agent, &o.StartedAt, o.Note != nil
	if c.Path != workspace.AbandonedFile(c.AttemptID) {
		r.DurationMS = &o.DurationMS
	}
}

// Bounds of columns, in cells of a terminal.
const (
	maxAgentWidth = 24
	maxTitleWidth = 60
)

func (l attemptList) text() string {
	rows := [][]string{{"ATTEMPT", "PHASE", "STATUS", "AGENT", "STARTED", "DURATION", "TITLE"}}
	for _, r := range l.Attempts {
		rows = append(rows, r.cells())
	}
	return table(rows)
}

func (r listedAttempt) cells() []string {
	status, title := r.Status, termtext.Line(r.Phase.Title)
	switch {
	case r.ByHand:
		status += ", by hand"
	case !r.Committed:
		status += ", uncommitted"
	case r.flaw != "":
		title = "(" + r.flaw + ")"
	}
	started, duration := "-", "-"
	if r.StartedAt != nil {
		started = r.StartedAt.Format("2006-01-02 15:04:05Z")
	}
	if r.DurationMS != nil {
		duration = roundDuration(time.Duration(*r.DurationMS) * time.Millisecond).String()
	}
	agent := runewidth.Truncate(termtext.Line(r.Agent), maxAgentWidth, "…")
	return []string{
		termtext.Line(r.ID), termtext.Line(r.Phase.ID), status, orDash(agent), started, duration,
		runewidth.Truncate(title, maxTitleWidth, "…"),
	}
}

// roundDuration leaves as much of a duration as a reader cares for.
func roundDuration(d time.Duration) time.Duration {
	if d < time.Second {
		return d
	}
	return d.Round(time.Second)
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// table aligns cells that are safe to show, by their width on a terminal.
func table(rows [][]string) string {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], runewidth.StringWidth(cell))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(cell + strings.Repeat(" ", widths[i]-runewidth.StringWidth(cell)+2))
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}
