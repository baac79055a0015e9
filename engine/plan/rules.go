package plan

import "slices"

// The codes of docs/plan-format.md. P5xx keep a plan from running, P6xx do not.
const (
	codeUnreadable      = "P501"
	codeUTF8            = "P502"
	codeFence           = "P503"
	codeComment         = "P504"
	codeHidden          = "P505"
	codeHalfComment     = "P506"
	codeDepth           = "P507"
	codeDisguised       = "P508"
	codeNoPhase         = "P510"
	codeZero            = "P511"
	codeRepeated        = "P512"
	codeOrder           = "P513"
	codeNoWorkspace     = "P520"
	codeSecondWorkspace = "P521"
	codeMisspelt        = "P522"
	codeEmptyWorkspace  = "P523"
	codeManyPaths       = "P524"
	codePath            = "P525"

	codeTail         = "P601"
	codeBetween      = "P602"
	codeNearMiss     = "P603"
	codeBold         = "P604"
	codeIndented     = "P605"
	codeInnerFence   = "P606"
	codeCutShort     = "P607"
	codeLevels       = "P608"
	codeStatus       = "P609"
	codeEstimate     = "P610"
	codeCheckBoxes   = "P611"
	codeOddPath      = "P612"
	codeNoValidation = "P613"
	codeLongBody     = "P614"
	codeInvisible    = "P615"
)

// Rule is one row of the table of everything that can be wrong with a plan;
// the reference in docs/plan-format.md is made from it.
type Rule struct {
	Code        string // P5xx for an error, P6xx for a finding
	Title       string // a few words
	Explanation string // why it matters, whole sentences
	Strict      bool   // reported only by a strict lint
}

// Blocks reports whether the rule keeps a plan from running.
func (r Rule) Blocks() bool { return r.Code < "P6" }

// Rules returns the table in order of code. The caller may change its copy.
func Rules() []Rule {
	return slices.Concat(fileRules(), phaseRules(), workspaceRules(), lintRules())
}

func fileRules() []Rule {
	return []Rule{
		{Code: codeUnreadable, Title: "unreadable plan",
			Explanation: "A plan is a regular file. A directory, a FIFO or a device is refused before it can block, and so is a symbolic link that appears after the path was resolved."},
		{Code: codeUTF8, Title: "not UTF-8",
			Explanation: "A plan is UTF-8. The first byte that is not is named by its position in the file, counted from 1."},
		{Code: codeFence, Title: "unclosed fence",
			Explanation: "A fence of backticks or tildes ends with a line of at least as many of the same. Markdown lets an unclosed one reach to the end of the file, and every phase behind it would be gone."},
		{Code: codeComment, Title: "unclosed comment",
			Explanation: "A comment without its --> reaches to the end of the file, and every phase behind it would be gone. Where Markdown ends it earlier, they would run although they look commented out."},
		{Code: codeHidden, Title: "hidden phase heading",
			Explanation: "The line reads like a phase, but Markdown sees no heading of the document there: it lies in a list, a quote or an HTML block, or has more than six hashes. Only a closed fence or a closed comment hides a phase on purpose."},
		{Code: codeHalfComment, Title: "phase in a comment that is none",
			Explanation: "A comment reaches up to the next blank line only, or to the end of its list or quote, unless <!-- is the first thing on a line of the document itself. So a phase before its --> would run although its author took it out. Nor do comments nest: the first --> ends them all."},
		{Code: codeDepth, Title: "nested too deep",
			Explanation: "Lists and quotes may nest up to a fixed depth, which keeps reading a plan linear in its size."},
		{Code: codeDisguised, Title: "phase heading with an odd character",
			Explanation: "The line looks like a phase, but for Markdown a no-break space is no space, a Unicode line separator no line end, and a character without width or a second byte order mark hides what follows. In a title they do no harm."},
	}
}

