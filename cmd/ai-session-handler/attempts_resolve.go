package main

import (
	"errors"
	"path/filepath"
	"strings"
	"time"

	"github.com/kballard/go-shellquote"

	"github.com/ai-session-handler/ai-session-handler/engine/proc"
	"github.com/ai-session-handler/ai-session-handler/engine/run"
	"github.com/ai-session-handler/ai-session-handler/engine/termtext"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

type attemptsResolveCmd struct {
	ID   string `arg:"" help:"The attempt's id, or the beginning of it."`
	As   string `required:"" enum:"failed,interrupted" placeholder:"failed|interrupted" help:"What became of it: failed, or interrupted. Only a run completes a phase."`
	Note string `required:"" placeholder:"TEXT" help:"Why, for whoever reads the outcome. No worker is told."`
	Plan string `required:"" placeholder:"PLAN|PATH" help:"The plan, by its file or by its name in the manifest."`
}

// Help is the long help of the command.
func (*attemptsResolveCmd) Help() string {
	return `An attempt is unresolved when its handler ended before its result was on disk. This
records what you found out about it and runs nothing: its phase is stopped from then on,
and run --retry-stopped runs it again. Refused while anything of the attempt is alive,
and while a run is at work in its workspace.

EXIT STATUS
  0    the decision is recorded
  4    it could not be written down; the attempt is still unresolved
  5    nothing was changed: the attempt is not unresolved, something of it is alive, a
       lock is held, or the note can't be used`
}

// maxNote bounds a note in bytes.
const maxNote = 4 << 10

// Run runs the command.
func (c *attemptsResolveCmd) Run(a *app) error {
	note, err := c.note()
	if err != nil {
		return err
	}
	if c.ID == "" {
		return inputErrorf("the ID is empty; \"attempts list\" shows them")
	}
	h, err := a.openAttempts(c.Plan)
	if err != nil {
		return err
	}
	defer h.close()
	ref, err := h.findID(c.ID)
	if err != nil {
		return err
	}
	subject, err := a.reading().subjectAt(h.plan.Path)
	if err != nil {
		return err
	}
	command, _ := subject.runCommand(a, h) // the attempt is unresolved: the state has its terms
	worker := h.unseenWorker()
	runner := &run.Runner{Clock: time.Now, Seam: testOnlySeam}
	result, err := runner.Resolve(a.ctx, run.Decision{
		Plan: h.plan, AttemptID: ref.AttemptID, Status: c.status(), Note: note, Command: command,
	})
	if err != nil {
		return c.explain(err)
	}
	o := result.Outcome
	a.Result("attempt-resolved: " + o.AttemptID + " is " + string(o.Status) + ", " + o.Phase.ID + " is stopped")
	a.Line("outcome: " + filepath.Join(result.PlanDir, result.Path))
	if worker != "" {
		a.warn("its worker: " + worker + "; make sure that it does not run")
	}
	c.next(a, advice(*o))
	return nil
}

// next says how to go on as status does, which knows of a plan that changed or
// is gone since.
func (c *attemptsResolveCmd) next(a *app, advice string) {
	h, err := a.openAttempts(c.Plan)
	if err != nil {
		a.Line("what comes next can't be told: " + err.Error())
		return
	}
	defer h.close()
	subject, err := a.reading().subjectAt(h.plan.Path)
	if err != nil {
		a.Line("what comes next can't be told: " + err.Error())
		return
	}
	s := gather(a, h, subject)
	for _, problem := range s.Problems {
		first, _, _ := strings.Cut(problem, "\n") // status has all of it
		a.Line("problem: " + first)
	}
	if s.GoOn == "" {
		a.Line("next: settle that; how to go on then: " + shellquote.Join("ai-session-handler", "status", "--plan", h.plan.Path))
		return
	}
	a.Line("next: " + advice + ": " + s.GoOn)
}

// unseenWorker says that whether the worker of the active attempt lives can't
// be seen. It is empty where that can be.
func (h *history) unseenWorker() string {
	a := h.state.ActiveAttempt
	if a == nil || a.Process == nil || proc.WorkerAlive(*a.Process).State != proc.Unknown {
		return ""
	}
	return run.DescribeWorker(*a)
}

func (c *attemptsResolveCmd) status() record.Status {
	if c.As == "failed" {
		return record.AgentFailed
	}
	return record.Interrupted
}

// note is the note as it is kept: plain text.
func (c *attemptsResolveCmd) note() (string, error) {
	note := strings.TrimSpace(termtext.Text(c.Note))
	switch {
	case note == "":
		return "", inputErrorf("--note: say in a few words what you found out")
	case len(note) > maxNote:
		return "", inputErrorf("--note: it has %d bytes, at most %d are kept; name a file that says more", len(note), maxNote)
	}
	return note, nil
}

// explain adds to an error of the engine what can be done about it.
func (c *attemptsResolveCmd) explain(err error) error {
	var unresolved *run.UnresolvedError
	if errors.As(err, &unresolved) {
		return &explained{err, err.Error() + "\n  the attempt is still unresolved\n  next: make room or repair the file system, then repeat this command"}
	}
	return err
}
