package run_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ai-session-handler/ai-session-handler/engine/binding"
	"github.com/ai-session-handler/ai-session-handler/engine/run"
	"github.com/ai-session-handler/ai-session-handler/engine/state"
	"github.com/ai-session-handler/ai-session-handler/engine/stream"
	"github.com/ai-session-handler/ai-session-handler/engine/workspace"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

func longer(p *binding.Phase) { p.Limits.Timeout = 31 * time.Minute }

func TestTheManifestIsKeptInTheState(t *testing.T) {
	l := newLab(t, 1)
	l.edit = func(j *run.Job) { j.Binding.Default.Limits.Timeout = 7 * time.Second } // as a command line does
	result := l.ends(run.Complete, run.Options{})
	kept := l.state().Manifest
	if kept == nil || kept.BindingSHA256 != l.how.Digest() || kept.Sources[0] != l.manifest().Sources[0] || kept.AcceptedAt.IsZero() {
		t.Errorf("kept %+v", kept)
	}
	if o := result.Outcome; o.BindingSHA256 == l.how.Digest() || o.Limits.TimeoutMS != 7000 {
		t.Errorf("the outcome is not of what ran: %+v", o)
	}
	if told := l.told(record.ManifestChanged); len(told) > 0 {
		t.Errorf("told of a change: %v", told)
	}
}

func TestAPlanThatNoManifestBindsHasNone(t *testing.T) {
	l := newLab(t, 1)
	l.bound = false
	l.ends(run.Complete, run.Options{})
	if kept := l.state().Manifest; kept != nil {
		t.Errorf("kept %+v", kept)
	}
}

func TestAChangeForAPhaseThatIsLeftIsRefusedUntilAccepted(t *testing.T) {
	l := newLab(t, 4)
	l.ends(run.Capped, run.Options{MaxPhases: 1})
	for _, id := range []string{"phase-1", "phase-2", "phase-3"} {
		l.set(id, longer)
	}
	l.set("phase-4", func(p *binding.Phase) { p.Env.Set = map[string]string{"A": "x"} })
	was := l.state()
	diff := "phase-2, phase-3:\n      timeout: 1m0s → 31m0s\n    phase-4:\n      env.A: not set → \"x\""
	l.refuses(run.Options{}, "the manifest changed since it was accepted", "    "+diff,
		"changed too, and complete: phase-1", "accepted: "+was.Manifest.BindingSHA256, "now     : "+l.how.Digest(),
		"next: read the change; to go on with it: again --accept-manifest-change")
	l.refuses(run.Options{AcceptPlanChange: true, RetryStopped: true}, "the manifest changed")

	l.ends(run.Complete, run.Options{AcceptManifestChange: true})
	told := l.told(record.ManifestChanged)
	if len(told) != 1 || !strings.HasPrefix(told[0].Message, fmt.Sprintf("the changed manifest is accepted: %.12s is now %.12s", was.Manifest.BindingSHA256, l.how.Digest())) ||
		told[0].Detail != strings.ReplaceAll(diff, "\n    ", "\n") {
		t.Errorf("told %+v", told)
	}
	if kept := l.state().Manifest; kept.BindingSHA256 != l.how.Digest() {
		t.Errorf("kept %+v", kept)
	}
	l.wantsAttempts("phase-1 phase-complete", "phase-2 phase-complete", "phase-3 phase-complete", "phase-4 phase-complete")
}

func TestAnAcceptedManifestIsOnDiskBeforeTheFirstLaunch(t *testing.T) {
	l := newLab(t, 2)
	l.ends(run.Capped, run.Options{MaxPhases: 1})
	l.set("phase-2", func(p *binding.Phase) { p.Argv = []string{"/nowhere/agent"} })
	l.ends(run.Stopped, run.Options{AcceptManifestChange: true})
	if text := l.refuses(run.Options{}, "phase-2 is stopped"); !strings.HasSuffix(text, "again --retry-stopped") {
		t.Errorf("more is asked for: %s", text)
	}
	if kept := l.state().Manifest; kept.BindingSHA256 != l.how.Digest() {
		t.Errorf("kept %+v", kept)
	}
}

