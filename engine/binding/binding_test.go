package binding

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

func sample() Binding {
	return Binding{
		Source: "docs/plans/p.md",
		Default: Phase{
			Agent: "codex", Argv: []string{"run", "<x> & y"},
			Env: Environment{
				Restrict: true, Pass: []string{"PATH", "LC_*"}, Unset: []string{"X?"},
				Set: map[string]string{"B": "2", "A": "1"}, Secret: []string{"KEY"},
			},
			Limits: Limits{
				Timeout: time.Hour, IdleTimeout: time.Minute, Grace: 5 * time.Second, OutputMax: 1 << 20,
				Tree: TreeLimits{MemoryMax: 1 << 30, PidsMax: 100, CPUMilli: 1500, BestEffort: true},
			},
			StopOn: []string{"FATAL", "a"}, PauseAfter: true,
			Retry: &Retry{On: []record.Status{record.AgentFailed, record.Timeout}, MaxAttempts: 3, Delay: time.Minute},
		},
		Phases: map[string]Phase{"phase-2": {Agent: "b", Argv: []string{"b"}, Limits: Limits{Grace: time.Second}}},
	}
}

const (
	canonicalSample = `{"source":"docs/plans/p.md","default":{"agent":"codex","argv":["run","<x> & y"],"pass_env":["PATH","LC_*"],"unset_env":["X?"],"env":{"A":"1","B":"2"},"secret_env":["KEY"],"limits":{"timeout_ms":3600000,"idle_timeout_ms":60000,"grace_ms":5000,"output_max_bytes":1048576,"memory_max_bytes":1073741824,"pids_max":100,"cpu_max_milli":1500},"best_effort":true,"stop_on":["FATAL","a"],"retry":{"on":["agent-failed","timeout"],"max_attempts":3,"delay_ms":60000},"pause_after":true},"phases":{"phase-2":{"agent":"b","argv":["b"],"pass_env":null,"unset_env":[],"env":{},"secret_env":[],"limits":{"timeout_ms":0,"idle_timeout_ms":0,"grace_ms":1000,"output_max_bytes":0,"memory_max_bytes":0,"pids_max":0,"cpu_max_milli":0},"best_effort":false,"stop_on":[],"retry":null,"pause_after":false}}}`
	digestSample    = "fef9febf84a1dcd43dfbb3ec0eed4c0c77b855b9bf34be3be865d9ec312c3714"
)

func TestDigestIsFixed(t *testing.T) {
	b := sample()
	if diff := cmp.Diff(canonicalSample, string(canonical(b.Record()))); diff != "" {
		t.Errorf("the canonical form changed:\n%s", diff)
	}
	if got := b.Digest(); got != digestSample {
		t.Errorf("the digest of a binding changed: %s", got)
	}
}

// TestDigestSurvivesTheDisk decodes what was kept: an empty list that came back
// as null would be another binding.
func TestDigestSurvivesTheDisk(t *testing.T) {
	odd := Binding{Source: "\xff", Default: Phase{Agent: "\xff", Argv: []string{"\xff\ufffd\u2028"}, Env: Environment{Set: map[string]string{"A\xff": "\xff"}}}}
	for name, b := range map[string]Binding{"full": sample(), "empty": {}, "odd": odd} {
		data, err := record.Encode(b.Record())
		if err != nil {
			t.Fatal(err)
		}
		var read record.Binding
		if err := record.Decode(data, &read); err != nil {
			t.Fatal(err)
		}
		if Digest(read) != b.Digest() {
			t.Errorf("%s: the digest of %s differs", name, data)
		}
	}
}

func TestRecordSharesNothing(t *testing.T) {
	b := sample()
	want := b.Record()
	kept := b.Record()
	b.Default.Argv[0], b.Default.Env.Set["A"], b.Default.Env.Pass[0], b.Default.Retry.On[0] = "x", "x", "x", "x"
	b.Phases["phase-3"] = Phase{}
	if diff := cmp.Diff(want, kept); diff != "" {
		t.Error(diff)
	}
}

func TestPhasesNotNamedRunAsTheDefault(t *testing.T) {
	b := sample()
	for id, want := range map[string]string{"phase-1": "codex", "phase-2": "b"} {
		if got := b.For(id).Agent; got != want {
			t.Errorf("%s: %s", id, got)
		}
		if got := PhaseOf(b.Record(), id).Agent; got != want {
			t.Errorf("%s of the record: %s", id, got)
		}
	}
}