func phaseRules() []Rule {
	return []Rule{
		{Code: codeNoPhase, Title: "no phase",
			Explanation: `A plan needs at least one heading whose text is exactly "Phase N: Title". Other headings, like stages, tasks and steps, do not execute.`},
		{Code: codeZero, Title: "phase 0",
			Explanation: "Phase numbers start at 1 or above."},
		{Code: codeRepeated, Title: "repeated phase number",
			Explanation: "A phase number stands for one phase; what has run is recorded under it."},
		{Code: codeOrder, Title: "decreasing phase number",
			Explanation: "Phases run in the order of the file, so their numbers increase. Gaps are allowed."},
	}
}

func workspaceRules() []Rule {
	return []Rule{
		{Code: codeNoWorkspace, Title: "no workspace",
			Explanation: `Every phase says where it works, in a section with the heading "### Workspace".`},
		{Code: codeSecondWorkspace, Title: "second workspace",
			Explanation: "A phase works in one repository. Work in another one is a phase of its own."},
		{Code: codeMisspelt, Title: "misspelt workspace heading",
			Explanation: `The heading is exactly "### Workspace": level 3, this case, nothing behind it.`},
		{Code: codeEmptyWorkspace, Title: "empty workspace",
			Explanation: "The section holds exactly one line, the path."},
		{Code: codeManyPaths, Title: "several lines in a workspace",
			Explanation: "The section holds exactly one line, the path. It ends at the next heading."},
		{Code: codePath, Title: "path is not relative",
			Explanation: "The path is resolved from the root of the plan's workspace, so that a plan works on every machine."},
	}
}

func lintRules() []Rule {
	return []Rule{
		{Code: codeTail, Title: "sections after the last phase",
			Explanation: "A body reaches to the next phase or the end of the file. Sections after the last phase are sent to its worker as if they were part of its task."},
		{Code: codeBetween, Title: "sections between phases",
			Explanation: "A section between two phases, at their level or above, is sent to the worker of the phase before it."},
		{Code: codeNearMiss, Title: "almost a phase heading",
			Explanation: "The heading is likely to be meant as a phase, but does not read \"Phase N: Title\". Its text is sent to the worker of the phase before it, or to all of them."},
		{Code: codeBold, Title: "bold text instead of a phase heading",
			Explanation: "Bold text is no heading. What stands below it is sent to the worker of the phase before it."},
		{Code: codeIndented, Title: "indented phase heading",
			Explanation: "Behind four or more columns a heading is code or text. A fence says so more clearly."},
		{Code: codeInnerFence, Title: "fence inside a fence of the same length",
			Explanation: "A fence ends with the first line of at least as many of the same characters, so the end of the inner one ends the outer one, and what follows is no longer code."},
		{Code: codeCutShort, Title: "fence or comment cut short",
			Explanation: "A fence or comment inside a list or quote ends with it, closed or not. Text behind it that was meant to be code is not."},
		{Code: codeLevels, Title: "phases at several heading levels",
			Explanation: "Phases run one after the other whatever their level; a deeper one is no part of the one before it."},
		{Code: codeStatus, Title: "status in a title",
			Explanation: "What has run is in the runner's state. The runner does not read a status in a title: the phase runs nevertheless."},
		{Code: codeEstimate, Title: "estimate in a title",
			Explanation: "An estimate in a title tells the worker nothing it could use, and limits nothing."},
		{Code: codeCheckBoxes, Title: "check boxes",
			Explanation: "The runner neither reads nor ticks check boxes; a ticked one skips nothing."},
		{Code: codeOddPath, Title: "odd workspace path",
			Explanation: "The path is taken literally: quotes, backticks, list markers and backslashes are part of it."},
		{Code: codeNoValidation, Title: "no validation", Strict: true,
			Explanation: "A phase is a checkpoint that can be verified. Without a word on how, the worker decides what done means."},
		{Code: codeLongBody, Title: "long body", Strict: true,
			Explanation: "A body of more than 64 KiB takes much of a worker's context. There is no limit; consider several phases, or a document to link to."},
		{Code: codeInvisible, Title: "invisible characters",
			Explanation: "A worker reads every character, also those that no screen shows: tag characters, zero-width spaces, soft hyphens, fillers. Text can be hidden in them. Joiners and variation selectors in emoji and in scripts that need them, and marks of direction in a plan with right-to-left text, are not reported."},
	}
}
