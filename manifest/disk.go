package manifest

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kballard/go-shellquote"

	"github.com/ai-session-handler/ai-session-handler/engine/binding"
	"github.com/ai-session-handler/ai-session-handler/engine/plan"
	"github.com/ai-session-handler/ai-session-handler/engine/workspace"
	"github.com/ai-session-handler/ai-session-handler/manifest/problem"
)

// Machine is what a manifest is checked against besides the files of plans.
type Machine interface {
	// LookPath returns an error where the program of a phase can't be found. dir is
	// the execution workspace.
	LookPath(program, dir string, env binding.Environment) error
	// Enforceable returns an error that says why where the only limit of these can't
	// be enforced.
	Enforceable(limit binding.TreeLimits) error
	// IsSet holds for an environment variable that the handler has.
	IsSet(name string) bool
}

// Focus is what is about to run. Without one, all plans count alike.
type Focus struct {
	Plan    *Plan
	PhaseID string // the phase that runs next, empty where none does
	Flags   Layer  // as in [Request]
}

// CheckFiles checks what lies on the disk: plans, their workspaces, programs. With
// a focus only what its plan needs next is an error, and other plans are only
// looked for. A phase may make what a later one needs, so without a focus only
// the first phase of a plan must find everything.
func (m *Manifest) CheckFiles(machine Machine, focus *Focus) problem.List {
	c := &checker{m: m, machine: machine, focus: focus, canonical: map[string]*Plan{}, said: map[string]int{}}
	for _, p := range m.Plans {
		if p.Source != "" {
			c.plan(p)
		}
	}
	return m.finish(c.problems)
}

type checker struct {
	m         *Manifest
	machine   Machine
	focus     *Focus
	problems  problem.List
	canonical map[string]*Plan // by the path that links lead to
	said      map[string]int   // by what it is about: which of problems says so, for many phases alike
}

func (c *checker) report(mild bool, code string, at problem.Range, hint, format string, args ...any) {
	p := problem.New(code, at, hint, format, args...)
	if mild {
		p.Severity = problem.Warning
	}
	c.problems = append(c.problems, p)
}

// once reports what many phases have in common one time: as an error as soon as
// it is one for any of them.
func (c *checker) once(about string, mild bool, code string, at problem.Range, hint, format string, args ...any) {
	if i, known := c.said[about]; known {
		if !mild {
			c.problems[i].Severity = problem.Error
		}
		return
	}
	c.said[about] = len(c.problems)
	c.report(mild, code, at, hint, format, args...)
}

func (c *checker) plan(p *Plan) {
	other := c.focus != nil && c.focus.Plan != p
	located, err := workspace.Locate(filepath.Join(c.m.Root, filepath.FromSlash(p.Source)))
	if err != nil {
		c.report(other, "E501", p.At, "", "plan %q can't be looked for: %v", p.Name, err)
		return
	}
	if located.Root != c.m.Root {
		c.elsewhere(p, located, other)
		return
	}
	if first, is := c.canonical[located.Path]; is {
		c.problems = append(c.problems, samePlan(p, first))
		return
	}
	c.canonical[located.Path] = p
	if snapshot, ok := c.read(p, located, other); ok && !other {
		c.phases(p, located, snapshot)
	}
}

// elsewhere reports a plan whose workspace is not that of the manifest.
func (c *checker) elsewhere(p *Plan, located workspace.Plan, other bool) {
	switch rel, err := filepath.Rel(c.m.Root, located.Path); {
	case located.Marker != "":
		c.report(other, "E507", p.At, "Bind it in a manifest there.", "plan %q belongs to another plan workspace, %s, because that has %s", p.Name, located.Root, located.Marker)
	case err != nil || !filepath.IsLocal(rel):
		c.report(other, "E507", p.At, "Put the plan itself into the workspace.", "plan %q lies outside the plan workspace, in %s, where a link leads", p.Name, located.Root)
	default:
		c.report(other, "E507", p.At, "Run ai-session-handler init there, or git init.", "plan %q belongs to no plan workspace, since %s has no .ai-session-handler, .git or AGENTS.md", p.Name, c.m.Root)
	}
}

