package manifest

import (
	"github.com/ai-session-handler/ai-session-handler/manifest/hclfile"
	"github.com/ai-session-handler/ai-session-handler/manifest/problem"
)

func (b *builder) pipeline(block *hclfile.Block) *Pipeline {
	name := block.Label.Value
	taken, is := b.runnable[name]
	if name == "" || !b.unique(taken, is, "pipeline", block) {
		return nil
	}
	b.runnable[name] = declared{"pipeline", block.Label.Range}
	p := &Pipeline{Name: name, Range: block.Label.Range, MaxParallel: 1}
	if attr, ok := block.Attr("max_parallel"); ok {
		count, _ := attr.Value.(int64)
		p.MaxParallel = int(count)
	}
	b.m.Pipelines = append(b.m.Pipelines, p)
	return p
}

// stages adds the stages of a pipeline, once all plans are known.
func (b *builder) stages(p *Pipeline, block *hclfile.Block, plans []string) {
	byName := map[string]*Stage{}
	usedBy := map[*Plan]*Stage{}
	for _, child := range block.Blocks {
		if s := b.stage(child, byName); s != nil {
			p.Stages = append(p.Stages, s)
			b.stagePlan(s, child, usedBy, plans)
		}
	}
	names := namesOf(p.Stages, func(s *Stage) string { return s.Name })
	for _, s := range p.Stages {
		b.stageNeeds(s, byName, names)
	}
	edges := func(s *Stage) []*Stage { return s.DependsOn }
	for _, cycle := range cycles(p.Stages, edges) {
		names := namesOf(cycle, func(s *Stage) string { return "stage." + s.Name })
		at := func(i int) problem.Range { return cycle[i].needOf(cycle[(i+1)%len(cycle)]) }
		b.reportCycle("E309", "Remove one of these dependencies.", []string{"a stage depends on itself", "stages depend on each other"}, names, at)
	}
}

// needOf is where a stage says that it depends on another.
func (s *Stage) needOf(other *Stage) problem.Range {
	for _, ref := range s.needs {
		if ref.Name == other.Name {
			return ref.Range
		}
	}
	return s.Range
}

func (b *builder) stage(block *hclfile.Block, byName map[string]*Stage) *Stage {
	name := block.Label.Value
	first, is := byName[name]
	taken := declared{what: "stage"}
	if is {
		taken.at = first.Range
	}
	if name == "" || !b.unique(taken, is, "stage", block) {
		return nil
	}
	s := &Stage{Name: name, Range: block.Label.Range}
	if attr, ok := block.Attr("depends_on"); ok {
		s.needs, _ = attr.Value.([]hclfile.Ref)
	}
	byName[name] = s
	return s
}

func (b *builder) stagePlan(s *Stage, block *hclfile.Block, usedBy map[*Plan]*Stage, plans []string) {
	attr, ok := block.Attr("plan")
	if !ok {
		return
	}
	ref, _ := attr.Value.(hclfile.Ref)
	plan, ok := b.m.plans[ref.Name]
	if !ok {
		b.unknown(ref, plans)
		return
	}
	if other, twice := usedBy[plan]; twice {
		p := problem.New("E406", ref.Range, "A plan has one history, so it can be one stage.", "plan %q is stage %q already", plan.Name, other.Name)
		p.Related = append(p.Related, problem.Related{Range: other.Range, Message: "first used here"})
		b.problems = append(b.problems, p)
	}
	s.Plan, usedBy[plan] = plan, s
}

func (b *builder) stageNeeds(s *Stage, byName map[string]*Stage, names []string) {
	for _, ref := range s.needs {
		needed, ok := byName[ref.Name]
		if !ok {
			b.unknown(ref, names)
			continue
		}
		s.DependsOn = append(s.DependsOn, needed)
	}
}
