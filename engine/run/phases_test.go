package run_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ai-session-handler/ai-session-handler/engine/binding"
	"github.com/ai-session-handler/ai-session-handler/engine/enginetest"
	"github.com/ai-session-handler/ai-session-handler/engine/run"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

func TestEachPhaseRunsAsItsBindingSays(t *testing.T) {
	l := newLab(t, 3)
	l.set("phase-2", func(p *binding.Phase) {
		p.Agent, p.Argv = "other", append(slices.Clone(p.Argv), "args=args")
		p.Limits.Timeout, p.Limits.OutputMax = 2*time.Minute, 1<<20
		p.StopOn = []string{"FATAL"}
	})
	l.set("phase-3", func(p *binding.Phase) {
		*p = l.phase(`out=FATAL\n`, "complete=done")
		p.StopOn = []string{"never", "FAT.L"}
	})
	l.edit = func(j *run.Job) { j.SecretNames = []string{"TOKEN"} }
	l.ends(run.Stopped, run.Options{})
	l.wantsAttempts("phase-1 phase-complete", "phase-2 phase-complete", "phase-3 stop-regex")
	all := l.outcomes()
	if o := all[0]; o.Agent != "fake" || o.Limits.TimeoutMS != 60_000 || len(o.StopOn) != 0 {
		t.Errorf("%+v", o)
	}
	if o := all[1]; o.Agent != "other" || o.Limits.TimeoutMS != 120_000 || o.Limits.OutputMaxBytes != 1<<20 || o.StopOn[0] != "FATAL" {
		t.Errorf("%+v", o)
	}
	if o := all[2]; !strings.Contains(o.Cause, "regex: FAT.L") {
		t.Errorf("%+v", o)
	}
	for _, o := range all {
		if o.BindingSHA256 != l.how.Digest() || !slices.Equal(o.SecretEnv, []string{"TOKEN"}) {
			t.Errorf("%+v", o)
		}
	}
	if args := l.read("args"); !strings.HasSuffix(args, "complete=done\nargs=args\n") {
		t.Errorf("phase-2 got %q", args)
	}
	started := l.told(record.PhaseStarted)
	if started[1].Agent != "other" || started[1].TimeoutMS != 120_000 {
		t.Errorf("told %+v", started[1])
	}
	header := l.read(filepath.Join(".ai-session-handler/plans", l.plan.Key(), "transcripts", all[1].AttemptID+".txt"))
	if !strings.Contains(header, "\nagent: other\n") || !strings.Contains(header, "args=args\nargv: ") {
		t.Errorf("header %q", header)
	}
}

// TestABadStopRuleOfALaterPhaseIsRefusedAtOnce has nothing launched for the
// phases before it.
func TestABadStopRuleOfALaterPhaseIsRefusedAtOnce(t *testing.T) {
	l := newLab(t, 2)
	l.set("phase-2", func(p *binding.Phase) { p.StopOn = []string{"ok", "("} })
	l.refuses(run.Options{}, "phase-2: stop rule 2, `(`")
	l.refuses(run.Options{Fresh: true}, `phase-2: stop rule 2`)
	if _, err := os.Stat(l.path(".ai-session-handler")); err == nil {
		t.Error("something was written")
	}
}

