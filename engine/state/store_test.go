package state

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ai-session-handler/ai-session-handler/engine/fsx"
	"github.com/ai-session-handler/ai-session-handler/engine/workspace"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

func store(t *testing.T) (Store, string) {
	t.Helper()
	path := t.TempDir()
	dir, err := fsx.OpenDir(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = dir.Close() })
	if err := dir.MkdirAll("outcomes"); err != nil {
		t.Fatal(err)
	}
	return Store{dir}, path
}

func TestLoadGivesBackWhatWasSaved(t *testing.T) {
	s, _ := store(t)
	if _, found, err := s.Load(); found || err != nil {
		t.Fatalf("found %v, %v", found, err)
	}
	want := running(t)
	if err := s.Save(want); err != nil {
		t.Fatal(err)
	}
	got, found, err := s.Load()
	if !found || err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestLoadNamesWhatIsWrong(t *testing.T) {
	good, err := record.Encode(running(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, from, to, want string }{
		{"another release", "state/1", "state/2", `this release reads "ai-session-handler/state/1"`},
		{"unknown key", `"stop": null`, `"stop": null, "stopp": null`, "stopp: unknown key"},
		{"missing key", `"stop": null,`, ``, "stop: missing"},
		{"duplicate key", `"stop": null`, `"stop": null, "stop": null`, "stop: appears twice"},
		{"another attempt's file", "prompts/a1.txt", "prompts/a2.txt", "active_attempt.prompt_path"},
		{"a path out of the directory", "outcomes/a1.json", "../../x.json", "active_attempt.outcome_path"},
		{"prepared with a process", `"running"`, `"prepared"`, "active_attempt.process"},
		{"unknown status", `"running"`, `"asleep"`, "active_attempt.status"},
		{"cut off", "null\n}\n", "", "ends too early"},
	} {
		s, path := store(t)
		text := strings.Replace(string(good), test.from, test.to, 1)
		if err := os.WriteFile(filepath.Join(path, workspace.StateFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, _, err := s.Load()
		var invalid *InvalidError
		if !errors.As(err, &invalid) || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: got %v, want %q", test.name, err, test.want)
		}
	}
}

func TestSaveRefusesAContradiction(t *testing.T) {
	s, path := store(t)
	st := running(t)
	st.CurrentPhase = nil
	if err := s.Save(st); err == nil {
		t.Error("saved")
	}
	if _, err := os.Stat(filepath.Join(path, workspace.StateFile)); !errors.Is(err, fs.ErrNotExist) {
		t.Error("something was written")
	}
}

func TestAnExitRecordMustBeOfTheAttempt(t *testing.T) {
	s, path := store(t)
	if err := os.Mkdir(filepath.Join(path, "exits"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, found, err := s.ReadExit("a1"); found || err != nil {
		t.Errorf("found %v, %v", found, err)
	}
	data, err := record.Encode(record.Exit{Format: record.ExitFormat, AttemptID: "a2", Swept: []record.Leftover{}, Survivors: []record.Leftover{}})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"a1": false, "a2": true} {
		if err := os.WriteFile(filepath.Join(path, workspace.ExitFile(name)), data, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.ReadExit(name); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAnOutcomeIsNeverOverwritten(t *testing.T) {
	s, _ := store(t)
	o := outcome("a1", "phase-1", record.Blocked)
	o.Format = record.OutcomeFormat
	o.StopOn, o.SecretEnv = []string{}, []string{}
	o.Argv, o.Artifacts, o.Swept, o.Survivors = []string{}, []record.Artifact{}, []record.Leftover{}, []record.Leftover{}
	name := workspace.OutcomeFile("a1")
	if err := s.WriteOutcome(name, o); err != nil {
		t.Fatal(err)
	}
	if err := s.WriteOutcome(name, o); !errors.Is(err, fs.ErrExist) {
		t.Errorf("second write: %v", err)
	}
	got, err := s.ReadOutcome(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(o, got); diff != "" {
		t.Error(diff)
	}
}

func TestSaveWritesNothingThatCouldNotBeRead(t *testing.T) {
	s, dir := store(t)
	st := running(t)
	st.ActiveAttempt.Argv = []string{strings.Repeat("x", maxState)}
	if err := s.Save(st); err == nil || !strings.Contains(err.Error(), "can be read again") {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, workspace.StateFile)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is there: %v", err)
	}
}
