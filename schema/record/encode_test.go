package record

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// plain is how encoding/json itself lays a record out.
func plain(t testing.TB, v any) string {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// many is a state with this many committed attempts.
func many(attempts int) State {
	s := State{Format: StateFormat, CompletedPhaseIDs: []string{}, CommittedOutcomes: []CommittedOutcome{}}
	for range attempts {
		id := "20261130T201305Z-phase-3-35144663-4432-4891-b344-e097db81a4e6"
		s.CompletedPhaseIDs = append(s.CompletedPhaseIDs, "phase-1000")
		s.CommittedOutcomes = append(s.CommittedOutcomes, CommittedOutcome{id, "phase-1000", PhaseComplete, "outcomes/" + id + ".json"})
	}
	return s
}

func TestRecordsAreLaidOutAsEncodingJSONDoes(t *testing.T) {
	odd := "a \"quoted\" \\ <b>&\u2028\n\t\x00\xff{[,:]} \\\\\""
	full := many(2)
	full.Manifest = &AcceptedManifest{
		Binding: Binding{
			Source: odd, Default: PhaseBinding{Env: map[string]string{odd: odd, "": ""}, StopOn: []string{}, PassEnv: &[]string{}},
			Phases: map[string]PhaseBinding{},
		},
		AcceptedAt: time.Unix(1, 5).UTC(), Sources: []SourceDigest{{odd, odd}},
	}
	full.Stop = &Stop{Message: &odd}
	for _, v := range []any{State{}, many(0), full, Outcome{Argv: []string{odd, "", `\`}}, Event{}, odd, []int{}, [][]int{{}}, 7, nil} {
		got, err := Encode(v)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(plain(t, v), string(got)); diff != "" {
			t.Errorf("%#v (-encoding/json +Encode):\n%s", v, diff)
		}
	}
}

// FuzzEncode compares the layout of any JSON with that of encoding/json.
func FuzzEncode(f *testing.F) {
	f.Add([]byte(good))
	f.Add([]byte(`{"a\\":[{"\"":"\\\\\""},[],{}],"":[[1,2],{"b":null}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var v any
		if json.Unmarshal(data, &v) != nil {
			return
		}
		got, err := Encode(v)
		if err != nil {
			t.Fatal(err)
		}
		if want := plain(t, v); string(got) != want {
			t.Errorf("%q: got %q, want %q", data, got, want)
		}
	})
}

func TestEncodeRefusesWhatIsNoJSON(t *testing.T) {
	if _, err := Encode(json.RawMessage(`{"a":`)); err == nil || !strings.Contains(err.Error(), "encode record") {
		t.Errorf("got %v", err)
	}
}

func BenchmarkEncodeState(b *testing.B) {
	s := many(1000)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Encode(s); err != nil {
			b.Fatal(err)
		}
	}
}
