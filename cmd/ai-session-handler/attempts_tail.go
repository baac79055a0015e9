package main

import (
	"context"
	"os"
	"os/signal"
	"time"

	"github.com/ai-session-handler/ai-session-handler/engine/run"
)

type attemptsTailCmd struct {
	ID     string `arg:"" optional:"" help:"The attempt's id or the beginning of it, or a phase's id for its latest attempt. Default: the running attempt, else the latest."`
	Plan   string `required:"" placeholder:"PLAN|PATH" help:"The plan, by its file or by its name in the manifest."`
	Follow bool   `short:"f" help:"Show what comes, until the attempt ends; without an ID, until the run does."`
	Lines  int    `short:"n" default:"10" placeholder:"N" help:"How many of the last lines to begin with."`
	Raw    bool   `help:"Show the exact bytes."`
}

// Help is the long help of the command.
func (*attemptsTailCmd) Help() string {
	return `Shows the end of what a worker printed, with --follow as it comes. Without an ID it goes
on with the next phase's attempt of the same run. It only reads: whatever happens to it,
Ctrl-C included, does nothing to the run. Without --raw, control sequences are left out,
but for colours where --color has them. How an attempt ended is told on stderr.

EXIT STATUS
  0    the end was shown, or what was followed has ended, however it did
  5    there is no such attempt, or its transcript can't be read or was cut off
  129, 130, 131, 143    interrupted by SIGHUP, SIGINT, SIGQUIT, SIGTERM`
}

// Run runs the command.
func (c *attemptsTailCmd) Run(a *app, code *int) error {
	if c.Lines < 0 {
		return inputErrorf("--lines %d: must not be negative", c.Lines)
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
	status := string(ref.Status)
	if h.isActive(ref.AttemptID) {
		status = h.activeStatus()
	}
	if c.Follow && (status == standsRunning || status == standsUnknown) {
		f := newFollower(a, h, c.Raw)
		return interruptible(a.ctx, code, func(ctx context.Context) error {
			return f.run(ctx, ref.AttemptID, c.Lines, c.ID == "")
		})
	}
	if err := showEnd(a, h, ref.AttemptID, c.Lines, c.Raw); err != nil {
		return err
	}
	if c.Follow {
		a.Line("nothing runs: attempt " + ref.AttemptID + " is " + status)
	}
	return nil
}

// showEnd shows the last lines of a transcript as they are now.
func showEnd(a *app, h *history, id string, lines int, raw bool) error {
	t := newTail(a, h, id, lines, raw)
	defer t.close()
	if err := t.open(); err != nil {
		return inputErrorf("the transcript of attempt %s can't be shown: %v", id, err)
	}
	if err := t.copy(); err != nil {
		return err
	}
	if err := t.end(); err != nil {
		return err
	}
	a.warn(h.grown(id, t.file))
	return nil
}

// leaveAfter is how long an interrupted command waits for a reader that takes
// nothing.
const leaveAfter = time.Second

// interruptible does something until it is done or a signal comes, which gives
// the exit code.
func interruptible(parent context.Context, code *int, do func(context.Context) error) error {
	ctx, cancel := context.WithCancel(parent)
	defer cancel()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, stopSignals()...)
	defer signal.Stop(signals)
	var err error
	done := make(chan struct{})
	go func() { defer close(done); err = do(ctx) }()
	select {
	case <-done:
		return err
	case s := <-signals:
		*code = codeOf(&run.InterruptedError{Signal: s})
	}
	cancel()
	select {
	case <-done:
	case <-time.After(leaveAfter):
	}
	return nil
}
