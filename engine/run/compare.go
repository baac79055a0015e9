package run

import (
	"slices"

	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// ManifestChange is how a manifest differs from the accepted one, for a reader
// that decides nothing.
type ManifestChange struct {
	Bound bool     // the plan came to be bound, or is not bound any more
	Left  []string // phases not completed that would run otherwise
}

// CompareManifest compares the manifest of a plan with these phases, nil where
// none binds it, with the one its state has accepted.
func CompareManifest(s record.State, now *Manifest, phaseIDs []string) ManifestChange {
	if s.Manifest == nil || now == nil {
		return ManifestChange{Bound: (s.Manifest == nil) != (now == nil)}
	}
	left := slices.DeleteFunc(slices.Clone(phaseIDs), func(id string) bool { return slices.Contains(s.CompletedPhaseIDs, id) })
	return ManifestChange{Left: changedPhases(s.Manifest, now, left)}
}
