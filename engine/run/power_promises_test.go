package run_test

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/ai-session-handler/ai-session-handler/engine/enginetest"
	"github.com/ai-session-handler/ai-session-handler/engine/workspace"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// promises is what the outside world has learned so far, and what therefore
// must have survived a power loss.
type promises struct {
	attempts map[string]*promised
	whole    map[string]string // what each file of an attempt held at last, by its path in the history
	accepted string            // digest of the plan that is said to be accepted
	plan     string            // the plan's bytes
	manifest string            // those of its manifest, empty where there is none
	bound    *string           // digest of the manifest that is said to be recorded, empty for none
	archived string            // name of a history that is said to be moved aside
	resting  string            // the state that the last invocation left, empty while one runs
	records  *records
}

// promised is what is known about one attempt.
type promised struct {
	phase      string
	past       bool // it belongs to a history that was to be moved aside
	released   bool
	supervised bool
	settled    bool          // its supervisor outlived its handler, and is gone
	told       bool          // its handler ended in order, and named what it left
	ended      record.Status // empty: nobody was told
}

func newPromises(steps []enginetest.Step, cache *records) *promises {
	p := &promises{attempts: map[string]*promised{}, whole: map[string]string{}, records: cache}
	for _, s := range steps {
		dir, name := path.Split(s.Path)
		p.whole[path.Join(path.Base(dir), name)] = string(s.Content)
	}
	return p
}

// learn takes note of a mark.
func (p *promises) learn(s enginetest.Step) {
	a := p.attempts[s.Attempt]
	switch s.Mark {
	case markPlan:
		p.plan = s.Text
	case markManifest:
		p.manifest = s.Text
	case markRun:
		p.resting = ""
	case markFresh:
		for _, a := range p.attempts {
			a.past = true
		}
	case markStarted:
		p.attempts[s.Attempt] = &promised{phase: s.Text}
	case markSupervised:
		a.supervised = true
	case markReleased:
		a.released = true
	case markEnded:
		a.ended = record.Status(s.Text)
	case markAbandoned:
		a.ended = record.Interrupted
	case markAccepted:
		p.accepted = p.records.digest(p.plan)
	case markBound:
		digest := p.manifestDigest()
		p.bound = &digest
	case markArchived:
		p.archived, p.accepted, p.bound = path.Base(s.Text), "", nil
	case markOver:
		p.resting = s.Text
		for _, a := range p.attempts {
			a.told = a.told || a.released && !a.settled
		}
	case markSettled:
		for _, a := range p.attempts {
			a.settled = a.settled || a.supervised && a.ended == ""
		}
	}
}

// tells holds for the marks by which the outside world learns something.
func tells(s enginetest.Step) bool {
	return s.Mark != "" && !slices.Contains([]string{markPlan, markManifest, markRun, markFresh, markSupervised, markResult}, s.Mark)
}

// mayHaveRun holds for a phase of which the current history has a worker that
// was released.
func (p *promises) mayHaveRun(phase string) bool {
	return p.some(func(a *promised) bool { return a.phase == phase && !a.past && a.released })
}

// completed holds for a phase that is said to be complete in the current history.
func (p *promises) completed(phase string) bool {
	return p.some(func(a *promised) bool { return a.phase == phase && !a.past && a.ended == record.PhaseComplete })
}

func (p *promises) some(match func(a *promised) bool) bool {
	for _, a := range p.attempts {
		if match(a) {
			return true
		}
	}
	return false
}

// check returns what a power loss broke.
func (p *promises) check(tree enginetest.Tree) error {
	histories, err := p.records.histories(tree)
	if err != nil {
		return err
	}
	for _, h := range histories {
		if err := p.checkHistory(h); err != nil {
			return fmt.Errorf("%.12s: %w", h.name, err)
		}
	}
	if err := checkGitignore(tree, len(histories) > 0); err != nil {
		return err
	}
	for id, a := range p.attempts {
		if err := p.checkAttempt(histories, id, a); err != nil {
			return fmt.Errorf("attempt %s: %w", id, err)
		}
	}
	return p.checkTold(histories)
}

// checkHistory checks what holds for a history at any time, whatever anybody
// was told.
func (p *promises) checkHistory(h history) error {
	if err := p.checkFiles(h); err != nil || h.state == nil {
		return err
	}
	if err := p.checkSnapshot(h, h.state.Plan.SHA256); err != nil {
		return err
	}
	for _, c := range h.state.CommittedOutcomes {
		if err := p.checkOutcome(h, c); err != nil {
			return fmt.Errorf("outcome %s: %w", c.Path, err)
		}
	}
	if a := h.state.ActiveAttempt; a != nil && a.Status == record.Running {
		return p.checkEvidence(h, a.ID)
	}
	return nil
}

