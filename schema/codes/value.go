package codes

func value() []Code {
	return []Code{
		{ID: "E401", Level: Value, Title: "not a duration",
			Explanation: "A duration is a string of numbers with units, such as `\"45m\"`, `\"90s\"` or `\"1h30m\"`. It is positive and at most `\"168h\"`. A number alone is refused, because one reader takes it for seconds and another for minutes. Where a limit can be switched off, `\"none\"` does so.",
			Wrong:       inPlan("\n  timeout = 90\n"),
			Right:       inPlan("\n  timeout = \"90m\"\n")},
		{ID: "E402", Level: Value, Title: "regular expression not usable",
			Explanation: "A stop rule is a regular expression in the syntax of RE2. It is refused where it does not parse, where it matches the empty text and so would stop every attempt at once, where it is larger than 2,000 instructions, and where there are more than 16. RE2 has no lookaround and no references to groups, so that searching never takes longer than the output. In a string a backslash is written twice.",
			Wrong:       inPlan("\n  stop_on = [\"usage limit (\"]\n"),
			Right:       inPlan("\n  stop_on = [\"usage limit \\\\(\"]\n")},
		{ID: "E403", Level: Value, Title: "number out of range or not whole",
			Explanation: "The number is smaller or larger than the argument allows, or has a fraction where a whole one is asked for. The reference says from where to where it may be. It is not rounded, since nobody knows which way was meant.",
			Wrong:       inPlan("\n  max_phases = 2.5\n"),
			Right:       inPlan("\n  max_phases = 2\n")},
		{ID: "E404", Level: Value, Title: "command with a wrong placeholder, brace or quote",
			Explanation: "A word of a command has a placeholder that does not exist, a brace without its partner, or, in a command that is one string, a quote that is not closed. Placeholders are `{prompt_file}`, `{workspace}`, `{run_id}`, `{transcript_file}` and `{state_file}`. A literal brace is written twice: `{{` and `}}`.",
			Wrong:       command(`["my-agent", "{prompt}"]`),
			Right:       command(`["my-agent", "{prompt_file}"]`)},
		{ID: "E405", Level: Value, Title: "no command",
			Explanation: "The command is empty or begins with an empty word, or the agent has none, not even from one that it extends. Without a program there is nothing to run. Add a `command`, or make the agent `abstract` where it is only there to be extended.",
			Wrong:       command(`[]`),
			Right:       command(`["my-agent"]`)},
		{ID: "E406", Level: Value, Title: "plan twice in a pipeline",
			Explanation: "Two stages of the pipeline have the same plan. A plan has one history and runs once, so the second stage could only find it complete. Take one of the stages out, or let what follows depend on the other.",
			Wrong:       stages("plan.rollout"),
			Right:       stages("plan.web")},
		{ID: "E407", Level: Value, Title: "value of a variable not accepted",
			Explanation: "A `validation` of the variable says that the value is not good; the message is its `error_message`. It is the author of the manifest who decides about that. Give another value, or correct the condition.",
			Wrong:       validated("extreme"),
			Right:       validated("high")},
		{ID: "E408", Level: Value, Title: "not one of the words allowed",
			Explanation: "The argument takes one or several of a few words, and this is none of them or stands there twice. The message lists the words. What is not known is refused, because no behaviour belongs to it.",
			Wrong:       inPlan("\n  limits = \"loose\"\n"),
			Right:       inPlan("\n  limits = \"best-effort\"\n")},
		{ID: "E409", Level: Value, Title: "expression without a value",
			Explanation: "Evaluating the expression failed; the message says why, in the words of HCL. Often a function got an argument of another type, a key is missing in a map, or a text is no number. Nothing else is put in the place of the value.",
			Wrong:       inPlan("\n  max_phases = tonumber(\"four\")\n"),
			Right:       inPlan("\n  max_phases = tonumber(\"4\")\n")},
		{ID: "E410", Level: Value, Title: "variable without a value, or with one of the wrong type",
			Explanation: "The variable has no default and no value was given, or a value is not of its type. Give one by `--var name=value`, the environment variable `AI_SESSION_HANDLER_VAR_name` or a var file, or declare a default. The value of a list or a map is written as in a manifest.",
			Wrong:       effort(""),
			Right:       effort("  default = \"high\"\n")},
		{ID: "E411", Level: Value, Title: "two plan blocks with one source",
			Explanation: "Two plan blocks name the same file, perhaps by different paths. A plan has one history and one way to run, and `run --plan` could not tell which of the two is meant. Take one out.",
			Wrong:       sources("plan.md"),
			Right:       sources("web.md")},
		{ID: "E412", Level: Value, Title: "not usable in an environment",
			Explanation: "This is not the name of an environment variable, or a value that none can have: a name is not empty and has no `=`, and neither has a NUL byte. Names that begin with `AI_SESSION_HANDLER` are reserved, because by them the handler tells a worker about its attempt.",
			Wrong:       inPlan("\n  env = { \"EFFORT=high\" = \"\" }\n"),
			Right:       inPlan("\n  env = { EFFORT = \"high\" }\n")},
		{ID: "E413", Level: Value, Title: "not a size",
			Explanation: "A size is a string with a unit, such as `\"500MB\"` (decimal) or `\"2GiB\"` (binary), or a whole number of bytes. It is positive. Where a limit can be switched off, `\"none\"` does so.",
			Wrong:       inPlan("\n  output_max = \"lots\"\n"),
			Right:       inPlan("\n  output_max = \"500MB\"\n")},
		{ID: "E414", Level: Value, Title: "plan without an agent",
			Explanation: "Neither the plan nor `defaults` names an agent, so nobody would run its phases. Name one in the plan, or in `defaults` for all plans.",
			Wrong: head + `
plan "rollout" {
  source = "plan.md"
}
`,
			Right: agent + `
plan "rollout" {
  source = "plan.md"
  agent  = agent.codex
}
`},
		{ID: "E415", Level: Value, Title: "source not in the workspace",
			Explanation: "The path of a plan is relative to the plan workspace and stays in it. An absolute one, or one that leads out, would name another file on another machine, and its history would lie elsewhere. Move the plan into the workspace, or give it a manifest where it is.",
			Wrong: bound + `
plan "rollout" {
  source = "../plan.md"
}
`,
			Right: plan},
	}
}

func command(words string) string {
	return head + `
agent "codex" {
  command = ` + words + `
}

plan "rollout" {
  source = "plan.md"
  agent  = agent.codex
}
`
}

func stages(second string) string {
	return plans + `
pipeline "release" {
  stage "api" {
    plan = plan.rollout
  }
  stage "web" {
    plan = ` + second + `
  }
}
`
}

func validated(value string) string {
	return bound + `
variable "effort" {
  default = "` + value + `"
  validation {
    condition     = contains(["low", "high"], var.effort)
    error_message = "Use low or high."
  }
}

plan "rollout" {
  source = "plan.md"
  env    = { EFFORT = var.effort }
}
`
}

func effort(line string) string {
	return bound + `
variable "effort" {
` + line + `}

plan "rollout" {
  source = "plan.md"
  env    = { EFFORT = var.effort }
}
`
}

func sources(second string) string {
	return plan + `
plan "web" {
  source = "` + second + `"
}
`
}
