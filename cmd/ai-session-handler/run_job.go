package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/ai-session-handler/ai-session-handler/cmd/internal/ui"
	"github.com/ai-session-handler/ai-session-handler/engine/argv"
	"github.com/ai-session-handler/ai-session-handler/engine/binding"
	"github.com/ai-session-handler/ai-session-handler/engine/match"
	"github.com/ai-session-handler/ai-session-handler/engine/plan"
	"github.com/ai-session-handler/ai-session-handler/engine/run"
	"github.com/ai-session-handler/ai-session-handler/engine/workspace"
)

// job resolves everything the command line, the configuration and the
// environment say. Nobody reads them again.
func (c *runCmd) job(a *app, console *ui.Console, to masking) (run.Job, error) {
	located, err := locate(a.path(c.Plan))
	if err != nil {
		return run.Job{}, fmt.Errorf("--plan %s: %w", c.Plan, err)
	}
	conf, err := readConfig(located.Root)
	if err != nil {
		return run.Job{}, err
	}
	bound, err := c.binding(conf, to.names)
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
	line := runLine(located)
	if c.AgentCmd != "" {
		line.flag("--agent-cmd", c.AgentCmd)
	}
	if c.MaxPhases != nil {
		line.flag("--max-phases", fmt.Sprint(*c.MaxPhases))
	}
	if c.Timeout.set {
		line.flag("--timeout", limitText(c.Timeout.limit))
	}
	if c.IdleTimeout.set {
		line.flag("--idle-timeout", limitText(c.IdleTimeout.limit))
	}
	if c.OutputMax.set {
		line.flag("--output-max", sizeText(c.OutputMax.bytes))
	}
	line.flags("--stop-on-regex", c.StopOnRegex)
	line.flags("--secret-env", c.SecretEnv)
	if c.Events != "" {
		line.flag("--events", c.Events)
	}
	return line
}

func (c *runCmd) binding(conf settings, secrets []string) (binding.Binding, error) {
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
		StopOn: slices.Concat(conf.stopOn, c.StopOnRegex), Secrets: secrets,
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
func (s *planSource) Current(context.Context) (snapshot *plan.Snapshot, err error) {
	err = testOnlySeam.Do("read", "plan", func() (err error) {
		snapshot, err = s.read()
		return err
	})
	return snapshot, err
}

func (s *planSource) read() (*plan.Snapshot, error) {
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