// checkFiles checks that no file is there of an attempt that the state does not
// know, and that every exit record is whole.
func (p *promises) checkFiles(h history) error {
	for name, text := range h.files {
		dir, file, _ := strings.Cut(name, "/")
		if !slices.Contains([]string{"prompts", "transcripts", "exits", "outcomes"}, dir) || strings.HasPrefix(file, ".") {
			continue
		}
		attempt, _, _ := strings.Cut(file, ".")
		if _, known := h.ids[attempt]; !known {
			return fmt.Errorf("%s is of an attempt that the state does not know", name)
		}
		if dir == "exits" {
			if err := p.records.exit(attempt, text); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return nil
}

func (p *promises) checkSnapshot(h history, sha256 string) error {
	if text, found := h.files[workspace.SnapshotFile(sha256)]; !found || p.records.digest(text) != sha256 {
		return fmt.Errorf("the snapshot %.12s of the accepted plan is missing or not whole", sha256)
	}
	return nil
}

func (p *promises) checkOutcome(h history, c record.CommittedOutcome) error {
	o, err := p.records.outcome(h.files[c.Path])
	if err != nil {
		return err
	}
	if o.AttemptID != c.AttemptID || o.Status != c.Status {
		return fmt.Errorf("is of attempt %s, %s", o.AttemptID, o.Status)
	}
	for _, a := range o.Artifacts {
		if text, found := h.files[a.Path]; !found || int64(len(text)) != a.Bytes || p.records.digest(text) != a.SHA256 {
			return fmt.Errorf("its %s is missing or not what was sealed", a.Kind)
		}
	}
	return p.checkSnapshot(h, o.Plan.SHA256)
}

// checkEvidence checks what must lie on disk of a worker that may have run: all
// of it once a person was told where to look.
func (p *promises) checkEvidence(h history, id string) error {
	transcript := workspace.TranscriptFile(id)
	if !strings.Contains(h.files[transcript], "\n---\n") {
		return fmt.Errorf("the transcript has no header")
	}
	names := []string{workspace.PromptFile(id)}
	if a := p.attempts[id]; a != nil && a.told {
		names = append(names, transcript, workspace.IndexFile(id))
	}
	for _, name := range names {
		if text, found := h.files[name]; !found || text != p.whole[name] {
			return fmt.Errorf("%s is missing or not whole", name)
		}
	}
	return nil
}

// checkGitignore checks that no history can be committed by accident.
func checkGitignore(tree enginetest.Tree, needed bool) error {
	const want = "*\n!config.json\n"
	if text, found := tree[workspace.DirName+"/.gitignore"]; (found || needed) && text != want {
		return fmt.Errorf(".gitignore is missing or not whole")
	}
	return nil
}

// checkAttempt checks that exactly one history knows the attempt, and knows at
// least what the outside world does.
func (p *promises) checkAttempt(histories []history, id string, a *promised) error {
	var in *history
	for _, h := range histories {
		if _, known := h.ids[id]; known {
			if in != nil {
				return fmt.Errorf("is in two histories")
			}
			in = &h
		}
	}
	if in == nil {
		return fmt.Errorf("was announced, and no state knows it")
	}
	status, active := in.ids[id], in.state.ActiveAttempt
	switch {
	case a.ended != "" && status != a.ended:
		return fmt.Errorf("was said to be recorded as %s, and the state says %q", a.ended, status)
	case a.released && status == "" && active.Status != record.Running:
		return fmt.Errorf("was released, and the state says %s", active.Status)
	case a.settled:
		if _, found := in.files[workspace.ExitFile(id)]; !found {
			return fmt.Errorf("the exit record of its supervisor is missing")
		}
	}
	if a.released {
		return p.checkEvidence(*in, id)
	}
	return nil
}

// checkTold checks what else was said.
func (p *promises) checkTold(histories []history) error {
	holds := func(match func(h history) bool) bool { return slices.ContainsFunc(histories, match) }
	if p.archived != "" && !holds(func(h history) bool { return h.name == p.archived }) {
		return fmt.Errorf("the history that was said to be moved aside is not there")
	}
	acceptable := []string{p.accepted, p.records.digest(p.plan)} // the next one may be accepted and nobody told yet
	if p.accepted != "" && !holds(func(h history) bool { return h.state != nil && slices.Contains(acceptable, h.state.Plan.SHA256) }) {
		return fmt.Errorf("the plan that was said to be accepted is not")
	}
	// As for the plan, the next one may be recorded and nobody told yet.
	if p.bound != nil && !holds(func(h history) bool {
		return slices.Contains([]string{*p.bound, p.manifestDigest()}, h.manifestDigest())
	}) {
		return fmt.Errorf("the manifest that was said to be recorded is not")
	}
	if p.resting != "" && !holds(func(h history) bool { return h.files[workspace.StateFile] == p.resting }) {
		return fmt.Errorf("the state is another than the one that the last invocation went by")
	}
	return nil
}

// manifestDigest is that of the manifest as it is now, empty for none.
func (p *promises) manifestDigest() string {
	if p.manifest == "" {
		return ""
	}
	return p.records.digest(p.manifest)
}
