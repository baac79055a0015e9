package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/ai-session-handler/ai-session-handler/engine/run"
	"github.com/ai-session-handler/ai-session-handler/engine/termtext"
	"github.com/ai-session-handler/ai-session-handler/engine/workspace"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

type attemptsShowCmd struct {
	readFlags

	ID         string `arg:"" optional:"" help:"The attempt's id or the beginning of it, or a phase's id for its latest attempt. Default: the latest attempt."`
	Plan       string `required:"" placeholder:"PLAN|PATH" help:"The plan, by its file or by its name in the manifest."`
	Prompt     bool   `xor:"part" help:"Show only what the worker was told."`
	Transcript bool   `xor:"part" help:"Show only what the worker printed."`
	Outcome    bool   `xor:"part" help:"Show only the outcome, as it is stored."`
	Raw        bool   `help:"Show the exact bytes of the transcript, or with --prompt of the prompt, and nothing else."`
}

// Help is the long help of the command.
func (*attemptsShowCmd) Help() string {
	return `Prompt and transcript are shown as the transcript was live: without control sequences,
but for colours where --color has them, and with replacement characters for what is no text. --raw shows every byte; the
transcript's header, which the runner wrote, is never shown.

The digests in the outcome tell whether prompt, transcript and index are what the runner
sealed. What is not is shown all the same, with a warning on stderr; so is what is gone.

EXIT STATUS
  0    the attempt was shown
  5    there is no such attempt, or what was asked for can't be read`
}

// Run runs the command.
func (c *attemptsShowCmd) Run(a *app) error {
	if err := c.check(); err != nil {
		return err
	}
	h, err := a.openAttempts(c.Plan)
	if err != nil {
		return err
	}
	defer h.close()
	ref, err := h.find(c.ID)
	if err != nil {
		return err
	}
	e := &evidence{h: h, ref: ref}
	switch {
	case c.Outcome && h.isActive(ref.AttemptID):
		return inputErrorf("attempt %s has no outcome: it is %s\n  planned outcome (uncommitted): %s",
			ref.AttemptID, h.activeStatus(), h.path(workspace.OutcomeFile(ref.AttemptID)))
	case c.Outcome:
		return e.showOutcome(a)
	case c.Prompt, c.Transcript, c.Raw:
		return c.showFile(a, e)
	case h.isActive(ref.AttemptID):
		return c.showActive(a, e, *h.state.ActiveAttempt)
	}
	return c.showAll(a, e)
}

// check refuses flags that contradict each other.
func (c *attemptsShowCmd) check() error {
	switch {
	case c.Raw && c.Outcome:
		return inputErrorf("--raw and --outcome can't be used together: an outcome is shown as it is stored")
	case bool(c.JSON) && (c.Raw || c.Prompt || c.Transcript || c.Outcome):
		return inputErrorf("--json can't be used with --prompt, --transcript, --outcome or --raw, which print one thing as it is")
	}
	return nil
}

// showFile shows the prompt or the transcript alone.
func (c *attemptsShowCmd) showFile(a *app, e *evidence) error {
	if !e.h.isActive(e.ref.AttemptID) {
		if err := e.load(a); err != nil {
			a.warn(fmt.Sprintf("nothing says whether this is what was sealed: %v", err))
		}
	}
	kind, name := "transcript", workspace.TranscriptFile(e.ref.AttemptID)
	if c.Prompt {
		kind, name = "prompt", workspace.PromptFile(e.ref.AttemptID)
	}
	s, err := e.open(name)
	if err != nil {
		return inputErrorf("the %s of attempt %s can't be shown: %v", kind, e.ref.AttemptID, err)
	}
	defer s.close()
	var start int64
	if !c.Prompt {
		if start, err = headerSize(s.file); err != nil {
			return err
		}
	}
	return s.show(a, start, c.Raw)
}

// showAll shows everything about an attempt that ended.
func (c *attemptsShowCmd) showAll(a *app, e *evidence) error {
	if err := e.load(a); err != nil {
		return err
	}
	if a.json {
		e.check(a, "")
		return a.JSON(e.outcome)
	}
	a.Result(outcomeText(e.h, e.ref.Path, *e.outcome))
	e.check(a, workspace.TranscriptFile(e.ref.AttemptID)) // that is checked when it is shown
	return c.showTranscript(a, e)
}

func outcomeText(h *history, path string, o record.Outcome) string {
	var t textWriter
	t.line("attempt", o.AttemptID)
	t.line("phase", o.Phase.ID+" "+termtext.Line(o.Phase.Title))
	t.line("status", string(o.Status))
	if o.Cause != o.Summary {
		t.line("cause", o.Cause)
	}
	if o.Note != nil {
		t.line("decided by hand", *o.Note)
	}
	t.line("started", o.StartedAt.Format("2006-01-02 15:04:05Z"))
	t.line("duration", durationText(path, o))
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
	t.WriteString("summary:\n  " + termtext.Indented(o.Summary, "  ") + "\n")
	return t.String()
}

// durationText knows of no duration where nobody saw the end.
func durationText(path string, o record.Outcome) string {
	if path == workspace.AbandonedFile(o.AttemptID) {
		return "unknown"
	}
	return (time.Duration(o.DurationMS) * time.Millisecond).String()
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

func (c *attemptsShowCmd) showActive(a *app, e *evidence, active record.ActiveAttempt) error {
	if a.json {
		s, err := e.h.activeAttempt(active)
		if err != nil {
			return err
		}
		return a.JSON(s)
	}
	var t textWriter
	t.line("attempt", active.ID)
	t.line("phase", active.Phase.ID+" "+termtext.Line(active.Phase.Title))
	t.line("status", string(active.Status)+", no outcome is on disk")
	t.line("started", active.StartedAt.Format("2006-01-02 15:04:05Z"))
	t.line("worker", run.DescribeWorker(active))
	t.line("planned outcome (uncommitted)", e.h.path(active.OutcomePath))
	a.Result(t.String())
	return c.showTranscript(a, e)
}

// showTranscript shows the transcript below what is said about its attempt.
func (c *attemptsShowCmd) showTranscript(a *app, e *evidence) error {
	s, err := e.open(workspace.TranscriptFile(e.ref.AttemptID))
	if err != nil {
		a.warn("the transcript can't be read: " + err.Error())
		return nil
	}
	defer s.close()
	start, err := headerSize(s.file)
	if err != nil {
		return err
	}
	a.Result("transcript: " + s.file.Name())
	return s.show(a, start, false)
}
