package run

import (
	"errors"
	"fmt"

	"github.com/ai-session-handler/ai-session-handler/engine/binding"
	"github.com/ai-session-handler/ai-session-handler/engine/proc/cgroup"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// boundTree looks whether the limits on the worker's whole tree can be enforced
// here. Those that can't are a refusal, or are left out and told where the binding
// says that this is enough.
func (v *invocation) boundTree(t *target) error {
	tree := &t.how.Limits.Tree
	if !treeLimits(*tree).Any() {
		return nil
	}
	_, err := cgroup.Probe(v.r.Seam, treeLimits(*tree))
	var unsupported *cgroup.Unsupported
	if !errors.As(err, &unsupported) {
		return err
	}
	if !tree.BestEffort {
		return refuseUnbounded(unsupported)
	}
	t.unbounded = unsupported
	kept := treeLimits(*tree).Without(unsupported)
	tree.MemoryMax, tree.PidsMax, tree.CPUMilli = kept.MemoryMax, kept.PidsMax, kept.CPUMilli
	return nil
}

func treeLimits(l binding.TreeLimits) cgroup.Limits {
	return cgroup.Limits{MemoryMax: l.MemoryMax, PidsMax: l.PidsMax, CPUMilli: l.CPUMilli}
}

func refuseUnbounded(u *cgroup.Unsupported) error {
	r := &Refusal{What: "limits on the worker's whole tree can't be enforced here"}
	for _, reason := range u.Reasons {
		r.fact(string(reason.Limit), "%s", reason.Why)
	}
	r.Next = []string{`run where a cgroup allows it, or set limits = "best-effort" in the manifest to run without them where it does not`}
	return r
}

// tellUnbounded tells which limits an attempt runs without.
func (v *invocation) tellUnbounded(t *target) {
	if t.unbounded == nil {
		return
	}
	for _, reason := range t.unbounded.Reasons {
		v.observePhase(t.phase, record.Event{Kind: record.LimitDropped, AttemptID: t.attemptID,
			Message: fmt.Sprintf("runs without %s: %s", reason.Limit, reason.Why)})
	}
}

// treeVerdict tells a worker that failed for want of memory from one that failed
// otherwise, and what else the kernel refused it.
func treeVerdict(status record.Status, message string, facts cgroup.Facts, limits binding.TreeLimits) (record.Status, string) {
	if status != record.AgentFailed {
		return status, message
	}
	if facts.MemoryLimit {
		return record.MemoryLimit, fmt.Sprintf("the agent's processes used more memory than memory_max allows, %d bytes, and were killed", limits.MemoryMax)
	}
	if facts.PidsRefused > 0 {
		message += fmt.Sprintf("; pids_max kept it %d times from starting a process", facts.PidsRefused)
	}
	return status, message
}
