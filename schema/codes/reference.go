package codes

func reference() []Code {
	return []Code{
		{ID: "E301", Level: Reference, Title: "not a reference",
			Explanation: "This argument names a block and takes a plain reference such as `agent.codex`, no expression. So it can be seen without evaluating anything which block is meant, and no variable changes it. Write the reference itself.",
			Wrong:       inPlan("  agent  = true ? agent.codex : agent.codex\n"),
			Right:       inPlan("  agent  = agent.codex\n")},
		{ID: "E302", Level: Reference, Title: "reference in quotes",
			Explanation: "A reference is written without quotes: `agent.codex`. In quotes it is a text, which names nothing. In the JSON form it is a string, but one without `${…}`.",
			Wrong:       inPlan("  agent  = \"agent.codex\"\n"),
			Right:       inPlan("  agent  = agent.codex\n")},
		{ID: "E303", Level: Reference, Title: "reference to the wrong kind of block",
			Explanation: "The argument asks for a block of another type than the reference names. `agent` and `extends` take an agent, `plan` takes a plan, and `depends_on` takes stages of the same pipeline.",
			Wrong:       inPlan("  agent  = plan.rollout\n"),
			Right:       inPlan("  agent  = agent.codex\n")},
		{ID: "E304", Level: Reference, Title: "unknown name",
			Explanation: "No block and no value of this name is declared in any file of the manifest. A stage is looked for in its own pipeline. Correct the name, or declare it.",
			Wrong:       inPlan("  agent  = agent.codx\n"),
			Right:       inPlan("  agent  = agent.codex\n")},
		{ID: "E305", Level: Reference, Title: "unknown function",
			Explanation: "There is no function of this name. The list is closed, and has nothing that reads a file, the environment, the time or a random number: a manifest means the same on every machine. The reference lists all functions.",
			Wrong:       inPlan("\n  description = uper(\"the new importer\")\n"),
			Right:       inPlan("\n  description = upper(\"the new importer\")\n")},
		{ID: "E306", Level: Reference, Title: "name declared twice",
			Explanation: "Two blocks have this name, perhaps in two files of the manifest, or two entries of one map have this key; both places are named. Nothing overrides anything, because then the order would decide. Plans and pipelines share one namespace, so that a name given to a command means one of them. Rename one, or take one out.",
			Wrong:       pipelineNamed("rollout"),
			Right:       pipelineNamed("release")},
		{ID: "E307", Level: Reference, Title: "cycle of locals",
			Explanation: "The value of each of these locals needs that of the next, and the last one needs the first, so none of them has one. The message names the whole cycle. Give one of them a value that needs none of the others.",
			Wrong:       cycle("local.a"),
			Right:       cycle(`"the new importer"`)},
		{ID: "E308", Level: Reference, Title: "cycle of extends",
			Explanation: "Each of these agents extends the next, and the last one extends the first, so none of them is where the others begin. The message names the whole cycle. Let one of them extend none.",
			Wrong:       extending("  extends  = agent.codex\n"),
			Right:       extending("")},
		{ID: "E309", Level: Reference, Title: "cycle of depends_on",
			Explanation: "Each of these stages waits for the next, and the last one waits for the first, so none of them could ever start. The message names the whole cycle. Take one of the dependencies out.",
			Wrong:       waiting("\n    depends_on = [stage.web]\n"),
			Right:       waiting("")},
		{ID: "E310", Level: Reference, Title: "abstract agent bound",
			Explanation: "An agent with `abstract = true` is there to be extended by others, and may lack what a run needs, its command above all. Bind an agent that extends it, or take `abstract` out.",
			Wrong:       inAgent("\n  abstract = true\n"),
			Right:       inAgent("\n  abstract = false\n")},
		{ID: "E311", Level: Reference, Title: "unknown namespace",
			Explanation: "An expression may name `var.…`, `local.…` and `path.root`, and within a `for` its own names. Blocks are no values, and the environment of a machine is not part of what a manifest means: declare a variable, which can be given by `AI_SESSION_HANDLER_VAR_name`.",
			Wrong:       inPlan("\n  description = \"runs in ${env.HOME}\"\n"),
			Right:       inPlan("\n  description = \"runs in ${path.root}\"\n")},
		{ID: "E312", Level: Reference, Title: "value for a variable that is not declared",
			Explanation: "`--var` or a var file gives a value to a variable that no file of the manifest declares. It would change nothing, although somebody meant it to. Correct the name, or declare the variable. Variables of the environment that fit no declaration are ignored.",
			Note:        "Shown by `--var efort=low` where the manifest declares `effort`."},
		{ID: "E313", Level: Reference, Title: "chain of extends too long",
			Explanation: "An agent, the one it extends, the one that this one extends, and so on: at most 8 of them may be in a row. Where a value comes from could hardly be followed otherwise. Let the agent extend one that is nearer to the start.",
			Wrong:       chain("h"),
			Right:       chain("a")},
	}
}

func pipelineNamed(name string) string {
	return plan + `
pipeline "` + name + `" {
  stage "api" {
    plan = plan.rollout
  }
}
`
}

func cycle(b string) string {
	return bound + `
locals {
  a = local.b
  b = ` + b + `
}

plan "rollout" {
  source      = "plan.md"
  description = local.a
}
`
}

func extending(line string) string {
	return head + `
agent "base" {
  abstract = true
` + line + `}

agent "codex" {
  extends = agent.base
  command = ["my-agent"]
}

plan "rollout" {
  source = "plan.md"
  agent  = agent.codex
}
`
}

func waiting(line string) string {
	return plans + `
pipeline "release" {
  stage "api" {
    plan = plan.rollout
` + line + `  }
  stage "web" {
    plan       = plan.web
    depends_on = [stage.api]
  }
}
`
}

// chain returns a manifest with a chain of 8 agents and one that extends one of
// them.
func chain(last string) string {
	text := head + `
agent "a" {
  command = ["my-agent"]
}
`
	for name := 'b'; name <= 'h'; name++ {
		text += "\nagent \"" + string(name) + "\" {\n  extends = agent." + string(name-1) + "\n}\n"
	}
	return text + `
agent "codex" {
  extends = agent.` + last + `
}

plan "rollout" {
  source = "plan.md"
  agent  = agent.codex
}

plan "web" {
  source = "web.md"
  agent  = agent.h
}
`
}
