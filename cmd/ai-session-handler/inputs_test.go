package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ai-session-handler/ai-session-handler/engine/workspace"
)

// wants checks the code of a command that ended, and texts on its stderr.
func (r *repo) wants(e ended, code int, texts ...string) {
	r.t.Helper()
	if e.code != code {
		r.t.Errorf("exit code %d, want %d", e.code, code)
	}
	for _, text := range texts {
		if !strings.Contains(e.err, text) {
			r.t.Errorf("stderr has no %q:\n%s", text, e.err)
		}
	}
}

// refuses checks that a command ends with code 5 and these texts, and leaves
// the workspace untouched, down to time stamps.
func (r *repo) refuses(args []string, texts ...string) {
	r.t.Helper()
	before := listing([]string{r.ws})
	e := r.exec(nil, args...)
	r.wants(e, exitInvalid, append(texts, "error: ")...)
	if e.out != "" {
		r.t.Errorf("stdout %q", e.out)
	}
	if after := listing([]string{r.ws}); after != before {
		r.t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
}

func (r *repo) write(name, text string) {
	r.t.Helper()
	path := r.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// subtest is the same repo for a subtest.
func (r *repo) subtest(t *testing.T) *repo {
	inner := *r
	inner.t = t
	return &inner
}

var configFile = filepath.Join(workspace.DirName, workspace.ConfigFile)

func TestConfigRefused(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ config, want string }{
		{`{"agent_cmd": 1}`, `agent_cmd: expected a string, got the number 1`},
		{`{"agent_cmd": ["codex"]}`, `agent_cmd: expected a string, got a list`},
		{`{"agent_cmd": "codex {prompt}"}`, `agent_cmd: in "{prompt}": {prompt} is not a placeholder`},
		{`{"agent_cmd": "codex 'exec"}`, `agent_cmd: `},
		{`{"agent_cmd": " "}`, `agent_cmd: the command template is empty`},
		{`{"max_phases": 0}`, `max_phases: must be at least 1, or null to run to the end`},
		{`{"max_phases": -2}`, `max_phases: must be at least 1`},
		{`{"max_phases": 1.0}`, `max_phases: expected a whole number, got the number 1.0`},
		{`{"max_phases": "1"}`, `max_phases: expected a whole number, got the string "1"`},
		{`{"max_phases": true}`, `max_phases: expected a whole number, got true`},
		{`{"timeout_seconds": 0}`, `timeout_seconds: must be more than 0 and at most ten years; null switches it off`},
		{`{"timeout_seconds": -1}`, `timeout_seconds: must be more than 0`},
		{`{"timeout_seconds": 1e300}`, `timeout_seconds: must be more than 0 and at most ten years`},
		{`{"timeout_seconds": 1e-9}`, `timeout_seconds: must be more than 0`},
		{`{"timeout_seconds": "3600"}`, `timeout_seconds: expected a number of seconds or null, got "3600"`},
		{`{"timeout_seconds": true}`, `timeout_seconds: expected a number of seconds or null, got true`},
		{`{"timeout_seconds": NaN}`, `invalid JSON at line 1, column 21: invalid character 'N'`},
		{`{"stop_on_regex": ["Password: $", "("]}`, `stop_on_regex: `},
		{`{"stop_on_regex": null}`, `stop_on_regex: expected a list, got null`},
		{`{"stop_on_regex": "x"}`, `stop_on_regex: expected a list, got the string "x"`},
		{`{"stop_on_regex": [1]}`, `stop_on_regex[0]: expected a string, got the number 1`},
		{`{"max_phase": 1}`, `max_phase: unknown key (did you mean "max_phases"?)`},
		{`{"Agent_Cmd": "x"}`, `Agent_Cmd: unknown key (did you mean "agent_cmd"?)`},
		{`{"model": "x"}`, `model: unknown key (known: agent_cmd, max_phases, timeout_seconds, stop_on_regex)`},
		{`{"agent_cmd": "a", "agent_cmd": "b"}`, `agent_cmd: appears twice`},
		{`[]`, `expected an object, got a list`},
		{`null`, `expected an object, got null`},
		{``, `invalid JSON at line 1, column 1: it ends too early`},
		{"{\n  \"agent_cmd\": \"x\",\n}", `invalid JSON at line 3, column 1`},
		{`{} {}`, `line 1, column 4: text after the JSON object`},
		{"\ufeff{}", `starts with a byte order mark, which JSON must not; save it without one`},
		{"{\"agent_cmd\": \"\xff\"}", `not valid UTF-8`},
	} {
		t.Run(test.config, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, 1)
			r.write(configFile, test.config)
			args := []string{"run", "--plan", r.plan}
			if !strings.Contains(test.want, "agent_cmd: ") { // a flag is no way around the other keys
				args = r.runArgs([]string{"ledger=ledger", "complete=done"})
			}
			r.refuses(args, r.path(configFile)+": "+test.want)
		})
	}
}

