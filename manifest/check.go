package manifest

import (
	"fmt"
	"time"

	"github.com/ai-session-handler/ai-session-handler/engine/match"
	"github.com/ai-session-handler/ai-session-handler/manifest/problem"
)

// checkResolved checks what only shows once all layers of a plan are together.
func (b *builder) checkResolved() {
	for _, p := range b.m.Plans {
		layers, err := b.m.layers(p, nil, nil)
		if err != nil && !b.garbled[p] && !b.doc.Lost("defaults") {
			b.report("E414", p.Range, "Add agent = agent.NAME to the plan or to defaults.", "plan %q has no agent", p.Name)
		}
		tooMany := b.checkRules(fmt.Sprintf("plan %q", p.Name), p.Range, layers)
		b.checkIdle(layers)
		for _, phase := range p.Phases {
			layers, _ := b.m.layers(p, phase, nil)
			if !tooMany {
				b.checkRules(fmt.Sprintf("%s of plan %q", phase.ID, p.Name), phase.Range, layers)
			}
			b.checkIdle(layers)
		}
	}
}

// checkRules reports more stop rules than a phase may have, which only shows
// when those of all layers are together.
func (b *builder) checkRules(what string, at problem.Range, layers []Layer) (tooMany bool) {
	count := 0
	for _, layer := range layers {
		count += len(get[[]Item](layer, "stop_on"))
	}
	if count <= match.MaxRules {
		return false
	}
	rules := get[[]Item](merge(layers...), "stop_on")
	if tooMany = len(rules) > match.MaxRules; tooMany {
		b.report("E402", at, "Join some with |.", "%s has %d stop rules with those it takes over, of which there may be %d", what, len(rules), match.MaxRules)
	}
	return tooMany
}

// checkIdle warns of an idle_timeout that does nothing. One that a nearer layer
// made useless by a shorter timeout is left alone: for others it does something.
func (b *builder) checkIdle(layers []Layer) {
	idle, idleAt := top(layers, "idle_timeout")
	timeout, timeoutAt := top(layers, "timeout")
	i, t := idle.Value.(time.Duration), timeout.Value.(time.Duration)
	if i == off || t == off || i < t || idleAt < timeoutAt || idle.Origin.Range.File == "" {
		return
	}
	b.report("W604", idle.Origin.Range, "Make it shorter than timeout, or remove it.", "idle_timeout %v never ends an attempt before timeout %v does", i, t)
}

// top is the setting that counts, and the number of its layer.
func top(layers []Layer, name string) (Setting, int) {
	for at := len(layers) - 1; at >= 0; at-- {
		if setting, ok := layers[at][name]; ok {
			return setting, at
		}
	}
	return Setting{}, -1
}
