package run

import (
	"fmt"
	"os"
	"time"

	"github.com/ai-session-handler/ai-session-handler/engine/argv"
	"github.com/ai-session-handler/ai-session-handler/engine/binding"
	"github.com/ai-session-handler/ai-session-handler/engine/lock"
	"github.com/ai-session-handler/ai-session-handler/engine/plan"
	"github.com/ai-session-handler/ai-session-handler/engine/proc"
	"github.com/ai-session-handler/ai-session-handler/engine/proc/cgroup"
	"github.com/ai-session-handler/ai-session-handler/engine/prompt"
	"github.com/ai-session-handler/ai-session-handler/engine/workspace"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// target is a phase about to be attempted: its execution workspace is locked,
// nothing of a previous attempt lives, and nothing is on disk yet.
type target struct {
	phase     plan.Phase
	how       binding.Phase
	attemptID string
	workspace string // canonical
	lock      *lock.Lock
	workDir   *os.File
	argv      []string
	env       []string
	prompt    []byte
	startedAt time.Time
	unbounded *cgroup.Unsupported // limits that it runs without, nil for none
}

func (t *target) close() {
	if t.workDir != nil {
		_ = t.workDir.Close()
	}
	if t.lock != nil {
		_ = t.lock.Close()
	}
}

// aim prepares an attempt in memory. Every refusal leaves the disk untouched.
func (v *invocation) aim(p plan.Phase) (*target, error) {
	dir, err := v.job.Plan.Execution(p.ID, p.Workspace)
	if err != nil {
		return nil, &Refusal{What: fmt.Sprintf("%s:%d: %v", v.job.Plan.Path, p.WorkspaceLine, err)}
	}
	if a := v.state.ActiveAttempt; a != nil && a.ExecutionWorkspace != dir {
		r := v.unresolved("the execution workspace of the unresolved attempt is another than the phase declares now")
		r.fact("declared now", "%s", dir)
		r.Next = []string{"restore the phase's ### Workspace section, then repeat this command"}
		return nil, r
	}
	t := &target{phase: p, how: v.job.Binding.For(p.ID), workspace: dir, startedAt: v.now(), attemptID: workspace.NewAttemptID(v.now(), p.ID)}
	if err := v.fill(t); err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

func (v *invocation) fill(t *target) (err error) {
	if t.lock, err = v.lockWorkspace(t.workspace); err != nil {
		return err
	}
	if v.state.ActiveAttempt != nil {
		if err := v.refuseLiving(); err != nil {
			return err
		}
	}
	if err := v.boundTree(t); err != nil {
		return err
	}
	err = v.r.Seam.Do("open", "working directory", func() (err error) {
		t.workDir, err = os.Open(t.workspace)
		return err
	})
	if err != nil {
		return err
	}
	if t.argv, err = argv.Render(t.how.Argv, v.values(t)); err != nil {
		return err
	}
	t.env = v.environ(t)
	if t.prompt, err = v.buildPrompt(t); err != nil {
		return err
	}
	return v.refuseSecretTarget(t)
}

// lockWorkspace locks an execution workspace; there is no lock where the one of
// the plan workspace covers it.
func (v *invocation) lockWorkspace(dir string) (held *lock.Lock, err error) {
	var covered bool
	err = v.r.Seam.Do("stat", dir, func() (err error) {
		covered, err = v.lock.Covers(dir)
		return err
	})
	if err == nil && !covered {
		held, _, err = v.r.acquire(v.ctx, dir)
	}
	return held, err
}

// refuseLiving refuses while anything of the unresolved attempt runs: its
// leader, or any process that carries the attempt's id, which finds what
// outlived handler and supervisor when both were killed at once.
func (v *invocation) refuseLiving() error {
	a := v.state.ActiveAttempt
	var alive []string
	if a.Process != nil && proc.WorkerAlive(*a.Process).State == proc.Alive {
		alive = append(alive, fmt.Sprintf("process %d, the worker", a.Process.PID))
	}
	var remaining []record.Leftover
	err := v.r.Seam.Do("list", "processes", func() (err error) {
		remaining, err = proc.Remaining(a.ID)
		return err
	})
	if err != nil {
		return fmt.Errorf("whether something of attempt %s still lives can't be seen: %w", a.ID, err)
	}
	for _, left := range remaining {
		alive = append(alive, fmt.Sprintf("process %d (%s), started by the attempt", left.PID, left.Name))
	}
	if len(alive) == 0 {
		return nil
	}
	return v.refuseAlive(a, alive)
}

func (v *invocation) values(t *target) argv.Values {
	return argv.Values{
		PromptFile:     v.path(workspace.PromptFile(t.attemptID)),
		Workspace:      t.workspace,
		RunID:          t.attemptID,
		TranscriptFile: v.path(workspace.TranscriptFile(t.attemptID)),
		StateFile:      v.path(workspace.StateFile),
	}
}

// environ is what the phase's binding lets through of the handler's environment
// and adds to it, with what tells the worker who it is.
func (v *invocation) environ(t *target) []string {
	return binding.With(t.how.Env.Apply(v.job.Environ), []string{
		"AI_SESSION_HANDLER=1",
		proc.EnvAttemptID + "=" + t.attemptID,
		"AI_SESSION_HANDLER_PHASE_ID=" + t.phase.ID,
		"AI_SESSION_HANDLER_PLAN_WORKSPACE=" + v.job.Plan.Root,
		"PWD=" + t.workspace,
	})
}

func (v *invocation) buildPrompt(t *target) ([]byte, error) {
	token, err := prompt.NewToken()
	if err != nil {
		return nil, err
	}
	in := prompt.Input{
		Token: token, AttemptID: t.attemptID, Phase: phaseRecord(t.phase),
		PlanPath: v.job.Plan.Path, PlanWorkspace: v.job.Plan.Root, Workspace: t.workspace,
		PlanDir: v.planPath(), StatePath: v.path(workspace.StateFile),
		TranscriptPath: v.path(workspace.TranscriptFile(t.attemptID)),
		Preamble:       v.snapshot.Preamble, Body: t.phase.Body,
		Earlier: v.state.CommittedOutcomes,
	}
	if last := v.state.LastRun; last != nil {
		in.Latest = &prompt.Handoff{
			CommittedOutcome: v.state.CommittedOutcomes[len(v.state.CommittedOutcomes)-1],
			Summary:          v.job.Secrets.Mask(last.Summary), // an earlier run may have masked less
		}
	}
	return prompt.Build(in), nil
}

func phaseRecord(p plan.Phase) record.Phase { return record.Phase{ID: p.ID, Title: p.Title} }

// now is the wall clock in UTC, to the millisecond, as records keep it.
func (v *invocation) now() time.Time { return v.r.Clock().UTC().Truncate(time.Millisecond) }