// TestNothingElseReachesARestrictedWorker asks the worker itself.
func TestNothingElseReachesARestrictedWorker(t *testing.T) {
	l := newLab(t, 1)
	l.set("phase-1", func(p *binding.Phase) {
		*p = l.phase("env=env", "complete=done")
		p.Env = binding.Environment{
			Restrict: true, Pass: []string{"LAB_*"}, Unset: []string{"LAB_B"}, Secret: []string{"KEY"},
			Set: map[string]string{"SET": "on", "PWD": "elsewhere", "AI_SESSION_HANDLER_PHASE_ID": "phase-9"},
		}
	})
	l.edit = func(j *run.Job) {
		j.Environ = []string{"LAB_A=a", "LAB_B=b", "KEY=k", "PATH=/bin", "AI_SESSION_HANDLER=0", "AI_SESSION_HANDLER_OTHER=x"}
	}
	p, err := l.runner.Preview(context.Background(), l.job(run.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	o := l.ends(run.Complete, run.Options{}).Outcome
	got := strings.Split(strings.TrimSpace(l.read("env")), "\n")
	slices.Sort(got)
	want := []string{
		"AI_SESSION_HANDLER=1", "AI_SESSION_HANDLER_ATTEMPT_ID=" + o.AttemptID, "AI_SESSION_HANDLER_PHASE_ID=phase-1",
		"AI_SESSION_HANDLER_PLAN_WORKSPACE=" + l.plan.Root, "KEY=k", "LAB_A=a", "PWD=" + l.plan.Root, "SET=on",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	var names []string
	for _, entry := range want {
		name, _, _ := strings.Cut(entry, "=")
		names = append(names, name)
	}
	if !slices.Equal(p.EnvNames, names) {
		t.Errorf("previewed %q", p.EnvNames)
	}
}

// TestTheProgramIsOnThePathOfTheWorker has it only there.
func TestTheProgramIsOnThePathOfTheWorker(t *testing.T) {
	l := newLab(t, 1)
	agent := enginetest.BuildFakeAgent(t)
	l.set("phase-1", func(p *binding.Phase) {
		p.Argv = []string{filepath.Base(agent), "complete=done"}
		p.Env.Set = map[string]string{"PATH": filepath.Dir(agent)}
	})
	l.edit = func(j *run.Job) { j.Environ = []string{"PATH=/nowhere"} }
	if p, err := l.runner.Preview(context.Background(), l.job(run.Options{})); err != nil || p.Program != agent {
		t.Errorf("%+v, %v", p, err)
	}
	l.ends(run.Complete, run.Options{})

	l.set("phase-1", func(p *binding.Phase) { p.Env = binding.Environment{Restrict: true} })
	l.edit = func(j *run.Job) { j.Environ = []string{"PATH=" + filepath.Dir(agent)} }
	if p, err := l.runner.Preview(context.Background(), l.job(run.Options{Fresh: true})); err != nil || !strings.HasSuffix(p.Program, ": not found on the PATH") {
		t.Errorf("%+v, %v", p, err)
	}
	l.ends(run.Stopped, run.Options{Fresh: true})
	l.wantsAttempts("phase-1 launch-failed")
}

func TestAPauseEndsTheInvocation(t *testing.T) {
	l := newLab(t, 3)
	for _, id := range []string{"phase-1", "phase-2", "phase-3"} {
		l.set(id, func(p *binding.Phase) { p.PauseAfter = id != "phase-2" })
	}
	r := l.ends(run.Paused, run.Options{MaxPhases: 1})
	if r.Outcome.Phase.ID != "phase-1" || r.Outcome.Status != record.PhaseComplete {
		t.Errorf("%+v", r.Outcome)
	}
	ended := l.told(record.InvocationEnded)
	if len(ended) != 1 || ended[0].Message != "paused after phase-1, as the manifest says" {
		t.Errorf("told %+v", ended)
	}
	if st := l.state(); st.Stop != nil || st.CurrentPhase != nil {
		t.Errorf("stopped: %+v", st)
	}
	l.ends(run.Complete, run.Options{}) // which is no pause, though phase-3 has one
	l.wantsAttempts("phase-1 phase-complete", "phase-2 phase-complete", "phase-3 phase-complete")
}

// TestAPhaseThatDoesNotCompleteIsNotPausedAfter is stopped as any other.
func TestAPhaseThatDoesNotCompleteIsNotPausedAfter(t *testing.T) {
	l := newLab(t, 2)
	l.set("phase-1", func(p *binding.Phase) { *p = l.phase("blocked=no"); p.PauseAfter = true })
	l.ends(run.Stopped, run.Options{})
}
