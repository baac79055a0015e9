package codes

func schema() []Code {
	return []Code{
		{ID: "E201", Level: Schema, Title: "unknown block",
			Explanation: "No block of this type may stand here. What is not known is never left out silently: a misspelled block would be a limit that nobody keeps. Correct the name, move the block to where it belongs, or use a release that knows it.",
			Wrong:       inPlan("\n  phases \"3\" {\n    timeout = \"90m\"\n  }\n"),
			Right:       inPlan("\n  phase \"3\" {\n    timeout = \"90m\"\n  }\n")},
		{ID: "E202", Level: Schema, Title: "missing argument",
			Explanation: "The block can't do without this argument. It has no default, because no value would be right for everybody. Add it.",
			Wrong: bound + `
plan "rollout" {
}
`,
			Right: plan},
		{ID: "E203", Level: Schema, Title: "unknown argument",
			Explanation: "The block has no argument of this name. What is not known is never left out silently: a misspelled argument would be a limit that nobody keeps. Correct the name, or use a release that knows it. A variable can't be `sensitive`: name what is secret in `secret_env`, so that its value never enters a manifest.",
			Wrong:       inPlan("\n  max_phase = 4\n"),
			Right:       inPlan("\n  max_phases = 4\n")},
		{ID: "E204", Level: Schema, Title: "wrong number of labels",
			Explanation: "A block of this type has another number of labels, the strings between its type and its brace. Some have one, which is their name, and the others have none. Add what is missing, or take out what is too much.",
			Wrong: agent + `
defaults "all" {
  agent = agent.codex
}

plan "rollout" {
  source = "plan.md"
}
`,
			Right: plan},
		{ID: "E205", Level: Schema, Title: "bad name",
			Explanation: "A name begins with a small letter and goes on with up to 63 small letters, digits, `_` and `-`. So it can be referred to, typed and used in the name of a file without quoting. The label of a `phase` is its number, positive and without leading zeros.",
			Wrong: bound + `
plan "Rollout" {
  source = "plan.md"
}
`,
			Right: plan},
		{ID: "E206", Level: Schema, Title: "wrong type",
			Explanation: "The value is of another type than the argument holds. Values are not turned into what they might have meant. The reference says what each argument holds.",
			Wrong:       inAgent("  env     = [\"EFFORT=high\"]\n"),
			Right:       inAgent("  env     = { EFFORT = \"high\" }\n")},
		{ID: "E207", Level: Schema, Title: "null",
			Explanation: "The value is `null`, or has a part that is. HCL takes that for an argument that is not there, which hides whether it was meant. Leave the argument out; a limit is switched off by `\"none\"`.",
			Wrong:       inPlan("\n  timeout = null\n"),
			Right:       inPlan("\n  timeout = \"none\"\n")},
		{ID: "E208", Level: Schema, Title: "block given twice",
			Explanation: "A block of this type may stand once, and here is another one, perhaps in another file of the manifest. Which of them counts would depend on their order. Put everything into one.",
			Wrong: agent + `
defaults {
  agent = agent.codex
}

defaults {
  timeout = "90m"
}

plan "rollout" {
  source = "plan.md"
}
`,
			Right: agent + `
defaults {
  agent   = agent.codex
  timeout = "90m"
}

plan "rollout" {
  source = "plan.md"
}
`},
	}
}
