package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/ai-session-handler/ai-session-handler/engine/enginetest"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

const acceptManifest = "--accept-manifest-change"

// The limits of the second phase before and after the change of the manifest.
const (
	oldTimeout = "10m"
	newTimeout = "20m"
)

// newBoundRepo has a plan of which a manifest says that its second phase has
// another agent, and of which the first phase is complete. Since then the manifest
// changed.
func newBoundRepo(t *testing.T) *repo {
	t.Helper()
	r := newPlainRepo(t, 2)
	r.bind(oldTimeout)
	if e := r.exec(nil, "run", "it", "--max-phases", "1"); e.code != exitOK {
		t.Fatalf("%+v", e)
	}
	r.bind(newTimeout)
	return r
}

func (r *repo) bind(timeout string) {
	r.t.Helper()
	words := []string{fmt.Sprintf("%q", enginetest.BuildFakeAgent(r.t))}
	for _, step := range quick {
		words = append(words, `"`+strings.ReplaceAll(step, `\`, `\\`)+`"`)
	}
	rel, _ := filepath.Rel(r.ws, r.plan)
	r.writeFile("ai-session-handler.hcl", fmt.Sprintf(`
manifest {
  version = 1
}

agent "first" {
  command = [%[1]s]
}

agent "second" {
  extends = agent.first
  timeout = %[3]q
}

plan "it" {
  source = %[2]q
  agent  = agent.first

  phase "2" {
    agent = agent.second
  }
}
`, strings.Join(words, ", "), rel, timeout))
}

// acceptedTimeout is the limit of the second phase in the accepted manifest.
func acceptedTimeout(st record.State) int64 {
	return st.Manifest.Binding.Phases["phase-2"].Limits.TimeoutMS / 60_000
}

// goOnBound brings a bound plan to its end, over the refusals that there must be.
func (r *repo) goOnBound() {
	r.t.Helper()
	st, before := r.state(), r.ledger()
	accepted := acceptedTimeout(st) == 20
	var flags []string
	if e := r.exec(nil, "run", "it"); accepted && st.CurrentPhase == nil {
		r.wantEnd(e, st, before)
		return
	} else if e.code != exitInvalid || fmt.Sprint(r.ledger()) != fmt.Sprint(before) {
		r.t.Errorf("it was not refused: %+v", e)
	}
	if st.CurrentPhase != nil {
		flags = append(flags, "--retry-stopped")
	}
	if !accepted {
		flags = append(flags, acceptManifest)
	}
	r.wantEnd(r.exec(nil, append([]string{"run", "it"}, flags...)...), st, before)
}

func (r *repo) wantEnd(e ended, st record.State, before map[string]int) {
	r.t.Helper()
	if e.code != exitOK {
		r.t.Fatalf("the plan does not come to its end: %+v", e)
	}
	r.checkEnd(st, before)
	last := r.lastOutcome()
	if last.Agent != "second" && last.Agent != "agent-cmd" || acceptedTimeout(r.state()) != 20 {
		r.t.Errorf("it ended under agent %s, %+v", last.Agent, r.state().Manifest)
	}
}

// TestHandlerKilledAtEveryStepOfAnAcceptedManifest kills the handler of a run that
// accepts a changed manifest and goes on with another agent, up to where the
// attempt is one like any other: what was accepted is on disk, or asked for again.
func TestHandlerKilledAtEveryStepOfAnAcceptedManifest(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "log")
	first := newBoundRepo(t)
	if e := first.exec([]string{enginetest.FaultEnv + "=log=" + log}, "run", "it", acceptManifest); e.code != exitOK {
		t.Fatalf("%+v", e)
	}
	all, err := enginetest.PointsOf(log)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(all, func(p enginetest.NamedPoint) bool { return p.Text == "before read manifest" }) {
		t.Error("the manifest was not read")
	}
	met := 0
	for i, point := range all {
		if strings.Contains(point.Text, "release worker") {
			break
		}
		if slices.Contains(harmless, strings.Fields(point.Text)[1]) {
			continue
		}
		met++
		t.Run(fmt.Sprintf("%03d %s", i+1, point.Text), func(t *testing.T) {
			t.Parallel()
			r := newBoundRepo(t)
			e := r.exec([]string{fmt.Sprintf("%s=kill=%s", enginetest.FaultEnv, point.ID)}, "run", "it", acceptManifest)
			if e.signal != syscall.SIGKILL {
				t.Fatalf("the handler was not killed: %+v", e)
			}
			r.checkLeft()
			r.goOnBound()
		})
	}
	if met == 0 {
		t.Error("no points")
	}
}

// TestEveryOperationOfAnAcceptedManifestFails is about what a run does that
// accepts a changed manifest, the reading of it included.
func TestEveryOperationOfAnAcceptedManifestFails(t *testing.T) {
	t.Parallel()
	beyond := beyondTheFirst(t)
	locked := from("lock ") // what is looked at before is looked at again
	matrix{
		prepare: newBoundRepo,
		flags:   []string{acceptManifest},
		points: func(p enginetest.NamedPoint) bool {
			counts := strings.HasSuffix(p.Text, "read manifest") || beyond(p)
			return locked(p) && counts
		},
		goOn: (*repo).goOnBound,
	}.run(t, enginetest.FaultEnv)
}

// TestAFileThatCannotBeLaidOutIsAsItWas stands for a directory that can't be
// written.
func TestAFileThatCannotBeLaidOutIsAsItWas(t *testing.T) {
	t.Parallel()
	r := newRepo(t, 1)
	const text = "manifest {\nversion=1\n}\n"
	for _, at := range []string{"before_create", "before_write", "before_sync", "before_rename"} {
		r.writeFile("ai-session-handler.hcl", text)
		e := r.exec([]string{fmt.Sprintf("%s=fail-at=%s:%d", enginetest.FaultEnv, at, syscall.EACCES)}, "fmt")
		if e.code != exitInvalid || !strings.Contains(e.err, "error: ai-session-handler.hcl is as it was: ") || !strings.Contains(e.err, "next: ") {
			t.Errorf("%s: %+v", at, e)
		}
		if left, err := os.ReadFile(r.path("ai-session-handler.hcl")); err != nil || string(left) != text {
			t.Errorf("%s: %q, %v", at, left, err)
		}
		if found, _ := filepath.Glob(r.path("*tmp*")); len(found) > 0 {
			t.Errorf("%s leaves %q", at, found)
		}
	}
}
