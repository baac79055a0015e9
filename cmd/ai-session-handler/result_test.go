package main

import (
	"context"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/ai-session-handler/ai-session-handler/engine/binding"
	"github.com/ai-session-handler/ai-session-handler/engine/run"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// spoken is a printer that keeps what it is given.
type spoken []string

func (s *spoken) Line(text string)   { *s = append(*s, "line: "+text) }
func (s *spoken) Result(text string) { *s = append(*s, "result: "+text) }
func (s *spoken) Error(text string)  { *s = append(*s, "error: "+text) }

func TestASignalBetweenWorkersHasItsExitCode(t *testing.T) {
	err := explain(&run.HaltedError{Err: &run.InterruptedError{Signal: syscall.SIGINT}, Where: "between two phases", Again: "again"}, run.Job{})
	if want := "interrupted by signal \"interrupt\" between two phases\n  next: again"; codeOf(err) != 130 || err.Error() != want {
		t.Errorf("code %d, said %q", codeOf(err), err)
	}
}

func TestAPreviewSaysWhatAPhaseRunsUnder(t *testing.T) {
	retry := &binding.Retry{On: []record.Status{record.AgentFailed, record.Timeout}, MaxAttempts: 3, Delay: time.Minute}
	for want, got := range map[string]string{
		`{ on = ["agent-failed", "timeout"], max_attempts = 3, delay = 1m0s }`: retry.String(),
		"memory 1KiB, processes 5, CPU 1.5, best-effort":                       treeText(binding.TreeLimits{MemoryMax: 1024, PidsMax: 5, CPUMilli: 1500, BestEffort: true}),
		"processes 5":                  treeText(binding.TreeLimits{PidsMax: 5}),
		"binding ab, as accepted":      manifestText(run.ManifestPreview{SHA256: "ab", Message: "as accepted"}),
		"none, the change is accepted": manifestText(run.ManifestPreview{Message: "the change is accepted"}),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	var said spoken
	previewChanges(&said, run.Preview{Changes: "-a\n+b", Manifest: run.ManifestPreview{Changes: "phase-1:\n  timeout: 1m0s → 2m0s"}})
	want := []string{
		"result: the plan changed since it was accepted; with --accept-plan-change a run goes on with it:\n  -a\n  +b",
		"result: the manifest changed since it was accepted; with --accept-manifest-change a run goes on with it:\n  phase-1:\n    timeout: 1m0s → 2m0s",
	}
	if !slices.Equal(said, want) {
		t.Errorf("said %q", said)
	}
}

func TestAPauseEndsAsTheCapOfPhasesDoes(t *testing.T) {
	done := record.Outcome{Status: record.PhaseComplete, Phase: record.Phase{ID: "phase-3"}}
	for end, want := range map[run.End][]string{
		run.Capped: {"result: phase-complete: phase-3", "line: next: again"},
		run.Paused: {"result: phase-complete: phase-3", "line: paused after phase-3, as the manifest says", "line: next: again"},
	} {
		var said spoken
		code := printResult(context.Background(), &said, run.Job{Command: []string{"again"}}, run.Result{End: end, Outcome: &done})
		if code != 0 || !slices.Equal(said, want) {
			t.Errorf("code %d, said %q, want %q", code, said, want)
		}
	}
}
