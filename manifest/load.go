package manifest

import (
	"slices"

	"github.com/ai-session-handler/ai-session-handler/manifest/hclfile"
	"github.com/ai-session-handler/ai-session-handler/manifest/problem"
)

// Input is what a manifest is made from.
type Input struct {
	Root     string   // the plan workspace, canonical
	Path     string   // of the main file, absolute; empty: there is none, and nothing is bound
	VarFiles []string // absolute
	Vars     []string // name=value
	Environ  []string // of the process
	Program  string   // version of this program
	Config   Layer    // of config.json
}

// Load reads a manifest and checks everything but what lies on the disk beside
// it, for which there is [Manifest.CheckFiles]. The problems are sorted; the
// manifest is never nil, and can be used where none of them is an error.
func Load(in Input) (*Manifest, problem.List) {
	r := &reader{root: in.Root, texts: map[string][]byte{}}
	m := &Manifest{
		Root: in.Root, Path: in.Path, config: in.Config, texts: r.texts, veiled: map[line]bool{}, defaults: Layer{},
		agents: map[string]*Agent{}, plans: map[string]*Plan{}, sources: map[string]*Plan{},
	}
	if in.Path == "" {
		return m, nil
	}
	files := r.manifestFiles(in.Path)
	missing := unread{manifest: len(r.problems) > 0}
	vars := r.read(in.VarFiles)
	missing.values = len(vars) < len(in.VarFiles)
	for _, f := range vars {
		delete(r.texts, f.Name) // its lines are values, which no message shows
	}
	m.Sources = r.sources
	if len(files) == 0 {
		return m, m.finish(r.problems)
	}
	doc, problems := hclfile.Load(files, hclfile.Inputs{
		VarFiles: vars, Environ: in.Environ, Vars: in.Vars, Root: in.Root, Program: in.Program,
	})
	b := newBuilder(m, doc, append(r.problems, problems...))
	b.build()
	return m, m.finish(missing.independent(b.problems))
}

// Unchanged reports whether the files that a manifest is made of are what they
// were, and no others.
func (m *Manifest) Unchanged(in Input) bool {
	if in.Path != m.Path || in.Path == "" {
		return in.Path == m.Path
	}
	r := &reader{root: in.Root, texts: map[string][]byte{}}
	r.manifestFiles(in.Path)
	r.read(in.VarFiles)
	return len(r.problems) == 0 && slices.Equal(r.sources, m.Sources)
}

// unread is what could not be read of the files of a manifest.
type unread struct{ manifest, values bool }

// independent leaves out what may only be reported because something else could
// not be read, or names something that is not there.
func (u unread) independent(problems problem.List) problem.List {
	misread := u.manifest || slices.ContainsFunc(problems, func(p problem.Problem) bool { return p.Code < "E4" })
	return slices.DeleteFunc(problems, func(p problem.Problem) bool {
		switch p.Code {
		case "E150":
			return u.manifest && p.Range.Start.Line == 0
		case "E304", "E312", "E414":
			return u.manifest
		case "E410":
			return u.values
		case "W601", "W602", "W603":
			return misread
		}
		return false
	})
}

// finish sorts problems and shows the lines they are in.
func (m *Manifest) finish(problems problem.List) problem.List {
	problems.Fill(m.texts)
	for i, p := range problems {
		if m.veiled[line{p.Range.File, p.Range.Start.Line}] {
			problems[i].Snippet, problems[i].Mark = "", problem.Mark{}
		}
	}
	return problems.Sort()
}
