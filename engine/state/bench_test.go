package state

import (
	"fmt"
	"testing"

	"github.com/ai-session-handler/ai-session-handler/engine/fsx"
	"github.com/ai-session-handler/ai-session-handler/engine/workspace"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// BenchmarkOutcomes reads 1,000 outcomes, as a list of attempts does.
func BenchmarkOutcomes(b *testing.B) {
	dir, err := fsx.OpenDir(b.TempDir(), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = dir.Close() }()
	if err := dir.MkdirAll("outcomes"); err != nil {
		b.Fatal(err)
	}
	s := Store{dir}
	o := outcome("a1", "phase-1", record.Blocked)
	o.Format = record.OutcomeFormat
	o.StopOn, o.SecretEnv = []string{}, []string{}
	o.Argv, o.Artifacts, o.Swept, o.Survivors = []string{"agent", "exec"}, []record.Artifact{}, []record.Leftover{}, []record.Leftover{}
	for range 100 {
		o.Summary += "some words of a summary, as an agent writes it "
	}
	const count = 1000
	for i := range count {
		if err := s.WriteOutcome(workspace.OutcomeFile(fmt.Sprint(i)), o); err != nil {
			b.Fatal(err)
		}
	}
	for name, read := range map[string]func(string) (record.Outcome, error){"read": s.ReadOutcome, "skim": s.SkimOutcome} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				for i := range count {
					if _, err := read(workspace.OutcomeFile(fmt.Sprint(i))); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// BenchmarkSave saves the state of a plan of which 1,000 phases are complete.
func BenchmarkSave(b *testing.B) {
	s := New(planned)
	for i := range 1000 {
		id, phase := fmt.Sprintf("20261130T201305Z-phase-%d-35144663-4432-4891-b344-e097db81a4e6", i), fmt.Sprintf("phase-%d", i)
		s, _ = Prepare(s, attempt(id, phase), holder)
		s, _ = Finish(s, outcome(id, phase, record.PhaseComplete), workspace.OutcomeFile(id))
	}
	b.Run("Validate", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if problems := Validate(s); len(problems) > 0 {
				b.Fatal(problems)
			}
		}
	})
	b.Run("Encode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := record.Encode(s); err != nil {
				b.Fatal(err)
			}
		}
	})
}
