package language

import "slices"

// Manifest returns the root of the table: what may stand in a manifest.
func Manifest() *Block { return root }

const first = "0.1"

var root = &Block{
	Doc: "A manifest binds plans to agents. It is `ai-session-handler.hcl` in the plan workspace, joined with every `*.handler.hcl` beside it.",
	Blocks: []*Block{
		manifestBlock, variableBlock, localsBlock, defaultsBlock, agentBlock, planBlock, pipelineBlock,
	},
}

var manifestBlock = &Block{
	Name: "manifest", Once: true, Since: first,
	Doc: "What the manifest is written for. It is read before anything else, and stands in one of the files.",
	Attrs: []Attr{
		{Name: "version", Kind: Int, Required: true, Min: 1, Max: 1 << 30, Since: first, Example: "1",
			Doc: "The version of the language that the manifest is written in. This release reads version 1."},
		{Name: "required_version", Kind: String, Since: first, Example: `">= 0.1"`,
			Doc: "The releases of the program that may read this manifest: comparisons (`=`, `!=`, `>`, `>=`, `<`, `<=`, `~>`) joined by commas, all of which must hold."},
	},
}

var variableBlock = &Block{
	Name: "variable", Label: "name", Since: first,
	Doc: "A value that is given from outside, used as `var.name`: by `--var name=value`, the environment variable `AI_SESSION_HANDLER_VAR_name` or a `--var-file`, or else its default.",
	Attrs: []Attr{
		{Name: "type", Kind: Type, Default: "string", Since: first, Example: "list(string)", Doc: "`string`, `number`, `bool`, `list(string)` or `map(string)`."},
		{Name: "default", Kind: Any, Since: first, Example: `"high"`, Doc: "The value where none is given, of the variable's type. Without a default a value must be given."},
		{Name: "description", Kind: String, Since: first, Example: `"Reasoning effort"`, Doc: "What it is for. Changes nothing."},
	},
	Blocks: []*Block{{
		Name: "validation", Since: first,
		Doc: "A condition that the value must meet. There may be several.",
		Attrs: []Attr{
			{Name: "condition", Kind: Condition, Required: true, Since: first, Example: `contains(["low", "high"], var.effort)`, Doc: "An expression over this variable alone that is `true` for a good value."},
			{Name: "error_message", Kind: String, Required: true, Since: first, Example: `"Use low or high."`, Doc: "What to tell about a value that is not good."},
		},
	}},
}

var localsBlock = &Block{
	Name: "locals", Since: first,
	Doc:  "Names for values, used as `local.name`. There may be several `locals` blocks.",
	Free: &Attr{Kind: Any, Since: first, Doc: "The value may use variables and other locals.", Example: `["FATAL"]`},
}

var defaultsBlock = &Block{
	Name: "defaults", Once: true, Since: first,
	Doc:    "Settings for every plan that runs with this manifest. Whatever else the manifest says about a plan counts more.",
	Attrs:  join([]Attr{agentAttr, maxPhasesAttr}, settings),
	Blocks: []*Block{retryBlock},
}

var agentBlock = &Block{
	Name: "agent", Label: "name", Since: first,
	Doc: "A profile: which command is the agent, with which environment and under which limits.",
	Attrs: join([]Attr{
		{Name: "abstract", Kind: Bool, Default: "false", Since: first, Example: "true", Doc: "The agent can be extended and not bound."},
		{Name: "extends", Kind: Reference, Refers: "agent", Since: first, Example: "agent.base",
			Doc: "The agent whose arguments this one takes over, all but `abstract` and `description`. Its own replace them; maps are merged by key, `stop_on` and `secret_env` add up. A chain has at most 8 agents."},
		{Name: "command", Kind: Argv, Since: first, Example: `["my-agent", "{prompt_file}"]`,
			Doc: "The program and its arguments: a list, or one string that is split into words like a shell would, never given to one. `{prompt_file}`, `{workspace}`, `{run_id}`, `{transcript_file}` and `{state_file}` are replaced inside each word; `{{` and `}}` are braces. A program with a slash is found from the execution workspace, a bare name on the `PATH` that the worker gets. An agent that is not abstract needs one, perhaps inherited."},
		{Name: "description", Kind: String, Since: first, Example: `"Codex, careful"`, Doc: "What it is for. Changes nothing."},
	}, settings),
}

var planBlock = &Block{
	Name: "plan", Label: "name", Since: first,
	Doc: "Binds a plan to an agent and settings. Plans and pipelines share one namespace.",
	Attrs: join([]Attr{
		{Name: "source", Kind: String, Required: true, Since: first, Example: `"docs/plans/feature.md"`, Doc: "The plan, as a path from the plan workspace. No other plan block has the same."},
		agentAttr, maxPhasesAttr,
		{Name: "description", Kind: String, Since: first, Example: `"The new importer"`, Doc: "What it is for. Changes nothing."},
	}, settings),
	Blocks: []*Block{
		{
			Name: "phase", Label: "number of the phase, in quotes", Since: first,
			Doc: "What is different for one phase of the plan.",
			Attrs: join([]Attr{
				agentAttr,
				{Name: "pause_after", Kind: Bool, Default: "false", Since: first, Example: "true", Doc: "End the invocation, with exit code 0, when the phase is complete: a person acts before the next one."},
			}, settings),
			Blocks: []*Block{retryBlock},
		},
		retryBlock,
	},
}

