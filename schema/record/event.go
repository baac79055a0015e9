package record

import "time"

// EventFormat is the format word of an event.
const EventFormat = "ai-session-handler/event/1"

// EventKind says what an event tells.
type EventKind string

// The kinds of events of one invocation, in the order in which they occur.
const (
	InvocationStarted EventKind = "invocation-started"
	PlanChanged       EventKind = "plan-change-accepted"
	ManifestChanged   EventKind = "manifest-changed" // in a way that is recorded: accepted, or of no phase that is left
	HistoryArchived   EventKind = "history-archived"
	HistoryStarted    EventKind = "history-started"
	AttemptAbandoned  EventKind = "attempt-abandoned"
	PhaseStarted      EventKind = "phase-started"
	LimitDropped      EventKind = "limit-dropped" // a limit can't be enforced here, and the attempt runs without it
	PhaseProgress     EventKind = "phase-progress"
	PhaseEnded        EventKind = "phase-ended"
	RetryScheduled    EventKind = "retry-scheduled" // the phase will be run again, as its binding says
	InvocationEnded   EventKind = "invocation-ended"
	EventsLost        EventKind = "events-lost" // at any time
)

// Event is one thing that happened in an invocation. Progress lines are made
// from events; they are diagnostic only, the state is what counts.
type Event struct {
	Format    string    `json:"format" jsonschema:"enum=ai-session-handler/event/1"`
	Kind      EventKind `json:"kind"`
	At        time.Time `json:"at"`
	Plan      string    `json:"plan"` // canonical path
	Phase     *Phase    `json:"phase,omitempty"`
	Index     int       `json:"index,omitempty"` // 1-based place of the phase in the plan
	Count     int       `json:"count,omitempty"` // phases of the plan
	AttemptID string    `json:"attempt_id,omitempty"`
	Agent     string    `json:"agent,omitempty"`
	Status    Status    `json:"status,omitempty"`
	Message   string    `json:"message,omitempty"` // one line
	Detail    string    `json:"detail,omitempty"`  // several lines that belong to the message
	ElapsedMS int64     `json:"elapsed_ms,omitempty"`
	SilentMS  int64     `json:"silent_ms,omitempty"`  // since the last byte on either stream
	TimeoutMS int64     `json:"timeout_ms,omitempty"` // 0: none
	Bytes     int64     `json:"bytes,omitempty"`      // of transcript so far
}
