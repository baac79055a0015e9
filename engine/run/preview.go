package run

import (
	"context"
	"slices"

	"github.com/ai-session-handler/ai-session-handler/engine/binding"
	"github.com/ai-session-handler/ai-session-handler/engine/plan"
)

// Preview is what Run would do next.
type Preview struct {
	Found       bool   // false: no phase is left
	Changes     string // of the plan that would be accepted, in lines; empty where it is as accepted
	Phase       plan.Phase
	Remaining   int // phases not completed, this one included
	Workspace   string
	Argv        []string // with the ids and paths of an attempt that is not made
	EnvNames    []string // sorted
	PromptBytes int
	Locks       []string
	Limits      binding.Limits
}

// Preview does everything Run does up to the first write, and lets go again.
// Its errors are those of Run.
func (r *Runner) Preview(ctx context.Context, job Job) (Preview, error) {
	v, err := r.begin(ctx, job)
	if err != nil {
		return Preview{}, err
	}
	defer v.close()
	p, found, err := v.choose()
	if err != nil || !found {
		return Preview{Changes: v.changed}, err
	}
	t, err := v.aim(p)
	if err != nil {
		return Preview{}, err
	}
	defer t.close()
	return v.preview(t), nil
}

func (v *invocation) preview(t *target) Preview {
	p := Preview{
		Found: true, Changes: v.changed, Phase: t.phase, Workspace: t.workspace, Argv: t.argv, PromptBytes: len(t.prompt),
		Limits: v.job.Binding.Limits, Locks: []string{v.job.Plan.Root},
		Remaining: len(v.snapshot.Phases) - len(v.state.CompletedPhaseIDs),
	}
	if t.lock != nil {
		p.Locks = append(p.Locks, t.workspace)
	}
	for _, entry := range t.env {
		p.EnvNames = append(p.EnvNames, nameOf(entry))
	}
	slices.Sort(p.EnvNames)
	return p
}