func TestAStoppedPhaseNamesEveryFlagItTakes(t *testing.T) {
	l := newLab(t, 2)
	l.set("phase-1", func(p *binding.Phase) { *p = l.phase("blocked=no") })
	l.ends(run.Stopped, run.Options{})
	l.set("phase-1", longer)
	l.refuses(run.Options{}, "again --accept-manifest-change --retry-stopped")
	l.refuses(run.Options{AcceptManifestChange: true}, "phase-1 is stopped", "again --retry-stopped --accept-manifest-change")
	l.editPlan()
	if text := l.refuses(run.Options{AcceptManifestChange: true}, "the plan changed", "again --accept-plan-change --retry-stopped"); strings.Contains(text, "manifest") {
		t.Errorf("not one thing at a time: %s", text)
	}
	l.refuses(run.Options{AcceptPlanChange: true}, "the manifest changed", "again --accept-manifest-change --accept-plan-change --retry-stopped")
	l.refuses(run.Options{AcceptPlanChange: true, AcceptManifestChange: true}, "phase-1 is stopped", "again --retry-stopped --accept-plan-change --accept-manifest-change")
	l.set("phase-1", func(p *binding.Phase) { *p = l.phase("complete=done") })
	l.ends(run.Complete, run.Options{AcceptPlanChange: true, AcceptManifestChange: true, RetryStopped: true})
	if len(l.told(record.PlanChanged)) != 1 || len(l.told(record.ManifestChanged)) != 1 {
		t.Errorf("told %+v", l.events)
	}
}

// TestWhatChangesNothingThatIsLeftIsRecordedAndTold changes the text alone, and
// phases that are complete.
func TestWhatChangesNothingThatIsLeftIsRecordedAndTold(t *testing.T) {
	for name, test := range map[string]struct {
		change func(l *lab)
		says   string
	}{
		"text":            {func(l *lab) { l.text = "2" }, "the manifest's text changed, not what it means for the phases left"},
		"complete phase":  {func(l *lab) { l.set("phase-1", longer) }, "the manifest changed for phases that are complete (phase-1), not for the phases left"},
		"a phase nowhere": {func(l *lab) { l.set("phase-9", longer) }, "the manifest's text changed, not what it means for the phases left"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, 2)
			l.ends(run.Capped, run.Options{MaxPhases: 1})
			test.change(l)
			l.ends(run.Complete, run.Options{})
			if told := l.told(record.ManifestChanged); len(told) != 1 || told[0].Message != test.says || told[0].Detail != "" {
				t.Errorf("told %+v", told)
			}
			l.wantsKept()
			l.ends(run.Complete, run.Options{})
			if told := l.told(record.ManifestChanged); len(told) != 0 {
				t.Errorf("told again: %+v", told)
			}
			test.change(l)
			l.text += "again"
			l.ends(run.Complete, run.Options{})
			if told := l.told(record.ManifestChanged); len(told) != 1 {
				t.Errorf("with nothing left: told %+v", told)
			}
			l.wantsKept()
		})
	}
}

// wantsKept checks that the state has the manifest as it is now.
func (l *lab) wantsKept() {
	l.t.Helper()
	kept, now := l.state().Manifest, l.manifest()
	if kept.BindingSHA256 != binding.Digest(now.Binding) || kept.Sources[0] != now.Sources[0] {
		l.t.Errorf("kept %+v", kept)
	}
}

func TestAnAcceptanceWithNothingLeftIsDurable(t *testing.T) {
	l := newLab(t, 1)
	l.ends(run.Complete, run.Options{})
	l.bound = false
	l.refuses(run.Options{}, "a manifest bound the plan, and none does now: ai-session-handler.hcl", "again --accept-manifest-change")
	l.ends(run.Complete, run.Options{AcceptManifestChange: true})
	if told := l.told(record.ManifestChanged); len(told) != 1 || l.state().Manifest != nil {
		t.Errorf("told %+v, kept %+v", told, l.state().Manifest)
	}
	l.ends(run.Complete, run.Options{})
	l.bound = true
	l.refuses(run.Options{}, "no manifest bound the plan; now one does: ai-session-handler.hcl")
	l.ends(run.Complete, run.Options{AcceptManifestChange: true})
	l.wantsKept()
}

