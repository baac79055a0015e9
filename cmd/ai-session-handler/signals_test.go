package main

import (
	"bytes"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/ai-session-handler/ai-session-handler/engine/enginetest"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// TestSignals ends a run by each signal that a terminal, a session manager or
// an operator sends: its exit code, a state that says interrupted, no process
// left, and a phase that is not run again without a word.
func TestSignals(t *testing.T) {
	t.Parallel()
	for name, sig := range map[string]syscall.Signal{
		"129 SIGHUP":  syscall.SIGHUP,
		"130 SIGINT":  syscall.SIGINT,
		"131 SIGQUIT": syscall.SIGQUIT,
		"143 SIGTERM": syscall.SIGTERM,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, 2)
			steps := []string{"ledger=ledger", "phase-1:complete=one", "phase-2:session=session.pid,session.term", "phase-2:out=half", "phase-2:pid=worker.pid", "phase-2:forever"}
			cmd := r.command(nil, r.runArgs(steps)...)
			var out, errs bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &errs
			wait := r.start(cmd)
			enginetest.ReadPid(t, r.path("worker.pid"))
			began := time.Now()
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			if code := wait(); code != exitSignal+int(sig) {
				t.Errorf("exit code %d, want %d", code, exitSignal+int(sig))
			}
			if took := time.Since(began); took > 20*time.Second {
				t.Errorf("it took %v", took)
			}
			r.interrupted(out.String(), errs.String())
			e := r.run([]string{"ledger=ledger", "complete=two"})
			r.wants(e, exitInvalid, "error: phase-2 is stopped: interrupted\n", "--retry-stopped\n")
			e = r.run([]string{"ledger=ledger", "complete=two"}, "--retry-stopped")
			if ran := r.ledger(); e.code != exitOK || ran["phase-1"] != 1 || ran["phase-2"] != 2 {
				t.Errorf("exit code %d, ran %v", e.code, ran)
			}
		})
	}
}

// interrupted checks what an interrupted phase-2 leaves.
func (r *repo) interrupted(out, errs string) {
	r.t.Helper()
	r.settled()
	r.checkGone()
	if out != "half\n" { // the worker's last line, which the handler ended
		r.t.Errorf("stdout %q", out)
	}
	for _, want := range []string{"interrupted: the handler was interrupted by signal ", "\n  half\n", "--retry-stopped\n"} {
		if !bytes.Contains([]byte(errs), []byte(want)) {
			r.t.Errorf("stderr has no %q:\n%s", want, errs)
		}
	}
	st := r.state()
	if st.ActiveAttempt != nil || st.Stop == nil || st.Stop.Reason != record.Interrupted || st.Stop.PhaseID != "phase-2" {
		r.t.Errorf("active %+v, stop %+v", st.ActiveAttempt, st.Stop)
	}
	if len(st.CommittedOutcomes) != 2 || len(st.CompletedPhaseIDs) != 1 {
		r.t.Errorf("outcomes %+v, completed %v", st.CommittedOutcomes, st.CompletedPhaseIDs)
	}
}

// TestAWorkerThatEndsInTimeIsInterruptedAllTheSame has a worker that reports
// success when it is told to end: the run was interrupted, and its result does
// not count.
func TestAWorkerThatEndsInTimeIsInterruptedAllTheSame(t *testing.T) {
	t.Parallel()
	r := newRepo(t, 1)
	cmd := r.command(nil, r.runArgs([]string{"on-term-exit=term", "complete=done", "pid=worker.pid", "forever"})...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	wait := r.start(cmd)
	enginetest.ReadPid(t, r.path("worker.pid"))
	_ = cmd.Process.Signal(syscall.SIGTERM)
	if code := wait(); code != exitSignal+int(syscall.SIGTERM) {
		t.Errorf("exit code %d", code)
	}
	if _, err := os.Stat(r.path("term")); err != nil {
		t.Errorf("the worker was not asked to end: %v", err)
	}
	if !bytes.Contains(errs.Bytes(), []byte("a result block was seen and does not count")) {
		t.Errorf("stderr %s", errs.String())
	}
	if st := r.state(); st.Stop == nil || st.Stop.Reason != record.Interrupted {
		t.Errorf("stop %+v", st.Stop)
	}
}
