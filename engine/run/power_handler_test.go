package run_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/ai-session-handler/ai-session-handler/engine/binding"
	"github.com/ai-session-handler/ai-session-handler/engine/enginetest"
	"github.com/ai-session-handler/ai-session-handler/engine/fsx"
	"github.com/ai-session-handler/ai-session-handler/engine/plan"
	"github.com/ai-session-handler/ai-session-handler/engine/proc"
	"github.com/ai-session-handler/ai-session-handler/engine/proc/supervise"
	"github.com/ai-session-handler/ai-session-handler/engine/proc/wire"
	"github.com/ai-session-handler/ai-session-handler/engine/run"
	"github.com/ai-session-handler/ai-session-handler/engine/workspace"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

const handlerEnv = "POWER_TEST_HANDLER"

// TestMain lets the test binary be its own supervisor, as the product is, and a
// handler that can be killed.
func TestMain(m *testing.M) {
	supervise.Dispatch(os.Args, supervisorSeam())
	// A process with the race detector would sleep for a second when it ends.
	if os.Getenv("GORACE") == "" {
		_ = os.Setenv("GORACE", "atexit_sleep_ms=0")
	}
	if spec := os.Getenv(handlerEnv); spec != "" {
		os.Exit(handle(spec))
	}
	os.Exit(m.Run())
}

// supervisorSeam records a supervisor where its handler is recorded. It has no
// environment, but the directory of the plan.
func supervisorSeam() fsx.Seam {
	dir, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", wire.PlanDir))
	root, _, found := strings.Cut(dir, "/"+workspace.DirName+"/")
	if log := (enginetest.PowerLog{Root: root}); err == nil && found && log.Exists() {
		return log.Seam()
	}
	return nil
}

// The marks of the moments at which the outside world learns something.
const (
	markAccepted  = "accepted"  // the changed plan is said to be accepted
	markBound     = "bound"     // the changed manifest is said to be recorded
	markArchived  = "archived"  // the old history is said to be moved aside
	markStarted   = "started"   // the attempt is announced
	markReleased  = "released"  // the worker may do anything from here on
	markEnded     = "ended"     // the end of the attempt is said to be recorded
	markAbandoned = "abandoned" // the same of an attempt whose end nobody saw
	markOver      = "over"      // the invocation ended in order, leaving this state
	markSettled   = "settled"   // a supervisor that outlived its handler is gone too
)

// The marks that tell only the checks something.
const (
	markPlan       = "plan"       // these are the bytes of the plan from here on
	markManifest   = "manifest"   // these are those of its manifest
	markRun        = "run"        // an invocation begins
	markFresh      = "fresh"      // it is to start a new history
	markSupervised = "supervised" // the attempt has a supervisor
	markResult     = "result"     // how the invocation ended
)

// The ends of an invocation.
const (
	complete   = "complete"
	capped     = "capped"
	paused     = "paused"
	stopped    = "stopped"
	refused    = "refused"
	unresolved = "unresolved"
	unprepared = "unprepared"
	killed     = "killed"
)

// invocation is what the handler process of an episode is told.
type invocation struct {
	Episode episode
	Plan    string
}

// handle is the handler process of one episode.
func handle(spec string) int {
	var in invocation
	must(json.Unmarshal([]byte(spec), &in))
	located, err := workspace.Locate(in.Plan)
	must(err)
	log := enginetest.PowerLog{Root: located.Root}
	result, err := in.Episode.run(located, log)
	state, _ := os.ReadFile(located.StatePath()) // there may be none
	must(log.Mark(markResult, "", describe(result, err)))
	must(log.Mark(markOver, "", string(state)))
	return 0
}

func (e episode) run(located workspace.Plan, log enginetest.PowerLog) (run.Result, error) {
	seam := chain(marker(log), log.Seam(), e.Fault.seam())
	launcher, err := proc.NewLauncher(seam)
	must(err)
	runner := &run.Runner{Launcher: launcher, Clock: time.Now, Seam: seam, ProgressEvery: time.Hour}
	if e.Resolve {
		return resolve(runner, located, log)
	}
	job := bound(jobOf(located, append([]string{e.Program}, e.Agent...), e.Options), e.manifestText())
	job.Observe = observer(log)
	return runner.Run(context.Background(), job)
}

