// Package binding holds what decides how the phases of one plan run, resolved:
// after a binding exists nobody reads a manifest, configuration, flags or
// environment again. It is data only and imports nothing of the engine.
package binding

import (
	"time"

	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// DefaultTimeout bounds a phase for which nothing else is said.
const DefaultTimeout = time.Hour

// DefaultGrace is the time between asking a worker to end and killing it;
// provider command lines need up to 2.7 s to write their last words.
const DefaultGrace = 5 * time.Second

// DefaultOutputMax bounds what one attempt may print, in bytes.
const DefaultOutputMax = 2 << 30

// Binding is how the phases of one plan run.
type Binding struct {
	Source  string           // the plan, relative to its workspace, slash-separated
	Default Phase            // of every phase that is not in Phases
	Phases  map[string]Phase // by phase id, each complete
}

// For returns how the phase with an id runs.
func (b Binding) For(phaseID string) Phase {
	if p, ok := b.Phases[phaseID]; ok {
		return p
	}
	return b.Default
}

// Phase is how one phase runs.
type Phase struct {
	Agent      string   // name for records and messages
	Argv       []string // the command's words, placeholders not yet replaced
	Env        Environment
	Limits     Limits
	StopOn     []string // stop rules, RE2; the first of several that match is told
	Retry      *Retry   // nil: nothing is repeated without a person
	PauseAfter bool     // end the invocation when the phase is complete
}

// Environment is what of the handler's environment a worker gets, and what
// else. Patterns may hold * and ?.
type Environment struct {
	Restrict bool              // only Pass, Secret and Set reach the worker
	Pass     []string          // patterns of names, with Restrict
	Unset    []string          // patterns of names that never reach it, unless Set has them
	Set      map[string]string // on top
	Secret   []string          // names that reach it, whose values are masked
}

// Limits bound one attempt. Zero means no limit, except for Grace.
type Limits struct {
	Timeout     time.Duration // from release to the end of the worker
	IdleTimeout time.Duration // since the last byte on either stream
	Grace       time.Duration // between SIGTERM and SIGKILL
	OutputMax   int64         // bytes of output in the transcript
	Tree        TreeLimits
}

// TreeLimits bound all processes of a worker together, where a cgroup allows.
// Zero means no limit.
type TreeLimits struct {
	MemoryMax  int64 // bytes
	PidsMax    int64 // processes and threads
	CPUMilli   int64 // thousandths of a processor
	BestEffort bool  // run without those that can't be enforced, instead of refusing
}

// Retry is when a phase is repeated within one invocation.
type Retry struct {
	On          []record.Status
	MaxAttempts int           // of one phase in one invocation, the first included
	Delay       time.Duration // before each further attempt
}