// TestNothingThatHasRunIsNoHistory has a state of which nothing was launched.
func TestNothingThatHasRunIsNoHistory(t *testing.T) {
	l := newLab(t, 1)
	l.ends(run.Complete, run.Options{})
	was := l.state()
	none := state.New(was.Plan)
	if err := l.store().Save(none); err != nil {
		t.Fatal(err)
	}
	l.ends(run.Complete, run.Options{})
	l.wantsKept()
	if told := l.told(record.ManifestChanged); len(told) != 0 {
		t.Errorf("told %+v", told)
	}
}

func TestANewHistoryTakesTheManifestAsItIs(t *testing.T) {
	l := newLab(t, 1)
	l.ends(run.Complete, run.Options{})
	l.set("phase-1", longer)
	l.ends(run.Complete, run.Options{Fresh: true})
	l.wantsKept()
}

// TestAManifestThatChangesDuringARun changes it once phase-1 has ended.
func TestAManifestThatChangesDuringARun(t *testing.T) {
	change := func(l *lab, change func()) {
		l.asked = func() {
			if len(l.told(record.PhaseEnded)) == 1 {
				change()
			}
		}
	}
	t.Run("a phase that is left", func(t *testing.T) {
		l := newLab(t, 2)
		change(l, func() { l.set("phase-2", longer) })
		_, err := l.run(run.Options{AcceptManifestChange: true}) // which is for the beginning only
		l.wantsRefusal(err, "phase-2:\n      timeout: 1m0s → 31m0s", "again --accept-manifest-change")
		l.wantsAttempts("phase-1 phase-complete")
	})
	t.Run("the text", func(t *testing.T) {
		l := newLab(t, 2)
		change(l, func() { l.text = "2" })
		l.ends(run.Complete, run.Options{})
		if told := l.told(record.ManifestChanged); len(told) != 1 {
			t.Errorf("told %+v", told)
		}
		l.wantsKept()
	})
	t.Run("the text before completion", func(t *testing.T) {
		l := newLab(t, 1)
		change(l, func() { l.text = "2" })
		l.ends(run.Complete, run.Options{})
		l.wantsKept()
	})
	t.Run("gone before completion", func(t *testing.T) {
		l := newLab(t, 1)
		change(l, func() { l.bound = false })
		_, err := l.run(run.Options{})
		l.wantsRefusal(err, "none does now", "next: put back what bound the plan, then: again\n",
			"next: or go on without it, as this tells: ai-session-handler status --plan "+l.plan.Path)
		l.wantsAttempts("phase-1 phase-complete")
	})
	t.Run("broken", func(t *testing.T) {
		l := newLab(t, 2)
		broken := errors.New("error[E101]")
		change(l, func() { l.failure = broken })
		_, err := l.run(run.Options{})
		if !errors.Is(err, broken) || err.Error() != "error[E101]\nnothing more was run\n  next: correct that, then: again" {
			t.Errorf("got %v", err)
		}
		l.wantsAttempts("phase-1 phase-complete")
	})
	t.Run("with the plan", func(t *testing.T) {
		l := newLab(t, 2)
		change(l, func() { l.set("phase-2", longer); l.editPlan() })
		_, err := l.run(run.Options{})
		l.wantsRefusal(err, "the plan changed")
	})
	t.Run("while the command starts", func(t *testing.T) {
		l := newLab(t, 1)
		l.asked = func() { l.set("phase-1", longer) }
		l.refuses(run.Options{RetryStopped: true}, "the manifest changed while this command started", "again --retry-stopped")
	})
}

