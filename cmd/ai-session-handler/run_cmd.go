package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ai-session-handler/ai-session-handler/cmd/internal/ui"
	"github.com/ai-session-handler/ai-session-handler/engine/argv"
	"github.com/ai-session-handler/ai-session-handler/engine/binding"
	"github.com/ai-session-handler/ai-session-handler/engine/match"
	"github.com/ai-session-handler/ai-session-handler/engine/plan"
	"github.com/ai-session-handler/ai-session-handler/engine/proc"
	"github.com/ai-session-handler/ai-session-handler/engine/run"
	"github.com/ai-session-handler/ai-session-handler/engine/workspace"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

type runCmd struct {
	Plan             string    `required:"" placeholder:"PATH" help:"The plan to run."`
	AgentCmd         string    `placeholder:"TEMPLATE" help:"The agent's command, split into words like a shell would, never given to one. Placeholders: {prompt_file} {workspace} {run_id} {transcript_file} {state_file}; {{ and }} for braces. Default: agent_cmd of config.json."`
	MaxPhases        *int      `placeholder:"N" help:"End after N successful phases. Default: max_phases of config.json, else run to the end."`
	Timeout          limitFlag `placeholder:"D" help:"Stop a phase after D: a duration such as 90m, a number of seconds, or none. Default: timeout_seconds of config.json, else 1h."`
	IdleTimeout      limitFlag `placeholder:"D" help:"Stop a phase that prints nothing for D. Default: none."`
	OutputMax        sizeFlag  `placeholder:"SIZE" help:"Stop a phase that prints more than SIZE: 500MB, 2GiB, a number of bytes, or none. Default: 2GiB."`
	StopOnRegex      []string  `sep:"none" placeholder:"RE" help:"Stop a phase as soon as its output matches RE (RE2 syntax, over all that both streams printed). Repeatable; adds to stop_on_regex of config.json."`
	SecretEnv        []string  `sep:"none" placeholder:"NAME" help:"Mask the value of the environment variable NAME wherever output is kept or shown. Repeatable."`
	Events           string    `placeholder:"FILE" help:"Append what happens to FILE as JSON, one object per line; - for standard output, worker output then goes to standard error."`
	RetryStopped     bool      `help:"Run the stopped or unresolved phase again."`
	AcceptPlanChange bool      `help:"Go on with the plan as it is now, though it changed."`
	Fresh            bool      `help:"Start a new history; an existing one is moved aside, never deleted."`
	DryRun           bool      `help:"Check everything and show what would run, without writing anything."`
}

// Help is the long help of the command.
func (*runCmd) Help() string {
	return `Each remaining phase runs in a fresh process of the agent, with the phase's text on
its standard input. The phase is done only when the agent exits with code 0 and its
last words are exactly one <phase-complete> block.

Ctrl-C ends the worker and everything it started, records that, and exits. A second
one shortens the time the worker gets to end by itself.

EXIT STATUS
  0    all phases are complete, or --max-phases was reached
  2    the phase is blocked
  3    the phase needs a clarification
  4    the agent failed: its process, launch, result, time, output or IO, or a stop rule
  5    nothing, or nothing more, was run: invalid input, a lock that is held, a changed
       plan, a stopped or unresolved phase
  129, 130, 131, 143    interrupted by SIGHUP, SIGINT, SIGQUIT, SIGTERM`
}

// Run runs the command. Its words go through the console, which never lets a
// reader that does not read delay the end of a run.
func (c *runCmd) Run(a *app, code *int) error {
	secrets, unset, err := readSecrets(c.SecretEnv, a.environ)
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
	console := ui.NewConsole(stdout, a.stderr, ui.Options{Quiet: a.quiet, Env: a.environ})
	defer func() { _ = console.Close() }()
	to := masking{console, secrets}
	warnUnset(to, unset)
	if *code, err = c.run(a, console, to); err != nil {
		*code = codeOf(err)
		a.report(to, err)
	}
	return nil
}

