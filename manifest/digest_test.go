package manifest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ai-session-handler/ai-session-handler/engine/binding"
	"github.com/ai-session-handler/ai-session-handler/manifest/hclfile"
	"github.com/ai-session-handler/ai-session-handler/schema/language"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// tester is what *testing.T and *rapid.T have in common.
type tester interface {
	Helper()
	Fatalf(format string, args ...any)
}

// loaded reads a manifest of some files, which must have no errors. The main one
// is native or JSON by its name.
func loaded(t tester, root string, files map[string]string) *Manifest {
	t.Helper()
	for _, pattern := range []string{FileName, JSONName, Companions} {
		old, _ := filepath.Glob(filepath.Join(root, pattern))
		for _, path := range old {
			if err := os.Remove(path); err != nil {
				t.Fatalf("%v", err)
			}
		}
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatalf("%v", err)
		}
	}
	path, err := In(root)
	if err != nil {
		t.Fatalf("%v", err)
	}
	m, problems := Load(Input{Root: root, Path: path, Program: "1.0.0", Config: Layer{}})
	if problems.HasErrors() {
		t.Fatalf("%s\n%v", problems.Text(false), files)
	}
	return m
}

// bindingsOf resolves every plan.
func bindingsOf(t tester, m *Manifest) map[string]record.Binding {
	t.Helper()
	all := map[string]record.Binding{}
	for _, p := range m.Plans {
		resolved, err := m.Resolve(Request{Plan: p})
		if err != nil {
			t.Fatalf("plan %s: %v", p.Name, err)
		}
		all[p.Name] = resolved.Binding.Record()
	}
	return all
}

func digestsOf(t tester, m *Manifest) map[string]string {
	t.Helper()
	digests := map[string]string{}
	for name, b := range bindingsOf(t, m) {
		digests[name] = binding.Digest(b)
	}
	return digests
}

const (
	variablePart = `variable "effort" {
  default = "high"
}
`
	agentPart = `agent "base" {
  abstract = true
  stop_on  = ["FATAL", "quota"]
}

agent "codex" {
  extends = agent.base
  command = ["my-agent", "{prompt_file}"]
  env     = { EFFORT = var.effort, A = "1" }
}
`
	planPart = `defaults {
  agent   = agent.codex
  timeout = "30m"
}

plan "rollout" {
  source = "plan.md"

  phase "2" {
    idle_timeout = "90s"
  }

  phase "3" {
    agent = agent.codex
  }

  retry {
    on           = ["timeout", "agent-failed"]
    max_attempts = 2
  }
}
`
	headPart = "manifest {\n  version = 1\n}\n"
)

