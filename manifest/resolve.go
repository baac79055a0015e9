package manifest

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/ai-session-handler/ai-session-handler/engine/binding"
	"github.com/ai-session-handler/ai-session-handler/engine/match"
)

// Request is what to resolve: a plan, and what a command line says about it.
type Request struct {
	Plan   *Plan  // nil for a plan that no block binds
	Source string // the plan's path from the root
	Flags  Layer  // above everything; "agent" or "command" replace only the agent
}

// Resolved is how a plan runs, and why.
type Resolved struct {
	Binding   binding.Binding
	MaxPhases int // of successful phases in one invocation, 0: no cap
	Default   Layer
	Phases    map[string]Layer // by phase id, of the phases that have a block
}

// ErrNoAgent means that nothing says which agent runs a plan.
var ErrNoAgent = errors.New("no agent is given")

// UnknownAgentError means that a command line names an agent that is not in the
// manifest, or that can't run.
type UnknownAgentError struct {
	Name     string
	Abstract bool
	Known    []string // agents that can run
}

func (e *UnknownAgentError) Error() string {
	if e.Abstract {
		return "agent " + e.Name + " is abstract and can't run"
	}
	return "no agent is named " + e.Name
}

// Resolve says how a plan runs: built-in defaults, config.json, defaults, the
// agents of a chain from its root, the plan, the phase, and flags, each above the
// one before. The error is [ErrNoAgent], besides which everything but the agent
// is there, or an *UnknownAgentError.
func (m *Manifest) Resolve(r Request) (Resolved, error) {
	plan := r.Plan
	if plan == nil {
		plan = &Plan{Source: r.Source}
	}
	res := Resolved{Phases: map[string]Layer{}}
	res.Binding = binding.Binding{Source: plan.Source, Phases: map[string]binding.Phase{}}
	var wrong error
	res.Default, wrong = m.layerOf(plan, nil, r.Flags)
	res.Binding.Default = phaseOf(res.Default)
	res.MaxPhases = int(get[int64](res.Default, "max_phases"))
	for _, p := range plan.Phases {
		layer, err := m.layerOf(plan, p, r.Flags)
		wrong = cmp.Or(wrong, err)
		res.Phases[p.ID], res.Binding.Phases[p.ID] = layer, phaseOf(layer)
	}
	return res, wrong
}

// layerOf is everything that holds for a phase of a plan; phase is nil for those
// without a block.
func (m *Manifest) layerOf(plan *Plan, phase *Phase, flags Layer) (Layer, error) {
	layers, err := m.layers(plan, phase, flags)
	merged := merge(layers...)
	// The agent's own layers say which command it is, whoever chose it.
	for _, layer := range layers[agentLayers : len(layers)-layersAbove] {
		for _, name := range []string{"agent", "command"} {
			if setting, ok := layer[name]; ok {
				merged[name] = setting
			}
		}
	}
	return merged, err
}

// The layers of the agent lie between these many.
const (
	agentLayers = 3 // built in, config.json, defaults
	layersAbove = 3 // plan, phase, flags
)

// layers are those of a phase, the last one uppermost.
func (m *Manifest) layers(plan *Plan, phase *Phase, flags Layer) ([]Layer, error) {
	own := Layer{}
	if phase != nil {
		own = phase.Layer
	}
	agent, err := m.agentFor([]Layer{m.defaults, plan.Layer, own}, flags)
	return slices.Concat([]Layer{builtIn, m.config, m.defaults}, agent, []Layer{plan.Layer, own, flags}), err
}

// agentFor is the layers of the agent that runs: --agent-cmd, else --agent, else
// what the plan and the defaults say, else config.json.
func (m *Manifest) agentFor(binding []Layer, flags Layer) ([]Layer, error) {
	if command, ok := flags["command"]; ok {
		return []Layer{{"agent": {"agent-cmd", command.Origin}, "command": command}}, nil
	}
	chosen, ok := flags["agent"]
	if ok {
		if err := m.canRun(chosen.Value.(string)); err != nil {
			return nil, err
		}
	} else if chosen, ok = bound(binding); !ok {
		command, ok := m.config["command"]
		if !ok {
			return nil, ErrNoAgent
		}
		return []Layer{{"agent": {"config.json", command.Origin}, "command": command}}, nil
	}
	layers := []Layer{{"agent": chosen}}
	if agent, ok := m.Agent(chosen.Value.(string)); ok {
		for _, a := range agent.chain() {
			layers = append(layers, a.Layer)
		}
	}
	return layers, nil
}

// bound is the agent that the uppermost of some layers names.
func bound(layers []Layer) (Setting, bool) {
	chosen, at := top(layers, "agent")
	return chosen, at >= 0
}

func (m *Manifest) canRun(name string) error {
	agent, ok := m.Agent(name)
	if ok && !agent.Abstract {
		return nil
	}
	e := &UnknownAgentError{Name: name, Abstract: ok}
	for _, a := range m.Agents {
		if !a.Abstract {
			e.Known = append(e.Known, a.Name)
		}
	}
	return e
}

// builtIn is what holds where nobody says anything.
var builtIn = Layer{
	"timeout":      {binding.DefaultTimeout, Origin{Name: "built-in default"}},
	"idle_timeout": {off, Origin{Name: "built-in default"}},
	"grace":        {binding.DefaultGrace, Origin{Name: "built-in default"}},
	"output_max":   {int64(binding.DefaultOutputMax), Origin{Name: "built-in default"}},
}

// phaseOf makes a binding of a merged layer.
func phaseOf(layer Layer) binding.Phase {
	return binding.Phase{
		Agent: get[string](layer, "agent"),
		Argv:  get[Command](layer, "command"),
		Env:   environmentOf(layer),
		Limits: binding.Limits{
			Timeout: get[time.Duration](layer, "timeout"), IdleTimeout: get[time.Duration](layer, "idle_timeout"),
			Grace: get[time.Duration](layer, "grace"), OutputMax: get[int64](layer, "output_max"),
			Tree: binding.TreeLimits{
				MemoryMax: get[int64](layer, "memory_max"), PidsMax: get[int64](layer, "pids_max"), CPUMilli: get[int64](layer, "cpu_max"),
				BestEffort: get[string](layer, "limits") == "best-effort",
			},
		},
		StopOn:     texts(get[[]Item](layer, "stop_on")),
		Retry:      retryOf(layer),
		PauseAfter: get[bool](layer, "pause_after"),
	}
}

func environmentOf(layer Layer) binding.Environment {
	_, restrict := layer["pass_env"]
	set := map[string]string{}
	for name, item := range get[map[string]Item](layer, "env") {
		set[name] = item.Text
	}
	return binding.Environment{
		Restrict: restrict, Pass: texts(get[[]Item](layer, "pass_env")), Unset: texts(get[[]Item](layer, "unset_env")),
		Set: set, Secret: texts(get[[]Item](layer, "secret_env")),
	}
}

func retryOf(layer Layer) *binding.Retry {
	retry, ok := layer["retry"].Value.(Retry)
	if !ok {
		return nil
	}
	return &retry
}

// get is a value of a layer, or nothing.
func get[T any](layer Layer, name string) T {
	value, _ := layer[name].Value.(T)
	return value
}

// Secrets are the variables whose values are masked, and where each is named.
func (l Layer) Secrets() []Item { return slices.Clone(get[[]Item](l, "secret_env")) }

// CheckRules compiles the stop rules, those of flags included. The error is that
// of match.Compile.
func (l Layer) CheckRules() error {
	_, err := match.Compile(texts(get[[]Item](l, "stop_on")))
	return err
}