func (c *runCmd) run(a *app, console *ui.Console, to masking) (code int, err error) {
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
		return exitOK, preview(a, runner, job)
	}
	ctx, hurry, stop := handleSignals(a.ctx)
	defer stop()
	job.Hurry = hurry
	closeEvents, err := c.tellEvents(a, to, &job)
	if err != nil {
		return 0, err
	}
	result, err := runner.Run(ctx, job)
	closeEvents()
	if err != nil {
		return 0, explain(err, job)
	}
	return printResult(ctx, to, job, result), nil
}

// tellEvents lets the events of a job go to the file that --events names too.
func (c *runCmd) tellEvents(a *app, to printer, job *run.Job) (done func(), err error) {
	if c.Events == "" {
		return func() {}, nil
	}
	file, err := a.openEvents(c.Events)
	if err != nil {
		return nil, err
	}
	events, others := ui.NewEvents(file), job.Observe
	job.Observe = func(e record.Event) { others(e); events.Event(e) }
	return func() {
		if err := events.Close(); err != nil {
			to.Error("warning: --events " + c.Events + ": " + err.Error())
		}
		if file != a.stdout {
			_ = file.Close()
		}
	}, nil
}

// openEvents opens a file for events. One that is a pipe must have a reader:
// waiting for one could be waiting for ever.
func (a *app) openEvents(name string) (*os.File, error) {
	if name == "-" {
		return a.stdout, nil
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND|unix.O_NONBLOCK, 0o600)
	if errors.Is(err, unix.ENXIO) {
		err = fmt.Errorf("%w: it is a pipe that nobody reads; start the reader first", err)
	}
	if err != nil {
		return nil, inputErrorf("--events %s: %v", name, err)
	}
	return file, nil
}

// job resolves everything the command line, the configuration and the
// environment say. Nobody reads them again.
func (c *runCmd) job(a *app, console *ui.Console, to masking) (run.Job, error) {
	located, err := workspace.Locate(a.path(c.Plan))
	if err != nil {
		return run.Job{}, inputErrorf("--plan %s: %v", c.Plan, err)
	}
	conf, err := readConfig(located.Root)
	if err != nil {
		return run.Job{}, err
	}
	bound, err := c.binding(conf)
	if err != nil {
		return run.Job{}, err
	}
	rules, err := match.Compile(bound.StopOn)
	if err != nil {
		return run.Job{}, inputErrorf("--stop-on-regex: %v", err)
	}
	maxPhases, err := c.maxPhases(conf)
	if err != nil {
		return run.Job{}, err
	}
	return run.Job{
		Plan: located, Command: c.again(located), Binding: bound, Environ: a.environ, Console: console, Observe: ui.NewProgress(console).Event,
		StopRules: rules, Secrets: to.secrets,
		Source: &planSource{path: located.Path, warn: func(s *plan.Snapshot) { warn(to, located, s) }},
		Options: run.Options{
			MaxPhases: maxPhases, RetryStopped: c.RetryStopped, AcceptPlanChange: c.AcceptPlanChange, Fresh: c.Fresh,
		},
	}, nil
}

// again is the command line without what is decided once: accepting, retrying
// and starting afresh.
func (c *runCmd) again(located workspace.Plan) []string {
	words := []string{"ai-session-handler", "run", "--plan", located.Path}
	add := func(given bool, flag, value string) {
		if given {
			words = append(words, flag, value)
		}
	}
	add(c.AgentCmd != "", "--agent-cmd", c.AgentCmd)
	add(c.MaxPhases != nil, "--max-phases", fmt.Sprint(deref(c.MaxPhases)))
	add(c.Timeout.set, "--timeout", limitText(c.Timeout.limit))
	add(c.IdleTimeout.set, "--idle-timeout", limitText(c.IdleTimeout.limit))
	add(c.OutputMax.set, "--output-max", sizeText(c.OutputMax.bytes))
	for _, rule := range c.StopOnRegex {
		add(true, "--stop-on-regex", rule)
	}
	for _, name := range c.SecretEnv {
		add(true, "--secret-env", name)
	}
	add(c.Events != "", "--events", c.Events)
	return words
}

func deref(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}

