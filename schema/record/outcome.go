package record

import "time"

// OutcomeFormat is the format word of an outcome this release reads and writes.
const OutcomeFormat = "ai-session-handler/outcome/1"

// Outcome is the durable record of an attempt: outcomes/<attempt-id>.json, or
// outcomes/<attempt-id>.abandoned.json for an attempt whose end nobody saw. It
// is authoritative only while the state links it.
type Outcome struct {
	Format             string       `json:"format" jsonschema:"enum=ai-session-handler/outcome/1"`
	AttemptID          string       `json:"attempt_id"`
	Plan               SourceDigest `json:"plan"`
	BindingSHA256      string       `json:"binding_sha256"`
	Phase              Phase        `json:"phase"`
	Agent              string       `json:"agent"`
	Argv               []string     `json:"argv"`
	Status             Status       `json:"status"`
	Summary            string       `json:"summary"` // the worker's words, or ours where there are none; plain text
	Cause              string       `json:"cause"`   // one sentence of ours: why this status
	Note               *string      `json:"note"`    // of the person who decided about an attempt whose end nobody saw; for people, no prompt has it
	ExitCode           *int         `json:"exit_code"`
	Signal             *string      `json:"signal"` // for example "killed"; excludes exit_code
	StartedAt          time.Time    `json:"started_at"`
	FinishedAt         time.Time    `json:"finished_at"`
	DurationMS         int64        `json:"duration_ms"` // includes suspended time
	Limits             Limits       `json:"limits"`
	StopOn             []string     `json:"stop_on"`    // the stop rules, in order
	SecretEnv          []string     `json:"secret_env"` // names of the variables whose values were masked
	Redactions         int64        `json:"redactions"` // values masked in the output
	ExecutionWorkspace string       `json:"execution_workspace"`
	Artifacts          []Artifact   `json:"artifacts"`
	PromptBytesTaken   int64        `json:"prompt_bytes_taken"` // accepted by the worker's stdin pipe
	Resources          *Resources   `json:"resources"`          // null when the worker never ran or nobody measured
	Swept              []Leftover   `json:"swept"`              // descendants ended after the worker
	Survivors          []Leftover   `json:"survivors"`          // descendants that could not be ended
}

// Limits are the bounds an attempt ran under, command-line overrides included.
type Limits struct {
	TimeoutMS      int64 `json:"timeout_ms"`      // 0: none
	IdleTimeoutMS  int64 `json:"idle_timeout_ms"` // 0: none
	GraceMS        int64 `json:"grace_ms"`
	OutputMaxBytes int64 `json:"output_max_bytes"` // of output in the transcript, 0: none
	MemoryMaxBytes int64 `json:"memory_max_bytes"` // of the worker's whole tree, 0: none
	PidsMax        int64 `json:"pids_max"`         // of the worker's whole tree, 0: none
	CPUMaxMilli    int64 `json:"cpu_max_milli"`    // thousandths of a processor, of the worker's whole tree, 0: none
}

// Artifact is a file of an attempt, sealed by its digest.
type Artifact struct {
	Kind   string `json:"kind" jsonschema:"enum=prompt,enum=transcript,enum=index"`
	Path   string `json:"path"` // relative to the plan directory
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
}

// Resources is what the worker's whole tree used, as far as it was waited for.
type Resources struct {
	CPUMS        int64 `json:"cpu_ms"`
	PeakRSSBytes int64 `json:"peak_rss_bytes"` // of the largest single process
}

// Leftover is a process of the worker's tree that outlived the worker.
type Leftover struct {
	PID  int    `json:"pid"`
	Name string `json:"name"` // the kernel's short name, chosen by the process
}

// ExitFormat is the format word of an exit record.
const ExitFormat = "ai-session-handler/exit/1"

// Exit is how a worker ended when no handler was there to see it:
// exits/<attempt-id>.json, written by the supervisor. It is evidence for the
// person who decides about the attempt, never an outcome.
type Exit struct {
	Format    string     `json:"format" jsonschema:"enum=ai-session-handler/exit/1"`
	AttemptID string     `json:"attempt_id"`
	Cause     string     `json:"cause"`    // one sentence: why the worker ended
	Executed  bool       `json:"executed"` // false: the worker's first instruction never ran
	ExitCode  *int       `json:"exit_code"`
	Signal    *string    `json:"signal"`
	EndedAt   time.Time  `json:"ended_at"`
	Resources *Resources `json:"resources"`
	Swept     []Leftover `json:"swept"`
	Survivors []Leftover `json:"survivors"`
}
