package main

import (
	"errors"
	"path/filepath"
	"slices"

	"github.com/kballard/go-shellquote"

	"github.com/ai-session-handler/ai-session-handler/engine/workspace"
	"github.com/ai-session-handler/ai-session-handler/manifest"
	"github.com/ai-session-handler/ai-session-handler/manifest/problem"
)

// manifestFlags choose a manifest and give its variables their values.
type manifestFlags struct {
	Manifest nameFlag `placeholder:"FILE" help:"Take this manifest instead of ai-session-handler.hcl of the plan workspace."`
	Var      []string `sep:"none" placeholder:"NAME=VALUE" help:"Give a variable of the manifest its value."`
	VarFile  []string `sep:"none" placeholder:"FILE" help:"Take values of variables from FILE, lines of name = value; a later one wins."`
}

// nameFlag names something. An empty one is most likely a variable of a script that
// is not set, and no wish for what is the default.
type nameFlag string

// UnmarshalText is called by the parser.
func (n *nameFlag) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		return errors.New("is empty; leave the flag out, or give it a value")
	}
	*n = nameFlag(text)
	return nil
}

// args are the flags as words of a command line.
func (f manifestFlags) args(a *app) (line commandLine) {
	if f.Manifest != "" {
		line.flag("--manifest", a.path(string(f.Manifest)))
	}
	line.flags("--var", f.Var)
	for _, file := range f.VarFile {
		line.flag("--var-file", a.path(file))
	}
	return line
}

// project is a plan workspace as its manifest and its configuration say.
type project struct {
	root     string
	conf     settings
	manifest *manifest.Manifest
	problems problem.List // of the manifest, sorted
	check    string       // the command that shows all of them
	broken   []error      // what else is wrong, where a command only reports
}

// here is the project of the manifest flag, or else of the current directory.
func (a *app) here() (*project, error) {
	root, err := a.root()
	if err != nil {
		return nil, err
	}
	return a.project(root)
}

// root is the plan workspace of the manifest flag, or else of the current
// directory.
func (a *app) root() (string, error) { return rootAbove(a.manifestDir()) }

// manifestDir is where the search for a manifest begins.
func (a *app) manifestDir() string {
	if a.manifest.Manifest != "" {
		return filepath.Dir(a.path(string(a.manifest.Manifest)))
	}
	return a.dir
}

// rootAbove is the plan workspace that a directory lies in.
func rootAbove(dir string) (string, error) {
	located, err := locate(filepath.Join(dir, manifest.FileName))
	return located.Root, err
}

// isIn reports whether commands that are typed where this one was find the manifest
// of a workspace. Where that can't be told they are given paths, which serve
// anywhere.
func (a *app) isIn(root string) bool {
	located, err := workspace.Locate(filepath.Join(a.manifestDir(), manifest.FileName))
	return err == nil && located.Root == root
}

// project reads the manifest and the configuration of a plan workspace. Problems
// of the manifest are in the project, so that who only reports can go on.
func (a *app) project(root string) (*project, error) {
	p := &project{root: root, check: a.checkLine(root)}
	var err error
	if p.conf, err = readConfig(root); err != nil && !p.tolerates(a, err) {
		return nil, err
	}
	in, err := a.manifestInput(root, p.conf)
	if err != nil && !p.tolerates(a, err) {
		return nil, err
	}
	p.manifest, p.problems = manifest.Load(in)
	return p, nil
}

// tolerates keeps an error for a command that reports in spite of it.
func (p *project) tolerates(a *app, err error) bool {
	if a.lenient {
		p.broken = append(p.broken, err)
	}
	return a.lenient
}

func (a *app) manifestInput(root string, conf settings) (manifest.Input, error) {
	in := manifest.Input{
		Root: root, Vars: a.manifest.Var, Environ: a.environ, Program: version, Config: conf.layer(),
	}
	for _, file := range a.manifest.VarFile {
		in.VarFiles = append(in.VarFiles, a.path(file))
	}
	if a.manifest.Manifest != "" {
		path, err := filepath.EvalSymlinks(a.path(string(a.manifest.Manifest)))
		if err != nil {
			return in, inputErrorf("--manifest %s: %v\n  next: correct the path; without the flag the manifest is %s of the plan workspace", a.manifest.Manifest, bareError(err), manifest.FileName)
		}
		if rel, err := filepath.Rel(root, path); err != nil || !filepath.IsLocal(rel) {
			return in, inputErrorf("--manifest %s: it lies outside the plan workspace %s\n  next: name a manifest of that workspace, or leave the flag out", a.manifest.Manifest, root)
		}
		in.Path = path
		return in, nil
	}
	var err error
	if in.Path, err = manifest.In(root); err != nil {
		return in, err
	}
	if in.Path == "" && len(in.Vars)+len(in.VarFiles) > 0 {
		return in, inputErrorf("--var and --var-file give values to a manifest, and %s has none\n  next: leave them out, or name a manifest with --manifest", root)
	}
	return in, nil
}

// hasManifest reports whether there is one.
func (p *project) hasManifest() bool { return p.manifest.Path != "" }

// needManifest is the manifest, which must be there and have no errors.
func (p *project) needManifest() (*manifest.Manifest, error) {
	if !p.hasManifest() {
		return nil, p.noManifest()
	}
	return p.manifest, p.faults(p.problems)
}

// checkLine is the command that checks the manifest of a plan workspace.
func (a *app) checkLine(root string) string {
	line := append(a.command(), "validate")
	if !a.isIn(root) {
		line = commandLine{"ai-session-handler", "-C", root, "validate"}
	}
	return shellquote.Join(slices.Concat(line, a.manifest.args(a))...)
}

// faultyManifest is a manifest with errors, or what it needs.
type faultyManifest struct {
	*problem.Invalid
	check string
}

func (e *faultyManifest) Unwrap() error { return e.Invalid }

// faults is the error of a list in which there are errors.
func (p *project) faults(problems problem.List) error {
	var invalid *problem.Invalid
	if errors.As(problems.Err(), &invalid) {
		return &faultyManifest{invalid, p.check}
	}
	return nil
}

func (p *project) noManifest() error {
	return inputErrorf("there is no manifest: %s has no %s\n  next: ai-session-handler init writes one into the current directory; or name one with --manifest", p.root, manifest.FileName)
}

// reading is the app of a command that reports whatever is broken.
func (a *app) reading() *app {
	lenient := *a
	lenient.lenient = true
	return &lenient
}

// planNames are the names of all plans, sorted.
func (p *project) planNames() (names []string) {
	for _, plan := range p.manifest.Plans {
		names = append(names, plan.Name)
	}
	slices.Sort(names)
	return names
}

// shortList bounds how many names a message lists.
func shortList(names []string) []string {
	const most = 12
	if len(names) > most {
		return append(names[:most:most], "…")
	}
	return names
}
