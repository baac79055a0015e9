package run

import (
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ai-session-handler/ai-session-handler/engine/binding"
	"github.com/ai-session-handler/ai-session-handler/engine/match"
	"github.com/ai-session-handler/ai-session-handler/engine/proc"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

const block = "<phase-complete>done</phase-complete>\n"

func exited(code int) proc.Exit {
	return proc.Exit{Exit: record.Exit{Executed: true, ExitCode: &code}}
}

func ended(reason proc.Reason, err error) proc.Exit {
	signal := "terminated"
	return proc.Exit{Exit: record.Exit{Executed: true, Signal: &signal}, Reason: reason, Err: err}
}

// TestOnlyTheWorkersOwnSuccessCounts has the worker print a good block each
// time: whatever else happened decides.
func TestOnlyTheWorkersOwnSuccessCounts(t *testing.T) {
	failed := errors.New("disk full")
	survivor := exited(0)
	survivor.Survivors = []record.Leftover{{PID: 1, Name: "x"}}
	signalled := ended(proc.Exited, nil)
	for name, test := range map[string]struct {
		exit   proc.Exit
		status record.Status
		says   string
	}{
		"exit 0":               {exited(0), record.PhaseComplete, "done"},
		"exit 7":               {exited(7), record.AgentFailed, "code 7; a result block was seen and does not count"},
		"a signal":             {signalled, record.AgentFailed, "signal \"terminated\""},
		"timeout":              {ended(proc.TimedOut, nil), record.Timeout, "after 1h0m0s"},
		"silence":              {ended(proc.Idle, nil), record.IdleTimeout, "nothing for 1m0s"},
		"a signal to us":       {ended(proc.Cancelled, &InterruptedError{syscall.SIGINT}), record.Interrupted, "while the worker was active"},
		"no identity":          {ended(proc.Cancelled, &identityError{failed}), record.ExecutionIOFailed, "never let go"},
		"a stop rule":          {ended(proc.Cancelled, &stopRuleError{match.Hit{Expr: "x$"}}), record.StopRegex, "stop regex: x$"},
		"a stop rule at last":  {ended(proc.SinkFailed, &stopRuleError{match.Hit{Expr: "x$"}}), record.StopRegex, "stop regex: x$"},
		"too much output":      {ended(proc.Cancelled, &outputLimitError{7}), record.OutputLimit, "longer than 7 bytes"},
		"too much at last":     {ended(proc.SinkFailed, &outputLimitError{7}), record.OutputLimit, "longer than 7 bytes"},
		"a full disk":          {ended(proc.SinkFailed, failed), record.ExecutionIOFailed, "disk full"},
		"supervisor killed":    {ended(proc.SupervisorDied, failed), record.Interrupted, "disk full"},
		"supervisor signalled": {ended(proc.SupervisorQuit, failed), record.Interrupted, "disk full"},
		"never launched":       {ended(proc.LaunchFailed, failed), record.LaunchFailed, "disk full"},
		"survivors":            {survivor, record.ExecutionIOFailed, "could not be ended"},
	} {
		t.Run(name, func(t *testing.T) {
			var printed sink
			_, _ = printed.outputs[proc.Stdout].scanner.Write([]byte(block))
			limits := binding.Limits{Timeout: time.Hour, IdleTimeout: time.Minute}
			o := judge(record.Outcome{}, test.exit, &printed, limits)
			if o.Status != test.status || !strings.Contains(o.Summary, test.says) {
				t.Errorf("got %s: %s", o.Status, o.Summary)
			}
		})
	}
}

func TestAnIncompleteTranscriptIsNoSuccess(t *testing.T) {
	o := ioFailure(record.Outcome{Status: record.PhaseComplete, Summary: "done"}, "finish the transcript", syscall.EIO)
	if o.Status != record.ExecutionIOFailed || o.Summary != "could not finish the transcript: input/output error" {
		t.Errorf("a success: %+v", o)
	}
	o = ioFailure(failed(record.Outcome{}, record.Timeout, "too long"), "finish the transcript", syscall.EIO)
	if o.Status != record.Timeout || !strings.Contains(o.Cause, "too long; and could not finish") {
		t.Errorf("an earlier failure: %+v", o)
	}
}
