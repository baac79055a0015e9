package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/ai-session-handler/ai-session-handler/engine/plan"
	"github.com/ai-session-handler/ai-session-handler/engine/state"
	"github.com/ai-session-handler/ai-session-handler/engine/termtext"
	"github.com/ai-session-handler/ai-session-handler/engine/workspace"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// allStatus is what status prints as JSON for a whole workspace.
type allStatus struct {
	Format    string           `json:"format"`
	Root      string           `json:"plan_workspace"`
	Manifest  string           `json:"manifest"` // path, empty where there is none
	Problems  []string         `json:"problems"`
	Plans     []planLine       `json:"plans"`
	Pipelines []pipelineStatus `json:"pipelines"`
}

// planLine is one plan in a list.
type planLine struct {
	Name      string        `json:"name"` // empty where no block binds it
	Path      string        `json:"path"`
	Stands    string        `json:"stands"` // as in the status of one plan
	Completed int           `json:"completed"`
	Phases    int           `json:"phases"` // of the plan as it is now, 0 when it can't be read
	Next      *record.Phase `json:"next_phase"`
	Error     string        `json:"error"` // why the state can't be read, empty where it can
	GoOn      string        `json:"go_on"` // the command that goes on, empty when there is none
	Problems  []string      `json:"problems"`
}

type pipelineStatus struct {
	Name   string        `json:"name"`
	Stages []stageStatus `json:"stages"`
}

type stageStatus struct {
	Name   string `json:"name"`
	Plan   string `json:"plan"`
	Stands string `json:"stands"`
}

// statusOfAll reports every plan and pipeline of the manifest, and the plans that
// have a history without being in it.
func statusOfAll(a *app) error {
	p, err := a.reading().here()
	if err != nil {
		return err
	}
	s := allStatus{
		Format: "ai-session-handler/status-all/1", Root: p.root, Manifest: p.manifest.Path,
		Problems: p.wrong(), Plans: []planLine{}, Pipelines: []pipelineStatus{},
	}
	subjects := p.subjects()
	others, err := p.unbound(subjects)
	if err != nil && !slices.Contains(s.Problems, err.Error()) {
		s.Problems = append(s.Problems, err.Error())
	}
	for _, subject := range slices.Concat(subjects, others) {
		s.Plans = append(s.Plans, lineOf(a, subject))
	}
	s.addPipelines(p)
	if a.json {
		return a.JSON(s)
	}
	a.Result(s.text())
	return nil
}

// wrong is what is wrong with manifest and configuration, in lines.
func (p *project) wrong() []string {
	lines := []string{}
	for _, err := range p.broken {
		lines = append(lines, err.Error())
	}
	if text := p.brokenManifest(); text != "" {
		lines = append(lines, text)
	}
	return lines
}

// brokenManifest is one line about a manifest with errors, empty where it has none.
func (p *project) brokenManifest() string {
	err := p.problems.Err()
	if err == nil {
		return ""
	}
	return strings.TrimSuffix(err.Error(), ".") + "; all of it: " + p.check
}

// unbound are the plans that have a history and are not among the subjects.
func (p *project) unbound(subjects []*subject) (others []*subject, err error) {
	handler, err := workspace.OpenHandlerDir(p.root, false, testOnlySeam)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = handler.Close() }()
	keys, err := workspace.Plan{Root: p.root}.SiblingKeys(handler)
	for _, key := range keys {
		if slices.ContainsFunc(subjects, func(s *subject) bool { return s.plan.Key() == key }) {
			continue
		}
		dir, err := handler.Sub(path.Join(workspace.PlansDir, key))
		if err != nil {
			continue // gone since, or no directory
		}
		st, found, err := state.Store{Dir: dir}.Load()
		_ = dir.Close()
		if !found || err != nil {
			continue
		}
		if at, ok := (workspace.Plan{Root: p.root}).Sibling(key, st.Plan.Path); ok {
			if located, err := locate(at); err == nil {
				others = append(others, &subject{p, located, nil})
			}
		}
	}
	slices.SortFunc(others, func(a, b *subject) int { return strings.Compare(a.plan.Path, b.plan.Path) })
	return others, err
}

// lineOf is the status of one plan in short. A state that can't be read is told
// and leaves the others readable.
func lineOf(a *app, s *subject) planLine {
	line := planLine{Path: s.plan.Path, Problems: []string{}}
	if s.block != nil {
		line.Name = s.block.Name
	}
	h, err := openHistory(s.plan.Path)
	if err != nil {
		line.Stands, line.Error = standsOffPlan, err.Error()
		return line
	}
	defer h.close()
	full := gather(a, h, s)
	line.Stands, line.Completed, line.Next, line.GoOn = full.Stands, len(h.state.CompletedPhaseIDs), full.NextPhase, full.GoOn
	line.Problems = slices.DeleteFunc(full.Problems, func(text string) bool { return slices.Contains(s.wrong(), text) })
	if snapshot, err := plan.Read(s.plan.Path); err == nil {
		line.Phases = len(snapshot.Phases)
	}
	return line
}

func (s *allStatus) addPipelines(p *project) {
	for _, pipeline := range p.manifest.Pipelines {
		status := pipelineStatus{Name: pipeline.Name, Stages: []stageStatus{}}
		for _, stage := range pipeline.Stages {
			one := stageStatus{Name: stage.Name}
			if stage.Plan != nil {
				one.Plan = stage.Plan.Name
				one.Stands = s.stands(one.Plan)
			}
			status.Stages = append(status.Stages, one)
		}
		s.Pipelines = append(s.Pipelines, status)
	}
}

func (s *allStatus) stands(plan string) string {
	for _, line := range s.Plans {
		if line.Name == plan {
			return line.Stands
		}
	}
	return ""
}

func (s *allStatus) text() string {
	var t textWriter
	for _, problem := range s.Problems {
		t.line("problem", problem)
	}
	for _, line := range s.Plans {
		line.write(&t)
	}
	if len(s.Plans) == 0 {
		t.line("plans", "none: the manifest binds none, and none has a history here")
	}
	for _, p := range s.Pipelines {
		t.WriteString("\npipeline " + p.Name + "\n")
		for _, stage := range p.Stages {
			fmt.Fprintf(&t, "  %-20s %s\n", stage.Name, stage.text())
		}
	}
	t.blank()
	t.line("manifest", orNone(s.Manifest))
	t.line("plan workspace", s.Root)
	return t.String()
}

func (s stageStatus) text() string {
	switch {
	case s.Plan == "":
		return "its plan is not in the manifest"
	case s.Stands == "":
		return "plan " + s.Plan + ", which can't be found"
	}
	return "plan " + s.Plan + ", " + s.Stands
}

func (l planLine) write(t *textWriter) {
	name := l.Name
	if name == "" {
		name = l.Path
	}
	line := fmt.Sprintf("%-24s %-10s %d of %d complete", termtext.Line(name), l.Stands, l.Completed, l.Phases)
	if l.Next != nil {
		line += ", next " + l.Next.ID + " " + termtext.Line(l.Next.Title)
	}
	t.WriteString(line + "\n")
	if l.Error != "" {
		t.WriteString("  error: " + termtext.Indented(l.Error, "    ") + "\n")
	}
	for _, problem := range l.Problems {
		t.WriteString("  problem: " + termtext.Indented(problem, "    ") + "\n")
	}
	if l.GoOn != "" {
		t.WriteString("  to go on: " + l.GoOn + "\n")
	}
}
