package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ai-session-handler/ai-session-handler/engine/argv"
	"github.com/ai-session-handler/ai-session-handler/engine/binding"
	"github.com/ai-session-handler/ai-session-handler/manifest"
	"github.com/ai-session-handler/ai-session-handler/schema/suggest"
)

// overrideFlags say for one invocation how phases run, above everything that a
// manifest and config.json say.
type overrideFlags struct {
	Agent       nameFlag  `placeholder:"AGENT" help:"Run this agent of the manifest. Its profile takes the place of the plan's agent; what plan and phases say stays."`
	AgentCmd    string    `placeholder:"TEMPLATE" help:"Run this command as the agent, split into words like a shell would, never given to one. Placeholders: {prompt_file} {workspace} {run_id} {transcript_file} {state_file}; {{ and }} for braces. Default: the agent of the plan, of defaults, or agent_cmd of config.json."`
	MaxPhases   *int      `placeholder:"N" help:"End after N successful phases. Default: max_phases of the manifest or of config.json, else run to the end."`
	Timeout     limitFlag `placeholder:"D" help:"Stop a phase after D: a duration such as 90m, a number of seconds, or none. Default: timeout of the manifest, timeout_seconds of config.json, else 1h."`
	IdleTimeout limitFlag `placeholder:"D" help:"Stop a phase that prints nothing for D. Default: idle_timeout of the manifest, else none."`
	OutputMax   sizeFlag  `placeholder:"SIZE" help:"Stop a phase that prints more than SIZE: 500MB, 2GiB, a number of bytes, or none. Default: output_max of the manifest, else 2GiB."`
	StopOnRegex []string  `sep:"none" placeholder:"RE" help:"Stop a phase as soon as its output matches RE (RE2 syntax, over all that both streams printed). Adds to the rules of manifest and config.json."`
	SecretEnv   []string  `sep:"none" placeholder:"NAME" help:"Mask the value of the environment variable NAME wherever output is kept or shown. Adds to secret_env of the manifest."`
}

// layer is what the flags say, with what is wrong with them.
func (f *overrideFlags) layer() (manifest.Layer, error) {
	l := manifest.Layer{}
	from := func(flag string) manifest.Origin { return manifest.Origin{Name: flag} }
	if f.Agent != "" && f.AgentCmd != "" {
		return nil, inputErrorf("the agent is given twice, --agent and --agent-cmd\n  next: leave one out")
	}
	if f.Agent != "" {
		l["agent"] = manifest.Setting{Value: string(f.Agent), Origin: from("--agent")}
	}
	if f.AgentCmd != "" {
		words, err := argv.Parse(f.AgentCmd)
		if err != nil {
			return nil, inputErrorf("--agent-cmd: %v", err)
		}
		l["command"] = manifest.Setting{Value: manifest.Command(words), Origin: from("--agent-cmd")}
	}
	if f.MaxPhases != nil {
		if *f.MaxPhases < 1 {
			return nil, inputErrorf("--max-phases %d: must be at least 1", *f.MaxPhases)
		}
		l["max_phases"] = manifest.Setting{Value: int64(*f.MaxPhases), Origin: from("--max-phases")}
	}
	if f.Timeout.set {
		l["timeout"] = manifest.Setting{Value: f.Timeout.limit, Origin: from("--timeout")}
	}
	if f.IdleTimeout.set {
		l["idle_timeout"] = manifest.Setting{Value: f.IdleTimeout.limit, Origin: from("--idle-timeout")}
	}
	if f.OutputMax.set {
		l["output_max"] = manifest.Setting{Value: f.OutputMax.bytes, Origin: from("--output-max")}
	}
	if len(f.StopOnRegex) > 0 {
		l["stop_on"] = manifest.Setting{Value: manifest.List(f.StopOnRegex, from("--stop-on-regex")), Origin: from("--stop-on-regex")}
	}
	if len(f.SecretEnv) > 0 {
		l["secret_env"] = manifest.Setting{Value: manifest.List(f.SecretEnv, from("--secret-env")), Origin: from("--secret-env")}
	}
	return l, nil
}

// args are the flags as words of a command line.
func (f *overrideFlags) args() (line commandLine) {
	if f.Agent != "" {
		line.flag("--agent", string(f.Agent))
	}
	if f.AgentCmd != "" {
		line.flag("--agent-cmd", f.AgentCmd)
	}
	if f.MaxPhases != nil {
		line.flag("--max-phases", fmt.Sprint(*f.MaxPhases))
	}
	if f.Timeout.set {
		line.flag("--timeout", binding.LimitText(f.Timeout.limit))
	}
	if f.IdleTimeout.set {
		line.flag("--idle-timeout", binding.LimitText(f.IdleTimeout.limit))
	}
	if f.OutputMax.set {
		line.flag("--output-max", binding.SizeText(f.OutputMax.bytes))
	}
	line.flags("--stop-on-regex", f.StopOnRegex)
	line.flags("--secret-env", f.SecretEnv)
	return line
}

// layer is what config.json says.
func (s settings) layer() manifest.Layer {
	l := manifest.Layer{}
	set := func(name, key string, value any) {
		l[name] = manifest.Setting{Value: value, Origin: s.origin(key)}
	}
	if s.command != nil {
		set("command", "agent_cmd", manifest.Command(s.command))
	}
	if s.maxPhases > 0 {
		set("max_phases", "max_phases", int64(s.maxPhases))
	}
	if s.hasTimeout {
		set("timeout", "timeout_seconds", s.timeout)
	}
	if len(s.stopOn) > 0 {
		set("stop_on", "stop_on_regex", manifest.List(s.stopOn, s.origin("stop_on_regex")))
	}
	if testOnlyGrace != binding.DefaultGrace {
		set("grace", "test", testOnlyGrace)
	}
	return l
}

func (s settings) origin(key string) manifest.Origin {
	return manifest.Origin{Name: "config.json (" + key + ")"}
}

// resolve says how the plan runs with the flags.
func (s *subject) resolve(flags manifest.Layer) (manifest.Resolved, error) {
	resolved, err := s.manifest.Resolve(manifest.Request{Plan: s.block, Source: s.plan.Relative, Flags: flags})
	var unknown *manifest.UnknownAgentError
	switch {
	case errors.Is(err, manifest.ErrNoAgent):
		return resolved, inputErrorf("no agent is given\n  next: add --agent-cmd \"your-agent-command\" or --agent NAME, bind the plan to an agent in %s, set agent in its defaults, or set agent_cmd in %s (ai-session-handler init writes both files)",
			manifest.FileName, s.conf.path)
	case errors.As(err, &unknown):
		return resolved, s.unknownAgent(unknown)
	}
	return resolved, err
}

func (s *subject) unknownAgent(e *manifest.UnknownAgentError) error {
	if !s.hasManifest() {
		return inputErrorf("--agent %s: %s has no manifest, so there are no agents to choose from\n  next: use --agent-cmd, or write a manifest (ai-session-handler init)", e.Name, s.root)
	}
	next := "the manifest has no agent that can run; write one, or use --agent-cmd"
	if close, ok := suggest.Closest(e.Name, e.Known); ok {
		next = "did you mean --agent " + close + "?"
	} else if len(e.Known) > 0 {
		next = "the manifest has " + strings.Join(shortList(e.Known), ", ")
	}
	return inputErrorf("--agent: %v\n  next: %s", e, next)
}
