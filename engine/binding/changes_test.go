package binding

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// TestNoFieldIsForgotten changes each field of a phase's binding, one at a time,
// and wants one change for it, of a field that a manifest has.
func TestNoFieldIsForgotten(t *testing.T) {
	base := sample().Default.Record()
	tried := 0
	for _, path := range leaves(nil, reflect.TypeFor[record.PhaseBinding]()) {
		now := sample().Default.Record()
		field := reflect.ValueOf(&now).Elem()
		for _, i := range path {
			if field.Kind() == reflect.Pointer {
				field = field.Elem()
			}
			field = field.Field(i)
		}
		name := fmt.Sprint(path)
		alter(t, field)
		changes := Changes(base, now)
		if len(changes) != 1 || changes[0].Old == changes[0].New || place(changes[0].Field) < 0 {
			t.Errorf("field %s: %q", name, changes)
		}
		tried++
	}
	if tried < 19 {
		t.Errorf("only %d fields were tried", tried)
	}
}

// leaves are the paths to the fields that are no structs.
func leaves(path []int, typ reflect.Type) (all [][]int) {
	for i := range typ.NumField() {
		at := append(append([]int{}, path...), i)
		field := typ.Field(i).Type
		if field.Kind() == reflect.Pointer {
			field = field.Elem()
		}
		if field.Kind() == reflect.Struct {
			all = append(all, leaves(at, field)...)
		} else {
			all = append(all, at)
		}
	}
	return all
}

func alter(t *testing.T, field reflect.Value) {
	t.Helper()
	switch field.Kind() {
	case reflect.String:
		field.SetString(field.String() + "x")
	case reflect.Bool:
		field.SetBool(!field.Bool())
	case reflect.Int, reflect.Int64:
		field.SetInt(field.Int() + 1)
	case reflect.Pointer:
		alter(t, field.Elem())
	case reflect.Slice:
		field.Set(reflect.Append(field, reflect.New(field.Type().Elem()).Elem()))
	case reflect.Map:
		field.SetMapIndex(reflect.ValueOf("NEW"), reflect.ValueOf(""))
	default:
		t.Fatalf("a field of kind %s", field.Kind())
	}
}

func TestChangesAreWrittenAsInAManifest(t *testing.T) {
	old := record.PhaseBinding{Agent: "a", Argv: []string{"a", `x "y"`}, Env: map[string]string{"A": "1", "GONE": "x"}}
	old.Limits = record.Limits{TimeoutMS: 1_800_000, GraceMS: 5000, OutputMaxBytes: 2 << 30, MemoryMaxBytes: 1000}
	now := sample().Default.Record()
	var lines []string
	for _, c := range Changes(old, now) {
		lines = append(lines, c.String())
	}
	want := `agent: "a" → "codex"
command: ["a", "x \"y\""] → ["run", "<x> & y"]
pass_env: everything → ["PATH", "LC_*"]
unset_env: [] → ["X?"]
env.B: not set → "2"
env.GONE: "x" → not set
secret_env: [] → ["KEY"]
timeout: 30m0s → 1h0m0s
idle_timeout: none → 1m0s
output_max: 2GiB → 1MiB
memory_max: 1000 → 1GiB
pids_max: none → 100
cpu_max: none → 1.5
limits: strict → best-effort
stop_on: [] → ["FATAL", "a"]
retry: none → { on = ["agent-failed", "timeout"], max_attempts = 3, delay = 1m0s }
pause_after: false → true`
	if diff := cmp.Diff(strings.ReplaceAll(want, `agent: "a" → "codex"`, "agent: a → codex"), strings.Join(lines, "\n")); diff != "" {
		t.Error(diff)
	}
	if again := Changes(now, sample().Default.Record()); len(again) != 0 {
		t.Errorf("of the same: %v", again)
	}
}

func TestCompareJoinsPhasesThatChangedAlike(t *testing.T) {
	old, now := sample().Record(), sample()
	now.Default.PauseAfter = false
	odd := now.Phases["phase-2"]
	odd.Agent = "c"
	now.Phases["phase-2"] = odd
	got := Compare(old, now.Record(), []string{"phase-1", "phase-2", "phase-3"})
	want := []PhaseChanges{
		{[]string{"phase-1", "phase-3"}, []Change{{"pause_after", "true", "false"}}},
		{[]string{"phase-2"}, []Change{{"agent", "b", "c"}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
