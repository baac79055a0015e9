package codes

func filesystem() []Code {
	return []Code{
		{ID: "E501", Level: Filesystem, Title: "plan missing or unreadable",
			Explanation: "The file that `source` names is not there, is no regular file, or can't be read. The path is relative to the plan workspace, not to the directory in which a command is given. Correct it, or write the plan.",
			Wrong: bound + `
plan "rollout" {
  source = "plans.md"
}
`,
			Right: plan},
		{ID: "E502", Level: Filesystem, Title: "plan does not parse",
			Explanation: "The plan is not one, as its own problems below the message say; their codes begin with P. A run would refuse it just so. Correct the plan; docs/plan-format.md has the rules.",
			Note:        "Shown by a plan in which two phases have the same number."},
		{ID: "E503", Level: Filesystem, Title: "phase that the plan does not have",
			Explanation: "A `phase` block is about a phase that is not in the plan, so what it says would never count. Its label is the number in the heading, not the place in the plan. Correct the number, or take the block out.",
			Wrong:       inPlan("\n  phase \"9\" {\n    timeout = \"90m\"\n  }\n"),
			Right:       inPlan("\n  phase \"3\" {\n    timeout = \"90m\"\n  }\n")},
		{ID: "E504", Level: Filesystem, Title: "command not found",
			Explanation: "The program of the agent is not there or can't be executed. A name without a slash is looked for on the PATH that the worker will have, a path from the execution workspace on. Install it, or correct the command.",
			Wrong:       command(`["my-agnet"]`),
			Right:       command(`["my-agent"]`)},
		{ID: "E505", Level: Filesystem, Title: "execution workspace missing or without AGENTS.md",
			Explanation: "The directory that a phase of the plan runs in is not there, or has no `AGENTS.md` that tells agents about it. It is named by the section `Workspace` of the phase, from the directory of the plan on. An earlier phase may still create it; so a run is refused only for the phase that is next.",
			Note:        "Shown by a phase whose workspace does not exist."},
		{ID: "E506", Level: Filesystem, Title: "file of the manifest not readable",
			Explanation: "A manifest, a file beside it or a var file is not there, is no regular file, can't be read, or is a link to something outside of its directory. What lies elsewhere can change without the repository changing. Put the file itself there.",
			Note:        "Shown by a `team.handler.hcl` that is a link to a file in another directory."},
		{ID: "E507", Level: Filesystem, Title: "plan of another workspace",
			Explanation: "Between the manifest and the plan there is a directory with `.git`, `AGENTS.md` or `.ai-session-handler`, and that is the workspace that the plan belongs to. Its history would lie there, not beside this manifest. Give that workspace a manifest of its own, or move the plan. The same is said where the directory of the manifest has none of the three, so that nothing makes it a workspace of the plans below it (`ai-session-handler init` does), and where a link leads to a plan outside.",
			Note:        "Shown by `source = \"sub/plan.md\"` where `sub` has an `AGENTS.md`."},
		{ID: "E508", Level: Filesystem, Title: "limit can't be enforced here",
			Explanation: "`memory_max`, `pids_max` and `cpu_max` need a cgroup (version 2) that the handler may write to, and there is none. A limit that only seems to hold is worse than none, so this is refused. Run where there is one, or write `limits = \"best-effort\"` to run without.",
			Note:        "Only on a machine without such a cgroup.",
			Wrong:       inPlan("\n  memory_max = \"4GiB\"\n"),
			Right:       inPlan("\n  memory_max = \"4GiB\"\n  limits     = \"best-effort\"\n")},
	}
}