func (c *runCmd) binding(conf settings) (binding.Binding, error) {
	template, agent, where := c.AgentCmd, "agent-cmd", "--agent-cmd"
	if template == "" {
		template, agent, where = conf.agentCmd, "config.json", conf.path+": agent_cmd"
	}
	if template == "" {
		return binding.Binding{}, inputErrorf("no agent is given\n  next: add --agent-cmd \"your-agent-command\", or set agent_cmd in %s (ai-session-handler init writes one)", conf.path)
	}
	words, err := argv.Parse(template)
	if err != nil {
		return binding.Binding{}, inputErrorf("%s: %v", where, err)
	}
	limits := binding.Limits{Timeout: conf.timeout, Grace: testOnlyGrace, IdleTimeout: c.IdleTimeout.limit, OutputMax: binding.DefaultOutputMax}
	if c.Timeout.set {
		limits.Timeout = c.Timeout.limit
	}
	if c.OutputMax.set {
		limits.OutputMax = c.OutputMax.bytes
	}
	return binding.Binding{
		Agent: agent, Command: template, Argv: words, Limits: limits,
		StopOn: slices.Concat(conf.stopOn, c.StopOnRegex), Secrets: c.SecretEnv,
	}, nil
}

func (c *runCmd) maxPhases(conf settings) (int, error) {
	if c.MaxPhases == nil {
		return conf.maxPhases, nil
	}
	if *c.MaxPhases < 1 {
		return 0, inputErrorf("--max-phases %d: must be at least 1", *c.MaxPhases)
	}
	return *c.MaxPhases, nil
}

// planSource reads the plan's file; what lint finds is told once.
type planSource struct {
	path string
	warn func(*plan.Snapshot)
	last *plan.Snapshot
}

// Current implements run.Source.
func (s *planSource) Current(context.Context) (*plan.Snapshot, error) {
	if s.last != nil {
		return s.last.Reread()
	}
	snapshot, err := plan.Read(s.path)
	if err != nil {
		return nil, err
	}
	s.warn(snapshot)
	s.last = snapshot
	return snapshot, nil
}

// warn tells what is likely a mistake, and which later phases can't start yet;
// an earlier phase may still make their workspaces.
func warn(to printer, located workspace.Plan, s *plan.Snapshot) {
	for _, f := range s.Lint(false) {
		to.Line("warning: " + formatFinding(s.Path, f))
	}
	for i, p := range s.Phases {
		if _, err := located.Execution(p.ID, p.Workspace); err != nil && i > 0 {
			to.Line("warning: " + err.Error() + " (it must be there when the phase starts)")
		}
	}
}

// handleSignals turns the first signal into the end of the context, whose cause
// is a *run.InterruptedError, and each later one into a hurry.
func handleSignals(parent context.Context) (context.Context, <-chan struct{}, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 8)
	watched := []os.Signal{unix.SIGINT, unix.SIGTERM, unix.SIGQUIT}
	if !signal.Ignored(unix.SIGHUP) {
		watched = append(watched, unix.SIGHUP)
	}
	signal.Notify(signals, watched...)
	// Caught, so that a console that went away is an error of a write.
	signal.Notify(make(chan os.Signal, 1), unix.SIGPIPE)
	hurry, done := make(chan struct{}), make(chan struct{})
	go func() {
		for {
			select {
			case <-done:
				return
			case s := <-signals:
				if ctx.Err() == nil {
					cancel(&run.InterruptedError{Signal: s})
					continue
				}
				select {
				case hurry <- struct{}{}:
				case <-done:
					return
				}
			}
		}
	}()
	return ctx, hurry, func() { close(done); signal.Stop(signals); cancel(nil) }
}

// explain adds to an error of the engine what only the command line knows.
func explain(err error, job run.Job) error {
	var unresolved *run.UnresolvedError
	var interrupted *run.InterruptedError
	switch {
	case errors.As(err, &unresolved):
		return &explained{err, unresolvedText(unresolved, job)}
	case errors.As(err, &interrupted):
		return &explained{err, err.Error() + " between two phases\n  next: " + job.Again()}
	}
	return err
}

// explained is an error in more words.
type explained struct {
	error
	text string
}

func (e *explained) Unwrap() error { return e.error }

func (e *explained) Error() string { return e.text }
