package main

import (
	"time"

	"github.com/ai-session-handler/ai-session-handler/engine/workspace"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// attemptFormat is the format word of an attempt without an outcome as JSON.
const attemptFormat = "ai-session-handler/attempt/1"

// activeAttempt is what is known of an attempt without an outcome. What means
// the same as in an outcome has the same name.
type activeAttempt struct {
	Format             string              `json:"format"`
	AttemptID          string              `json:"attempt_id"`
	Plan               record.SourceDigest `json:"plan"`
	BindingSHA256      string              `json:"binding_sha256"`
	Phase              record.Phase        `json:"phase"`
	Agent              string              `json:"agent"`
	Argv               []string            `json:"argv"`
	Status             string              `json:"status"` // where it stands: running, unresolved or unknown
	StartedAt          time.Time           `json:"started_at"`
	ElapsedMS          int64               `json:"elapsed_ms"`
	Limits             record.Limits       `json:"limits"`
	StopOn             []string            `json:"stop_on"`
	SecretEnv          []string            `json:"secret_env"`
	ExecutionWorkspace string              `json:"execution_workspace"`
	Released           bool                `json:"released"` // false: nothing of the agent ran
	Process            *record.Process     `json:"process"`  // null until it is released
	Worker             string              `json:"worker"`   // in words
	End                *record.Exit        `json:"exit"`
	Remaining          []record.Leftover   `json:"remaining"`
	Prompt             string              `json:"prompt"` // absolute, as the next two
	Transcript         string              `json:"transcript"`
	Outcome            string              `json:"outcome"` // planned only
}

func (h *history) activeAttempt(a record.ActiveAttempt) (activeAttempt, error) {
	s, err := activeOf(h, a)
	return activeAttempt{
		Format: attemptFormat, AttemptID: a.ID, Plan: a.Plan, BindingSHA256: a.BindingSHA256, Phase: a.Phase,
		Agent: a.Agent, Argv: a.Argv, Status: h.activeStatus(), StartedAt: a.StartedAt, ElapsedMS: s.ElapsedMS,
		Limits: a.Limits, StopOn: a.StopOn, SecretEnv: a.SecretEnv, ExecutionWorkspace: a.ExecutionWorkspace,
		Released: a.Process != nil, Process: a.Process, Worker: s.Worker, End: s.End, Remaining: s.Remaining,
		Prompt: h.path(a.PromptPath), Transcript: h.path(a.TranscriptPath), Outcome: h.path(workspace.OutcomeFile(a.ID)),
	}, err
}