// resolve decides about the unresolved attempt.
func resolve(runner *run.Runner, located workspace.Plan, log enginetest.PowerLog) (run.Result, error) {
	text, err := os.ReadFile(located.StatePath())
	must(err)
	st, err := newRecords().state(string(text))
	must(err)
	d := run.Decision{Plan: located, AttemptID: st.ActiveAttempt.ID, Status: record.Interrupted, Note: "it hung", Command: []string{"again"}}
	result, err := runner.Resolve(context.Background(), d)
	if err == nil {
		must(log.Mark(markAbandoned, d.AttemptID, ""))
	}
	return result, err
}

func chain(seams ...fsx.Seam) fsx.Seam {
	return func(p fsx.Point) error {
		for _, s := range seams {
			if err := s(p); err != nil {
				return err
			}
		}
		return nil
	}
}

// marker marks what happens to processes.
func marker(log enginetest.PowerLog) fsx.Seam {
	marks := map[string]string{"after start supervisor": markSupervised, "before release worker": markReleased}
	return func(p fsx.Point) error {
		if mark := marks[p.String()]; mark != "" {
			return log.Mark(mark, "", "")
		}
		return nil
	}
}

// observer marks what is told while the invocation runs.
func observer(log enginetest.PowerLog) func(record.Event) {
	marks := map[record.EventKind]string{
		record.PlanChanged: markAccepted, record.ManifestChanged: markBound, record.HistoryArchived: markArchived, record.PhaseStarted: markStarted,
		record.PhaseEnded: markEnded, record.AttemptAbandoned: markAbandoned,
	}
	return func(e record.Event) {
		text := e.Message
		switch e.Kind {
		case record.PhaseStarted:
			text = e.Phase.ID
		case record.PhaseEnded:
			text = string(e.Status)
		}
		if mark := marks[e.Kind]; mark != "" {
			must(log.Mark(mark, e.AttemptID, text))
		}
	}
}

// must ends a handler process that can't do its part for the test.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

func describe(result run.Result, err error) string {
	if err == nil {
		return [...]string{run.Complete: complete, run.Capped: capped, run.Paused: paused, run.Stopped: stopped}[result.End]
	}
	if _, ok := errors.AsType[*run.Refusal](err); ok {
		return refused
	}
	if _, ok := errors.AsType[*run.UnresolvedError](err); ok {
		return unresolved
	}
	if _, ok := errors.AsType[*run.PrepareError](err); ok {
		return unprepared
	}
	return err.Error()
}

func jobOf(located workspace.Plan, argv []string, options run.Options) run.Job {
	return run.Job{
		Plan: located, Environ: os.Environ(), Options: options, Console: discard{}, Source: planFile(located.Path),
		Binding: binding.Binding{Default: binding.Phase{
			Agent: "fake", Argv: argv,
			Limits: binding.Limits{Timeout: time.Minute, Grace: 400 * time.Millisecond},
		}},
		Observe: func(record.Event) {}, Command: []string{"again"},
	}
}

// manifestText is the manifest of an episode, empty where there is none.
func (e episode) manifestText() string {
	if e.Timeout == 0 {
		return ""
	}
	return fmt.Sprintf("timeout = %ds %s", e.Timeout, e.Comment)
}

// bound makes a job one of a plan that a manifest binds, if there is one.
func bound(job run.Job, manifest string) run.Job {
	if manifest == "" {
		return job
	}
	var seconds int
	_, err := fmt.Sscanf(manifest, "timeout = %ds", &seconds)
	must(err)
	job.Binding.Default.Limits.Timeout = time.Duration(seconds) * time.Second
	meant := binding.Binding{Source: job.Plan.Relative, Default: binding.Phase{Agent: "fake", Limits: job.Binding.Default.Limits}}
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte(manifest)))
	job.Manifest = &run.Manifest{Binding: meant.Record(), Sources: []record.SourceDigest{{Path: "ai-session-handler.hcl", SHA256: sum}}}
	job.Source = boundPlan{planFile(job.Plan.Path), job.Manifest}
	return job
}

// boundPlan is a plan with a manifest that does not change.
type boundPlan struct {
	planFile

	manifest *run.Manifest
}

func (b boundPlan) Current(ctx context.Context) (run.Sources, error) {
	sources, err := b.planFile.Current(ctx)
	sources.Manifest = b.manifest
	return sources, err
}

type discard struct{}

func (discard) Stdout() io.Writer { return io.Discard }
func (discard) Stderr() io.Writer { return io.Discard }
func (discard) EndAttempt()       {}

type planFile string

func (p planFile) Current(context.Context) (run.Sources, error) {
	snapshot, err := plan.Read(string(p))
	return run.Sources{Plan: snapshot}, err
}
