package run

import (
	"strings"
	"testing"

	"github.com/ai-session-handler/ai-session-handler/engine/binding"
	"github.com/ai-session-handler/ai-session-handler/engine/proc/cgroup"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

func TestWhatTheKernelRefusedAWorker(t *testing.T) {
	limits := binding.TreeLimits{MemoryMax: 1 << 20, PidsMax: 100}
	for _, test := range []struct {
		name   string
		status record.Status
		facts  cgroup.Facts
		want   record.Status
		text   string
	}{
		{"memory", record.AgentFailed, cgroup.Facts{MemoryLimit: true}, record.MemoryLimit, "memory_max allows, 1048576 bytes"},
		{"pids", record.AgentFailed, cgroup.Facts{PidsRefused: 3}, record.AgentFailed, "it ended; pids_max kept it 3 times"},
		{"nothing", record.AgentFailed, cgroup.Facts{}, record.AgentFailed, "it ended"},
		{"a timeout comes first", record.Timeout, cgroup.Facts{MemoryLimit: true}, record.Timeout, "it ended"},
		{"a success stays one", "", cgroup.Facts{MemoryLimit: true, PidsRefused: 1}, "", "it ended"},
	} {
		status, message := treeVerdict(test.status, "it ended", test.facts, limits)
		if status != test.want || !strings.Contains(message, test.text) || status == test.status && test.facts.PidsRefused == 0 && message != "it ended" {
			t.Errorf("%s: %s, %q", test.name, status, message)
		}
	}
}
