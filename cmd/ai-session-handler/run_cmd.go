package main

import (
	"errors"
	"time"

	"github.com/ai-session-handler/ai-session-handler/cmd/internal/ui"
	"github.com/ai-session-handler/ai-session-handler/engine/proc"
	"github.com/ai-session-handler/ai-session-handler/engine/run"
	"github.com/ai-session-handler/ai-session-handler/manifest"
	"github.com/ai-session-handler/ai-session-handler/manifest/problem"
)

type runCmd struct {
	planFlags
	overrideFlags

	Events               string `placeholder:"FILE" help:"Append what happens to FILE as JSON, one object per line; - for standard output, worker output then goes to standard error."`
	RetryStopped         bool   `help:"Run the stopped or unresolved phase again."`
	AcceptPlanChange     bool   `help:"Go on with the plan as it is now, though it changed."`
	AcceptManifestChange bool   `help:"Go on with the manifest as it is now, though it changed."`
	Fresh                bool   `help:"Start a new history; an existing one is moved aside, never deleted."`
	DryRun               bool   `help:"Check everything and show what would run, without writing anything."`
}

// Help is the long help of the command.
func (*runCmd) Help() string {
	return `Each remaining phase runs in a fresh process of the agent, with the phase's text on
its standard input. The phase is done only when the agent exits with code 0 and its
last words are exactly one <phase-complete> block.

On a terminal the phase in progress stands below the worker's output. Elsewhere, and
where stdout is a pipe, a line each minute says the same.

Ctrl-C ends the worker and everything it started, records that, and exits. A second
one shortens the time the worker gets to end by itself.

EXIT STATUS
  0    all phases are complete, --max-phases was reached, or the manifest says to pause
  2    the phase is blocked
  3    the phase needs a clarification
  4    the agent failed: its process, launch, result, time, output or IO, or a stop rule
  5    nothing, or nothing more, was run: invalid input, a lock that is held, a changed
       plan or manifest, a stopped or unresolved phase
  129, 130, 131, 143    interrupted by SIGHUP, SIGINT, SIGQUIT, SIGTERM`
}

// Run runs the command. Its words go through the console, which never lets a
// reader that does not read delay the end of a run.
func (c *runCmd) Run(a *app, code *int) error {
	secrets, set, unset, err := readSecrets(manifest.List(c.SecretEnv, manifest.Origin{Name: "--secret-env"}), a.environ)
	if err != nil {
		return err
	}
	stdout := a.stdout
	switch c.Events {
	case "":
	case "-":
		stdout = a.stderr
	default:
		c.Events = a.path(c.Events)
	}
	console := ui.NewConsole(stdout, a.stderr, ui.Options{Quiet: a.quiet, Color: a.color, Env: a.environ})
	defer func() { _ = console.Close() }()
	to := &masking{console, secrets, set}
	warnUnset(to, unset)
	if *code, err = c.run(a, console, to); err != nil {
		*code = codeOf(err)
		a.report(to, err)
	}
	return nil
}

func (c *runCmd) run(a *app, console *ui.Console, to *masking) (code int, err error) {
	job, err := c.job(a, console, to)
	if err != nil {
		return 0, err
	}
	launcher, err := proc.NewLauncher(testOnlySeam)
	if err != nil {
		return 0, err
	}
	runner := &run.Runner{Launcher: launcher, Clock: time.Now, Seam: testOnlySeam, ProgressEvery: time.Minute}
	if c.DryRun {
		return exitOK, preview(a.ctx, &masking{a, to.secrets, to.names}, runner, job)
	}
	ctx, hurry, stop := handleSignals(a.ctx)
	defer stop()
	job.Hurry = hurry
	closeEvents, err := c.tellEvents(a, to, &job)
	if err != nil {
		return 0, err
	}
	result, err := runner.Run(ctx, job)
	closeEvents() // before the result, which a reader of the events may wait for
	if err != nil {
		return 0, explain(err, job)
	}
	return printResult(ctx, to, job, result), nil
}

// explain adds to an error of the engine what only the command line knows.
func explain(err error, job run.Job) error {
	var (
		unresolved *run.UnresolvedError
		source     *run.SourceError
		invalid    *problem.Invalid
	)
	switch {
	case errors.As(err, &unresolved):
		return &explained{err, unresolvedText(unresolved, job)}
	case errors.As(err, &source) && errors.As(err, &invalid):
		return &brokeOff{err, source.Again}
	}
	return err
}

// brokeOff is a manifest that had errors when a run read it again.
type brokeOff struct {
	error
	again string // the command that goes on
}

func (e *brokeOff) Unwrap() error { return e.error }

// explained is an error in more words.
type explained struct {
	error
	text string
}

func (e *explained) Unwrap() error { return e.error }

func (e *explained) Error() string { return e.text }