// What means the same has the same digest, however it is written.
func TestWhatDoesNotChangeADigest(t *testing.T) {
	root := t.TempDir()
	whole := headPart + variablePart + agentPart + planPart
	want := digestsOf(t, loaded(t, root, map[string]string{FileName: whole}))
	replaced := func(pairs ...string) map[string]string {
		text := whole
		for i := 0; i < len(pairs); i += 2 {
			if !strings.Contains(text, pairs[i]) {
				t.Fatalf("the manifest has no %s", pairs[i])
			}
			text = strings.ReplaceAll(text, pairs[i], pairs[i+1])
		}
		return map[string]string{FileName: text}
	}
	for name, files := range map[string]map[string]string{
		"comments":           replaced("agent ", "# an agent\n/* of ours */ agent ", "abstract = true", "abstract = true // yes"),
		"layout":             replaced("  ", "\t ", " = ", "=", "{\n", "{\n\n\n"),
		"line ends":          replaced("\n", "\r\n"),
		"byte order mark":    {FileName: "\ufeff" + whole},
		"order of blocks":    {FileName: planPart + agentPart + variablePart + headPart},
		"two files":          {FileName: headPart + planPart, "agents.handler.hcl": variablePart + agentPart},
		"order of files":     {FileName: planPart, "a.handler.hcl": agentPart + headPart, "b.handler.hcl": variablePart},
		"unit":               replaced(`"30m"`, `"1800s"`, `"90s"`, `"1m30s"`),
		"unrelated blocks":   {FileName: whole + "agent \"other\" {\n  command = [\"x\"]\n  timeout = \"1m\"\n}\nplan \"web\" {\n  source = \"web.md\"\n}\n"},
		"descriptions":       replaced("abstract", "description = \"x\"\n  abstract", "source", "description = \"y\"\n  source"),
		"name of a variable": replaced("effort", "thinking"),
		"a local":            replaced("var.effort", "local.e", headPart, headPart+"locals {\n  e = upper(\"x\") == \"X\" ? var.effort : \"\"\n}\n"),
		"order of a map":     replaced(`{ EFFORT = var.effort, A = "1" }`, `{ A = "1", EFFORT = var.effort }`),
		"order of retry.on":  replaced(`["timeout", "agent-failed"]`, `["agent-failed", "timeout"]`),
		"max_phases":         replaced("source", "max_phases = 2\n  source"),
		"path of the source": replaced(`"plan.md"`, `"./x/../plan.md"`),
		"default written":    replaced("source", "grace = \"5s\"\n  output_max = \"2GiB\"\n  limits = \"strict\"\n  source"),
		"rule of its own":    replaced(`["FATAL", "quota"]`, `["FATAL", "quota", "FATAL"]`),
		"repeated rule":      replaced("source", "stop_on = [\"quota\"]\n  source"),
	} {
		got := digestsOf(t, loaded(t, root, files))
		if got["rollout"] != want["rollout"] {
			t.Errorf("%s: the digest changed", name)
		}
	}
}

// spelled are two values of each setting that do not mean the same.
var spelled = map[string][2]string{
	"timeout":      {`"30m"`, `"none"`},
	"idle_timeout": {`"1m"`, `"2m"`},
	"grace":        {`"1s"`, `"1500ms"`},
	"output_max":   {`"1MB"`, `"1MiB"`},
	"stop_on":      {`["a", "b"]`, `["b", "a"]`},
	"pass_env":     {`["A"]`, `[]`},
	"unset_env":    {`["A"]`, `["B"]`},
	"env":          {`{ A = "1" }`, `{ A = "2" }`},
	"secret_env":   {`["A"]`, `["B"]`},
	"memory_max":   {`"1GiB"`, `"none"`},
	"pids_max":     {`100`, `101`},
	"cpu_max":      {`1.5`, `0.01`},
	"limits":       {`"strict"`, `"best-effort"`},
}

// placed is a manifest with a line in one of its blocks.
func placed(where, line string) string {
	lines := map[string]string{where: line + "\n"}
	return fmt.Sprintf(headPart+"defaults {\nagent = agent.codex\n%s}\nagent \"codex\" {\ncommand = [\"my-agent\"]\n%s}\nplan \"rollout\" {\nsource = \"plan.md\"\n%sphase \"2\" {\n%s}\n}\n",
		lines["defaults"], lines["agent"], lines["plan"], lines["phase"])
}

var threeIDs = []string{"phase-1", "phase-2", "phase-3"}

// changed is what differs between two manifests, as "field of phases".
func changed(t *testing.T, root, before, after string) (list []string) {
	t.Helper()
	old := bindingsOf(t, loaded(t, root, map[string]string{FileName: before}))["rollout"]
	now := bindingsOf(t, loaded(t, root, map[string]string{FileName: after}))["rollout"]
	for _, group := range binding.Compare(old, now, threeIDs) {
		for _, change := range group.Changes {
			list = append(list, change.Field+" of "+strings.Join(group.IDs, ", "))
		}
	}
	if (binding.Digest(old) == binding.Digest(now)) != (len(list) == 0) {
		t.Errorf("the digest and the changes %v disagree", list)
	}
	return list
}

