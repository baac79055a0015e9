package manifest

import (
	"time"

	"github.com/ai-session-handler/ai-session-handler/engine/binding"
	"github.com/ai-session-handler/ai-session-handler/manifest/hclfile"
	"github.com/ai-session-handler/ai-session-handler/manifest/problem"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// Manifest is what the files of one manifest say, checked. One with problems
// holds what could be understood.
type Manifest struct {
	Root      string                // the plan workspace, absolute
	Path      string                // of the main file, absolute
	Sources   []record.SourceDigest // every file read, by path from Root, in order
	Agents    []*Agent              // in the order of the files, like all lists here
	Plans     []*Plan
	Pipelines []*Pipeline

	defaults Layer
	config   Layer             // of config.json
	texts    map[string][]byte // of the files, by name
	veiled   map[line]bool     // which may hold a secret, and are not shown

	agents  map[string]*Agent // by name, like plans
	plans   map[string]*Plan
	sources map[string]*Plan // by source
}

// line is one of a file.
type line struct {
	file   string
	number int
}

// Agent is a profile.
type Agent struct {
	Name     string
	Range    problem.Range
	Abstract bool
	Extends  *Agent // nil where it extends none, or one that is not there
	Layer    Layer  // what it says itself, its command included

	unsure bool                   // whether it is abstract, which is reported
	has    func(attr string) bool // written, right or wrong
	ref    hclfile.Ref            // of extends
}

// Plan binds one plan.
type Plan struct {
	Name   string
	Range  problem.Range
	Source string        // as a clean path from the root, slash-separated
	At     problem.Range // of the source
	Layer  Layer
	Phases []*Phase
}

// Phase is what a plan says about one of its phases.
type Phase struct {
	ID    string // phase-N
	Range problem.Range
	Layer Layer
}

// Pipeline is plans that depend on each other.
type Pipeline struct {
	Name        string
	Range       problem.Range
	MaxParallel int
	Stages      []*Stage
}

// Stage is one plan of a pipeline.
type Stage struct {
	Name      string
	Range     problem.Range
	Plan      *Plan // nil where it names one that is not there
	DependsOn []*Stage

	needs []hclfile.Ref
}

// Retry is the value of a retry block.
type Retry = binding.Retry

// Command is the value of a command: its words, placeholders not yet replaced.
type Command []string

// Agent returns the agent with a name.
func (m *Manifest) Agent(name string) (*Agent, bool) {
	a, ok := m.agents[name]
	return a, ok
}

// Plan returns the plan block with a name.
func (m *Manifest) Plan(name string) (*Plan, bool) {
	p, ok := m.plans[name]
	return p, ok
}

// Binds returns the plan block of the plan at a path from the root.
func (m *Manifest) Binds(source string) (*Plan, bool) {
	p, ok := m.sources[source]
	return p, ok
}

// Pipeline returns the pipeline with a name.
func (m *Manifest) Pipeline(name string) (*Pipeline, bool) {
	for _, p := range m.Pipelines {
		if p.Name == name {
			return p, true
		}
	}
	return nil, false
}

// off is the value of a limit that is switched off.
const off = time.Duration(0)