// TestConfigTellsAllItsProblems has two in one file.
func TestConfigTellsAllItsProblems(t *testing.T) {
	t.Parallel()
	r := newRepo(t, 1)
	r.write(configFile, `{"max_phases": 0, "timeout_seconds": 0}`)
	r.refuses([]string{"run", "--plan", r.plan}, "max_phases: must be", "timeout_seconds: must be")
}

func TestTemplatesRefused(t *testing.T) {
	t.Parallel()
	r := newRepo(t, 1)
	for _, test := range []struct{ template, want string }{
		{` `, `the command template is empty`},
		{`"" x`, `the command template is empty`},
		{`agent 'x`, `quot`},
		{`agent "x`, `quot`},
		{`agent x\`, `backslash`},
		{`agent {`, `in "{": a '{' that is not closed; write '{{' for a literal brace`},
		{`agent {workspace`, `in "{workspace": a '{' that is not closed`},
		{`agent }`, `in "}": a single '}'; write '}}' for a literal brace`},
		{`agent {workspace}}`, `a single '}'`},
		{`agent {{workspace}`, `a single '}'`},
		{`agent {{{workspace}}`, `a single '}'`},
		{`agent {work{space}}`, `a '{' that is not closed`},
		{`agent {}`, `{} is positional, which is not allowed`},
		{`agent {0}`, `{0} is positional, which is not allowed`},
		{`agent {workspace.name}`, `{workspace.name} has attribute or index access, which is not allowed`},
		{`agent {workspace[0]}`, `{workspace[0]} has attribute or index access, which is not allowed`},
		{`agent {workspace!r}`, `{workspace!r} has a conversion, which is not allowed`},
		{`agent {workspace:>10}`, `{workspace:>10} has a format specification, which is not allowed`},
		{`agent {prompt}`, `{prompt} is not a placeholder; supported are {prompt_file}, {workspace}, {run_id}, {transcript_file}, {state_file}`},
		{`agent "{ workspace }"`, `{ workspace } is not a placeholder`},
		{`agent {Workspace}`, `{Workspace} is not a placeholder`},
		{`{prompt}`, `{prompt} is not a placeholder`},
	} {
		t.Run(test.template, func(t *testing.T) {
			r := r.subtest(t)
			r.refuses([]string{"run", "--plan", r.plan, "--agent-cmd", test.template}, "--agent-cmd: ", test.want)
		})
	}
}

func TestLimitFlags(t *testing.T) {
	t.Parallel()
	r := newRepo(t, 1)
	for _, test := range []struct{ flag, shown string }{
		{"--timeout=90", "timeout: 1m30s"},
		{"--timeout=1.5", "timeout: 1.5s"},
		{"--timeout=1e2", "timeout: 1m40s"},
		{"--timeout=90m", "timeout: 1h30m0s"},
		{"--timeout=1h30m", "timeout: 1h30m0s"},
		{"--timeout=250ms", "timeout: 250ms"},
		{"--timeout=none", "timeout: none"},
		{"--idle-timeout=45", "idle timeout: 45s"},
		{"--idle-timeout=30m", "idle timeout: 30m0s"},
		{"--idle-timeout=none", "idle timeout: none"},
		{"--quiet", "timeout: 1h0m0s"},
		{"--quiet", "idle timeout: none"},
	} {
		t.Run(test.flag, func(t *testing.T) {
			r := r.subtest(t)
			e := r.exec(nil, r.runArgs([]string{"complete=done"}, "--dry-run", test.flag)...)
			r.wants(e, exitOK)
			if lines := strings.Split(squeeze(e.out), "\n"); !slices.Contains(lines, test.shown) {
				t.Errorf("no %q in\n%s", test.shown, e.out)
			}
		})
	}
}

// squeeze makes one space of several.
func squeeze(text string) string { return regexp.MustCompile(` +`).ReplaceAllString(text, " ") }

func TestLimitFlagsRefused(t *testing.T) {
	t.Parallel()
	r := newRepo(t, 1)
	for _, test := range []struct{ flag, want string }{
		{"--timeout=0", `--timeout: must be more than 0 and at most ten years; "none" switches it off`},
		{"--timeout=-1", "--timeout: must be more than 0"},
		{"--timeout=-1s", "--timeout: must be more than 0"},
		{"--timeout=nan", "--timeout: must be more than 0"},
		{"--timeout=NaN", "--timeout: must be more than 0"},
		{"--timeout=inf", "--timeout: must be more than 0 and at most ten years"},
		{"--timeout=-inf", "--timeout: must be more than 0"},
		{"--timeout=1e-9", "--timeout: must be more than 0"},
		{"--timeout=1ns", "--timeout: must be more than 0"},
		{"--timeout=1e9", "--timeout: must be more than 0 and at most ten years"},
		{"--timeout=1e999", "--timeout: must be more than 0 and at most ten years"},
		{"--timeout=", `--timeout: "" is no duration`},
		{"--timeout=soon", `--timeout: "soon" is no duration; write for example 90m`},
		{"--timeout=5x", `--timeout: "5x" is no duration`},
		{"--timeout=None", `--timeout: "None" is no duration`},
		{"--idle-timeout=0", `--idle-timeout: must be more than 0 and at most ten years; "none" switches it off`},
		{"--idle-timeout=nan", "--idle-timeout: must be more than 0"},
		{"--idle-timeout=soon", `--idle-timeout: "soon" is no duration`},
	} {
		t.Run(test.flag, func(t *testing.T) {
			r := r.subtest(t)
			r.refuses(r.runArgs([]string{"complete=done"}, test.flag), test.want, "next: ai-session-handler run --help")
		})
	}
}

// TestStatesRefused has states that this release did not write: each is refused
// by naming the key, by run with whatever flags and by status, and stays as it
// is.
func TestStatesRefused(t *testing.T) {
	t.Parallel()
	r := newRepo(t, 3)
	r.wants(r.run([]string{"phase-1:complete=done", "phase-2:blocked=no"}), exitBlocked)
	good, err := os.ReadFile(r.statePath())
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range stateFaults(t, string(good)) {
		t.Run(test.name, func(t *testing.T) {
			r := r.subtest(t)
			if test.state == string(good) {
				t.Fatal("this state has no fault")
			}
			if err := os.WriteFile(r.statePath(), []byte(test.state), 0o600); err != nil {
				t.Fatal(err)
			}
			want := r.statePath() + ": " + test.want
			r.refuses(r.runArgs([]string{"ledger=ledger", "complete=done"}, "--retry-stopped", "--accept-plan-change"), want)
			r.refuses([]string{"status", "--plan", r.plan}, want)
		})
	}
	if err := os.WriteFile(r.statePath(), good, 0o600); err != nil {
		t.Fatal(err)
	}
	r.wants(r.run([]string{"complete=done"}, "--retry-stopped"), exitOK)
}

// TestPathsThatNoRecordCouldName has a directory whose name is not UTF-8: JSON
// would give back another name, and the plan would look like a stranger's.
func TestPathsThatNoRecordCouldName(t *testing.T) {
	t.Parallel()
	r := newRepo(t, 1)
	r.write("caf\xe9/AGENTS.md", "")
	r.write("caf\xe9/p.md", "## Phase 1: One\n\n### Workspace\n\n.\n")
	r.ws = r.path("caf\xe9")
	r.refuses([]string{"run", "--plan", "p.md", "--agent-cmd", "fakeagent"}, "is not valid UTF-8, so no record could name it; rename what it leads through")
	r.refuses([]string{"status", "--plan", "p.md"}, "is not valid UTF-8")
}

type stateFault struct{ name, state, want string }

// stateFaults are made from a good state by replacing some of its text.
func stateFaults(t *testing.T, good string) []stateFault {
	faults := []stateFault{
		{"empty", "", "invalid JSON at line 1, column 1: it ends too early"},
		{"not JSON", "garbage", "invalid JSON at line 1"},
		{"cut off", good[:len(good)/2], "invalid JSON at line "},
		{"text behind", good + "x", "line 57, column 1: text after the JSON object"},
		{"a list", "[]", "expected an object, got a list"},
		{"a byte order mark", "\ufeff" + good, "starts with a byte order mark"},
		{"not UTF-8", strings.Replace(good, `"no"`, "\"\xff\"", 1), "not valid UTF-8"},
	}
	for _, f := range []stateFault{
		{`"format": "ai-session-handler/state/1"`, `"format": "ai-session-handler/state/2"`, `format: this release reads "ai-session-handler/state/1", the file says "ai-session-handler/state/2"; use the release that wrote it`},
		{`"format": "ai-session-handler/state/1",`, ``, `format: this release reads`},
		{`"manifest": null`, `"manifest": null, "extra": 1`, `extra: unknown key`},
		{`"stop": {`, `"stopp": {`, `stopp: unknown key (did you mean "stop"?)`},
		{`"Title 2"`, `"Title 2", "titel": ""`, `current_phase.titel: unknown key (did you mean "title"?)`},
		{`"manifest": null`, `"manifest": null, "manifest": null`, `manifest: appears twice`},
		{`"reason": "blocked"`, `"reason": "blocked", "reason": "timeout"`, `stop.reason: appears twice`},
		{`"message": "no",`, ``, `stop.message: missing required key`},
		{`"message": "no"`, `"message": null`, `stop.message: must be there`},
		{`"message": "no"`, `"message": 3`, `stop.message: expected a string, got the number 3`},
		{`"reason": "blocked"`, `"reason": "tired"`, `stop.reason: not a reason to stop: "tired"`},
		{`"phase_id": "phase-2",`, `"phase_id": "phase-3",`, `current_phase: not the stopped phase`},
		{`"clarification_request": null`, `"clarification_request": "what"`, `stop.clarification_request: must be there exactly for needs-clarification`},
		{`"completed_phase_ids": [`, `"completed_phase_ids": [ 1,`, `completed_phase_ids[0]: expected a string, got the number 1`},
		{`"completed_phase_ids": [`, `"completed_phase_ids": [ "phase-1",`, `completed_phase_ids[1]: empty or repeated`},
		{`"completed_phase_ids": [`, `"completed_phase_ids": [ "phase-3",`, `completed_phase_ids: phase-3 has no committed phase-complete outcome`},
		{`"status": "phase-complete"`, `"status": "done"`, `committed_outcomes[0].status: unknown status "done"`},
		{`"path": "outcomes/`, `"path": "../../outcomes/`, `committed_outcomes[0].path: not the outcome file of this attempt`},
		{`"accepted_at": "2`, `"accepted_at": "on 2`, `plan.accepted_at: expected a time as 2026-11-30T20:13:05Z`},
		{`"sha256": "`, `"sha256": "X`, `plan.sha256: not a SHA-256 in lowercase hex`},
		{`"active_attempt": null`, `"active_attempt": {}`, `active_attempt.id: missing required key`},
		{`"current_phase": {`, `"current_phase": null, "other": {`, `other: unknown key`},
	} {
		faults = append(faults, stateFault{f.name + " > " + f.state, strings.Replace(good, f.name, f.state, 1), f.want})
	}
	return append(faults, missingKeys(t, good)...)
}

// missingKeys takes out each of the top keys.
func missingKeys(t *testing.T, good string) (faults []stateFault) {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal([]byte(good), &keys); err != nil {
		t.Fatal(err)
	}
	for key, value := range keys {
		if key == "format" {
			continue
		}
		delete(keys, key)
		state, err := json.Marshal(keys)
		if err != nil {
			t.Fatal(err)
		}
		keys[key] = value
		faults = append(faults, stateFault{"without " + key, string(state), key + ": missing required key"})
	}
	return faults
}
