package main

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/ai-session-handler/ai-session-handler/cmd/internal/grammar"
	"github.com/ai-session-handler/ai-session-handler/cmd/internal/manual"
	"github.com/ai-session-handler/ai-session-handler/engine/proc"
	"github.com/ai-session-handler/ai-session-handler/engine/workspace"
	"github.com/ai-session-handler/ai-session-handler/manifest"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

//go:generate sh -c "go run . man --format markdown >../../docs/cli.md"

type manCmd struct {
	// Format is for docs/cli.md.
	Format string `hidden:"" enum:"man,markdown" default:"man"`
}

// Help is the long help of the command.
func (*manCmd) Help() string {
	return `To read the page where it is not installed:

  ai-session-handler man | man -l -

EXIT STATUS
  0    the page was printed`
}

// Run runs the command.
func (c *manCmd) Run(a *app, parsed *kong.Context) error {
	m := manual.Manual{
		Program: grammar.From(parsed.Model), Version: "ai-session-handler " + version,
		ExitCodes: exitTerms(), Environment: environment, Files: files(),
	}
	text := m.Man()
	if c.Format == "markdown" {
		text = m.Markdown()
	}
	if _, err := fmt.Fprint(a.direct.stdout, text); err != nil {
		return fmt.Errorf("the page could not be written: %w", err)
	}
	return nil
}

// exitMeanings says of each exit code what it means, in the order of the codes.
var exitMeanings = []struct {
	code    int
	meaning string
}{
	{exitOK, "all phases are complete, or the cap of --max-phases or a pause_after was reached"},
	{exitBug, "a bug of ours; please report it"},
	{exitBlocked, "the phase is blocked"},
	{exitClarification, "the phase needs a clarification"},
	{exitFailed, "the agent failed, or what happened could not be written down"},
	{exitInvalid, "nothing was run, or nothing more: wrong usage, plan, manifest, configuration, template or state, a lock that is held, a stopped or unresolved phase, a plan or manifest that changed"},
	{exitDiffers, "fmt --check: a manifest is laid out otherwise"},
	{exitSignal + 1, "interrupted by SIGHUP"},
	{exitSignal + 2, "interrupted by SIGINT, Ctrl-C"},
	{exitSignal + 3, "interrupted by SIGQUIT"},
	{exitSignal + 15, "interrupted by SIGTERM"},
}

// exitTerms adds to each code the statuses of an attempt that end with it.
func exitTerms() []manual.Term {
	var terms []manual.Term
	for _, e := range exitMeanings {
		var statuses []string
		for _, status := range record.Statuses() {
			if code, ok := statusCodes[status]; ok && code == e.code {
				statuses = append(statuses, string(status))
			}
		}
		meaning := e.meaning
		if len(statuses) > 0 {
			meaning += " (the attempt's status: " + strings.Join(statuses, ", ") + ")"
		}
		terms = append(terms, manual.Term{Word: strconv.Itoa(e.code), Meaning: meaning})
	}
	return terms
}

var environment = []manual.Term{
	{Word: "CLICOLOR_FORCE", Meaning: "When it is set and not 0, colours are kept in files and pipes too, like with --color always. NO_COLOR wins over it."},
	{Word: "NO_COLOR", Meaning: "When it is set and not empty, nothing is coloured, like with --color never."},
	{Word: "TERM", Meaning: "Without it, or when it is dumb, a terminal gets neither colours nor the block below the output."},
	{Word: "AI_SESSION_HANDLER_VAR_NAME", Meaning: "The value of the variable NAME of a manifest. A --var wins over it."},
	{Word: "PATH", Meaning: "Where an agent's program is looked up whose name has no slash."},
	{Word: "AI_SESSION_HANDLER", Meaning: "Set to 1 for a worker."},
	{Word: proc.EnvAttemptID, Meaning: "Set for a worker: the id of its attempt. It should hand it on to what it starts."},
	{Word: "AI_SESSION_HANDLER_PHASE_ID", Meaning: "Set for a worker: phase-N."},
	{Word: "AI_SESSION_HANDLER_PLAN_WORKSPACE", Meaning: "Set for a worker: the plan workspace."},
}

// files lie in the plan workspace: the nearest directory above the plan that has
// .ai-session-handler, .git or AGENTS.md.
func files() []manual.Term {
	const attempt = "ATTEMPT"
	ofPlan := path.Join(workspace.DirName, workspace.PlansDir, "KEY")
	return []manual.Term{
		{Word: manifest.FileName, Meaning: "The manifest, in the plan workspace: the nearest directory above the plan that has .ai-session-handler, .git or AGENTS.md. In its JSON form " + manifest.JSONName + ". Optional."},
		{Word: manifest.Companions, Meaning: "Beside the manifest: more of it."},
		{Word: path.Join(workspace.DirName, workspace.ConfigFile), Meaning: "The configuration, in the plan workspace. Optional."},
		{Word: path.Join(ofPlan, workspace.StateFile), Meaning: "Where a plan stands. KEY is the SHA-256 of the plan's path within its workspace."},
		{Word: path.Join(ofPlan, workspace.SnapshotFile("SHA256")), Meaning: "The plan's bytes, as accepted."},
		{Word: path.Join(ofPlan, workspace.PromptFile(attempt)), Meaning: "What a worker was told."},
		{Word: path.Join(ofPlan, workspace.TranscriptFile(attempt)), Meaning: "A header, then what the worker printed, byte for byte."},
		{Word: path.Join(ofPlan, workspace.IndexFile(attempt)), Meaning: "Which stretch of the transcript came from which stream, and when."},
		{Word: path.Join(ofPlan, workspace.OutcomeFile(attempt)), Meaning: "How the attempt ended."},
		{Word: path.Join(ofPlan, workspace.ExitFile(attempt)), Meaning: "How a worker ended whose handler was gone."},
	}
}
