package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/ai-session-handler/ai-session-handler/engine/enginetest"
)

// TestASecretIsInNoFileAndOnNoScreen has a worker print a value whole, in two
// pieces cut at every byte, in pieces of every size, on both streams in turn, in
// its summary and, as its last words, almost to the end. A flag names it, or a
// manifest does.
func TestASecretIsInNoFileAndOnNoScreen(t *testing.T) {
	t.Parallel()
	for name, command := range map[string]func(*repo) []string{
		"a flag": func(r *repo) []string { return r.runArgs([]string{"@steps"}, "--secret-env", "A_TOKEN") },
		"an agent": func(r *repo) []string {
			r.writeSecretManifest("agent.with_secret", "agent.with_secret")
			return []string{"run", "it"}
		},
		"an agent of a later phase": func(r *repo) []string {
			r.writeSecretManifest("agent.without", "agent.with_secret")
			return []string{"run", "it"}
		},
		"a manifest, beside another agent": func(r *repo) []string {
			r.writeSecretManifest("agent.with_secret", "agent.with_secret")
			return r.runArgs([]string{"@steps"}, "--secret-env", "A_TOKEN")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, 2)
			r.checkNoSecretIsKept(append(command(r), "--max-phases", "1", "--fresh", "--events", "events"))
		})
	}
}

// writeSecretManifest binds the plan to two agents, of which one has the secret.
func (r *repo) writeSecretManifest(first, second string) {
	r.t.Helper()
	rel, _ := filepath.Rel(r.ws, r.plan)
	r.writeFile("ai-session-handler.hcl", fmt.Sprintf(`
manifest {
  version = 1
}

agent "without" {
  command = [%[1]q, "@steps"]
}

agent "with_secret" {
  extends    = agent.without
  pass_env   = ["PATH"]
  secret_env = ["A_TOKEN"]
}

plan "it" {
  source = %[2]q
  agent  = %[3]s

  phase "2" {
    agent = %[4]s
  }
}
`, enginetest.BuildFakeAgent(r.t), rel, first, second))
}

// checkNoSecretIsKept runs a command whose worker does what the file steps says.
func (r *repo) checkNoSecretIsKept(command []string) {
	t := r.t
	t.Helper()
	const secret = "tok-Zq7\nsecond line-tok-Zq"
	steps := r.path("steps")
	for name, last := range map[string][]string{
		"success":           {"complete=it was " + quoted(secret)},
		"failure":           {"err=" + quoted(secret), "exit=3"},
		"ended in mid-word": {"out=" + quoted(secret[:len(secret)-1]), "exit=3"},
	} {
		script := append(secretSteps(secret), last...)
		if err := os.WriteFile(steps, []byte(strings.Join(script, "\n")), 0o600); err != nil {
			t.Fatal(err)
		}
		e := r.exec([]string{"A_TOKEN=" + secret}, command...)
		if !slices.Contains([]int{exitOK, exitFailed}, e.code) || !strings.Contains(e.out, "[masked:A_TOKEN]") {
			t.Fatalf("%s: %+v", name, e)
		}
		noSecret(t, name+": stdout", e.out, secret)
		noSecret(t, name+": stderr", e.err, secret)
		found := 0
		err := filepath.WalkDir(r.ws, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() || path == steps {
				return err
			}
			found++
			data, err := os.ReadFile(path)
			noSecret(t, name+": "+path, string(data), secret)
			return err
		})
		if err != nil || found < 6 {
			t.Fatalf("%s: %d files, %v", name, found, err)
		}
	}
}

// noSecret finds the value and all but the last byte of it.
func noSecret(t *testing.T, where, text, secret string) {
	t.Helper()
	for _, part := range []string{secret, secret[:len(secret)-1], secret[:12]} {
		if i := strings.Index(text, part); i >= 0 {
			t.Errorf("%s shows %q: …%q", where, part, text[max(0, i-80):i+len(part)])
			return
		}
	}
}

func quoted(text string) string { return strings.ReplaceAll(text, "\n", `\n`) }

func secretSteps(secret string) []string {
	steps := []string{"out=" + quoted(secret), "out=|", "split=" + quoted(secret), "out=|"}
	for cut := range len(secret) {
		steps = append(steps, "out="+quoted(secret[:cut]), fmt.Sprintf("err=<%d>", cut), "sleep=1ms", "out="+quoted(secret[cut:])+"|")
	}
	for size := 1; size < len(secret); size++ {
		for piece := range slices.Chunk([]byte(secret), size) {
			steps = append(steps, "err="+quoted(string(piece)))
		}
	}
	return steps
}

