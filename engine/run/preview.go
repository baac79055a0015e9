package run

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ai-session-handler/ai-session-handler/engine/binding"
	"github.com/ai-session-handler/ai-session-handler/engine/plan"
	"github.com/ai-session-handler/ai-session-handler/engine/proc"
)

// Preview is what Run would do next.
type Preview struct {
	Found       bool   // false: no phase is left
	Changes     string // of the plan that would be accepted, in lines; empty where it is as accepted
	Manifest    ManifestPreview
	Phase       plan.Phase
	How         binding.Phase // with what the command line overrides
	Remaining   int           // phases not completed, this one included
	Workspace   string
	Program     string   // the path of the program, or why there is none
	Argv        []string // with the ids and paths of an attempt that is not made
	EnvNames    []string // sorted
	PromptBytes int
	Locks       []string
}

// ManifestPreview is what a run would do about the manifest.
type ManifestPreview struct {
	SHA256  string // binding digest, without overrides; empty where no manifest binds the plan
	Message string // whether it is as accepted, or what changed; empty where there never was one
	Changes string // of the phases left, that would be accepted, in lines
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
		return Preview{Changes: v.changed, Manifest: v.previewManifest()}, err
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
		Found: true, Changes: v.changed, Manifest: v.previewManifest(), Phase: t.phase, How: t.how,
		Workspace: t.workspace, Argv: t.argv, PromptBytes: len(t.prompt), Locks: []string{v.job.Plan.Root},
		Remaining: len(v.phasesLeft()),
	}
	var err error
	if p.Program, err = proc.LookPath(t.argv[0], t.workspace, t.env); err != nil {
		p.Program = fmt.Sprintf("%s: %v", t.argv[0], err)
	}
	if t.lock != nil {
		p.Locks = append(p.Locks, t.workspace)
	}
	for _, entry := range t.env {
		name, _, _ := strings.Cut(entry, "=")
		p.EnvNames = append(p.EnvNames, name)
	}
	slices.Sort(p.EnvNames)
	return p
}

func (v *invocation) previewManifest() (p ManifestPreview) {
	if m := v.state.Manifest; m != nil {
		p.SHA256, p.Message = m.BindingSHA256, "as accepted"
		if !v.hasHistory() {
			p.Message = "nothing has run with it yet"
		}
	}
	if v.manifest != nil {
		p.Message, p.Changes = v.manifest.message, v.manifest.detail
	}
	return p
}
