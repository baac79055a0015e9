package run

import (
	"fmt"
	"time"

	"github.com/kballard/go-shellquote"

	"github.com/ai-session-handler/ai-session-handler/engine/workspace"
)

// header is the head of a transcript: what a reader must know about the
// attempt before the worker's first byte.
func (v *invocation) header(t *target) []byte {
	values := v.values(t)
	var out []byte
	for _, line := range [][2]string{
		{"attempt", t.attemptID},
		{"phase", t.phase.ID + " " + t.phase.Title},
		{"plan", v.job.Plan.Path},
		{"plan_sha256", v.snapshot.SHA256},
		{"binding_sha256", v.digest},
		{"state", values.StateFile},
		{"prompt", values.PromptFile},
		{"index", v.path(workspace.IndexFile(t.attemptID))},
		{"plan_workspace_path", v.job.Plan.Root},
		{"execution_workspace_path", t.workspace},
		{"started_at", t.startedAt.Format(time.RFC3339)},
		{"agent", t.how.Agent},
		{"agent_cmd", shellquote.Join(t.how.Argv...)},
		{"argv", shellquote.Join(t.argv...)},
	} {
		out = append(out, line[0]+": "+oneLine(line[1])+"\n"...)
	}
	return append(out, "---\n"...)
}

// oneLine keeps a value from looking like another line of the header.
func oneLine(value string) string {
	for _, r := range value {
		if r < ' ' {
			return fmt.Sprintf("%q", value)
		}
	}
	return value
}