// read reads a plan. Those that are not about to run are only looked for, when
// something else is.
func (c *checker) read(p *Plan, located workspace.Plan, other bool) (*plan.Snapshot, bool) {
	snapshot, err := plan.Read(located.Path)
	var bad *plan.Error
	switch {
	case err == nil:
		return snapshot, true
	case errors.Is(err, fs.ErrNotExist):
		c.report(other, "E501", p.At, "Write it ("+shellquote.Join("ai-session-handler", "plan", "new", located.Path)+"), or correct the path.", "plan %q is missing: there is no %s", p.Name, p.Source)
	case errors.As(err, &bad) && bad.Unwrap() == nil:
		c.report(other, "E502", p.At, "See "+shellquote.Join("ai-session-handler", "plan", "lint", located.Path)+" for more about them.", "plan %q has errors", p.Name)
		c.problems[len(c.problems)-1].Detail = err.Error()
	default:
		c.report(other, "E501", p.At, "Correct its permissions or the path.", "plan %q can't be read: %v", p.Name, err)
	}
	return nil, false
}

func (c *checker) phases(p *Plan, located workspace.Plan, snapshot *plan.Snapshot) {
	for _, phase := range p.Phases {
		if _, ok := snapshot.Phase(phase.ID); !ok {
			c.report(false, "E503", phase.Range, phasesOf(snapshot), "plan %q has no %s", p.Name, phase.ID)
		}
	}
	request := Request{Plan: p}
	if c.focus != nil {
		request.Flags = c.focus.Flags
	}
	resolved, err := c.m.Resolve(request)
	if err != nil {
		return // reported by Load, or by who gave the flags
	}
	for i, phase := range snapshot.Phases {
		next := i == 0
		if c.focus != nil {
			next = phase.ID == c.focus.PhaseID
		}
		layer, ok := resolved.Phases[phase.ID]
		if !ok {
			layer = resolved.Default
		}
		c.phase(p, located, phase, resolved.Binding.For(phase.ID), layer, !next)
	}
}

// phasesOf tells which phases a plan has.
func phasesOf(s *plan.Snapshot) string {
	ids := s.PhaseIDs()
	if len(ids) > maxShown {
		return fmt.Sprintf("It has %s to %s, %d in all.", ids[0], ids[len(ids)-1], len(ids))
	}
	return "It has " + strings.Join(ids, ", ") + "."
}

func (c *checker) phase(p *Plan, located workspace.Plan, phase plan.Phase, how binding.Phase, layer Layer, later bool) {
	dir, err := located.Execution(phase.ID, phase.Workspace)
	if err != nil {
		fault, hint := advice(err)
		c.once("workspace "+p.Name+" "+phase.Workspace, later, "E505", p.At, hint, "%s:%d: %s", p.Source, phase.WorkspaceLine, fault)
	} else if err := c.machine.LookPath(how.Argv[0], dir, how.Env); err != nil {
		c.once("command "+layer["command"].Origin.String(), later, "E504", rangeOf(layer["command"], p), "Install it, or correct the command or the PATH that the worker gets.", "agent %q: %v", how.Agent, err)
	}
	c.limits(p, how, layer, later)
	for _, item := range get[[]Item](layer, "secret_env") {
		if !c.machine.IsSet(item.Text) {
			c.once("secret "+item.Text, true, "W605", item.Origin.Range, "Export it where the handler runs, or remove it.", "secret_env names %s, which is not set: nothing of it is masked", item.Text)
		}
	}
}

func (c *checker) limits(p *Plan, how binding.Phase, layer Layer, later bool) {
	tree := how.Limits.Tree
	if tree.BestEffort {
		return
	}
	for name, limit := range map[string]binding.TreeLimits{
		"memory_max": {MemoryMax: tree.MemoryMax}, "pids_max": {PidsMax: tree.PidsMax}, "cpu_max": {CPUMilli: tree.CPUMilli},
	} {
		if limit == (binding.TreeLimits{}) {
			continue
		}
		if err := c.machine.Enforceable(limit); err != nil {
			setting := layer[name]
			c.once(name+" "+setting.Origin.String(), later, "E508", rangeOf(setting, p), `Set limits = "best-effort" to run without it where it can't be.`, "%s can't be enforced here: %v", name, err)
		}
	}
}

// rangeOf is where a setting stands, or the plan where it is not in a manifest.
func rangeOf(s Setting, p *Plan) problem.Range {
	if s.Origin.Range.File == "" {
		return p.Range
	}
	return s.Origin.Range
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
