package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/ai-session-handler/ai-session-handler/engine/enginetest"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// writeRetryManifest binds the plan to an agent that does what the file steps
// says, and to be repeated after any end that may be named.
func (r *repo) writeRetryManifest(delay string) {
	r.t.Helper()
	rel, _ := filepath.Rel(r.ws, r.plan)
	r.writeFile("ai-session-handler.hcl", fmt.Sprintf(`
manifest {
  version = 1
}

agent "a" {
  command = [%q, "ledger=ledger", "@steps"]
}

plan "it" {
  source = %q
  agent  = agent.a

  retry {
    on           = ["agent-failed", "missing-marker", "invalid-marker", "timeout", "idle-timeout"]
    max_attempts = 3
    delay        = %q
  }
}
`, enginetest.BuildFakeAgent(r.t), rel, delay))
}

// TestARetryNeverRepeatsWhatWasInterrupted sends SIGTERM while the second attempt
// of a phase runs.
func TestARetryNeverRepeatsWhatWasInterrupted(t *testing.T) {
	t.Parallel()
	r := newRepo(t, 1)
	r.writeRetryManifest("1ms")
	r.writeFile("steps", "exit=1\n")
	cmd, errs := r.startIt("run", "it")
	wait := r.start(cmd)
	// The first attempt has failed, or not even begun, when this takes its place; an
	// attempt that is not the third waits here.
	r.writeFile("steps", "daemon=daemon.pid\npid=worker.pid\nforever\n")
	enginetest.ReadPid(t, r.path("worker.pid"))
	_ = cmd.Process.Signal(syscall.SIGTERM)
	if code := wait(); code != exitSignal+int(syscall.SIGTERM) {
		t.Errorf("exit code %d\n%s", code, errs)
	}
	r.settled()
	r.checkGone()
	if st := r.state(); st.Stop == nil || st.Stop.Reason != record.Interrupted || st.ActiveAttempt != nil {
		t.Errorf("stop %+v", st.Stop)
	}
	r.checkGoesOn()
}

// TestAnEndWhileARetryWaits ends the handler in the delay between two attempts,
// by a signal that it sees and by one that it does not: the state says stopped,
// as it would without a retry, and nothing is left.
func TestAnEndWhileARetryWaits(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		signal syscall.Signal
		code   int
	}{
		"SIGTERM": {syscall.SIGTERM, exitSignal + int(syscall.SIGTERM)},
		"SIGINT":  {syscall.SIGINT, exitSignal + int(syscall.SIGINT)},
		"SIGKILL": {syscall.SIGKILL, -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, 1)
			r.writeRetryManifest("1h")
			r.writeFile("steps", "daemon=daemon.pid\npid=worker.pid\nexit=1\n")
			cmd, errs := r.startIt("run", "it", "--events", "events")
			wait := r.start(cmd)
			enginetest.WaitUntil(t, "the retry waits", patience, func() bool { return r.says("events", string(record.RetryScheduled)) })
			if e := r.exec(nil, "status", "it"); !strings.HasPrefix(e.out, "running: phase-1 ") || !strings.Contains(e.out, "; its last attempt ended agent-failed\n") || strings.Contains(e.out, "to go on") {
				t.Errorf("while it waits: %+v", e)
			}
			_ = cmd.Process.Signal(test.signal)
			if code := wait(); code != test.code {
				t.Errorf("exit code %d, want %d\n%s", code, test.code, errs)
			}
			r.settled()
			r.checkGone()
			if st := r.state(); st.Stop == nil || st.Stop.Reason != record.AgentFailed || st.ActiveAttempt != nil {
				t.Errorf("stop %+v, active %+v", st.Stop, st.ActiveAttempt)
			}
			if test.code > 0 && !strings.Contains(errs.String(), "while phase-1 waited to be run again: attempt 1 of 3 ended agent-failed\n  next: ai-session-handler run it --events "+r.path("events")+" --retry-stopped\n") {
				t.Errorf("it said %s", errs)
			}
			if ran := r.ledger()["phase-1"]; ran != 1 {
				t.Errorf("phase-1 ran %d times", ran)
			}
			r.checkGoesOn()
		})
	}
}

// startIt prepares a command of which the test reads what it said.
func (r *repo) startIt(args ...string) (cmd *exec.Cmd, errs *bytes.Buffer) {
	cmd, errs = r.command(nil, args...), &bytes.Buffer{}
	cmd.Stderr = errs
	return cmd, errs
}

// checkGoesOn holds a stopped plan back until somebody says so.
func (r *repo) checkGoesOn() {
	r.t.Helper()
	r.writeFile("steps", "complete=done\n")
	ran := r.ledger()["phase-1"]
	if e := r.exec(nil, "run", "it"); e.code != exitInvalid || !strings.Contains(e.err, "phase-1 is stopped: ") {
		r.t.Errorf("a run without a retry: %+v", e)
	}
	if e := r.exec(nil, "run", "it", "--retry-stopped"); e.code != exitOK || r.ledger()["phase-1"] != ran+1 {
		r.t.Errorf("the retry: %+v, %v", e, r.ledger())
	}
}

// says holds when a file has a text.
func (r *repo) says(name, text string) bool {
	data, _ := os.ReadFile(r.path(name))
	return strings.Contains(string(data), text)
}

// TestARetryNeverRepeatsWhatLostItsSupervisor has an attempt that was interrupted
// without a signal to the handler.
func TestARetryNeverRepeatsWhatLostItsSupervisor(t *testing.T) {
	t.Parallel()
	r := newRepo(t, 1)
	r.writeRetryManifest("1ms")
	r.writeFile("steps", "forever\n")
	e := r.exec([]string{enginetest.SupervisorFaultEnv + "=kill-at=^after_send_executed$"}, "run", "it")
	st := r.state()
	if e.code != exitFailed || len(st.CommittedOutcomes) != 1 || st.Stop == nil || st.Stop.Reason != record.Interrupted {
		t.Errorf("%d outcomes, stop %+v, %+v", len(st.CommittedOutcomes), st.Stop, e)
	}
	r.checkGoesOn()
}
