package binding

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// Record returns the form of b that is kept, compared and hashed. It shares
// nothing with b, and is the same after a way through JSON: what is no UTF-8
// becomes U+FFFD.
func (b Binding) Record() record.Binding {
	phases := make(map[string]record.PhaseBinding, len(b.Phases))
	for id, p := range b.Phases {
		phases[id] = p.Record()
	}
	return record.Binding{Source: valid(b.Source), Default: b.Default.Record(), Phases: phases}
}

// Record returns the form of p that is kept, compared and hashed. Durations are
// cut to milliseconds.
func (p Phase) Record() record.PhaseBinding {
	return record.PhaseBinding{
		Agent: valid(p.Agent), Argv: list(p.Argv),
		PassEnv: p.Env.pass(), UnsetEnv: list(p.Env.Unset), Env: p.Env.set(), SecretEnv: list(p.Env.Secret),
		Limits: p.Limits.Record(), BestEffort: p.Limits.Tree.BestEffort,
		StopOn: list(p.StopOn), Retry: p.Retry.Record(), PauseAfter: p.PauseAfter,
	}
}

// Record returns the form of l that outcomes have too.
func (l Limits) Record() record.Limits {
	return record.Limits{
		TimeoutMS: l.Timeout.Milliseconds(), IdleTimeoutMS: l.IdleTimeout.Milliseconds(), GraceMS: l.Grace.Milliseconds(),
		OutputMaxBytes: l.OutputMax, MemoryMaxBytes: l.Tree.MemoryMax, PidsMax: l.Tree.PidsMax, CPUMaxMilli: l.Tree.CPUMilli,
	}
}

// Record returns null for nil.
func (r *Retry) Record() *record.Retry {
	if r == nil {
		return nil
	}
	return &record.Retry{On: list(r.On), MaxAttempts: r.MaxAttempts, DelayMS: r.Delay.Milliseconds()}
}

func (e Environment) pass() *[]string {
	if !e.Restrict {
		return nil
	}
	names := list(e.Pass)
	return &names
}

func (e Environment) set() map[string]string {
	set := make(map[string]string, len(e.Set))
	for name, value := range e.Set {
		set[valid(name)] = valid(value)
	}
	return set
}

// list is a copy that is never null in JSON.
func list[T ~string](items []T) []T {
	words := make([]T, len(items))
	for i, item := range items {
		words[i] = valid(item)
	}
	return words
}

func valid[T ~string](s T) T { return T(strings.ToValidUTF8(string(s), "\uFFFD")) }

// digestPrefix separates this digest from any other use of the same bytes.
const digestPrefix = "ai-session-handler/binding/v1\n"

// Digest is the lowercase hex SHA-256 of the binding's meaning, see [Digest].
func (b Binding) Digest() string { return Digest(b.Record()) }

// Digest is the lowercase hex SHA-256 of a fixed prefix and the canonical JSON
// of a binding, as [Binding.Record] and record.Decode return it.
func Digest(b record.Binding) string {
	sum := sha256.Sum256(append([]byte(digestPrefix), canonical(b)...))
	return hex.EncodeToString(sum[:])
}

// Size is the length of what [Digest] hashes, in bytes.
func Size(b record.Binding) int { return len(canonical(b)) }

// canonical is compact JSON: keys of records in the order of their fields, those
// of maps sorted, and nothing left out.
func canonical(b record.Binding) []byte {
	// Strings, integers, and lists and maps of them can't fail to encode.
	line, _ := record.EncodeLine(b)
	return bytes.TrimSuffix(line, []byte("\n"))
}

// PhaseOf returns how the phase with an id runs.
func PhaseOf(b record.Binding, phaseID string) record.PhaseBinding {
	if p, ok := b.Phases[phaseID]; ok {
		return p
	}
	return b.Default
}
