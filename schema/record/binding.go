package record

// Binding is how the phases of one plan run, in the form that is recorded,
// compared and hashed. The order of its keys is part of the binding digest.
type Binding struct {
	Source  string                  `json:"source"`  // the plan, relative to its workspace
	Default PhaseBinding            `json:"default"` // of every phase that is not in Phases
	Phases  map[string]PhaseBinding `json:"phases"`  // by phase id, each complete
}

// PhaseBinding is how one phase runs.
type PhaseBinding struct {
	Agent      string            `json:"agent"`
	Argv       []string          `json:"argv"`      // words, placeholders not yet replaced
	PassEnv    *[]string         `json:"pass_env"`  // null: the whole environment of the handler
	UnsetEnv   []string          `json:"unset_env"` // patterns
	Env        map[string]string `json:"env"`
	SecretEnv  []string          `json:"secret_env"` // names, in order
	Limits     Limits            `json:"limits"`
	BestEffort bool              `json:"best_effort"` // run without a limit that can't be enforced
	StopOn     []string          `json:"stop_on"`     // in order
	Retry      *Retry            `json:"retry"`
	PauseAfter bool              `json:"pause_after"`
}

// Retry is when a phase is repeated within one invocation.
type Retry struct {
	On          []Status `json:"on"`
	MaxAttempts int      `json:"max_attempts"`
	DelayMS     int64    `json:"delay_ms"`
}
