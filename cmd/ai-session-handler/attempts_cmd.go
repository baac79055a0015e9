package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ai-session-handler/ai-session-handler/engine/proc"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

type attemptsCmd struct {
	List    attemptsListCmd    `cmd:"" default:"withargs" help:"List the attempts of a plan; the default."`
	Show    attemptsShowCmd    `cmd:"" help:"Show one attempt: its outcome, prompt and transcript."`
	Tail    attemptsTailCmd    `cmd:"" help:"Show the end of a transcript, or follow it while it grows."`
	Resolve attemptsResolveCmd `cmd:"" help:"Record what a person decided about an unresolved attempt."`
}

// Help is the long help of the group.
func (*attemptsCmd) Help() string {
	return `"attempts --plan PATH" is "attempts list --plan PATH".

EXIT STATUS
  0    the attempts were listed, or there are none
  5    the state can't be read, or there is no such plan

The other commands have theirs in their own help.`
}

// attempts lists what the state knows of, oldest first. The active attempt has
// no status and no path.
func (h *history) attempts() []record.CommittedOutcome {
	all := h.state.CommittedOutcomes
	if a := h.state.ActiveAttempt; a != nil {
		all = append(all[:len(all):len(all)], record.CommittedOutcome{AttemptID: a.ID, PhaseID: a.Phase.ID})
	}
	return all
}

// find resolves what the user named to one attempt: an id or the beginning of
// one, a phase's id for its latest attempt, nothing for the latest of all.
func (h *history) find(name string) (record.CommittedOutcome, error) {
	for _, one := range slices.Backward(h.attempts()) {
		if name == "" || name == one.PhaseID {
			return one, nil
		}
	}
	return h.findID(name)
}

// findID resolves an id, or the beginning of one, to an attempt.
func (h *history) findID(prefix string) (record.CommittedOutcome, error) {
	all := h.attempts()
	var matches []record.CommittedOutcome
	for _, one := range all {
		if strings.HasPrefix(one.AttemptID, prefix) {
			matches = append(matches, one)
		}
	}
	switch {
	case len(all) == 0:
		return record.CommittedOutcome{}, inputErrorf("%s has no attempts yet", h.plan.Path)
	case len(matches) == 0:
		return record.CommittedOutcome{}, inputErrorf("no attempt fits %q; there are:\n%s", prefix, h.idList(all))
	case len(matches) > 1:
		return record.CommittedOutcome{}, inputErrorf("%q fits %d attempts; give more of the id:\n%s", prefix, len(matches), h.idList(matches))
	}
	return matches[0], nil
}

// maxListed bounds a list of ids in a message.
const maxListed = 20

func (h *history) idList(list []record.CommittedOutcome) string {
	var lines []string
	for _, one := range list[max(0, len(list)-maxListed):] {
		status := string(one.Status)
		if h.isActive(one.AttemptID) {
			status = h.activeStatus()
		}
		lines = append(lines, fmt.Sprintf("  %s %s", one.AttemptID, status))
	}
	return strings.Join(lines, "\n")
}

// isActive holds for the attempt whose end is not on disk.
func (h *history) isActive(id string) bool {
	return h.state.ActiveAttempt != nil && h.state.ActiveAttempt.ID == id
}

// activeStatus is the word for where the active attempt stands.
func (h *history) activeStatus() string {
	if h.state.Invocation == nil {
		return standsAbandoned
	}
	switch proc.InvocationAlive(*h.state.Invocation).State {
	case proc.Alive:
		return standsRunning
	case proc.Unknown:
		return standsUnknown
	}
	return standsAbandoned
}
