package manifest

// Graph is what a manifest connects: pipelines, their stages, plans, agents.
type Graph struct {
	Nodes []Node
	Edges []Edge
}

// Node is one block. ID is unique, for example "plan.web" or "stage.release.api".
type Node struct {
	ID, Kind, Name string
	Detail         string // source of a plan, empty for others
}

// Edge leads from what uses to what is used. Label is "extends", "agent", the
// phase of an override, "plan", "stage" or "depends_on".
type Edge struct{ From, To, Label string }

// Graph returns everything, or, with a name, a plan or a pipeline and what it
// uses. ok is false where neither has the name.
func (m *Manifest) Graph(name string) (g Graph, ok bool) {
	all := m.graph()
	if name == "" {
		return all, true
	}
	for _, id := range []string{"plan." + name, "pipeline." + name} {
		if sub := all.from(id); len(sub.Nodes) > 0 {
			return sub, true
		}
	}
	return g, false
}

func (m *Manifest) graph() (g Graph) {
	for _, p := range m.Pipelines {
		g.pipeline(p)
	}
	for _, p := range m.Plans {
		g.plan(m, p)
	}
	for _, a := range m.Agents {
		g.Nodes = append(g.Nodes, Node{ID: "agent." + a.Name, Kind: "agent", Name: a.Name})
		if a.Extends != nil {
			g.edge("agent."+a.Name, "agent."+a.Extends.Name, "extends")
		}
	}
	return g
}

func (g *Graph) edge(from, to, label string) { g.Edges = append(g.Edges, Edge{from, to, label}) }

func (g *Graph) pipeline(p *Pipeline) {
	id := "pipeline." + p.Name
	g.Nodes = append(g.Nodes, Node{ID: id, Kind: "pipeline", Name: p.Name})
	for _, s := range p.Stages {
		stage := "stage." + p.Name + "." + s.Name
		g.Nodes = append(g.Nodes, Node{ID: stage, Kind: "stage", Name: s.Name})
		g.edge(id, stage, "stage")
		if s.Plan != nil {
			g.edge(stage, "plan."+s.Plan.Name, "plan")
		}
		for _, needed := range s.DependsOn {
			g.edge(stage, "stage."+p.Name+"."+needed.Name, "depends_on")
		}
	}
}

func (g *Graph) plan(m *Manifest, p *Plan) {
	id := "plan." + p.Name
	g.Nodes = append(g.Nodes, Node{ID: id, Kind: "plan", Name: p.Name, Detail: p.Source})
	if agent, ok := merge(m.defaults, p.Layer)["agent"]; ok {
		g.edge(id, "agent."+agent.Value.(string), "agent")
	}
	for _, phase := range p.Phases {
		if agent, ok := phase.Layer["agent"]; ok {
			g.edge(id, "agent."+agent.Value.(string), phase.ID)
		}
	}
}

// from is the part of a graph that a node leads to, the node included.
func (g Graph) from(id string) (sub Graph) {
	next := map[string][]string{}
	for _, e := range g.Edges {
		next[e.From] = append(next[e.From], e.To)
	}
	reached := map[string]bool{id: true}
	for queue := []string{id}; len(queue) > 0; queue = queue[1:] {
		for _, to := range next[queue[0]] {
			if !reached[to] {
				reached[to] = true
				queue = append(queue, to)
			}
		}
	}
	for _, n := range g.Nodes {
		if reached[n.ID] {
			sub.Nodes = append(sub.Nodes, n)
		}
	}
	for _, e := range g.Edges {
		if reached[e.From] {
			sub.Edges = append(sub.Edges, e)
		}
	}
	return sub
}
