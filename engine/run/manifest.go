package run

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kballard/go-shellquote"

	"github.com/ai-session-handler/ai-session-handler/engine/binding"
	"github.com/ai-session-handler/ai-session-handler/engine/state"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// Manifest is what a manifest means for the plan, without what a command line
// overrides, and the files that say so.
type Manifest struct {
	Binding record.Binding
	Sources []record.SourceDigest // paths relative to the plan workspace
}

// manifestChange is a change of the manifest that is not on disk yet.
type manifestChange struct {
	accepted bool   // by a person: it is one of phases that are left, or of what binds the plan
	message  string // what to tell once it is
	detail   string // the change itself, in lines
}

// takeManifest compares the manifest as it is now with the accepted one. What
// changes no phase that is left becomes the accepted one; everything else is
// refused unless the person accepts it, or nothing has run yet.
func (v *invocation) takeManifest(now *Manifest, accept bool) error {
	old := v.state.Manifest
	if sameManifest(old, now) {
		return nil
	}
	if err := v.refuseManifest(now); err != nil {
		return err
	}
	change := v.changeOf(old, now)
	if change.accepted && v.hasHistory() && !accept {
		return v.refuseChangedManifest(old, now, change)
	}
	v.state = state.AcceptManifest(v.state, v.acceptedManifest(now))
	if v.hasHistory() {
		v.manifest = &change
	}
	return nil
}

// maxBinding bounds what a manifest means for one plan, in bytes of its canonical
// form: each state that is written holds it, and must be one that can be read.
const maxBinding = 4 << 20

// refuseManifest refuses a manifest that can't be kept in the state.
func (v *invocation) refuseManifest(m *Manifest) error {
	if m == nil {
		return nil
	}
	if size := binding.Size(m.Binding); size > maxBinding {
		return &Refusal{
			What: fmt.Sprintf("what the manifest says about the phases of this plan is too long to be recorded: %d bytes, of which a history takes %d", size, maxBinding),
			Next: []string{"shorten what every phase gets, such as env and command, or bind fewer phases with blocks of their own"},
		}
	}
	return v.refuseSecretManifest(m)
}

// refuseChangedManifest shows a change of the manifest that a person has to
// accept.
func (v *invocation) refuseChangedManifest(old *record.AcceptedManifest, now *Manifest, change manifestChange) error {
	r := &Refusal{What: "the manifest changed since it was accepted", Block: change.detail}
	if old != nil && now != nil {
		if completed := changedPhases(old, now, v.state.CompletedPhaseIDs); len(completed) > 0 {
			r.fact("changed too, and complete", "%s", strings.Join(completed, ", "))
		}
		r.fact("accepted", "%s", old.BindingSHA256)
		r.fact("now     ", "%s", binding.Digest(now.Binding))
	}
	flags := v.withRetry(v.withAccepted("--accept-manifest-change")...)
	r.Next = []string{"read the change; to go on with it: " + v.job.Again(flags...)}
	if now == nil && v.job.Manifest != nil { // the command may name the block that is gone
		r.Next = []string{
			"put back what bound the plan, then: " + v.job.Again(v.withRetry()...),
			"or go on without it, as this tells: " + shellquote.Join("ai-session-handler", "status", "--plan", v.job.Plan.Path),
		}
	}
	return r
}

// manifestAccepted holds for an acceptance that is not on disk yet.
func (v *invocation) manifestAccepted() bool { return v.manifest != nil && v.manifest.accepted }

// sameManifest holds when not even the bytes of a source differ.
func sameManifest(old *record.AcceptedManifest, now *Manifest) bool {
	if old == nil || now == nil {
		return old == nil && now == nil
	}
	return old.BindingSHA256 == binding.Digest(now.Binding) && slices.Equal(old.Sources, now.Sources)
}

func (v *invocation) hasHistory() bool {
	return len(v.state.CommittedOutcomes) > 0 || v.state.ActiveAttempt != nil
}

func (v *invocation) acceptedManifest(m *Manifest) *record.AcceptedManifest {
	if m == nil {
		return nil
	}
	return &record.AcceptedManifest{
		Sources: append([]record.SourceDigest{}, m.Sources...), Binding: m.Binding,
		BindingSHA256: binding.Digest(m.Binding), AcceptedAt: v.now(),
	}
}

