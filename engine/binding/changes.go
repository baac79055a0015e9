package binding

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// Change is one setting that differs, named and written as in a manifest.
type Change struct{ Field, Old, New string }

// String returns one line.
func (c Change) String() string { return c.Field + ": " + c.Old + " → " + c.New }

// PhaseChanges is what differs in the same way for some phases.
type PhaseChanges struct {
	IDs     []string
	Changes []Change
}

// Compare returns what differs for phases, in their order, those with the same
// changes together. Phases that run as before are left out.
func Compare(old, now record.Binding, phaseIDs []string) []PhaseChanges {
	var groups []PhaseChanges
	for _, id := range phaseIDs {
		changes := Changes(PhaseOf(old, id), PhaseOf(now, id))
		i := slices.IndexFunc(groups, func(g PhaseChanges) bool { return slices.Equal(g.Changes, changes) })
		switch {
		case len(changes) == 0:
		case i >= 0:
			groups[i].IDs = append(groups[i].IDs, id)
		default:
			groups = append(groups, PhaseChanges{[]string{id}, changes})
		}
	}
	return groups
}

// Changes returns the settings that differ between two ways to run a phase. It
// is empty exactly when they mean the same.
func Changes(old, now record.PhaseBinding) []Change {
	changes := changed(settings(old), settings(now))
	changes = slices.Concat(changes, environmentChanges(old.Env, now.Env), retryChanges(old.Retry, now.Retry))
	slices.SortStableFunc(changes, func(a, b Change) int { return place(a.Field) - place(b.Field) })
	return changes
}

// order is that of a manifest's reference.
var order = []string{
	"agent", "command", "pass_env", "unset_env", "env", "secret_env", "timeout", "idle_timeout", "grace", "output_max",
	"memory_max", "pids_max", "cpu_max", "limits", "stop_on", "retry", "pause_after",
}

func place(field string) int {
	block, _, _ := strings.Cut(field, ".")
	return slices.Index(order, block)
}

// setting is one that is always there.
type setting struct{ field, value string }

func settings(p record.PhaseBinding) []setting {
	l := p.Limits
	return []setting{
		{"agent", p.Agent},
		{"command", WordsText(p.Argv)},
		{"pass_env", passText(p.PassEnv)},
		{"unset_env", WordsText(p.UnsetEnv)},
		{"secret_env", WordsText(p.SecretEnv)},
		{"timeout", limitText(l.TimeoutMS)},
		{"idle_timeout", limitText(l.IdleTimeoutMS)},
		{"grace", limitText(l.GraceMS)},
		{"output_max", SizeText(l.OutputMaxBytes)},
		{"memory_max", SizeText(l.MemoryMaxBytes)},
		{"pids_max", CountText(l.PidsMax)},
		{"cpu_max", CPUText(l.CPUMaxMilli)},
		{"limits", enforcementText(p.BestEffort)},
		{"stop_on", WordsText(p.StopOn)},
		{"pause_after", strconv.FormatBool(p.PauseAfter)},
	}
}

func changed(old, now []setting) (changes []Change) {
	for i := range old {
		if old[i].value != now[i].value {
			changes = append(changes, Change{old[i].field, old[i].value, now[i].value})
		}
	}
	return changes
}

func environmentChanges(old, now map[string]string) (changes []Change) {
	names := maps.Clone(old)
	if names == nil {
		names = map[string]string{}
	}
	maps.Copy(names, now)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if before, after := variableText(old, name), variableText(now, name); before != after {
			changes = append(changes, Change{"env." + name, before, after})
		}
	}
	return changes
}

func variableText(env map[string]string, name string) string {
	if value, ok := env[name]; ok {
		return strconv.Quote(value)
	}
	return "not set"
}

func retryChanges(old, now *record.Retry) []Change {
	switch {
	case old == nil && now == nil:
		return nil
	case old == nil || now == nil:
		return []Change{{"retry", retryText(old), retryText(now)}}
	}
	return changed(retrySettings(*old), retrySettings(*now))
}

func retrySettings(r record.Retry) []setting {
	return []setting{
		{"retry.on", WordsText(r.On)},
		{"retry.max_attempts", strconv.Itoa(r.MaxAttempts)},
		{"retry.delay", limitText(r.DelayMS)},
	}
}

func retryText(r *record.Retry) string {
	if r == nil {
		return none
	}
	return (&Retry{On: r.On, MaxAttempts: r.MaxAttempts, Delay: time.Duration(r.DelayMS) * time.Millisecond}).String()
}

func passText(names *[]string) string {
	if names == nil {
		return "everything"
	}
	return WordsText(*names)
}

func limitText(ms int64) string { return LimitText(time.Duration(ms) * time.Millisecond) }

func enforcementText(bestEffort bool) string {
	if bestEffort {
		return "best-effort"
	}
	return "strict"
}
