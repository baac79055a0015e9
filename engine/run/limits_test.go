package run_test

import (
	"strings"
	"testing"

	"github.com/ai-session-handler/ai-session-handler/engine/binding"
	"github.com/ai-session-handler/ai-session-handler/engine/proc/cgroup"
	"github.com/ai-session-handler/ai-session-handler/engine/run"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// TestLimitsOnTheTreeAreKeptOrRefused holds on a machine where cgroups allow
// limits, and on one where they don't: in no case does a limit go unenforced
// without a word.
func TestLimitsOnTheTreeAreKeptOrRefused(t *testing.T) {
	const most = 200
	_, unsupported := cgroup.Probe(nil, cgroup.Limits{PidsMax: most})
	limit := func(bestEffort bool) func(*binding.Phase) {
		return func(p *binding.Phase) { p.Limits.Tree = binding.TreeLimits{PidsMax: most, BestEffort: bestEffort} }
	}

	l := newLab(t, 1)
	l.set("phase-1", limit(true))
	l.ends(run.Complete, run.Options{})
	told, kept := l.told(record.LimitDropped), l.outcomes()[0].Limits.PidsMax
	if unsupported == nil && (len(told) != 0 || kept != most) || unsupported != nil && (len(told) != 1 || kept != 0) {
		t.Errorf("enforceable: %v; told %+v, recorded %d", unsupported, told, kept)
	}
	if len(told) > 0 && !strings.HasPrefix(told[0].Message, "runs without pids_max: ") {
		t.Errorf("told %q", told[0].Message)
	}

	strict := newLab(t, 1)
	strict.set("phase-1", limit(false))
	if unsupported == nil {
		strict.ends(run.Complete, run.Options{})
		return
	}
	strict.refuses(run.Options{}, "can't be enforced here", "pids_max: ", `limits = "best-effort"`)
}
