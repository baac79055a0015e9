package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kballard/go-shellquote"

	"github.com/ai-session-handler/ai-session-handler/manifest"
	"github.com/ai-session-handler/ai-session-handler/manifest/problem"
	"github.com/ai-session-handler/ai-session-handler/schema/codes"
)

type validateCmd struct {
	readFlags

	Paths  []string `arg:"" optional:"" name:"path" help:"Manifests, or directories of which the plan workspace has one. Default: that of the current directory."`
	Level  string   `enum:"syntax,schema,reference,value,filesystem" default:"filesystem" placeholder:"LEVEL" help:"Check up to a level: syntax, schema, reference, value, or filesystem, which looks for plans, workspaces and programs too. Default: filesystem."`
	Format string   `enum:"text,json,github" default:"text" placeholder:"FORMAT" help:"How to report: text, json, or github, for annotations. Default: text."`
}

// Help is the long help of the command.
func (*validateCmd) Help() string {
	return `Reports everything that is wrong at once, each problem with its code, its place and
what to do. "explain CODE" says more. Nothing is written.

EXIT STATUS
  0    the manifest is valid, perhaps with warnings
  5    it has errors, or there is none`
}

// Run runs the command.
func (c *validateCmd) Run(a *app, code *int) error {
	projects, err := c.projects(a)
	if err != nil {
		return err
	}
	var all problem.List
	for _, p := range projects {
		all = append(all, c.check(a, p)...)
	}
	all = all.Sort()
	if all.HasErrors() {
		*code = exitInvalid
	}
	switch {
	case a.json || c.Format == "json":
		return a.JSON(all.Report())
	case c.Format == "github":
		if len(all) > 0 {
			a.Result(all.GitHub())
		}
	case len(all) > 0:
		a.Result(all.Text(a.color.On(a.stdout, a.environ)))
	}
	if !all.HasErrors() && c.Format == "text" {
		for _, p := range projects {
			a.Result(fmt.Sprintf("%s: ok (%s)", p.manifest.Path, countsOf(p.manifest)))
		}
	}
	return nil
}

func countsOf(m *manifest.Manifest) string {
	text := fmt.Sprintf("agents: %d, plans: %d", len(m.Agents), len(m.Plans))
	if len(m.Pipelines) > 0 {
		text += fmt.Sprintf(", pipelines: %d", len(m.Pipelines))
	}
	return text
}

func (c *validateCmd) projects(a *app) ([]*project, error) {
	if len(c.Paths) == 0 {
		p, err := a.here()
		if err == nil && !p.hasManifest() {
			err = p.noManifest()
		}
		return []*project{p}, err
	}
	var projects []*project
	for _, path := range c.Paths {
		p, err := a.projectAt(path)
		if err != nil {
			return nil, err
		}
		projects = append(projects, p)
	}
	return projects, nil
}

// projectAt is the project of a manifest, of a companion of one, or of a directory.
func (a *app) projectAt(path string) (*project, error) {
	info, err := os.Stat(a.path(path))
	if err != nil {
		return nil, inputErrorf("%s: %v\n  next: name a manifest, or a directory of a plan workspace that has one", path, bareError(err))
	}
	if strings.HasSuffix(path, ".md") && !info.IsDir() {
		return nil, inputErrorf("%s is no manifest\n  next: for a plan use %s", path, shellquote.Join("ai-session-handler", "plan", "lint", path))
	}
	there := *a
	companion, _ := filepath.Match(manifest.Companions, filepath.Base(path))
	switch {
	case info.IsDir():
		there.dir = a.path(path)
	case companion:
		there.dir = filepath.Dir(a.path(path))
	default:
		there.manifest.Manifest = nameFlag(a.path(path))
	}
	p, err := there.here()
	if err == nil && !p.hasManifest() {
		err = p.noManifest()
	}
	return p, err
}

// check is what is wrong up to the level. What lies on the disk is looked at only
// where the manifest itself is in order.
func (c *validateCmd) check(a *app, p *project) (kept problem.List) {
	all := p.problems
	if c.Level == codes.Filesystem.String() && !all.HasErrors() {
		all = append(all, p.manifest.CheckFiles(a.machine(), nil)...)
	}
	for _, one := range all {
		if c.reports(one.Code) {
			kept = append(kept, a.fromHere(p.root, one))
		}
	}
	return kept
}

// fromHere names the files of a problem from the current directory: several
// workspaces may have files of one name, and annotations are for the repository.
func (a *app) fromHere(root string, p problem.Problem) problem.Problem {
	p.Range.File = a.fileFromHere(root, p.Range.File)
	p.Related = slices.Clone(p.Related)
	for i := range p.Related {
		p.Related[i].Range.File = a.fileFromHere(root, p.Related[i].Range.File)
	}
	return p
}

// fileFromHere leaves alone what is no file, such as the name of a flag.
func (a *app) fileFromHere(root, file string) string {
	path := filepath.Join(root, file)
	if _, err := os.Lstat(path); err != nil || filepath.IsAbs(file) {
		return file
	}
	rel, err := filepath.Rel(a.dir, path)
	if _, inside := strings.CutPrefix(a.dir+"/", root+"/"); err != nil || !inside && !filepath.IsLocal(rel) {
		return path
	}
	return rel
}

// reports holds for codes of the level and those before it. Warnings are of
// values.
func (c *validateCmd) reports(code string) bool {
	known, _ := codes.Lookup(code)
	level := known.Level
	if level == codes.Warning {
		level = codes.Value
	}
	for _, one := range codes.Levels() {
		if one == level {
			return true
		}
		if one.String() == c.Level {
			return false
		}
	}
	return true
}
