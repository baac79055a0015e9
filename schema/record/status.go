package record

// Status says how an attempt ended. Only phase-complete advances a plan.
// The words are part of the record formats, see docs/state-and-recovery.md.
type Status string

// The statuses of an attempt.
const (
	PhaseComplete      Status = "phase-complete"
	Blocked            Status = "blocked"
	NeedsClarification Status = "needs-clarification"
	AgentFailed        Status = "agent-failed"
	MissingMarker      Status = "missing-marker"
	InvalidMarker      Status = "invalid-marker"
	MultipleMarkers    Status = "multiple-markers"
	Timeout            Status = "timeout"
	IdleTimeout        Status = "idle-timeout"
	OutputLimit        Status = "output-limit"
	MemoryLimit        Status = "memory-limit"
	StopRegex          Status = "stop-regex"
	LaunchFailed       Status = "launch-failed"
	ExecutionIOFailed  Status = "execution-io-failed"
	Interrupted        Status = "interrupted"
)

// Statuses returns every status, in the order of the documentation.
func Statuses() []Status {
	return []Status{
		PhaseComplete, Blocked, NeedsClarification, AgentFailed, MissingMarker,
		InvalidMarker, MultipleMarkers, Timeout, IdleTimeout, OutputLimit, MemoryLimit,
		StopRegex, LaunchFailed, ExecutionIOFailed, Interrupted,
	}
}

// Valid reports whether s is one of [Statuses].
func (s Status) Valid() bool {
	for _, known := range Statuses() {
		if s == known {
			return true
		}
	}
	return false
}

// AttemptStatus says how far an active attempt has come.
type AttemptStatus string

// An attempt is Prepared before its worker may execute anything, and Running
// once the worker's identity is durable.
const (
	Prepared AttemptStatus = "prepared"
	Running  AttemptStatus = "running"
)