// TestAChangeIsShownMasked has a value that an earlier run did not mask.
func TestAChangeIsShownMasked(t *testing.T) {
	l := newLab(t, 1)
	secret := `hush"hush`
	l.set("phase-1", func(p *binding.Phase) {
		*p = l.phase("blocked=no")
		p.Env.Set = map[string]string{"TOKEN": secret, secret: "1"}
	})
	l.ends(run.Stopped, run.Options{})
	l.set("phase-1", func(p *binding.Phase) { p.Env.Set = nil })
	secrets, err := stream.NewSecrets([]stream.Secret{{Name: "TOKEN", Value: secret}})
	if err != nil {
		t.Fatal(err)
	}
	l.edit = func(j *run.Job) { j.Secrets = secrets }
	text := l.refuses(run.Options{}, `env.TOKEN: "[masked:TOKEN]" → not set`, `env.[masked:TOKEN]: "1" → not set`)
	if strings.Contains(text, "hush") {
		t.Errorf("it is shown: %s", text)
	}
}

func TestAManifestWithASecretIsRefused(t *testing.T) {
	secrets, err := stream.NewSecrets([]stream.Secret{{Name: "TOKEN", Value: "hush hush"}})
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(p *binding.Phase){
		"variable": func(p *binding.Phase) { p.Env.Set = map[string]string{"A": "x hush hush"} },
		"argument": func(p *binding.Phase) { p.Argv = []string{"a", "hush", "hush"} },
		"rule":     func(p *binding.Phase) { p.StopOn = []string{"hush hush"} },
	} {
		for _, whose := range []string{"manifest and command line", "manifest"} {
			t.Run(name+" of "+whose, func(t *testing.T) {
				l := newLab(t, 2)
				clean := l.how.Default
				l.set("phase-2", change)
				l.edit = func(j *run.Job) {
					j.Secrets = secrets
					if whose == "manifest" { // overridden for what runs
						j.Binding.Phases["phase-2"] = clean
					}
				}
				l.refuses(run.Options{}, "contains the value of TOKEN")
			})
		}
	}
}

// TestASecretDoesNotGetIntoTheStateLater has one in what changes for a phase that
// is complete, which nobody is asked about.
func TestASecretDoesNotGetIntoTheStateLater(t *testing.T) {
	l := newLab(t, 2)
	secrets, err := stream.NewSecrets([]stream.Secret{{Name: "TOKEN", Value: "hush hush"}})
	if err != nil {
		t.Fatal(err)
	}
	l.edit = func(j *run.Job) { j.Secrets = secrets }
	l.asked = func() {
		if len(l.told(record.PhaseEnded)) == 1 {
			l.set("phase-1", func(p *binding.Phase) { p.Env.Set = map[string]string{"A": "hush hush"} })
		}
	}
	_, err = l.run(run.Options{})
	l.wantsRefusal(err, "contains the value of TOKEN")
	if strings.Contains(l.listing(), "hush") {
		t.Error("it is on disk")
	}
}

func TestAPreviewShowsThePhaseAndTheManifest(t *testing.T) {
	l := newLab(t, 2)
	l.set("phase-2", func(p *binding.Phase) {
		p.Retry, p.PauseAfter, p.StopOn = &binding.Retry{MaxAttempts: 2}, true, []string{"x"}
	})
	p, err := l.runner.Preview(context.Background(), l.job(run.Options{}))
	if err != nil || p.Manifest.SHA256 != l.how.Digest() || p.Manifest.Message != "nothing has run with it yet" || p.How.Retry != nil || p.Remaining != 2 {
		t.Fatalf("%+v, %v", p, err)
	}
	l.ends(run.Capped, run.Options{MaxPhases: 1})
	if p, err := l.runner.Preview(context.Background(), l.job(run.Options{})); err != nil || p.Manifest.Message != "as accepted" || p.Remaining != 1 {
		t.Errorf("%+v, %v", p, err)
	}
	l.set("phase-2", longer)
	before := l.listing()
	p, err = l.runner.Preview(context.Background(), l.job(run.Options{AcceptManifestChange: true}))
	if err != nil || p.How.Retry == nil || !p.How.PauseAfter || p.How.StopOn[0] != "x" || p.How.Limits.Timeout != 31*time.Minute {
		t.Fatalf("%+v, %v", p, err)
	}
	if p.Manifest.Changes != "phase-2:\n  timeout: 1m0s → 31m0s" || !strings.Contains(p.Manifest.Message, "is accepted") {
		t.Errorf("%+v", p.Manifest)
	}
	if l.listing() != before {
		t.Error("a preview changed what is on disk")
	}
	if _, err := l.runner.Preview(context.Background(), l.job(run.Options{})); err == nil {
		t.Error("not refused")
	}
}

