package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/ai-session-handler/ai-session-handler/engine/fsx"
	"github.com/ai-session-handler/ai-session-handler/engine/run"
	"github.com/ai-session-handler/ai-session-handler/engine/termtext"
	"github.com/ai-session-handler/ai-session-handler/engine/workspace"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// printResult says what happened, where the evidence lies and how to go on, and
// returns the exit code.
func printResult(ctx context.Context, to printer, job run.Job, r run.Result) int {
	if r.End == run.Complete {
		to.Result("runner-complete: all phases complete")
		return exitOK
	}
	o := r.Outcome
	switch o.Status {
	case record.PhaseComplete:
		to.Result("phase-complete: " + o.Phase.ID)
		if r.End == run.Paused {
			to.Line("paused after " + o.Phase.ID + ", as the manifest says")
		}
		to.Line("next: " + job.Again())
		return exitOK
	case record.Blocked:
		to.Result("phase-blocked: " + termtext.Indented(o.Summary, "  "))
	case record.NeedsClarification:
		to.Result("phase-needs-clarification: " + termtext.Indented(o.Summary, "  "))
	default:
		to.Error(failureText(r))
	}
	to.Line("outcome: " + filepath.Join(r.PlanDir, r.Path))
	to.Line("next: " + advice(*o) + ": " + job.Again("--retry-stopped"))
	return resultCode(ctx, *o)
}

// resultCode is that of the status, except where a signal to the handler is
// what ended the attempt.
func resultCode(ctx context.Context, o record.Outcome) int {
	var interrupted *run.InterruptedError
	if o.Status == record.Interrupted && errors.As(context.Cause(ctx), &interrupted) {
		return signalCode(interrupted.Signal)
	}
	return statusCodes[o.Status]
}

// advice says what to do before a retry.
func advice(o record.Outcome) string {
	switch o.Status {
	case record.Blocked:
		return "remove what blocks it, then"
	case record.NeedsClarification:
		return "answer in the plan or the repository's documents, then (with --accept-plan-change if the plan changed)"
	case record.LaunchFailed:
		return "correct what keeps the agent command from being launched, then"
	case record.MultipleMarkers:
		if filepath.Base(o.Argv[0]) == "codex" {
			return "plain codex exec prints its answer on both streams: put a wrapper before it that prints the result once, then"
		}
	}
	return "look at what the worker left, then"
}

// failureText is what a failed attempt looks like: why, where the evidence
// lies, and the worker's last words.
func failureText(r run.Result) string {
	o := r.Outcome
	lines := []string{fmt.Sprintf("%s: %s", o.Status, termtext.Indented(o.Cause, "  "))}
	for _, s := range o.Survivors {
		lines = append(lines, fmt.Sprintf("still alive: process %d (%s)", s.PID, termtext.Line(s.Name)))
	}
	lines = append(lines, transcriptTail(r.PlanDir, workspace.TranscriptFile(o.AttemptID))...)
	return strings.Join(lines, "\n")
}

// tailLines is how much of a transcript is shown when an attempt failed.
const tailLines = 20

// transcriptTail names a transcript and shows its end. It never shows that of
// another attempt in the place of one that can't be read.
func transcriptTail(planDir, name string) []string {
	path := filepath.Join(planDir, name)
	lines := []string{"transcript: " + path}
	dir, err := fsx.OpenDir(planDir, testOnlySeam)
	if err != nil {
		return append(lines, "the transcript can't be read: "+err.Error())
	}
	defer func() { _ = dir.Close() }()
	tail, err := readTail(dir, name, tailLines)
	switch {
	case err != nil:
		return append(lines, "the transcript can't be read: "+err.Error())
	case len(tail) == 0:
		return append(lines, "the transcript has no output")
	}
	many := "line"
	if len(tail) > 1 {
		many = fmt.Sprintf("%d lines", len(tail))
	}
	lines = append(lines, "last "+many+" of the transcript:")
	for _, line := range tail {
		lines = append(lines, "  "+line)
	}
	return lines
}

// unresolvedText shows an attempt whose end could not be made durable: its own
// artifacts, never those of an attempt before it.
func unresolvedText(e *run.UnresolvedError, job run.Job) string {
	a := e.Attempt
	lines := []string{e.Error(), fmt.Sprintf("unresolved attempt: %s (%s, attempt %s)", a.Phase.ID, a.Status, a.ID)}
	if e.Seen.Status != record.PhaseComplete {
		lines = append(lines, fmt.Sprintf("its end (not on record): %s: %s", e.Seen.Status, e.Seen.Cause))
	}
	if e.Deleted {
		return strings.Join(append(lines,
			"the whole history of the plan was deleted while the worker ran, "+e.PlanDir+" with it: a run would begin with the first phase again",
			"next: find out who deleted it, put it back from a copy if there is one, and look at what the phases did before any run"), "\n")
	}
	lines = append(lines, "planned outcome (uncommitted): "+filepath.Join(e.PlanDir, a.OutcomePath))
	lines = append(lines, transcriptTail(e.PlanDir, a.TranscriptPath)...)
	lines = append(lines, "next: make room or repair the file system, look at what the worker left, then: "+job.Again("--retry-stopped"))
	return strings.Join(lines, "\n")
}
