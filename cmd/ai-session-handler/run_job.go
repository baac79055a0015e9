package main

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/ai-session-handler/ai-session-handler/cmd/internal/ui"
	"github.com/ai-session-handler/ai-session-handler/engine/plan"
	"github.com/ai-session-handler/ai-session-handler/engine/run"
	"github.com/ai-session-handler/ai-session-handler/engine/workspace"
	"github.com/ai-session-handler/ai-session-handler/manifest"
)

// job resolves everything that the command line, the manifest, the configuration
// and the environment say. Nobody reads them again but [source].
func (c *runCmd) job(a *app, console *ui.Console, to *masking) (run.Job, error) {
	s, err := c.subject(a)
	if err != nil {
		return run.Job{}, err
	}
	if err := s.faults(s.problems); err != nil {
		return run.Job{}, err
	}
	flags, err := c.layer()
	if err != nil {
		return run.Job{}, err
	}
	resolved, err := s.resolve(flags)
	if err != nil {
		return run.Job{}, err
	}
	if err := checkRules(resolved); err != nil {
		return run.Job{}, err
	}
	unset, err := to.add(secretsOf(resolved), a.environ)
	if err != nil {
		return run.Job{}, err
	}
	if s.block == nil { // of one that is bound, checkFiles says so
		warnUnset(to, slices.DeleteFunc(unset, func(item manifest.Item) bool { return item.Origin.Range.File == "" }))
	}
	if err := s.checkFiles(a, to, flags); err != nil {
		return run.Job{}, err
	}
	return run.Job{
		Plan: s.plan, Command: c.again(a, s), Environ: a.environ, Console: console, Observe: ui.NewProgress(console).Event,
		Binding: resolved.Binding, Manifest: s.bound(),
		Secrets: to.secrets, SecretNames: to.names,
		Source: &source{app: a, subject: s, warn: func(snapshot *plan.Snapshot) { warn(to, s.plan, snapshot) }},
		Options: run.Options{
			MaxPhases: resolved.MaxPhases, RetryStopped: c.RetryStopped, Fresh: c.Fresh,
			AcceptPlanChange: c.AcceptPlanChange, AcceptManifestChange: c.AcceptManifestChange,
		},
	}, nil
}

// checkRules compiles what the flags added; the rules of the manifest and of
// config.json are checked already, but not how many there are together.
func checkRules(r manifest.Resolved) error {
	layers := []manifest.Layer{r.Default}
	for _, layer := range r.Phases {
		layers = append(layers, layer)
	}
	for _, layer := range layers {
		if err := layer.CheckRules(); err != nil {
			return inputErrorf("--stop-on-regex: %v", err)
		}
	}
	return nil
}

// secretsOf are the names of the variables to mask, those of all phases.
func secretsOf(r manifest.Resolved) []manifest.Item {
	items := r.Default.Secrets()
	for _, id := range slices.SortedFunc(maps.Keys(r.Phases), comparePhases) {
		for _, item := range r.Phases[id].Secrets() {
			if !slices.ContainsFunc(items, func(other manifest.Item) bool { return other.Text == item.Text }) {
				items = append(items, item)
			}
		}
	}
	return items
}

// bound is what the manifest alone says about the plan, nil where it says nothing.
func (s *subject) bound() *run.Manifest {
	if s.block == nil {
		return nil
	}
	resolved, _ := s.manifest.Resolve(manifest.Request{Plan: s.block}) // a bound plan has an agent, or Load said so
	return &run.Manifest{Binding: resolved.Binding.Record(), Sources: s.manifest.Sources}
}

// checkFiles refuses what the phase that runs next can't do without.
func (s *subject) checkFiles(a *app, to printer, flags manifest.Layer) error {
	if s.block == nil {
		return nil
	}
	focus := &manifest.Focus{Plan: s.block, Flags: flags, PhaseID: s.nextPhase()}
	machine := a.machine()
	_, machine.anyProgram = flags["command"]
	problems := s.manifest.CheckFiles(machine, focus)
	if err := s.faults(problems); err != nil {
		return err
	}
	for _, p := range problems {
		to.Line(fmt.Sprintf("warning: %s:%d: %s [%s]", p.Range.File, p.Range.Start.Line, p.Summary, p.Code))
	}
	return nil
}

// nextPhase is the id of the phase that runs next, as far as can be told without
// a lock; empty where the plan or its state can't be read, about which the engine
// has more to say.
func (s *subject) nextPhase() string {
	h := &history{plan: s.plan}
	defer h.close()
	if err := h.open(); err != nil {
		return ""
	}
	if h.state.CurrentPhase != nil {
		return h.state.CurrentPhase.ID
	}
	snapshot, err := plan.Read(s.plan.Path)
	if err != nil {
		return ""
	}
	for _, id := range snapshot.PhaseIDs() {
		if !slices.Contains(h.state.CompletedPhaseIDs, id) {
			return id
		}
	}
	return ""
}

// again is the command line without what is decided once: accepting, retrying
// and starting afresh.
func (c *runCmd) again(a *app, s *subject) []string {
	line := commandLine{"ai-session-handler", "run", "--plan", s.plan.Path}
	if c.Name != "" {
		line = append(a.command(), "run", c.Name)
	}
	line = slices.Concat(line, a.manifest.args(a), c.args())
	if c.Events != "" {
		line.flag("--events", c.Events)
	}
	return line
}

// source reads a plan, its manifest and its configuration again; what lint finds
// in the plan is told once.
type source struct {
	app     *app
	subject *subject
	warn    func(*plan.Snapshot)
	last    *plan.Snapshot
}

// Current implements run.Source.
func (s *source) Current(context.Context) (now run.Sources, err error) {
	err = testOnlySeam.Do("read", "plan", func() (err error) {
		now.Plan, err = s.readPlan()
		return err
	})
	if err != nil {
		return now, err
	}
	err = testOnlySeam.Do("read", "manifest", func() (err error) {
		now.Manifest, err = s.readManifest()
		return err
	})
	return now, err
}

func (s *source) readPlan() (*plan.Snapshot, error) {
	if s.last != nil {
		return s.last.Reread()
	}
	snapshot, err := plan.Read(s.subject.plan.Path)
	if err != nil {
		return nil, err
	}
	s.warn(snapshot)
	s.last = snapshot
	return snapshot, nil
}

// readManifest resolves the manifest as it is now. Most of the time it is as it
// was, byte for byte, and means the same.
func (s *source) readManifest() (*run.Manifest, error) {
	conf, err := readConfig(s.subject.root)
	if err != nil {
		return nil, err
	}
	in, err := s.app.manifestInput(s.subject.root, conf)
	if err != nil {
		return nil, err
	}
	now := *s.subject
	if !reflect.DeepEqual(conf, now.conf) || !now.manifest.Unchanged(in) {
		now.project = &project{root: now.root, check: now.check, conf: conf}
		now.manifest, now.problems = manifest.Load(in)
		if err := now.faults(now.problems); err != nil {
			return nil, err
		}
	}
	now.block = now.blockOf(now.plan) // its source may be a link that leads elsewhere now
	s.subject = &now
	return now.bound(), nil
}

// warn tells what is likely a mistake, and which later phases can't start yet;
// an earlier phase may still make their workspaces.
func warn(to printer, located workspace.Plan, s *plan.Snapshot) {
	for _, f := range s.Lint(false) {
		to.Line("warning: " + formatFinding(s.Path, f))
	}
	for i, p := range s.Phases {
		if _, err := located.Execution(p.ID, p.Workspace); err != nil && i > 0 {
			to.Line("warning: " + err.Error() + " (it must be there when the phase starts)")
		}
	}
}