// TestASecretInAnEarlierResultIsMaskedInThePrompt hands a summary of before its
// variable was named to the next phase.
func TestASecretInAnEarlierResultIsMaskedInThePrompt(t *testing.T) {
	t.Parallel()
	r := newRepo(t, 2)
	env := []string{"A_TOKEN=tok-Zq7-value"}
	if e := r.exec(env, r.runArgs([]string{"complete=used tok-Zq7-value"}, "--max-phases", "1")...); e.code != exitOK {
		t.Fatalf("%+v", e)
	}
	template := enginetest.BuildFakeAgent(t) + " read-stdin=prompt complete=done"
	if e := r.exec(env, "run", "--plan", r.plan, "--secret-env", "A_TOKEN", "--agent-cmd", template); e.code != exitOK {
		t.Fatalf("%+v", e)
	}
	prompt, err := os.ReadFile(r.path("prompt"))
	if err != nil || !strings.Contains(string(prompt), "used [masked:A_TOKEN]") {
		t.Errorf("%s %v", prompt, err)
	}
	noSecret(t, "prompt", string(prompt), "tok-Zq7-value")
}

// TestASecretInAnAbandonedAttemptIsMasked retries an attempt of a plan whose
// title had a value.
func TestASecretInAnAbandonedAttemptIsMasked(t *testing.T) {
	t.Parallel()
	r := newRepo(t, 1)
	good, err := os.ReadFile(r.plan)
	if err != nil {
		t.Fatal(err)
	}
	write := func(text string) {
		if err := os.WriteFile(r.plan, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(strings.Replace(string(good), "Title 1", "Title tok-Zq7-value", 1))
	fault := enginetest.FaultEnv + "=kill-at=after_release_worker"
	if e := r.exec([]string{fault}, r.runArgs([]string{"forever"})...); e.signal != syscall.SIGKILL {
		t.Fatalf("%+v", e)
	}
	r.settled()
	write(string(good))
	before := r.files()
	e := r.exec([]string{"A_TOKEN=tok-Zq7-value"}, r.runArgs([]string{"complete=done"}, "--secret-env", "A_TOKEN", "--retry-stopped", "--accept-plan-change", "--events", "events")...)
	if e.code != exitOK {
		t.Fatalf("%+v", e)
	}
	noSecret(t, "console", e.out+e.err, "tok-Zq7-value")
	events, err := os.ReadFile(r.path("events"))
	if err != nil || !strings.Contains(string(events), "Title [masked:A_TOKEN]") {
		t.Errorf("%s %v", events, err)
	}
	noSecret(t, "events", string(events), "tok-Zq7-value")
	for path := range r.files() {
		if _, old := before[path]; !old {
			data, _ := os.ReadFile(path)
			noSecret(t, path, string(data), "tok-Zq7-value")
		}
	}
}

// TestASecretInAnOldPlanIsMaskedInTheDiff accepts a plan out of which a value
// was taken.
func TestASecretInAnOldPlanIsMaskedInTheDiff(t *testing.T) {
	t.Parallel()
	r := newRepo(t, 2)
	good, err := os.ReadFile(r.plan)
	if err != nil {
		t.Fatal(err)
	}
	const secret = "tok-Zq7\nsecond line\nthird line"
	if err := os.WriteFile(r.plan, []byte(strings.Replace(string(good), "## Phase 1", "Use "+secret+".\n\n## Phase 1", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if e := r.run([]string{"complete=done"}, "--max-phases", "1"); e.code != exitOK {
		t.Fatalf("%+v", e)
	}
	if err := os.WriteFile(r.plan, good, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, flag := range []string{"--max-phases=1", "--accept-plan-change"} {
		code := exitInvalid // as long as the change is not accepted
		if flag == "--accept-plan-change" {
			code = exitOK
		}
		e := r.exec([]string{"A_TOKEN=" + secret}, r.runArgs([]string{"complete=done"}, "--secret-env", "A_TOKEN", "--events", "events", flag)...)
		if e.code != code || !strings.Contains(e.err, "-Use [masked:A_TOKEN].") {
			t.Errorf("%s: %+v", flag, e)
		}
		noSecret(t, flag, e.out+e.err, "second line\nthird")
		if strings.Contains(e.err, "second line") {
			t.Errorf("%s shows a line of it: %s", flag, e.err)
		}
	}
	events, err := os.ReadFile(r.path("events"))
	if err != nil || !strings.Contains(string(events), "masked:A_TOKEN") {
		t.Errorf("%s %v", events, err)
	}
	if strings.Contains(string(events), "second line") {
		t.Errorf("the events show a line of it: %s", events)
	}
}
