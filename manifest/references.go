package manifest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ai-session-handler/ai-session-handler/manifest/hclfile"
	"github.com/ai-session-handler/ai-session-handler/manifest/problem"
	"github.com/ai-session-handler/ai-session-handler/schema/language"
	"github.com/ai-session-handler/ai-session-handler/schema/suggest"
)

// unknown reports a name that no block has, unless the block may be among what
// could not be read.
func (b *builder) unknown(ref hclfile.Ref, names []string) {
	if b.doc.Lost(ref.Type) {
		return
	}
	hint := fmt.Sprintf("No %s is declared.", ref.Type)
	if len(names) > 0 {
		hint = fmt.Sprintf("There are: %s.", strings.Join(shown(names), ", "))
	}
	if close, ok := b.closest(ref.Name, names); ok {
		hint = fmt.Sprintf("Did you mean %s.%s?", ref.Type, close)
	}
	b.report("E304", ref.Range, hint, "no %s is named %q", ref.Type, ref.Name)
}

// closest is the name that is most likely meant. Thousands of wrong names are not
// each compared with thousands of others: that would take minutes, for messages
// of which few are shown.
func (b *builder) closest(name string, among []string) (string, bool) {
	const most = 50_000_000
	if b.compared > most {
		return "", false
	}
	for _, other := range among {
		b.compared += len(name) * len(other)
	}
	return suggest.Closest(name, among)
}

// maxShown bounds how many names a hint lists.
const maxShown = 8

func shown(names []string) []string {
	if len(names) > maxShown {
		return append(names[:maxShown:maxShown], "…")
	}
	return names
}

func agentNames(agents []*Agent) []string {
	return namesOf(agents, func(a *Agent) string { return a.Name })
}

func namesOf[T any](all []T, name func(T) string) []string {
	names := make([]string, len(all))
	for i, one := range all {
		names[i] = name(one)
	}
	return names
}

// linkAgents finds what agents extend, and what cycles and chains that makes.
func (b *builder) linkAgents() {
	names := agentNames(b.m.Agents)
	for _, a := range b.m.Agents {
		if a.ref.Name == "" {
			continue
		}
		parent, ok := b.m.agents[a.ref.Name]
		if !ok {
			b.unknown(a.ref, names)
			continue
		}
		a.Extends, b.bound[parent] = parent, true
	}
	b.breakCycles()
	for _, a := range b.m.Agents {
		if chain := a.chain(); len(chain) == language.MaxDepth+1 && chain[0].Extends == nil {
			b.report("E313", a.ref.Range, "Join some of them.", "agent %q is the end of a chain of more than %d agents", a.Name, language.MaxDepth)
		}
	}
	for _, a := range b.m.Agents {
		b.needCommand(a)
	}
}

// breakCycles reports each cycle of extends once, and cuts it.
func (b *builder) breakCycles() {
	edges := func(a *Agent) []*Agent {
		if a.Extends == nil {
			return nil
		}
		return []*Agent{a.Extends}
	}
	for _, cycle := range cycles(b.m.Agents, edges) {
		names := namesOf(cycle, func(a *Agent) string { return "agent." + a.Name })
		at := func(i int) problem.Range { return cycle[i].ref.Range }
		b.reportCycle("E308", "Remove one extends.", []string{"an agent extends itself", "agents extend each other"}, names, at)
		cycle[0].Extends = nil
	}
}

// chain is the agent and what it extends, from the root to the agent.
func (a *Agent) chain() (chain []*Agent) {
	for at := a; at != nil; at = at.Extends {
		chain = append([]*Agent{at}, chain...)
		if len(chain) > language.MaxDepth {
			break
		}
	}
	return chain
}

// needCommand reports an agent that can be bound and has no command. What it
// extends wrongly may have had one.
func (b *builder) needCommand(a *Agent) {
	chain := a.chain()
	if a.Abstract || a.unsure || len(chain) > language.MaxDepth {
		return
	}
	for _, at := range chain {
		if at.has("command") || b.garbled[at] || at.Extends == nil && at.has("extends") {
			return
		}
	}
	b.report("E405", a.Range, "Add command = [\"…\"], or abstract = true where others only extend it.", "agent %q has no command", a.Name)
}

// linkPlans looks up the agents that defaults, plans and phases name.
func (b *builder) linkPlans() {
	names := agentNames(slices.DeleteFunc(slices.Clone(b.m.Agents), func(a *Agent) bool { return a.Abstract }))
	if len(names) == 0 {
		names = agentNames(b.m.Agents)
	}
	for _, ref := range b.refs {
		agent, ok := b.m.agents[ref.Name]
		if !ok {
			b.unknown(ref, names)
			continue
		}
		b.bound[agent] = true
		if agent.Abstract {
			p := problem.New("E310", ref.Range, "Bind an agent that extends it.", "agent %q is abstract and can't run", agent.Name)
			p.Related = append(p.Related, problem.Related{Range: agent.Range, Message: "declared here"})
			b.problems = append(b.problems, p)
		}
	}
}

// bind takes a plan block for the one of its plan, unless another has it.
func (b *builder) bind(p *Plan) {
	if other, is := b.m.sources[p.Source]; is {
		b.problems = append(b.problems, samePlan(p, other))
	} else if p.Source != "" {
		b.m.sources[p.Source] = p
	}
}

func samePlan(p, other *Plan) problem.Problem {
	same := problem.New("E411", p.At, "A plan has one history, so it can be bound once. Remove one block.", "plan %q binds the same plan as plan %q", p.Name, other.Name)
	same.Related = append(same.Related, problem.Related{Range: other.At, Message: "first bound here"})
	return same
}

// warnUnused reports agents that nothing binds and nothing extends.
func (b *builder) warnUnused() {
	for _, a := range b.m.Agents {
		if !b.bound[a] {
			b.report("W601", a.Range, "Bind it with agent = agent."+a.Name+", or remove it.", "agent %q is not used", a.Name)
		}
	}
}
