package schemas_test

import (
	"time"

	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// A sample is a valid record and the schema file it belongs to.
type sample struct {
	name   string
	file   string
	record any
}

// full are the records with every optional part set, to something that is not
// its zero value.
func full() []sample {
	return []sample{
		{"full state", "state.schema.json", fullState()},
		{"full outcome", "outcome.schema.json", fullOutcome()},
		{"full exit", "exit.schema.json", fullExit()},
		{"full event", "event.schema.json", fullEvent()},
	}
}

// sparse are the records with no optional part.
func sparse() []sample {
	return []sample{
		{"sparse state", "state.schema.json", record.State{
			Format:            record.StateFormat,
			CompletedPhaseIDs: []string{},
			CommittedOutcomes: []record.CommittedOutcome{},
		}},
		{"sparse manifest", "state.schema.json", record.State{
			Format:            record.StateFormat,
			Manifest:          &record.AcceptedManifest{Sources: []record.SourceDigest{}, Binding: sparseBinding()},
			CompletedPhaseIDs: []string{},
			CommittedOutcomes: []record.CommittedOutcome{},
		}},
		{"sparse outcome", "outcome.schema.json", record.Outcome{
			Format:    record.OutcomeFormat,
			Status:    record.LaunchFailed,
			Argv:      []string{},
			Artifacts: []record.Artifact{},
			StopOn:    []string{},
			SecretEnv: []string{},
			Swept:     []record.Leftover{},
			Survivors: []record.Leftover{},
		}},
		{"sparse exit", "exit.schema.json", record.Exit{
			Format:    record.ExitFormat,
			Swept:     []record.Leftover{},
			Survivors: []record.Leftover{},
		}},
		{"sparse event", "event.schema.json", record.Event{
			Format: record.EventFormat,
			Kind:   record.InvocationStarted,
		}},
	}
}

var (
	started  = time.Date(2026, 11, 30, 20, 13, 5, 123456789, time.UTC)
	finished = started.Add(90 * time.Second)
	phase    = record.Phase{ID: "phase-2", Title: "Write <b>tests</b> & run"}
	digest   = record.SourceDigest{Path: "/ws/plan.md", SHA256: "aa11"}
)

func ptr[T any](v T) *T { return &v }

func fullState() record.State {
	return record.State{
		Format: record.StateFormat,
		Plan:   record.AcceptedPlan{Path: "/ws/plan.md", SHA256: "aa11", AcceptedAt: started},
		Manifest: &record.AcceptedManifest{
			Sources:       []record.SourceDigest{digest},
			Binding:       fullBinding(),
			BindingSHA256: "bb22",
			AcceptedAt:    started,
		},
		CompletedPhaseIDs: []string{"phase-1"},
		CurrentPhase:      &phase,
		Invocation:        &record.Invocation{PID: 7, StartTime: 11, BootID: "boot", PidNS: 1<<64 - 1},
		ActiveAttempt:     fullAttempt(),
		Stop: &record.Stop{
			Reason:               record.NeedsClarification,
			PhaseID:              "phase-2",
			AttemptID:            "a2",
			Message:              ptr("The database is down."),
			ClarificationRequest: ptr("Which database?"),
		},
		CommittedOutcomes: []record.CommittedOutcome{{
			AttemptID: "a1", PhaseID: "phase-1", Status: record.PhaseComplete, Path: "outcomes/a1.json",
		}},
		LastRun: &record.LastRun{
			AttemptID: "a1", PhaseID: "phase-1", Status: record.PhaseComplete,
			StartedAt: started, FinishedAt: finished, ExecutionWorkspace: "/ws",
			PromptPath: "prompts/a1.md", TranscriptPath: "transcripts/a1.log",
			OutcomePath: "outcomes/a1.json", Summary: "Done.",
		},
	}
}

func fullBinding() record.Binding {
	how := record.PhaseBinding{
		Agent: "codex", Argv: []string{"codex", "exec"}, PassEnv: &[]string{"PATH"}, UnsetEnv: []string{"CLAUDECODE"},
		Env: map[string]string{"EFFORT": "high"}, SecretEnv: []string{"API_KEY"}, Limits: fullLimits(), BestEffort: true,
		StopOn: []string{"FATAL"}, PauseAfter: true,
		Retry: &record.Retry{On: []record.Status{record.AgentFailed}, MaxAttempts: 3, DelayMS: 1000},
	}
	return record.Binding{Source: "docs/plan.md", Default: how, Phases: map[string]record.PhaseBinding{"phase-2": how}}
}

func sparseBinding() record.Binding {
	return record.Binding{Phases: map[string]record.PhaseBinding{}, Default: record.PhaseBinding{
		Argv: []string{}, UnsetEnv: []string{}, Env: map[string]string{}, SecretEnv: []string{}, StopOn: []string{},
	}}
}

func fullLimits() record.Limits {
	return record.Limits{TimeoutMS: 1, IdleTimeoutMS: 2, GraceMS: 3, OutputMaxBytes: 4, MemoryMaxBytes: 5, PidsMax: 6, CPUMaxMilli: 7}
}

func fullAttempt() *record.ActiveAttempt {
	return &record.ActiveAttempt{
		ID: "a2", Status: record.Running, Phase: phase, Plan: digest, BindingSHA256: "bb22",
		ExecutionWorkspace: "/ws", StartedAt: started, PromptPath: "prompts/a2.md",
		TranscriptPath: "transcripts/a2.log", OutcomePath: "outcomes/a2.json",
		Agent: "codex", Argv: []string{"codex", "exec"},
		Limits: fullLimits(),
		StopOn: []string{"FATAL"}, SecretEnv: []string{"API_KEY"},
		Process: &record.Process{
			PID: 100, PGID: 100, BootID: "boot", PidNS: 3, StartTime: 12, PidfdInode: 4,
			SupervisorPID: 99, SupervisorStartTime: 11,
		},
	}
}

func fullOutcome() record.Outcome {
	return record.Outcome{
		Format: record.OutcomeFormat, AttemptID: "a2", Plan: digest, BindingSHA256: "bb22", Phase: phase,
		Agent: "codex", Argv: []string{"codex", "exec"}, Status: record.AgentFailed,
		Summary: "It failed.", Cause: "The agent exited with 3.", Note: ptr("The log ends in a panic."),
		// A real outcome has one of the two; their exclusion is a rule, not a shape.
		ExitCode: ptr(3), Signal: ptr("killed"),
		StartedAt: started, FinishedAt: finished, DurationMS: 90_000,
		Limits:             fullLimits(),
		StopOn:             []string{"FATAL"},
		SecretEnv:          []string{"API_KEY"},
		Redactions:         7,
		ExecutionWorkspace: "/ws",
		Artifacts:          []record.Artifact{{Kind: "transcript", Path: "transcripts/a2.log", SHA256: "cc33", Bytes: 5}},
		PromptBytesTaken:   6,
		Resources:          &record.Resources{CPUMS: 1, PeakRSSBytes: 2},
		Swept:              []record.Leftover{{PID: 101, Name: "sleep"}},
		Survivors:          []record.Leftover{{PID: 102, Name: "dd"}},
	}
}

func fullExit() record.Exit {
	return record.Exit{
		Format: record.ExitFormat, AttemptID: "a2", Cause: "The handler was gone.", Executed: true,
		ExitCode: ptr(3), Signal: ptr("killed"), EndedAt: finished,
		Resources: &record.Resources{CPUMS: 1, PeakRSSBytes: 2},
		Swept:     []record.Leftover{{PID: 101, Name: "sleep"}},
		Survivors: []record.Leftover{{PID: 102, Name: "dd"}},
	}
}

func fullEvent() record.Event {
	return record.Event{
		Format: record.EventFormat, Kind: record.PhaseEnded, At: finished, Plan: "/ws/plan.md",
		Phase: &phase, Index: 2, Count: 12, AttemptID: "a2", Agent: "codex", Status: record.Blocked,
		Message: "blocked", Detail: "-old\n+new", ElapsedMS: 1, SilentMS: 2, TimeoutMS: 3, Bytes: 4,
	}
}