// Each setting changes the phases that it is for, and no others.
func TestEachSettingChangesTheDigest(t *testing.T) {
	root := t.TempDir()
	for _, setting := range language.Settings() {
		values, ok := spelled[setting.Name]
		if !ok {
			t.Errorf("%s has no values in this test", setting.Name)
			continue
		}
		field := setting.Name
		if field == "env" {
			field = "env.A"
		}
		for where, phases := range map[string]string{
			"defaults": "phase-1, phase-2, phase-3", "agent": "phase-1, phase-2, phase-3", "plan": "phase-1, phase-2, phase-3", "phase": "phase-2",
		} {
			before, after := placed(where, setting.Name+" = "+values[0]), placed(where, setting.Name+" = "+values[1])
			if diff := cmp.Diff([]string{field + " of " + phases}, changed(t, root, before, after)); diff != "" {
				t.Errorf("%s in %s:\n%s", setting.Name, where, diff)
			}
		}
	}
}

// So does what is no setting of every block.
func TestWhatElseChangesTheDigest(t *testing.T) {
	const all, second = "phase-1, phase-2, phase-3", "phase-2"
	other := "agent \"other\" {\ncommand = [\"my-agent\"]\n}\n"
	retry := func(on, attempts, delay string) string {
		return fmt.Sprintf("retry {\non = [%s]\nmax_attempts = %s\ndelay = %s\n}", on, attempts, delay)
	}
	before := retry(`"timeout"`, "2", `"1m"`)
	root := t.TempDir()
	for name, test := range map[string]struct {
		before, after string
		want          []string
	}{
		"agent":       {placed("", "") + other, strings.Replace(placed("", ""), "agent.codex", "agent.other", 1) + other, []string{"agent of " + all}},
		"of a phase":  {placed("", "") + other, placed("phase", "agent = agent.other") + other, []string{"agent of " + second}},
		"command":     {placed("", ""), strings.Replace(placed("", ""), `"my-agent"`, `"my-agent", ""`, 1), []string{"command of " + all}},
		"pause_after": {placed("", ""), placed("phase", "pause_after = true"), []string{"pause_after of " + second}},
		"retry":       {placed("", ""), placed("defaults", before), []string{"retry of " + all}},
		"no retry":    {placed("phase", before), placed("phase", ""), []string{"retry of " + second}},
		"on":          {placed("plan", before), placed("plan", retry(`"agent-failed"`, "2", `"1m"`)), []string{"retry.on of " + all}},
		"attempts":    {placed("plan", before), placed("plan", retry(`"timeout"`, "3", `"1m"`)), []string{"retry.max_attempts of " + all}},
		"delay":       {placed("phase", before), placed("phase", retry(`"timeout"`, "2", `"none"`)), []string{"retry.delay of " + second}},
		"new map key": {placed("agent", `env = { A = "1" }`), placed("agent", `env = { A = "1", B = "" }`), []string{"env.B of " + all}},
		"restricted":  {placed("agent", ""), placed("agent", "pass_env = []"), []string{"pass_env of " + all}},
	} {
		if diff := cmp.Diff(test.want, changed(t, root, test.before, test.after)); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

// Formatting a manifest changes no digest.
func TestFormatKeepsDigests(t *testing.T) {
	root := t.TempDir()
	messy := strings.NewReplacer("  ", " ", " = ", "=", "\n}", "\n\n\n  }").Replace(headPart + variablePart + agentPart + planPart)
	want := digestsOf(t, loaded(t, root, map[string]string{FileName: messy}))
	formatted := string(hclfile.Format([]byte(messy)))
	if formatted == messy {
		t.Fatal("nothing was formatted; the test shows nothing")
	}
	if diff := cmp.Diff(want, digestsOf(t, loaded(t, root, map[string]string{FileName: formatted}))); diff != "" {
		t.Error(diff)
	}
}

// The source is part of a binding, so that a plan that moved is another one.
func TestSourceChangesTheDigest(t *testing.T) {
	root := t.TempDir()
	var digests []string
	for _, source := range []string{"plan.md", "web.md"} {
		text := strings.Replace(placed("", ""), "plan.md", source, 1)
		digests = append(digests, digestsOf(t, loaded(t, root, map[string]string{FileName: text}))["rollout"])
	}
	if len(slices.Compact(digests)) != 2 {
		t.Error("two sources have one digest")
	}
}
