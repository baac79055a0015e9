package main

import (
	"slices"
	"strings"
	"time"

	"github.com/ai-session-handler/ai-session-handler/engine/binding"
	"github.com/ai-session-handler/ai-session-handler/engine/workspace"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// commandLine is a command to be pasted into a shell, word by word.
type commandLine []string

// runLine begins the command that goes on with a plan.
func runLine(located workspace.Plan) commandLine {
	return commandLine{"ai-session-handler", "run", "--plan", located.Path}
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

// runCommand is the command line that goes on with a plan under the limits,
// rules and masks of its latest attempt; they are left out with an error. Where
// no configuration names an agent, people have to fill it in.
func runCommand(h *history, conf settings) ([]string, error) {
	line := runLine(h.plan)
	if conf.agentCmd == "" {
		line.flag("--agent-cmd", "TEMPLATE")
	}
	limits, stopOn, secretEnv, found, err := h.latestTerms()
	if !found || err != nil {
		return line, err
	}
	if timeout := milliseconds(limits.TimeoutMS); timeout != conf.timeout {
		line.flag("--timeout", limitText(timeout))
	}
	if idle := milliseconds(limits.IdleTimeoutMS); idle != 0 {
		line.flag("--idle-timeout", limitText(idle))
	}
	if limits.OutputMaxBytes != binding.DefaultOutputMax {
		line.flag("--output-max", sizeText(limits.OutputMaxBytes))
	}
	for _, rule := range stopOn {
		if !slices.Contains(conf.stopOn, rule) {
			line.flag("--stop-on-regex", rule)
		}
	}
	line.flags("--secret-env", secretEnv)
	return line, nil
}

func milliseconds(n int64) time.Duration { return time.Duration(n) * time.Millisecond }

// latestTerms is what the latest attempt ran under, decided or not.
func (h *history) latestTerms() (limits record.Limits, stopOn, secretEnv []string, found bool, err error) {
	if a := h.state.ActiveAttempt; a != nil {
		return a.Limits, a.StopOn, a.SecretEnv, true, nil
	}
	last := h.state.LastRun
	if last == nil {
		return limits, nil, nil, false, nil
	}
	o, err := h.store.ReadOutcome(last.OutcomePath)
	return o.Limits, o.StopOn, o.SecretEnv, true, err
}
