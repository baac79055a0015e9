package manifest

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/ai-session-handler/ai-session-handler/manifest/hclfile"
	"github.com/ai-session-handler/ai-session-handler/manifest/problem"
)

// builder makes a manifest of a document.
type builder struct {
	m        *Manifest
	doc      *hclfile.Document
	problems problem.List

	runnable map[string]declared // plans and pipelines, which share one name space
	bound    map[*Agent]bool     // agents that something uses
	refs     []hclfile.Ref       // of agent attributes, looked up when all agents are known
	compiled map[string]error    // what compiling a stop rule said
	strange  map[string][]int    // where unknown arguments stand, by file, sorted
	garbled  map[any]bool        // agents and plans with an unknown argument, which may be a missing one
	compared int                 // letters, to find which name was meant
}

func newBuilder(m *Manifest, doc *hclfile.Document, problems problem.List) *builder {
	b := &builder{
		m: m, doc: doc, problems: problems, runnable: map[string]declared{}, bound: map[*Agent]bool{},
		compiled: map[string]error{}, strange: map[string][]int{}, garbled: map[any]bool{},
	}
	for _, p := range problems {
		if p.Code == "E203" {
			b.strange[p.Range.File] = append(b.strange[p.Range.File], p.Range.Start.Byte)
		}
	}
	for _, places := range b.strange {
		slices.Sort(places)
	}
	return b
}

// declared is a name and where it was first given.
type declared struct {
	what string
	at   problem.Range
}

func (b *builder) report(code string, at problem.Range, hint, format string, args ...any) {
	b.problems = append(b.problems, problem.New(code, at, hint, format, args...))
}

func (b *builder) build() {
	pipelines := map[*Pipeline]*hclfile.Block{}
	for i, block := range b.doc.Blocks {
		switch block.Schema.Name {
		case "defaults":
			b.m.defaults = b.layer(block, "defaults")
		case "agent":
			if a := b.agent(block); a != nil {
				b.garbled[a] = b.hasStrange(i)
			}
		case "plan":
			if p := b.plan(block); p != nil {
				b.garbled[p] = b.hasStrange(i)
			}
		case "pipeline":
			if p := b.pipeline(block); p != nil {
				pipelines[p] = block
			}
		}
	}
	b.linkAgents()
	b.linkPlans()
	plans := namesOf(b.m.Plans, func(p *Plan) string { return p.Name })
	for _, p := range b.m.Pipelines {
		b.stages(p, pipelines[p], plans)
	}
	b.checkResolved()
	b.warnUnused()
}

// hasStrange holds where an unknown argument stands between the head of a block
// and the next one of its file.
func (b *builder) hasStrange(block int) bool {
	at, blocks := b.doc.Blocks[block].Range, b.doc.Blocks
	places := b.strange[at.File]
	next, _ := slices.BinarySearch(places, at.Start.Byte)
	if next == len(places) {
		return false
	}
	if block+1 == len(blocks) || blocks[block+1].Range.File != at.File {
		return true
	}
	return places[next] < blocks[block+1].Range.Start.Byte
}

// unique holds for a name that is not taken; one that is gets reported.
func (b *builder) unique(taken declared, is bool, what string, block *hclfile.Block) bool {
	if !is {
		return true
	}
	p := problem.New("E306", block.Label.Range, "", "%s %q has the name of a %s", what, block.Label.Value, taken.what)
	p.Hint = "Plans and pipelines share their names; rename one."
	if what == taken.what {
		p.Summary, p.Hint = fmt.Sprintf("%s %q is declared twice", what, block.Label.Value), "Rename or remove one."
	}
	p.Related = append(p.Related, problem.Related{Range: taken.at, Message: "first declared here"})
	b.problems = append(b.problems, p)
	return false
}

func (b *builder) agent(block *hclfile.Block) *Agent {
	name := block.Label.Value
	first, is := b.m.agents[name]
	taken := declared{what: "agent"}
	if is {
		taken.at = first.Range
	}
	if name == "" || !b.unique(taken, is, "agent", block) {
		return nil
	}
	a := &Agent{Name: name, Range: block.Label.Range, Layer: b.layer(block, "agent."+name), has: block.Has}
	if attr, ok := block.Attr("abstract"); ok {
		a.Abstract, _ = attr.Value.(bool)
	} else {
		a.unsure = block.Has("abstract")
	}
	if attr, ok := block.Attr("extends"); ok {
		a.ref, _ = attr.Value.(hclfile.Ref)
	}
	b.m.agents[name] = a
	b.m.Agents = append(b.m.Agents, a)
	return a
}

func (b *builder) plan(block *hclfile.Block) *Plan {
	name := block.Label.Value
	taken, is := b.runnable[name]
	if name == "" || !b.unique(taken, is, "plan", block) {
		return nil
	}
	b.runnable[name] = declared{"plan", block.Label.Range}
	p := &Plan{Name: name, Range: block.Label.Range, Layer: b.layer(block, "plan."+name)}
	if attr, ok := block.Attr("source"); ok {
		p.Source, p.At = b.source(attr), attr.Range
	}
	known := map[string]*Phase{}
	for _, child := range block.Blocks {
		if child.Schema.Name == "phase" {
			b.phase(p, child, known)
		}
	}
	b.m.plans[name] = p
	b.m.Plans = append(b.m.Plans, p)
	b.bind(p)
	return p
}

// source is the clean path of a plan, empty where it can't be one.
func (b *builder) source(attr *hclfile.Attr) string {
	text, _ := attr.Value.(hclfile.Text)
	bad := func(why string) string {
		b.report("E415", attr.Range, "Write the path from the plan workspace, for example \"docs/plans/feature.md\".", "source: %s %s", quoted(attr, text), why)
		return ""
	}
	clean := path.Clean(text.Value)
	switch {
	case strings.TrimSpace(text.Value) == "":
		return bad("is empty")
	case strings.ContainsRune(text.Value, 0):
		return bad("has a NUL in it")
	case path.IsAbs(text.Value):
		return bad("is an absolute path, which is another one on each machine")
	case clean == ".." || strings.HasPrefix(clean, "../"):
		return bad("leads out of the plan workspace")
	}
	return clean
}

func (b *builder) phase(p *Plan, block *hclfile.Block, known map[string]*Phase) {
	number := block.Label.Value
	other, is := known[number]
	taken := declared{what: "phase"}
	if is {
		taken.at = other.Range
	}
	if number == "" || !b.unique(taken, is, "phase", block) {
		return
	}
	phase := &Phase{ID: "phase-" + number, Range: block.Label.Range, Layer: b.layer(block, "plan."+p.Name+", phase "+number)}
	known[number] = phase
	p.Phases = append(p.Phases, phase)
}
