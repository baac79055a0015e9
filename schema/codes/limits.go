package codes

import "strings"

func limits() []Code {
	return []Code{
		{ID: "E001", Level: Limits, Title: "file too large",
			Explanation: "A file of a manifest has at most 1 MiB, and so has a var file. A larger one is most likely not what it is taken for, and reading it would take memory without bound. Split it: blocks may stand in files whose names end in `.handler.hcl` beside the manifest.",
			Note:        "Shown by a file of more than 1 MiB."},
		{ID: "E002", Level: Limits, Title: "NUL byte",
			Explanation: "The file has a byte that is zero. Text has none, and no program can be given an argument or a variable with one. The file may be in UTF-16 or damaged: save it as UTF-8.",
			Note:        "Shown by a byte that no editor shows."},
		{ID: "E003", Level: Limits, Title: "not UTF-8",
			Explanation: "A manifest is text in UTF-8. The first byte that does not belong to a character is named by its place. Save the file as UTF-8; a byte order mark is allowed.",
			Note:        "Shown by a file in another encoding, for example ISO 8859-1."},
		{ID: "E004", Level: Limits, Title: "nested too deeply",
			Explanation: "Brackets, quotes and interpolations may nest 64 deep, and those of the JSON form 128. Nobody needs as many, while reading them takes a stack that grows with each. Take parts of the expression out into `locals`.",
			Wrong:       inPlan("\n  max_phases = " + strings.Repeat("(", 65) + "4" + strings.Repeat(")", 65) + "\n"),
			Right:       inPlan("\n  max_phases = 4\n")},
		{ID: "E005", Level: Limits, Title: "expression too long",
			Explanation: "In one argument at most 8 operators such as `!` may stand in a row before a value, there may be 64 `?`, and 5,000 words and signs in all. The parser takes some stack for each, and a long enough row would end the program. Take parts of the expression out into `locals`.",
			Wrong:       inAgent("\n  abstract = " + strings.Repeat("!", 9) + "true\n"),
			Right:       inAgent("\n  abstract = !true\n")},
		{ID: "E006", Level: Limits, Title: "values too large",
			Explanation: "A value has at most 64 KiB, and all values of a manifest together have at most 4 MiB. A few lines that repeat each other can make as much text as a disk holds. What is that large belongs into a file, which a plan or a prompt can name.",
			Wrong:       grown("${local.d}${local.d}${local.d}${local.d}${local.d}${local.d}${local.d}"),
			Right:       grown("${local.d}")},
		{ID: "E007", Level: Limits, Title: "too many files or blocks",
			Explanation: "A manifest has at most 256 files beside `ai-session-handler.hcl`, and at most 50,000 blocks in all. More are most likely a mistake in what generates them. Divide the plans among several manifests, and name the one to use with `--manifest`.",
			Note:        "Shown by more than 256 files whose names end in `.handler.hcl`."},
	}
}

// grown returns a manifest with locals that repeat each other, the last one as
// it is given.
func grown(last string) string {
	return bound + `
locals {
  a = "0123456789"
  b = "${local.a}${local.a}${local.a}${local.a}${local.a}${local.a}${local.a}${local.a}${local.a}${local.a}"
  c = "${local.b}${local.b}${local.b}${local.b}${local.b}${local.b}${local.b}${local.b}${local.b}${local.b}"
  d = "${local.c}${local.c}${local.c}${local.c}${local.c}${local.c}${local.c}${local.c}${local.c}${local.c}"
  e = "` + last + `"
}

plan "rollout" {
  source      = "plan.md"
  description = local.e
}
`
}
