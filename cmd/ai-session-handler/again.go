package main

import (
	"slices"
	"strings"
	"time"

	"github.com/ai-session-handler/ai-session-handler/engine/binding"
	"github.com/ai-session-handler/ai-session-handler/manifest"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// commandLine is a command to be pasted into a shell, word by word.
type commandLine []string

// command begins a command that must be run where this one was.
func (a *app) command() commandLine {
	if a.given == "" {
		return commandLine{"ai-session-handler"}
	}
	return commandLine{"ai-session-handler", "-C", a.dir}
}

// flag adds a flag. A value that looks like one needs an equals sign.
func (l *commandLine) flag(name, value string) {
	if strings.HasPrefix(value, "-") {
		*l = append(*l, name+"="+value)
		return
	}
	*l = append(*l, name, value)
}

func (l *commandLine) flags(name string, values []string) {
	for _, value := range values {
		l.flag(name, value)
	}
}

// runLine begins the command that goes on with a plan: by its name where that
// finds it, by its path elsewhere.
func (s *subject) runLine(a *app) commandLine {
	if s.block != nil && a.isIn(s.root) {
		return slices.Concat(append(a.command(), "run", s.block.Name), a.manifest.args(a))
	}
	return slices.Concat(commandLine{"ai-session-handler", "run", "--plan", s.plan.Path}, a.manifest.args(a))
}

// runCommand is the command line that goes on with a plan under the agent, the
// limits, rules and masks of its latest attempt, where they are others than the
// manifest and config.json say; they are left out with an error. People have to
// fill in a template that a command line gave.
func (s *subject) runCommand(a *app, h *history) ([]string, error) {
	line := s.runLine(a)
	resolved, err := s.manifest.Resolve(manifest.Request{Plan: s.block, Source: s.plan.Relative})
	unnamed := err != nil
	terms, found, err := h.latestTerms()
	if !found || err != nil {
		if unnamed {
			line.flag("--agent-cmd", "TEMPLATE")
		}
		return line, err
	}
	said := binding.PhaseOf(resolved.Binding.Record(), terms.phaseID)
	if m := h.state.Manifest; m != nil { // what the manifest said then: a change of it is no flag
		said = binding.PhaseOf(m.Binding, terms.phaseID)
		if m.AcceptedAt.After(terms.startedAt) {
			terms = terms.outdated(said)
		}
	}
	terms.agentFlag(&line, s, said, unnamed)
	said = terms.saidWithAgent(s, said)
	terms.limitFlags(&line, said.Limits)
	line.flags("--stop-on-regex", missing(terms.stopOn, said.StopOn))
	line.flags("--secret-env", missing(terms.secretEnv, said.SecretEnv))
	return line, nil
}

// terms are what an attempt ran under, flags included.
type terms struct {
	phaseID   string
	startedAt time.Time
	agent     string
	limits    record.Limits
	stopOn    []string
	secretEnv []string
}

// outdated takes out what may have been a flag or the manifest before the one that
// says this: which of them it was can't be told any more.
func (t terms) outdated(said record.PhaseBinding) terms {
	t.limits = said.Limits
	if t.agent != agentOfTemplate {
		t.agent = said.Agent
	}
	return t
}

// agentFlag repeats a flag that chose the agent.
func (t terms) agentFlag(line *commandLine, s *subject, said record.PhaseBinding, unnamed bool) {
	_, known := s.manifest.Agent(t.agent)
	switch {
	case t.agent == agentOfTemplate && said.Agent != agentOfTemplate, unnamed:
		line.flag("--agent-cmd", "TEMPLATE")
	case known && t.agent != said.Agent:
		line.flag("--agent", t.agent)
	}
}

// saidWithAgent is what the manifest says besides the flag that chose the agent,
// of which the profile is part.
func (t terms) saidWithAgent(s *subject, said record.PhaseBinding) record.PhaseBinding {
	if t.agent == said.Agent {
		return said
	}
	flags := manifest.Layer{"agent": {Value: t.agent}}
	if t.agent == agentOfTemplate {
		flags = manifest.Layer{"command": {Value: manifest.Command{agentOfTemplate}}}
	}
	resolved, err := s.manifest.Resolve(manifest.Request{Plan: s.block, Source: s.plan.Relative, Flags: flags})
	if err != nil {
		return said // an agent that is gone, or the one of config.json
	}
	return binding.PhaseOf(resolved.Binding.Record(), t.phaseID)
}

// agentOfTemplate is how records name the agent of --agent-cmd.
const agentOfTemplate = "agent-cmd"

func (t terms) limitFlags(line *commandLine, said record.Limits) {
	if t.limits.TimeoutMS != said.TimeoutMS {
		line.flag("--timeout", binding.LimitText(milliseconds(t.limits.TimeoutMS)))
	}
	if t.limits.IdleTimeoutMS != said.IdleTimeoutMS {
		line.flag("--idle-timeout", binding.LimitText(milliseconds(t.limits.IdleTimeoutMS)))
	}
	if t.limits.OutputMaxBytes != said.OutputMaxBytes {
		line.flag("--output-max", binding.SizeText(t.limits.OutputMaxBytes))
	}
}

// missing are those of all that are not among said.
func missing(all, said []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(one string) bool { return slices.Contains(said, one) })
}

func milliseconds(n int64) time.Duration { return time.Duration(n) * time.Millisecond }

// latestTerms is what the latest attempt ran under, decided or not.
func (h *history) latestTerms() (t terms, found bool, err error) {
	if a := h.state.ActiveAttempt; a != nil {
		return terms{a.Phase.ID, a.StartedAt, a.Agent, a.Limits, a.StopOn, a.SecretEnv}, true, nil
	}
	last := h.state.LastRun
	if last == nil {
		return t, false, nil
	}
	o, err := h.store.ReadOutcome(last.OutcomePath)
	return terms{o.Phase.ID, o.StartedAt, o.Agent, o.Limits, o.StopOn, o.SecretEnv}, true, err
}
