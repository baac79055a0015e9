package run

import (
	"testing"

	"github.com/ai-session-handler/ai-session-handler/engine/binding"
	"github.com/ai-session-handler/ai-session-handler/schema/language"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// TestOnlyWhatAManifestMayNameIsRepeated has a binding that says to repeat every
// end there is.
func TestOnlyWhatAManifestMayNameIsRepeated(t *testing.T) {
	may := map[record.Status]bool{}
	for _, word := range language.Retryable {
		may[record.Status(word)] = true
	}
	v := &invocation{}
	v.job.Binding.Default.Retry = &binding.Retry{On: record.Statuses(), MaxAttempts: 3}
	for _, status := range record.Statuses() {
		o := record.Outcome{Status: status}
		if v.repeats(o, 1) != may[status] {
			t.Errorf("%s: repeated is %v", status, v.repeats(o, 1))
		}
	}
	if len(may) == 0 {
		t.Error("nothing may be repeated")
	}
}

func TestARetryHasItsBounds(t *testing.T) {
	v := &invocation{}
	v.job.Binding.Default.Retry = &binding.Retry{On: []record.Status{record.Timeout}, MaxAttempts: 3}
	v.job.Binding.Phases = map[string]binding.Phase{"phase-2": {}}
	timeout := record.Outcome{Status: record.Timeout, Phase: record.Phase{ID: "phase-1"}}
	survived, other, unbound := timeout, timeout, timeout
	survived.Survivors = []record.Leftover{{PID: 7}}
	other.Status = record.AgentFailed
	unbound.Phase.ID = "phase-2"
	for name, test := range map[string]struct {
		o    record.Outcome
		made int
		want bool
	}{
		"the first": {timeout, 1, true}, "the second": {timeout, 2, true}, "the last": {timeout, 3, false},
		"something of it lives": {survived, 1, false}, "not named": {other, 1, false}, "another phase": {unbound, 1, false},
	} {
		if got := v.repeats(test.o, test.made); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
