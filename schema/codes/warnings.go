package codes

func warnings() []Code {
	return []Code{
		{ID: "W601", Level: Warning, Title: "agent that nothing uses",
			Explanation: "No plan, no phase, not `defaults` and no other agent names this agent. It may be left over, or what should name it names another one. `--agent` can still choose it; take it out where nobody needs it. It is not told while another name is wrong, which may mean it.",
			Wrong: plan + `
agent "spare" {
  command = ["my-agent"]
}
`,
			Right: plan},
		{ID: "W602", Level: Warning, Title: "variable that nothing uses",
			Explanation: "No expression but its own validation names this variable, so giving it a value changes nothing. Use it, or take it out.",
			Wrong: plan + `
variable "effort" {
  default = "high"
}
`,
			Right: plan},
		{ID: "W603", Level: Warning, Title: "local that nothing uses",
			Explanation: "No expression names this local. It may be left over, or what should name it names another one. Use it, or take it out.",
			Wrong: plan + `
locals {
  effort = "high"
}
`,
			Right: plan},
		{ID: "W604", Level: Warning, Title: "idle_timeout not shorter than timeout",
			Explanation: "An attempt is stopped by `timeout` before it can have been silent for `idle_timeout`, which so does nothing. It is told where `idle_timeout` stands in the same block as `timeout` or in a nearer one: a nearer `timeout` may well be shorter than what holds for others. Make one shorter or the other longer, or switch `idle_timeout` off with `\"none\"`.",
			Wrong:       inPlan("\n  timeout      = \"1h\"\n  idle_timeout = \"2h\"\n"),
			Right:       inPlan("\n  timeout      = \"1h\"\n  idle_timeout = \"10m\"\n")},
		{ID: "W605", Level: Warning, Title: "secret that is not set",
			Explanation: "`secret_env` names a variable that the environment of the handler does not have, so there is nothing to pass on or to mask. The name may be misspelled, or the variable is set only where the plan runs. Set it, or take the name out.",
			Note:        "Only where the variable is not set.",
			Wrong:       inAgent("\n  secret_env = [\"OPENAI_API_KEY\"]\n"),
			Right:       inAgent("")},
	}
}
