package run

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/ai-session-handler/ai-session-handler/engine/plan"
	"github.com/ai-session-handler/ai-session-handler/engine/workspace"
)

// maxChangeLines bounds how much of a changed plan is shown.
const maxChangeLines = 200

// changes shows how a plan differs from the accepted one, in a few lines or
// many. Where the accepted bytes can't be had it says why.
func (v *invocation) changes(now *plan.Snapshot) string {
	accepted, err := v.acceptedSnapshot()
	if err != nil {
		return fmt.Sprintf("what changed can't be shown: %v", err)
	}
	// Masked before the lines are told apart: a value may have several.
	lines := plan.Diff(v.maskedPlan(accepted), v.maskedPlan(now))
	if more := len(lines) - maxChangeLines; more > 0 {
		lines = append(lines[:maxChangeLines:maxChangeLines],
			fmt.Sprintf("… %d more lines; the accepted bytes are in %s", more, v.path(workspace.SnapshotFile(accepted.SHA256))))
	}
	return strings.Join(lines, "\n")
}

// maskedPlan is a plan to be shown. One that is none once it is masked is shown
// as one text.
func (v *invocation) maskedPlan(s *plan.Snapshot) *plan.Snapshot {
	if len(v.job.Secrets.Find(s.Source)) == 0 {
		return s
	}
	source := []byte(v.job.Secrets.Mask(string(s.Source)))
	masked, err := plan.Parse(s.Path, source)
	if err != nil {
		return &plan.Snapshot{Path: s.Path, SHA256: s.SHA256, Source: source, Preamble: source}
	}
	return masked
}

// acceptedSnapshot is the plan as it was accepted: the one this invocation
// runs, or the bytes that an earlier one kept.
func (v *invocation) acceptedSnapshot() (*plan.Snapshot, error) {
	digest := v.state.Plan.SHA256
	if v.snapshot.SHA256 == digest {
		return v.snapshot, nil
	}
	name := workspace.SnapshotFile(digest)
	source, err := v.dir.ReadFile(name, maxSnapshot)
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(source); hex.EncodeToString(sum[:]) != digest {
		return nil, fmt.Errorf("%s was altered: it is not what was accepted", v.path(name))
	}
	accepted, err := plan.Parse(v.job.Plan.Path, source)
	if err != nil {
		return nil, fmt.Errorf("%s is no plan to this release", v.path(name))
	}
	return accepted, nil
}
