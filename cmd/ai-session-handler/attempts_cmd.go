package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/ai-session-handler/ai-session-handler/engine/run"
	"github.com/ai-session-handler/ai-session-handler/engine/termtext"
	"github.com/ai-session-handler/ai-session-handler/engine/workspace"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

type attemptsCmd struct {
	Show attemptsShowCmd `cmd:"" help:"Show one attempt: its outcome and its transcript."`
}

type attemptsShowCmd struct {
	readFlags

	ID   string `arg:"" optional:"" help:"The attempt's id or the beginning of it, or a phase's id for its latest attempt. Default: the latest attempt."`
	Plan string `required:"" placeholder:"PATH" help:"The plan."`
}

// Help is the long help of the command.
func (*attemptsShowCmd) Help() string {
	return `The transcript is shown as it was live: without control sequences and with
replacement characters for what is no text. Its file keeps every byte.

EXIT STATUS
  0    the attempt was shown
  5    there is no such attempt, or its record can't be read`
}

// Run runs the command.
func (c *attemptsShowCmd) Run(a *app) error {
	h, err := openHistory(a.path(c.Plan))
	if err != nil {
		return err
	}
	defer h.close()
	ref, err := c.find(h)
	if err != nil {
		return err
	}
	if active := h.state.ActiveAttempt; active != nil && active.ID == ref.AttemptID {
		return c.showActive(a, h, *active)
	}
	outcome, err := h.store.ReadOutcome(ref.Path)
	if err != nil {
		return err
	}
	if a.json {
		return a.JSON(outcome)
	}
	a.Result(outcomeText(h, ref.Path, outcome))
	return c.printTranscript(a, h, ref.AttemptID)
}

// find resolves what the user named to one attempt.
func (c *attemptsShowCmd) find(h *history) (record.CommittedOutcome, error) {
	all := h.state.CommittedOutcomes
	if active := h.state.ActiveAttempt; active != nil {
		all = append(all[:len(all):len(all)], record.CommittedOutcome{AttemptID: active.ID, PhaseID: active.Phase.ID})
	}
	var matches []record.CommittedOutcome
	for _, one := range all {
		if c.ID == one.PhaseID || c.ID == "" {
			matches = []record.CommittedOutcome{one}
		} else if strings.HasPrefix(one.AttemptID, c.ID) {
			matches = append(matches, one)
		}
	}
	switch {
	case len(matches) == 1:
		return matches[0], nil
	case len(matches) > 1:
		return matches[0], inputErrorf("%q fits %d attempts; give more of the id:\n%s", c.ID, len(matches), idList(matches))
	case len(all) == 0:
		return record.CommittedOutcome{}, inputErrorf("%s has no attempts yet", h.plan.Path)
	}
	return record.CommittedOutcome{}, inputErrorf("no attempt fits %q; there are:\n%s", c.ID, idList(all))
}

// maxListed bounds a list of ids in a message.
const maxListed = 20

func idList(list []record.CommittedOutcome) string {
	var lines []string
	for _, one := range list[max(0, len(list)-maxListed):] {
		lines = append(lines, fmt.Sprintf("  %s %s", one.AttemptID, one.Status))
	}
	return strings.Join(lines, "\n")
}

func outcomeText(h *history, path string, o record.Outcome) string {
	var t textWriter
	t.line("attempt", o.AttemptID)
	t.line("phase", o.Phase.ID+" "+termtext.Line(o.Phase.Title))
	t.line("status", string(o.Status))
	if o.Cause != o.Summary {
		t.line("cause", o.Cause)
	}
	t.line("started", o.StartedAt.Format("2006-01-02 15:04:05Z"))
	t.line("duration", (time.Duration(o.DurationMS) * time.Millisecond).String())
	t.line("agent", o.Agent)
	t.line("argv", termtext.Line(strings.Join(o.Argv, " ")))
	t.line("ended", endText(o))
	if r := o.Resources; r != nil {
		t.line("used", fmt.Sprintf("%v CPU, %d MiB in the largest process", time.Duration(r.CPUMS)*time.Millisecond, r.PeakRSSBytes>>20))
	}
	leftovers(&t, "ended after the worker", o.Swept)
	leftovers(&t, "still alive then", o.Survivors)
	t.line("execution workspace", o.ExecutionWorkspace)
	t.line("outcome", h.path(path))
	for _, a := range o.Artifacts {
		t.line(a.Kind, fmt.Sprintf("%s (%d bytes)", h.path(a.Path), a.Bytes))
	}
	t.WriteString("summary:\n  " + strings.ReplaceAll(strings.TrimRight(o.Summary, "\n"), "\n", "\n  ") + "\n")
	return t.String()
}

func endText(o record.Outcome) string {
	switch {
	case o.Signal != nil:
		return "by signal " + *o.Signal
	case o.ExitCode != nil:
		return fmt.Sprintf("with exit code %d", *o.ExitCode)
	case o.Status == record.LaunchFailed:
		return "it never ran"
	}
	return "unknown"
}

func leftovers(t *textWriter, name string, list []record.Leftover) {
	for _, left := range list {
		t.line(name, fmt.Sprintf("process %d (%s)", left.PID, termtext.Line(left.Name)))
	}
}

func (c *attemptsShowCmd) showActive(a *app, h *history, active record.ActiveAttempt) error {
	if a.json {
		return a.JSON(activeOf(h, active))
	}
	var t textWriter
	t.line("attempt", active.ID)
	t.line("phase", active.Phase.ID+" "+termtext.Line(active.Phase.Title))
	t.line("status", string(active.Status)+", no outcome is on disk")
	t.line("started", active.StartedAt.Format("2006-01-02 15:04:05Z"))
	t.line("worker", run.DescribeWorker(active))
	t.line("planned outcome (uncommitted)", h.path(active.OutcomePath))
	a.Result(t.String())
	return c.printTranscript(a, h, active.ID)
}

// printTranscript streams the output, made safe; it may be larger than memory.
func (c *attemptsShowCmd) printTranscript(a *app, h *history, attempt string) error {
	f, err := h.dir.Open(workspace.TranscriptFile(attempt))
	if err != nil {
		a.Result("transcript: can't be read: " + err.Error())
		return nil
	}
	defer func() { _ = f.Close() }()
	start, err := headerSize(f)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	a.Result("transcript: " + f.Name())
	safe := termtext.NewFilter(a.direct.stdout, false)
	if _, err := io.Copy(safe, io.NewSectionReader(f, start, info.Size()-start)); err != nil {
		return err
	}
	if err := safe.Close(); err != nil {
		return err
	}
	return endLine(a.direct.stdout, f, info.Size())
}

// endLine ends the last line of a transcript that does not end it itself.
func endLine(w io.Writer, transcript io.ReaderAt, size int64) error {
	var last [1]byte
	if n, _ := transcript.ReadAt(last[:], size-1); n == 1 && last[0] != '\n' {
		_, err := fmt.Fprintln(w)
		return err
	}
	return nil
}
