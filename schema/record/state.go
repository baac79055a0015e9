package record

import "time"

// StateFormat is the format word of a state this release reads and writes.
const StateFormat = "ai-session-handler/state/1"

// State is everything durable about one plan: plans/<plan-key>/state.json.
// Every key is always present; what is not there is null or empty.
type State struct {
	Format            string             `json:"format" jsonschema:"enum=ai-session-handler/state/1"`
	Plan              AcceptedPlan       `json:"plan"`
	Manifest          *AcceptedManifest  `json:"manifest"`
	CompletedPhaseIDs []string           `json:"completed_phase_ids"`
	CurrentPhase      *Phase             `json:"current_phase"`
	Invocation        *Invocation        `json:"invocation"`
	ActiveAttempt     *ActiveAttempt     `json:"active_attempt"`
	Stop              *Stop              `json:"stop"`
	CommittedOutcomes []CommittedOutcome `json:"committed_outcomes"`
	LastRun           *LastRun           `json:"last_run"`
}

// AcceptedPlan is the plan snapshot that phases are taken from.
type AcceptedPlan struct {
	Path       string    `json:"path"`   // canonical, absolute
	SHA256     string    `json:"sha256"` // of the exact bytes, lowercase hex
	AcceptedAt time.Time `json:"accepted_at"`
}

// AcceptedManifest is the manifest's meaning for this plan, null where no
// manifest binds it.
type AcceptedManifest struct {
	Sources       []SourceDigest `json:"sources"` // paths relative to the plan workspace
	Binding       Binding        `json:"binding"`
	BindingSHA256 string         `json:"binding_sha256"`
	AcceptedAt    time.Time      `json:"accepted_at"`
}

// SourceDigest names one file by its bytes.
type SourceDigest struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// Phase names a phase of a plan.
type Phase struct {
	ID    string `json:"id"` // phase-N
	Title string `json:"title"`
}

// Invocation identifies the handler process that last took hold of the plan,
// so that a reader can tell a run in progress from an abandoned one.
type Invocation struct {
	PID       int    `json:"pid"`
	StartTime uint64 `json:"start_time"` // clock ticks since boot
	BootID    string `json:"boot_id"`
	PidNS     uint64 `json:"pid_ns"` // inode of the PID namespace, 0 when unknown
}

// ActiveAttempt is an attempt whose end is not yet on disk. Paths are relative
// to the plan directory.
type ActiveAttempt struct {
	ID                 string        `json:"id"`
	Status             AttemptStatus `json:"status"`
	Phase              Phase         `json:"phase"`
	Plan               SourceDigest  `json:"plan"`
	BindingSHA256      string        `json:"binding_sha256"`
	ExecutionWorkspace string        `json:"execution_workspace"` // canonical, absolute
	StartedAt          time.Time     `json:"started_at"`
	PromptPath         string        `json:"prompt_path"`
	TranscriptPath     string        `json:"transcript_path"`
	OutcomePath        string        `json:"outcome_path"`
	Agent              string        `json:"agent"`
	Argv               []string      `json:"argv"`
	Limits             Limits        `json:"limits"`
	StopOn             []string      `json:"stop_on"`    // as in the outcome
	SecretEnv          []string      `json:"secret_env"` // as in the outcome
	Process            *Process      `json:"process"`    // null while prepared
}

// Process identifies a worker in a way that survives the reuse of its PID.
type Process struct {
	PID                 int    `json:"pid"`
	PGID                int    `json:"pgid"`
	BootID              string `json:"boot_id"`
	PidNS               uint64 `json:"pid_ns"`      // inode of the PID namespace, 0 when unknown
	StartTime           uint64 `json:"start_time"`  // clock ticks since boot
	PidfdInode          uint64 `json:"pidfd_inode"` // 0 where the kernel has none
	SupervisorPID       int    `json:"supervisor_pid"`
	SupervisorStartTime uint64 `json:"supervisor_start_time"`
}

// Stop is the durable reason why a plan does not simply go on.
type Stop struct {
	Reason               Status  `json:"reason"`
	PhaseID              string  `json:"phase_id"`
	AttemptID            string  `json:"attempt_id"`
	Message              *string `json:"message"`               // for every reason but needs-clarification
	ClarificationRequest *string `json:"clarification_request"` // for needs-clarification only
}

// CommittedOutcome links an outcome file. Only linked outcomes are history.
type CommittedOutcome struct {
	AttemptID string `json:"attempt_id"`
	PhaseID   string `json:"phase_id"`
	Status    Status `json:"status"`
	Path      string `json:"path"` // relative to the plan directory
}

// LastRun repeats the latest committed outcome, so that status needs one file.
type LastRun struct {
	AttemptID          string    `json:"attempt_id"`
	PhaseID            string    `json:"phase_id"`
	Status             Status    `json:"status"`
	StartedAt          time.Time `json:"started_at"`
	FinishedAt         time.Time `json:"finished_at"`
	ExecutionWorkspace string    `json:"execution_workspace"`
	PromptPath         string    `json:"prompt_path"`
	TranscriptPath     string    `json:"transcript_path"`
	OutcomePath        string    `json:"outcome_path"`
	Summary            string    `json:"summary"`
}