// TestADecisionKeepsTheManifest decides about an attempt without a manifest.
func TestADecisionKeepsTheManifest(t *testing.T) {
	l := newLab(t, 1)
	l.ends(run.Complete, run.Options{Fresh: true})
	st := l.state()
	next, err := state.Prepare(state.AcceptManifest(state.New(st.Plan), st.Manifest), preparedAttempt(st), *st.Invocation)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.store().Save(next); err != nil {
		t.Fatal(err)
	}
	d := run.Decision{Plan: l.plan, AttemptID: "a1", Status: record.Interrupted, Note: "it hung", Command: []string{"again"}}
	if _, err := l.runner.Resolve(context.Background(), d); err != nil {
		t.Fatal(err)
	}
	l.wantsKept()
}

func preparedAttempt(st record.State) record.ActiveAttempt {
	return record.ActiveAttempt{
		ID: "a1", Phase: record.Phase{ID: "phase-1", Title: "Title 1"}, Plan: record.SourceDigest{Path: st.Plan.Path, SHA256: st.Plan.SHA256},
		BindingSHA256: st.Manifest.BindingSHA256, ExecutionWorkspace: st.LastRun.ExecutionWorkspace, StartedAt: st.Plan.AcceptedAt,
		PromptPath: workspace.PromptFile("a1"), TranscriptPath: workspace.TranscriptFile("a1"), OutcomePath: workspace.OutcomeFile("a1"),
		Argv: []string{}, StopOn: []string{}, SecretEnv: []string{},
	}
}

// TestAnAcceptanceThatDidNotReachTheDiskIsAskedForAgain fails the first write of
// the state.
func TestAnAcceptanceThatDidNotReachTheDiskIsAskedForAgain(t *testing.T) {
	for name, phases := range map[string]int{"a phase is left": 2, "nothing is left": 1} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, phases)
			l.ends([]run.End{run.Complete, run.Capped}[phases-1], run.Options{MaxPhases: 1})
			l.bound = false
			l.runner.Seam = fault{At: "^before rename state.json$"}.seam()
			_, err := l.run(run.Options{AcceptManifestChange: true})
			if _, ok := errors.AsType[*run.PrepareError](err); !ok || !strings.HasSuffix(err.Error(), ": again --accept-manifest-change") {
				t.Errorf("got %v", err)
			}
			if told := l.told(record.ManifestChanged); len(told) != 0 || l.state().Manifest == nil {
				t.Errorf("told %+v", told)
			}
		})
	}
}

// TestAManifestThatIsTooLongToBeKeptIsRefused has one at the beginning, and one
// that becomes so for a phase that is complete, which nobody is asked about.
func TestAManifestThatIsTooLongToBeKeptIsRefused(t *testing.T) {
	long := func(p *binding.Phase) { p.Env.Set = map[string]string{"A": strings.Repeat("x", 4<<20)} }
	l := newLab(t, 2)
	l.edit = func(j *run.Job) { j.Binding = binding.Binding{Default: l.phase("complete=done")} }
	l.set("phase-1", long)
	l.refuses(run.Options{}, "too long to be recorded", "a history takes 4194304")

	l = newLab(t, 2)
	l.asked = func() {
		if len(l.told(record.PhaseEnded)) == 1 {
			l.set("phase-1", long)
		}
	}
	_, err := l.run(run.Options{})
	l.wantsRefusal(err, "too long to be recorded")
	l.wantsAttempts("phase-1 phase-complete")
}
