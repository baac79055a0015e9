package run

import (
	"errors"
	"fmt"

	"github.com/ai-session-handler/ai-session-handler/engine/binding"
	"github.com/ai-session-handler/ai-session-handler/engine/proc"
	"github.com/ai-session-handler/ai-session-handler/engine/result"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// failed is an outcome in the runner's own words.
func failed(o record.Outcome, status record.Status, message string) record.Outcome {
	o.Status, o.Summary, o.Cause = status, message, message
	return o
}

// ioFailure is the outcome of an attempt whose evidence is not complete. It
// takes the place of whatever was judged before, a success included, but an
// earlier failure stays the reason.
func ioFailure(o record.Outcome, doing string, err error) record.Outcome {
	message := fmt.Sprintf("could not %s: %v", doing, err)
	if o.Status != "" && o.Status != record.PhaseComplete {
		o.Cause += "; and " + message
		return o
	}
	return failed(o, record.ExecutionIOFailed, message)
}

// judge turns how a worker ended, and what it printed, into an outcome. A
// result block counts only after the worker ended by itself with exit code 0.
func judge(o record.Outcome, exit proc.Exit, printed *sink, limits binding.Limits) record.Outcome {
	o.ExitCode, o.Signal, o.Resources = exit.ExitCode, exit.Signal, exit.Resources
	o.Swept, o.Survivors = exit.Swept, exit.Survivors
	o.PromptBytesTaken, o.DurationMS = exit.PromptBytes, exit.Elapsed.Milliseconds()
	status, message := verdict(exit, limits)
	status, message = treeVerdict(status, message, exit.Tree, limits.Tree)
	if status == "" {
		return judgeResult(o, printed.result())
	}
	if printed.seen() {
		message += "; a result block was seen and does not count"
	}
	if status == record.LaunchFailed {
		o.ExitCode, o.Signal = nil, nil
	}
	return failed(o, status, message)
}

// verdict is empty when the worker's own result decides.
func verdict(exit proc.Exit, limits binding.Limits) (record.Status, string) {
	switch exit.Reason {
	case proc.LaunchFailed:
		return record.LaunchFailed, exit.Err.Error()
	case proc.TimedOut:
		return record.Timeout, fmt.Sprintf("agent command timed out after %v", limits.Timeout)
	case proc.Idle:
		return record.IdleTimeout, fmt.Sprintf("agent command printed nothing for %v", limits.IdleTimeout)
	case proc.Cancelled:
		return cancelled(exit.Err)
	case proc.SinkFailed:
		return endedFor(exit.Err, record.ExecutionIOFailed, exit.Err.Error())
	case proc.SupervisorDied, proc.SupervisorQuit:
		return record.Interrupted, exit.Err.Error()
	}
	switch {
	case !exit.Executed:
		return record.LaunchFailed, "the agent command ended before it executed: " + exit.Cause
	case exit.Signal == nil && exit.ExitCode == nil:
		return record.Interrupted, exit.Cause
	case exit.Signal != nil:
		return record.AgentFailed, fmt.Sprintf("agent command was ended by signal %q", *exit.Signal)
	case *exit.ExitCode != 0:
		return record.AgentFailed, fmt.Sprintf("agent command exited with code %d", *exit.ExitCode)
	case len(exit.Survivors) > 0:
		return record.ExecutionIOFailed, fmt.Sprintf("%d processes of the worker could not be ended and may still change files", len(exit.Survivors))
	}
	return "", ""
}

// endedFor tells a worker that was ended for what it printed from one that was
// ended for another reason.
func endedFor(cause error, otherwise record.Status, message string) (record.Status, string) {
	var rule *stopRuleError
	var limit *outputLimitError
	switch {
	case errors.As(cause, &rule):
		return record.StopRegex, cause.Error()
	case errors.As(cause, &limit):
		return record.OutputLimit, cause.Error()
	}
	return otherwise, message
}

func cancelled(cause error) (record.Status, string) {
	var identity *identityError
	if errors.As(cause, &identity) {
		return record.ExecutionIOFailed, cause.Error()
	}
	return endedFor(cause, record.Interrupted, "the handler was "+cause.Error()+" while the worker was active")
}

func judgeResult(o record.Outcome, r result.Result) record.Outcome {
	switch r.Verdict {
	case result.None:
		return failed(o, record.MissingMarker, "agent output did not contain a result block")
	case result.Multiple:
		return failed(o, record.MultipleMarkers, "agent output contained more than one result block: "+r.Reason)
	case result.Invalid:
		return failed(o, record.InvalidMarker, "agent output contained an invalid result block: "+r.Reason)
	}
	o.Status = statusOf(r.Block.Kind)
	o.Summary = r.Block.Text
	o.Cause = fmt.Sprintf("the worker ended with exit code 0 and one %s block on %s", r.Block.Kind.Tag(), r.Stream)
	return o
}

func statusOf(kind result.Kind) record.Status {
	switch kind {
	case result.Complete:
		return record.PhaseComplete
	case result.Blocked:
		return record.Blocked
	default:
		return record.NeedsClarification
	}
}
