package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ai-session-handler/ai-session-handler/engine/binding"
	"github.com/ai-session-handler/ai-session-handler/manifest"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

type showCmd struct {
	readFlags
	planFlags
	overrideFlags

	Explain bool `help:"Say where each value comes from: a file and line, config.json, a flag, or a default."`
}

// Help is the long help of the command.
func (*showCmd) Help() string {
	return `Shows how a plan would run: the settings of each phase with everything put together,
and the digest that a run accepts. Without a name it shows all plans of the manifest.
The flags that change how phases run are those of run.

EXIT STATUS
  0    shown
  5    the manifest has errors, or there is no such plan`
}

// showResult is what show prints as JSON.
type showResult struct {
	Format   string                `json:"format"`
	Manifest string                `json:"manifest"` // path, empty where there is none
	Sources  []record.SourceDigest `json:"sources"`
	Plans    []shownBinding        `json:"plans"`
}

type shownBinding struct {
	Name          string                    `json:"name"` // empty where no block binds it
	Path          string                    `json:"path"`
	BindingSHA256 string                    `json:"binding_sha256"` // without the flags, as a run accepts it; empty where no block binds it
	Binding       record.Binding            `json:"binding"`
	MaxPhases     int                       `json:"max_phases"` // 0: no cap
	Origins       map[string][]shownSetting `json:"origins"`    // by phase id; "default" for phases without a block

	resolved manifest.Resolved
}

type shownSetting struct {
	Name    string   `json:"name"`
	Value   string   `json:"value"` // as text
	Origins []string `json:"origins"`
}

// Run runs the command.
func (c *showCmd) Run(a *app) error {
	subjects, p, err := c.subjects(a)
	if err != nil {
		return err
	}
	if err := p.faults(p.problems); err != nil {
		return err
	}
	flags, err := c.layer()
	if err != nil {
		return err
	}
	result := showResult{Format: "ai-session-handler/show/1", Manifest: p.manifest.Path, Sources: p.manifest.Sources, Plans: []shownBinding{}}
	for _, s := range subjects {
		shown, err := showBinding(s, flags)
		if err != nil {
			return err
		}
		result.Plans = append(result.Plans, shown)
	}
	if a.json {
		result.Sources = append([]record.SourceDigest{}, result.Sources...)
		return a.JSON(result)
	}
	a.Result(result.text(c.Explain))
	return nil
}

// subjects are the plan that is named, or all of the manifest.
func (c *showCmd) subjects(a *app) ([]*subject, *project, error) {
	if c.given() {
		s, err := c.planFlags.subject(a)
		if err != nil {
			return nil, nil, err
		}
		return []*subject{s}, s.project, nil
	}
	p, err := a.here()
	if err != nil {
		return nil, nil, err
	}
	if !p.hasManifest() {
		return nil, nil, p.noManifest()
	}
	return p.subjects(), p, nil
}

func showBinding(s *subject, flags manifest.Layer) (shownBinding, error) {
	resolved, err := s.resolve(flags)
	if err != nil {
		return shownBinding{}, err
	}
	shown := shownBinding{
		Path: s.plan.Path, Binding: resolved.Binding.Record(),
		MaxPhases: resolved.MaxPhases, Origins: map[string][]shownSetting{"default": settingsOf(resolved.Default)}, resolved: resolved,
	}
	if bound := s.bound(); bound != nil {
		shown.Name, shown.BindingSHA256 = s.block.Name, binding.Digest(bound.Binding)
	}
	for id, layer := range resolved.Phases {
		shown.Origins[id] = settingsOf(layer)
	}
	return shown, nil
}

func settingsOf(layer manifest.Layer) []shownSetting {
	list := []shownSetting{}
	for _, e := range layer.Explain() {
		list = append(list, shownSetting(e))
	}
	return list
}

func (r showResult) text(explain bool) string {
	var t textWriter
	for i, p := range r.Plans {
		if i > 0 {
			t.blank()
		}
		p.write(&t, explain)
	}
	if len(r.Plans) == 0 {
		t.line("plans", "none; "+r.Manifest+" binds no plan")
	}
	t.blank()
	t.line("manifest", orNone(r.Manifest))
	for _, source := range r.Sources {
		t.line("source", source.Path+" "+source.SHA256)
	}
	return t.String()
}

func (p shownBinding) write(t *textWriter, explain bool) {
	name := p.Name
	if name == "" {
		name = "not bound in the manifest"
	}
	t.line("plan", name)
	t.line("path", p.Path)
	t.line("binding sha256", orNone(p.BindingSHA256))
	defaults := p.Origins["default"]
	writeSettings(t, "each phase", defaults, explain)
	for _, id := range slices.SortedFunc(maps.Keys(p.resolved.Phases), comparePhases) {
		writeSettings(t, id, differing(p.Origins[id], defaults), explain)
	}
}

// differing leaves what a phase has in common with the others out.
func differing(own, common []shownSetting) []shownSetting {
	return slices.DeleteFunc(slices.Clone(own), func(s shownSetting) bool {
		return slices.ContainsFunc(common, func(c shownSetting) bool {
			return c.Name == s.Name && c.Value == s.Value && slices.Equal(c.Origins, s.Origins)
		})
	})
}

func comparePhases(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

func writeSettings(t *textWriter, title string, list []shownSetting, explain bool) {
	t.WriteString(title + ":\n")
	width := 0
	for _, s := range list {
		width = max(width, len(s.Name))
	}
	for _, s := range list {
		line := fmt.Sprintf("  %-*s  %s", width, s.Name, s.Value)
		if explain {
			line += "\n" + strings.Repeat(" ", width+4) + "from " + strings.Join(s.Origins, ", ")
		}
		t.WriteString(line + "\n")
	}
	if len(list) == 0 {
		t.WriteString("  nothing that differs\n")
	}
}