// changeOf describes a change. It needs a person to accept it when it is one of
// a phase that is left, or the plan came to be bound or unbound.
func (v *invocation) changeOf(old *record.AcceptedManifest, now *Manifest) manifestChange {
	if old == nil || now == nil || old.Binding.Source != now.Binding.Source || len(changedPhases(old, now, v.phasesLeft())) > 0 {
		return manifestChange{
			accepted: true, detail: v.manifestDiff(old, now),
			message: fmt.Sprintf("the changed manifest is accepted: %s is now %s", shortDigest(old), shortDigest(v.acceptedManifest(now))),
		}
	}
	if completed := changedPhases(old, now, v.state.CompletedPhaseIDs); len(completed) > 0 {
		return manifestChange{message: fmt.Sprintf("the manifest changed for phases that are complete (%s), not for the phases left", strings.Join(completed, ", "))}
	}
	return manifestChange{message: "the manifest's text changed, not what it means for the phases left"}
}

func shortDigest(m *record.AcceptedManifest) string {
	if m == nil {
		return "none"
	}
	return fmt.Sprintf("%.12s", m.BindingSHA256)
}

// changedPhases lists those of some phases that run otherwise now. Both
// manifests are there.
func changedPhases(old *record.AcceptedManifest, now *Manifest, ids []string) (changed []string) {
	for _, group := range binding.Compare(old.Binding, now.Binding, ids) {
		changed = append(changed, group.IDs...)
	}
	slices.SortFunc(changed, func(a, b string) int { return cmp.Compare(slices.Index(ids, a), slices.Index(ids, b)) })
	return changed
}

// phasesLeft lists the phases of the plan that are not completed.
func (v *invocation) phasesLeft() (ids []string) {
	for _, id := range v.snapshot.PhaseIDs() {
		if !slices.Contains(v.state.CompletedPhaseIDs, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// manifestDiff is how the phases that are left run otherwise now, in lines.
func (v *invocation) manifestDiff(old *record.AcceptedManifest, now *Manifest) string {
	switch {
	case old == nil:
		return "no manifest bound the plan; now one does: " + v.sourceNames(now.Sources)
	case now == nil:
		return "a manifest bound the plan, and none does now: " + v.sourceNames(old.Sources)
	}
	var lines []string
	if old.Binding.Source != now.Binding.Source {
		lines = append(lines, v.job.Secrets.Mask(fmt.Sprintf("source: %s → %s", old.Binding.Source, now.Binding.Source)))
	}
	// Masked before it is compared: a value in it may be quoted otherwise.
	for _, group := range binding.Compare(v.maskedBinding(old.Binding), v.maskedBinding(now.Binding), v.phasesLeft()) {
		lines = append(lines, strings.Join(group.IDs, ", ")+":")
		for _, change := range group.Changes {
			lines = append(lines, "  "+change.String())
		}
	}
	return strings.Join(bounded(lines), "\n")
}

// bounded keeps what is shown of a change short.
func bounded(lines []string) []string {
	if more := len(lines) - maxChangeLines; more > 0 {
		return append(lines[:maxChangeLines:maxChangeLines], fmt.Sprintf("… %d more lines", more))
	}
	return lines
}

func (v *invocation) sourceNames(sources []record.SourceDigest) string {
	names := make([]string, len(sources))
	for i, source := range sources {
		names[i] = v.job.Secrets.Mask(source.Path)
	}
	return strings.Join(names, ", ")
}

// checkResolved refuses to begin when the manifest is not the one that the job
// was made of: it was edited in between.
func (v *invocation) checkResolved(now *Manifest) error {
	was := v.job.Manifest
	if was == nil && now == nil || was != nil && now != nil && binding.Digest(was.Binding) == binding.Digest(now.Binding) {
		return nil
	}
	return &Refusal{
		What: "the manifest changed while this command started; nothing was launched",
		Next: []string{"repeat it: " + v.job.Again(v.job.Options.flags()...)},
	}
}
