package main

import (
	"fmt"
	"strings"

	"github.com/ai-session-handler/ai-session-handler/engine/termtext"
	"github.com/ai-session-handler/ai-session-handler/manifest"
)

type graphCmd struct {
	readFlags

	Name   string `arg:"" optional:"" name:"plan" help:"A plan or a pipeline. Default: all of the manifest."`
	Format string `enum:"text,dot,mermaid,json" default:"text" placeholder:"FORMAT" help:"How to show it: text, dot, mermaid or json. Default: text."`
}

// Help is the long help of the command.
func (*graphCmd) Help() string {
	return `Shows what a manifest connects: pipelines, their stages, plans and agents.

EXIT STATUS
  0    shown
  5    the manifest has errors, there is none, or nothing has the name`
}

// graphResult is what graph prints as JSON.
type graphResult struct {
	Format string      `json:"format"`
	Nodes  []graphNode `json:"nodes"`
	Edges  []graphEdge `json:"edges"`
}

type graphNode struct {
	ID     string `json:"id"`
	Kind   string `json:"kind"`
	Name   string `json:"name"`
	Source string `json:"source"` // of a plan
}

type graphEdge struct {
	From  string `json:"from"`
	To    string `json:"to"`
	Label string `json:"label"`
}

// Run runs the command.
func (c *graphCmd) Run(a *app) error {
	p, err := a.here()
	if err != nil {
		return err
	}
	m, err := p.needManifest()
	if err != nil {
		return err
	}
	graph, ok := m.Graph(c.Name)
	if !ok {
		known := p.planNames()
		for _, pipeline := range m.Pipelines {
			known = append(known, pipeline.Name)
		}
		return p.notPlan(a, c.Name, known)
	}
	switch {
	case a.json || c.Format == "json":
		return a.JSON(graphJSON(graph))
	case c.Format == "dot":
		a.Result(graphDot(graph))
	case c.Format == "mermaid":
		a.Result(graphMermaid(graph))
	default:
		a.Result(graphText(graph))
	}
	return nil
}

func graphJSON(g manifest.Graph) graphResult {
	r := graphResult{Format: "ai-session-handler/graph/1", Nodes: []graphNode{}, Edges: []graphEdge{}}
	for _, n := range g.Nodes {
		r.Nodes = append(r.Nodes, graphNode{n.ID, n.Kind, n.Name, n.Detail})
	}
	for _, e := range g.Edges {
		r.Edges = append(r.Edges, graphEdge(e))
	}
	return r
}

// graphText lists each node with what it uses below it.
func graphText(g manifest.Graph) string {
	uses := map[string]string{}
	for _, e := range g.Edges {
		uses[e.From] += fmt.Sprintf("  %s: %s\n", e.Label, e.To)
	}
	if len(g.Nodes) == 0 {
		return "nothing: the manifest has no agents, plans or pipelines"
	}
	var out strings.Builder
	for _, n := range g.Nodes {
		fmt.Fprintf(&out, "%s%s\n%s", n.ID, inParentheses(termtext.Line(n.Detail)), uses[n.ID])
	}
	return out.String()
}

func inParentheses(text string) string {
	if text == "" {
		return ""
	}
	return " (" + text + ")"
}

var dotShapes = map[string]string{"pipeline": "folder", "stage": "box", "plan": "note", "agent": "component"}

func graphDot(g manifest.Graph) string {
	var out strings.Builder
	out.WriteString("digraph manifest {\n  rankdir = LR\n")
	for _, n := range g.Nodes {
		fmt.Fprintf(&out, "  %s [label = %s, shape = %s]\n", dotQuote(n.ID), dotQuote(label(n)), dotShapes[n.Kind])
	}
	for _, e := range g.Edges {
		fmt.Fprintf(&out, "  %s -> %s [label = %s]\n", dotQuote(e.From), dotQuote(e.To), dotQuote(e.Label))
	}
	out.WriteString("}\n")
	return out.String()
}

func label(n manifest.Node) string {
	if n.Detail == "" {
		return n.Kind + " " + n.Name
	}
	return n.Kind + " " + n.Name + "\n" + n.Detail
}

// dotQuote is a string of the DOT language.
func dotQuote(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(text) + `"`
}

func graphMermaid(g manifest.Graph) string {
	ids := map[string]string{} // names may hold what Mermaid takes for syntax
	var out strings.Builder
	out.WriteString("flowchart LR\n")
	for i, n := range g.Nodes {
		ids[n.ID] = fmt.Sprintf("n%d", i)
		fmt.Fprintf(&out, "  %s[\"%s\"]\n", ids[n.ID], mermaidText(label(n)))
	}
	for _, e := range g.Edges {
		fmt.Fprintf(&out, "  %s -->|%s| %s\n", ids[e.From], e.Label, ids[e.To])
	}
	return out.String()
}

// mermaidText escapes what ends a label, or is Markdown or HTML in one.
func mermaidText(text string) string {
	return strings.NewReplacer("&", "#amp;", `"`, "#quot;", "#", "#35;", "<", "#lt;", ">", "#gt;", "`", "#96;", "\n", "<br/>").Replace(text)
}