var pipelineBlock = &Block{
	Name: "pipeline", Label: "name", Since: first,
	Doc: "Plans that depend on each other. Checked and shown in this release, not run yet.",
	Attrs: []Attr{
		{Name: "max_parallel", Kind: Int, Min: 1, Max: 64, Default: "1", Since: first, Example: "2", Doc: "How many stages may run at once."},
		{Name: "description", Kind: String, Since: first, Example: `"The release"`, Doc: "What it is for. Changes nothing."},
	},
	Blocks: []*Block{{
		Name: "stage", Label: "name", Since: first,
		Doc: "One plan of a pipeline.",
		Attrs: []Attr{
			{Name: "plan", Kind: Reference, Refers: "plan", Required: true, Since: first, Example: "plan.web", Doc: "The plan, which no other stage of the pipeline has."},
			{Name: "depends_on", Kind: References, Refers: "stage", Since: first, Example: "[stage.api]", Doc: "The stages of this pipeline that must be complete first."},
		},
	}},
}

var agentAttr = Attr{Name: "agent", Kind: Reference, Refers: "agent", Since: first, Example: "agent.codex", Doc: "The agent that runs the phases, unless the command line names another. A phase needs one, from wherever it comes."}

var maxPhasesAttr = Attr{Name: "max_phases", Kind: Int, Min: 1, Max: 1 << 30, Since: first, Example: "4", Doc: "End an invocation after so many successful phases. Without it a run goes on to the end."}

// Retryable are the ways for an attempt to end that retry may repeat.
var Retryable = []string{"agent-failed", "missing-marker", "invalid-marker", "timeout", "idle-timeout"}

var retryBlock = &Block{
	Name: "retry", Once: true, Since: first,
	Doc: "Repeats a phase within one invocation. Without it nothing is ever repeated without a person. An attempt that was interrupted, or whose end is not on record, is never repeated. A nearer block replaces a farther one whole.",
	Attrs: []Attr{
		{Name: "on", Kind: Choices, Choices: Retryable, Required: true, Since: first, Example: `["agent-failed", "timeout"]`, Doc: "The ends of an attempt after which the phase is run again."},
		{Name: "max_attempts", Kind: Int, Min: 2, Max: 100, Required: true, Since: first, Example: "3", Doc: "How many attempts of one phase one invocation may make, the first included."},
		{Name: "delay", Kind: Duration, Off: true, Default: `"none"`, Since: first, Example: `"1m"`, Doc: "How long to wait before each further attempt."},
	},
}

// Settings returns the attributes that may stand in defaults, agents, plans and
// phases alike. The caller may change its copy.
func Settings() []Attr { return slices.Clone(settings) }

var settings = []Attr{
	{Name: "timeout", Kind: Duration, Off: true, Default: `"1h"`, Since: first, Example: `"90m"`, Doc: "Stop an attempt that takes longer."},
	{Name: "idle_timeout", Kind: Duration, Off: true, Default: `"none"`, Since: first, Example: `"30m"`, Doc: "Stop an attempt that prints nothing for this time."},
	{Name: "grace", Kind: Duration, Default: `"5s"`, Since: first, Example: `"10s"`, Doc: "The time between asking a worker to end and killing it."},
	{Name: "output_max", Kind: Size, Off: true, Default: `"2GiB"`, Since: first, Example: `"500MB"`, Doc: "Stop an attempt that prints more."},
	{Name: "stop_on", Kind: Regexes, AddsUp: true, Since: first, Example: `["FATAL", "(?i)usage limit"]`, Doc: "Stop an attempt as soon as its output matches one of these (RE2 syntax, over all that both streams printed). At most 16 together. Rules add up: none is lost by inheriting."},
	{Name: "pass_env", Kind: Names, Globs: true, Since: first, Example: `["PATH", "HOME", "LC_*"]`, Doc: "Only these variables of the handler's environment reach the worker, besides those of `secret_env` and `env`. Without it all do. `*` stands for any characters, `?` for one."},
	{Name: "unset_env", Kind: Names, Globs: true, Since: first, Example: `["CLAUDECODE"]`, Doc: "These variables of the handler's environment do not reach the worker. `*` stands for any characters, `?` for one."},
	{Name: "env", Kind: Environ, Since: first, Example: `{ EFFORT = "high" }`, Doc: "Variables that the worker gets, with their values. Maps of several layers are merged by name. Names that begin with `AI_SESSION_HANDLER` are the handler's own."},
	{Name: "secret_env", Kind: Names, AddsUp: true, Since: first, Example: `["OPENAI_API_KEY"]`, Doc: "Variables of the handler's environment that the worker gets and whose values are masked wherever output is kept or shown. A run refuses a value shorter than 6 bytes, which could not be masked. Names add up: none is lost by inheriting."},
	{Name: "memory_max", Kind: Size, Off: true, Default: `"none"`, Since: first, Example: `"4GiB"`, Doc: "Memory of the worker's whole tree. Needs a cgroup of its own, see `limits`."},
	{Name: "pids_max", Kind: Int, Min: 16, Max: 1 << 22, Since: first, Example: "500", Doc: "Processes and threads of the worker's whole tree. Needs a cgroup of its own, see `limits`."},
	{Name: "cpu_max", Kind: CPUs, Since: first, Example: "1.5", Doc: "Processors that the worker's whole tree may keep busy. Needs a cgroup of its own, see `limits`."},
	{Name: "limits", Kind: Choice, Choices: []string{"strict", "best-effort"}, Default: `"strict"`, Since: first, Example: `"best-effort"`, Doc: "What to do where `memory_max`, `pids_max` or `cpu_max` can't be enforced: `strict` refuses to run, `best-effort` runs without them."},
}

func join(lists ...[]Attr) (all []Attr) {
	for _, list := range lists {
		all = append(all, list...)
	}
	return all
}
