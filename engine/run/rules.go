package run

import (
	"fmt"
	"maps"
	"slices"

	"github.com/ai-session-handler/ai-session-handler/engine/binding"
	"github.com/ai-session-handler/ai-session-handler/engine/match"
)

// ruleSets are the compiled stop rules of all phases, each set once.
type ruleSets map[string]*match.Rules

func ruleKey(exprs []string) string { return fmt.Sprintf("%q", exprs) }

// of returns the compiled rules of a phase.
func (r ruleSets) of(how binding.Phase) *match.Rules { return r[ruleKey(how.StopOn)] }

// compileRules compiles the stop rules of every phase, so that a bad one is
// refused before anything is launched.
func compileRules(b binding.Binding) (ruleSets, error) {
	sets := ruleSets{}
	if err := sets.add("", b.Default); err != nil {
		return nil, err
	}
	for _, id := range slices.Sorted(maps.Keys(b.Phases)) {
		if err := sets.add(id+": ", b.Phases[id]); err != nil {
			return nil, err
		}
	}
	return sets, nil
}

func (r ruleSets) add(whose string, how binding.Phase) error {
	key := ruleKey(how.StopOn)
	if _, done := r[key]; done {
		return nil
	}
	rules, err := match.Compile(how.StopOn)
	if err != nil {
		return &Refusal{What: whose + err.Error(), Next: []string{"correct the rule; nothing was launched"}}
	}
	r[key] = rules
	return nil
}
