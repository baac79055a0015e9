package schemas_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// compile also checks the file against the schema of draft 2020-12.
func compile(t *testing.T, file string) *jsonschema.Schema {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	id := "urn:ai-session-handler:" + strings.TrimSuffix(file, ".schema.json") + ":1"
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource(id, parse(t, data)); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile(id)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func parse(t *testing.T, data []byte) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return v
}

func encode(t *testing.T, v any) []byte {
	t.Helper()
	data, err := record.Encode(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// decode reads data as a record of the type of sample.
func decode(data []byte, sample any) error {
	return record.Decode(data, reflect.New(reflect.TypeOf(sample)).Interface())
}

func TestSchemasAcceptRecords(t *testing.T) {
	for _, s := range slices.Concat(full(), sparse(), everyWord()) {
		t.Run(s.name, func(t *testing.T) {
			data := encode(t, s.record)
			if err := decode(data, s.record); err != nil {
				t.Errorf("record.Decode: %v", err)
			}
			if err := compile(t, s.file).Validate(parse(t, data)); err != nil {
				t.Errorf("schema: %v", err)
			}
		})
	}
}

// everyWord returns a record for each status and kind, so that none is left out of the enums.
func everyWord() []sample {
	var samples []sample
	for _, status := range record.Statuses() {
		outcome := fullOutcome()
		outcome.Status = status
		samples = append(samples, sample{"outcome " + string(status), "outcome.schema.json", outcome})
	}
	for _, status := range []record.AttemptStatus{record.Prepared, record.Running} {
		state := fullState()
		state.ActiveAttempt.Status = status
		samples = append(samples, sample{"attempt " + string(status), "state.schema.json", state})
	}
	for _, kind := range []record.EventKind{
		record.InvocationStarted, record.PlanChanged, record.HistoryArchived, record.AttemptAbandoned,
		record.PhaseStarted, record.PhaseProgress, record.PhaseEnded, record.InvocationEnded, record.ManifestChanged, record.RetryScheduled, record.LimitDropped,
	} {
		event := fullEvent()
		event.Kind = kind
		samples = append(samples, sample{"event " + string(kind), "event.schema.json", event})
	}
	return samples
}

// A field that is added to a record must be added to the samples as well.
func TestFullRecordsAreFull(t *testing.T) {
	for _, s := range full() {
		for _, path := range zeros(s.name, reflect.ValueOf(s.record)) {
			t.Errorf("%s is not set", path)
		}
	}
}

func zeros(path string, v reflect.Value) []string {
	if v.IsZero() || (v.Kind() == reflect.Slice || v.Kind() == reflect.Map) && v.Len() == 0 {
		return []string{path}
	}
	var found []string
	switch {
	case v.Kind() == reflect.Pointer:
		return zeros(path, v.Elem())
	case v.Kind() == reflect.Slice:
		return zeros(path+"[0]", v.Index(0))
	case v.Kind() == reflect.Map:
		return zeros(path+"[]", v.MapIndex(v.MapKeys()[0]))
	case v.Kind() == reflect.Struct && v.Type().PkgPath() == reflect.TypeFor[record.State]().PkgPath():
		for i := range v.NumField() {
			found = append(found, zeros(path+"."+v.Type().Field(i).Name, v.Field(i))...)
		}
	}
	return found
}

// Who refuses a damaged record. The differences are those that doc.go names.
const (
	both       = "record.Decode and schema"
	schemaOnly = "schema"
	decodeOnly = "record.Decode"
)

func TestSchemasRefuseDamagedRecords(t *testing.T) {
	samples := map[string]sample{}
	for _, s := range full() {
		samples[strings.TrimPrefix(s.name, "full ")] = s
	}
	for _, test := range []struct{ record, damage, from, to, refusedBy string }{
		{"state", "missing key", `"completed_phase_ids": [
    "phase-1"
  ],`, ``, both},
		{"state", "missing key in an optional part", `"pgid": 100,`, ``, both},
		{"outcome", "missing nullable key", `"exit_code": 3,`, ``, both},
		{"event", "missing key", `"plan": "/ws/plan.md",`, ``, both},
		{"state", "unknown key", `"plan": {`, `"extra": 1, "plan": {`, both},
		{"state", "unknown key in an optional part", `"pgid": 100,`, `"pgid": 100, "extra": 1,`, both},
		{"outcome", "unknown key in a list", `"kind": "transcript",`, `"kind": "transcript", "extra": 1,`, both},
		{"exit", "key in another letter case", `"executed"`, `"Executed"`, both},
		{"state", "null for a string", `"pid": 7`, `"pid": null`, both},
		{"outcome", "null for a list", `"argv": [
    "codex",
    "exec"
  ]`, `"argv": null`, both},
		{"event", "null for an optional key that is no pointer", `"index": 2`, `"index": null`, both},
		{"outcome", "string for a number", `"duration_ms": 90000`, `"duration_ms": "90000"`, both},
		{"outcome", "fraction for a whole number", `"exit_code": 3`, `"exit_code": 3.5`, both},
		{"exit", "string for a boolean", `"executed": true`, `"executed": "true"`, both},
		{"event", "string for an object", `"phase": {
    "id": "phase-2",
    "title": "Write <b>tests</b> & run"
  }`, `"phase": "phase-2"`, both},
		{"exit", "no time", `"ended_at": "2026-11-30T20:14:35.123456789Z"`, `"ended_at": "yesterday"`, both},
		{"state", "negative for unsigned", `"start_time": 11`, `"start_time": -11`, both},
		{"state", "negative for unsigned in an optional part", `"pidfd_inode": 4`, `"pidfd_inode": -4`, both},

		{"state", "unknown format", record.StateFormat, "ai-session-handler/state/2", schemaOnly},
		{"state", "unknown attempt status", `"status": "running"`, `"status": "paused"`, schemaOnly},
		{"state", "unknown stop reason", `"reason": "needs-clarification"`, `"reason": "tired"`, schemaOnly},
		{"outcome", "unknown status", `"status": "agent-failed"`, `"status": "fine"`, schemaOnly},
		{"outcome", "unknown artifact kind", `"kind": "transcript"`, `"kind": "video"`, schemaOnly},
		{"event", "unknown kind", `"kind": "phase-ended"`, `"kind": "phase-paused"`, schemaOnly},

		{"exit", "key given twice", `"executed": true`, `"executed": true, "executed": true`, decodeOnly},
		{"outcome", "whole number written as a fraction", `"exit_code": 3`, `"exit_code": 3.0`, decodeOnly},
		{"state", "more than 64 bits", `"pid_ns": 18446744073709551615`, `"pid_ns": 18446744073709551616`, decodeOnly},
	} {
		t.Run(test.record+" "+test.damage, func(t *testing.T) {
			s := samples[test.record]
			good := string(encode(t, s.record))
			damaged := []byte(strings.Replace(good, test.from, test.to, 1))
			if string(damaged) == good {
				t.Fatalf("no %s in %s", test.from, good)
			}
			bySchema := compile(t, s.file).Validate(parse(t, damaged))
			if (bySchema != nil) != (test.refusedBy != decodeOnly) {
				t.Errorf("should be refused by %s; schema: %v", test.refusedBy, bySchema)
			}
			byDecode := decode(damaged, s.record)
			if (byDecode != nil) != (test.refusedBy != schemaOnly) {
				t.Errorf("should be refused by %s; record.Decode: %v", test.refusedBy, byDecode)
			}
		})
	}
}

// TestSchemasAgreeWithDecode changes every value of every record, one at a time,
// in every way it knows. Only a wrong word may be judged differently.
func TestSchemasAgreeWithDecode(t *testing.T) {
	for _, s := range full() {
		schema := compile(t, s.file)
		changes := changed("", parse(t, encode(t, s.record)))
		for _, c := range changes {
			data, err := json.Marshal(c.record)
			if err != nil {
				t.Fatal(err)
			}
			byDecode, bySchema := decode(data, s.record), schema.Validate(parse(t, data))
			if byDecode == nil && bySchema != nil && c.wrongWord() {
				continue
			}
			if (byDecode == nil) != (bySchema == nil) {
				t.Errorf("%s%s %s:\nrecord.Decode: %v\nschema: %v", s.name, c.path, c.how, byDecode, bySchema)
			}
		}
		if len(changes) < 50 {
			t.Errorf("%s: only %d changes were tried", s.name, len(changes))
		}
	}
}

// A change is a record that differs at one path from a valid one.
type change struct {
	path, how string
	record    any
}

func (c change) wrongWord() bool {
	key := c.path[strings.LastIndex(c.path, ".")+1:]
	return c.how == `is "x"` && slices.Contains([]string{"format", "kind", "status", "reason", "on[0]"}, key)
}

// changed returns v, found at path, with everything in it changed.
func changed(path string, v any) []change {
	var changes []change
	for _, value := range []any{nil, true, 1, -1, 1.5, "x", []any{}, []any{nil}, map[string]any{}} {
		how, _ := json.Marshal(value)
		changes = append(changes, change{path, "is " + string(how), value})
	}
	switch v := v.(type) {
	case map[string]any:
		changes = append(changes, changedObject(path, v)...)
	case []any:
		for i, item := range v {
			for _, c := range changed(fmt.Sprintf("%s[%d]", path, i), item) {
				list := slices.Clone(v)
				list[i] = c.record
				changes = append(changes, change{c.path, c.how, list})
			}
		}
	}
	return changes
}

func changedObject(path string, v map[string]any) []change {
	more := maps.Clone(v)
	more["extra"] = "x"
	changes := []change{{path, "has an unknown key", more}}
	for _, key := range slices.Sorted(maps.Keys(v)) {
		less := maps.Clone(v)
		delete(less, key)
		changes = append(changes, change{path + "." + key, "is missing", less})
		for _, c := range changed(path+"."+key, v[key]) {
			object := maps.Clone(v)
			object[key] = c.record
			changes = append(changes, change{c.path, c.how, object})
		}
	}
	return changes
}
