package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/kballard/go-shellquote"

	"github.com/ai-session-handler/ai-session-handler/engine/workspace"
	"github.com/ai-session-handler/ai-session-handler/manifest"
	"github.com/ai-session-handler/ai-session-handler/schema/suggest"
)

// subject is one plan: where it lies, and the block that binds it, if one does.
type subject struct {
	*project
	plan  workspace.Plan
	block *manifest.Plan
}

// planFlags name a plan in one of two ways.
type planFlags struct {
	Name string  `arg:"" optional:"" name:"plan" help:"A plan of the manifest."`
	Plan *string `placeholder:"PATH" help:"The plan, by its file; it need not be in a manifest."`
}

var errNoPlan = errors.New("no plan is named")

// subject finds the plan that the flags name, with the manifest and configuration
// of the workspace that it lies in. A manifest with errors is in the project.
func (f planFlags) subject(a *app) (*subject, error) {
	switch {
	case f.Name != "" && f.Plan != nil:
		return nil, inputErrorf("a plan is named twice, %s and --plan %s\n  next: leave one out", f.Name, *f.Plan)
	case f.Plan != nil:
		return a.subjectAt(*f.Plan)
	case f.Name != "":
		return f.byName(a)
	}
	return nil, f.nothingNamed(a)
}

func (f planFlags) nothingNamed(a *app) error {
	next := "name one with --plan PATH"
	if p, err := a.here(); err == nil && len(p.planNames()) > 0 {
		next = "name one of " + strings.Join(shortList(p.planNames()), ", ") + ", or another with --plan PATH"
	}
	return inputErrorf("%v\n  next: %s", errNoPlan, next)
}

// given reports whether the flags name a plan.
func (f planFlags) given() bool { return f.Name != "" || f.Plan != nil }

// subjectAt finds the plan at a path.
func (a *app) subjectAt(path string) (*subject, error) {
	if path == "" {
		return nil, inputErrorf("--plan: the path is empty")
	}
	located, err := locate(a.path(path))
	if err != nil {
		return nil, fmt.Errorf("--plan %s: %w", path, err)
	}
	p, err := a.project(located.Root)
	if err != nil {
		return nil, err
	}
	if _, bound := p.manifest.Plan(path); bound && !a.lenient && !pathExists(located.Path) {
		return nil, inputErrorf("--plan %s: there is no such file, but the manifest has a plan of that name\n  next: leave --plan out and write %s alone", path, path)
	}
	return &subject{p, located, p.blockOf(located)}, nil
}

func pathExists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// blockOf is the block that binds a plan, perhaps through links; nil where none
// does.
func (p *project) blockOf(located workspace.Plan) *manifest.Plan {
	if block, ok := p.manifest.Binds(located.Relative); ok {
		return block
	}
	for _, block := range p.manifest.Plans {
		path := filepath.Join(p.root, filepath.FromSlash(block.Source))
		if real, err := filepath.EvalSymlinks(path); err == nil && real == located.Path {
			return block
		}
	}
	return nil
}

func (f planFlags) byName(a *app) (*subject, error) {
	p, err := a.here()
	if err != nil {
		return nil, err
	}
	block, ok := p.manifest.Plan(f.Name)
	if !ok || block.Source == "" {
		return nil, p.notPlan(a, f.Name, p.planNames())
	}
	located, err := locate(filepath.Join(p.root, filepath.FromSlash(block.Source)))
	return &subject{p, located, block}, err
}

// notPlan says why a name is not that of a plan, after what is wrong with the
// manifest itself. Known are the names that it could be.
func (p *project) notPlan(a *app, name string, known []string) error {
	if err := p.faults(p.problems); err != nil {
		return err
	}
	if _, ok := p.manifest.Pipeline(name); ok {
		return inputErrorf("%s is a pipeline, which this release checks and shows but does not run\n  next: run the plans of its stages one by one; ai-session-handler graph %s shows them", name, name)
	}
	if !looksLikeName(name) {
		return p.notName(a, name)
	}
	if !p.hasManifest() {
		return p.noManifest()
	}
	next := "the manifest has no plans; bind one, or use --plan PATH"
	if close, ok := suggest.Closest(name, known); ok {
		next = "did you mean " + close + "?"
	} else if len(known) > 0 {
		next = "the manifest has " + strings.Join(shortList(known), ", ")
	}
	return inputErrorf("no plan is named %q in %s\n  next: %s", name, p.manifest.Path, next)
}

// notName says what to write instead of the path of a plan where a name is asked
// for.
func (p *project) notName(a *app, path string) error {
	next := "run, show and status take a file as --plan " + shellquote.Join(path)
	if located, err := locate(a.path(path)); err == nil {
		if block := p.blockOf(located); block != nil {
			next = "its name is " + block.Name
		}
	}
	return inputErrorf("%q is not the name of a plan\n  next: %s", path, next)
}

// subjects are all plans of the manifest that can be found, in order.
func (p *project) subjects() (all []*subject) {
	for _, block := range p.manifest.Plans {
		located, err := locate(filepath.Join(p.root, filepath.FromSlash(block.Source)))
		if err == nil && block.Source != "" {
			all = append(all, &subject{p, located, block})
		}
	}
	return all
}

// planPath is the path of a plan that a flag names by its path or, where there is
// no such file, by the name of a block.
func (a *app) planPath(named string) string {
	if pathExists(a.path(named)) || !looksLikeName(named) {
		return named
	}
	s, err := planFlags{Name: named}.subject(a.reading())
	if err != nil {
		return named
	}
	return s.plan.Path
}

// looksLikeName holds for what may be the name of a block, and is hardly a path.
func looksLikeName(text string) bool { return text != "" && !strings.ContainsAny(text, "/.") }
