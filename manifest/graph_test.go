package manifest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

const graphed = headPart + `
defaults {
  agent = agent.codex
}

agent "base" {
  abstract = true
}

agent "codex" {
  extends = agent.base
  command = ["my-agent"]
}

agent "other" {
  command = ["my-agent"]
}

plan "api" {
  source = "api.md"
}

plan "web" {
  source = "web.md"

  phase "2" {
    agent = agent.other
  }
}

pipeline "release" {
  stage "first" {
    plan = plan.api
  }

  stage "second" {
    plan       = plan.web
    depends_on = [stage.first]
  }
}
`

func TestGraph(t *testing.T) {
	m := loaded(t, t.TempDir(), map[string]string{FileName: graphed})
	for name, want := range map[string]struct{ nodes, edges []string }{
		"api": {
			[]string{"plan.api", "agent.base", "agent.codex"},
			[]string{"plan.api agent agent.codex", "agent.codex extends agent.base"},
		},
		"web": {
			[]string{"plan.web", "agent.base", "agent.codex", "agent.other"},
			[]string{"plan.web agent agent.codex", "plan.web phase-2 agent.other", "agent.codex extends agent.base"},
		},
	} {
		g, ok := m.Graph(name)
		nodes, edges := shape(g)
		if diff := cmp.Diff(want.nodes, nodes); diff != "" || !ok {
			t.Errorf("%s: %s", name, diff)
		}
		if diff := cmp.Diff(want.edges, edges); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	all, _ := m.Graph("")
	part, _ := m.Graph("release")
	if len(all.Nodes) != 8 || len(part.Nodes) != len(all.Nodes) || len(part.Edges) != len(all.Edges) {
		t.Errorf("%d nodes of %d, %d edges of %d", len(part.Nodes), len(all.Nodes), len(part.Edges), len(all.Edges))
	}
	if _, ok := m.Graph("codex"); ok {
		t.Error("an agent is no plan and no pipeline")
	}
}

func shape(g Graph) (nodes, edges []string) {
	for _, n := range g.Nodes {
		nodes = append(nodes, n.ID)
	}
	for _, e := range g.Edges {
		edges = append(edges, e.From+" "+e.Label+" "+e.To)
	}
	return nodes, edges
}
