package codes

func syntax() []Code {
	return []Code{
		{ID: "E101", Level: Syntax, Title: "syntax error",
			Explanation: "The file is not HCL, or not JSON where its name ends in `.json`. The message is that of the parser. Often a quote or a bracket is missing in a line before, an argument is followed by a comma or stands twice in a block, or a string with `${` or a backslash is meant literally: write `$${` and `\\\\`. A duration needs quotes: `\"45m\"`.",
			Wrong: bound + `
plan "rollout" {
  source = "plan.md",
}
`,
			Right: plan},
	}
}

func version() []Code {
	return []Code{
		{ID: "E150", Level: Version, Title: "language version missing or not supported",
			Explanation: "A manifest says which version of the language it is written in, in a block `manifest`. What a manifest of another version means is not known to this release, so nothing else of it is looked at. Write `version = 1`, or use a release that reads the version.",
			Wrong: `manifest {
  version = 2
}
`,
			Right: head},
		{ID: "E151", Level: Version, Title: "release of the program not accepted",
			Explanation: "`required_version` names the releases of the program that may read this manifest, and this one is not among them, or what it says can't be understood. It is a list of comparisons joined by commas, each an operator (`=`, `!=`, `>`, `>=`, `<`, `<=`, `~>`) and a version. Use such a release, or change the requirement.",
			Wrong: `manifest {
  version          = 1
  required_version = ">= 0.1 and < 2"
}
`,
			Right: `manifest {
  version          = 1
  required_version = ">= 0.1, < 2"
}
`},
	}
}
