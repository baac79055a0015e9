package manifest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ai-session-handler/ai-session-handler/schema/language"
)

// layerNames are the places that a setting may come from, the farthest first,
// besides what is built in.
var layerNames = []string{"config.json", "defaults", "agent.base", "agent.codex", "plan.rollout", "plan.rollout, phase 2", "--flag"}

// written is the value of a setting in one of the places, as a manifest writes it.
func written(setting language.Attr, place int) string {
	switch setting.Kind {
	case language.Duration:
		return fmt.Sprintf(`"%dm"`, place+1)
	case language.Size:
		return fmt.Sprintf(`"%dkB"`, place+1)
	case language.Regexes:
		return fmt.Sprintf(`["of %d", "both"]`, place)
	case language.Names:
		return fmt.Sprintf(`["OF_%d", "BOTH"]`, place)
	case language.Environ:
		return fmt.Sprintf(`{ OF_%d = "x", BOTH = "%d" }`, place, place)
	case language.Choice:
		return fmt.Sprintf("%q", setting.Choices[place%2])
	}
	return fmt.Sprint(place + 100)
}

// value is the same as layers hold it.
func value(setting language.Attr, place int) any {
	from := Origin{Name: layerNames[place]}
	switch setting.Kind {
	case language.Duration:
		return time.Duration(place+1) * time.Minute
	case language.Size:
		return int64(place+1) * 1000
	case language.Regexes:
		return List([]string{fmt.Sprintf("of %d", place), "both"}, from)
	case language.Names:
		return List([]string{fmt.Sprintf("OF_%d", place), "BOTH"}, from)
	case language.Environ:
		return map[string]Item{fmt.Sprintf("OF_%d", place): {"x", from}, "BOTH": {fmt.Sprint(place), from}}
	case language.Choice:
		return setting.Choices[place%2]
	case language.CPUs:
		return int64(place+100) * 1000
	}
	return int64(place + 100)
}

// wanted is what counts where a setting stands in some of the places.
func wanted(setting language.Attr, places []int) any {
	nearest := value(setting, places[len(places)-1])
	switch nearest.(type) {
	case []Item:
		if !setting.AddsUp {
			return nearest
		}
		var all []Item
		for _, place := range places {
			for _, item := range value(setting, place).([]Item) {
				if !slices.ContainsFunc(all, func(i Item) bool { return i.Text == item.Text }) {
					all = append(all, item)
				}
			}
		}
		return all
	case map[string]Item:
		all := map[string]Item{}
		for _, place := range places {
			for name, item := range value(setting, place).(map[string]Item) {
				all[name] = item
			}
		}
		return all
	}
	return nearest
}

// resolvedAt resolves a plan with a setting in some of the places.
func resolvedAt(t *testing.T, root string, setting language.Attr, places []int) Resolved {
	t.Helper()
	lines := make([]any, len(layerNames))
	outside := map[int]Layer{0: {}, len(layerNames) - 1: {}}
	for i := range lines {
		lines[i] = ""
	}
	for _, place := range places {
		lines[place] = setting.Name + " = " + written(setting, place) + "\n"
		if layer, ok := outside[place]; ok {
			layer[setting.Name] = Setting{value(setting, place), Origin{Name: layerNames[place]}}
		}
	}
	text := fmt.Sprintf(headPart+"defaults {\n%s}\nagent \"base\" {\nabstract = true\n%s}\nagent \"codex\" {\nextends = agent.base\ncommand = [\"my-agent\"]\n%s}\n"+
		"plan \"rollout\" {\nsource = \"plan.md\"\nagent = agent.codex\n%sphase \"2\" {\n%s}\n}\n", lines[1:6]...)
	m := loaded(t, root, map[string]string{FileName: text})
	m.config = outside[0]
	resolved, err := m.Resolve(Request{Plan: m.Plans[0], Flags: outside[len(layerNames)-1]})
	if err != nil {
		t.Fatal(err)
	}
	return resolved
}

// TestPrecedence puts every setting into every combination of places.
func TestPrecedence(t *testing.T) {
	root := t.TempDir()
	for _, setting := range language.Settings() {
		for set := 1; set < 1<<len(layerNames); set++ {
			places := placesOf(set)
			got := resolvedAt(t, root, setting, places).Phases["phase-2"][setting.Name]
			if diff := cmp.Diff(wanted(setting, places), got.Value, cmp.Transformer("name", func(o Origin) string { return o.Name })); diff != "" {
				t.Fatalf("%s of %v:\n%s", setting.Name, places, diff)
			}
			if nearest := layerNames[places[len(places)-1]]; got.Origin.Name != nearest {
				t.Fatalf("%s of %v comes from %q, not %q", setting.Name, places, got.Origin.Name, nearest)
			}
		}
	}
}

func placesOf(set int) (places []int) {
	for place := range layerNames {
		if set&(1<<place) != 0 {
			places = append(places, place)
		}
	}
	return places
}

// What a phase says counts for that phase alone.
func TestAPhaseChangesNoOther(t *testing.T) {
	root := t.TempDir()
	phase := slices.Index(layerNames, "plan.rollout, phase 2")
	for _, setting := range language.Settings() {
		got := resolvedAt(t, root, setting, []int{phase}).Default[setting.Name]
		if got.Origin.Name != "" && got.Origin.Name != "built-in default" {
			t.Errorf("%s comes from %s", setting.Name, got.Origin.Name)
		}
	}
}

// TestExplainNamesEveryOrigin explains a plan that has every setting everywhere.
func TestExplainNamesEveryOrigin(t *testing.T) {
	root := t.TempDir()
	for _, setting := range language.Settings() {
		all := placesOf(1<<len(layerNames) - 1)
		resolved := resolvedAt(t, root, setting, all)
		explained := resolved.Phases["phase-2"].Explain()
		if len(explained) != len(resolved.Phases["phase-2"]) {
			t.Errorf("%s: %d of %d values are explained", setting.Name, len(explained), len(resolved.Phases["phase-2"]))
		}
		for _, e := range explained {
			if e.Value == "" || len(e.Origins) == 0 || slices.Contains(e.Origins, "") {
				t.Errorf("%s has no value or no origin: %+v", e.Name, e)
			}
			if e.Name == setting.Name && setting.AddsUp && len(e.Origins) != len(layerNames) {
				t.Errorf("%s comes from %q", e.Name, e.Origins)
			}
		}
	}
}

const chooser = headPart + `
defaults {
  agent   = agent.codex
  timeout = "10m"
  stop_on = ["of defaults"]
}

agent "codex" {
  command = ["codex"]
  stop_on = ["of codex"]
  grace   = "1s"
}

agent "base" {
  abstract = true
}

agent "other" {
  command = ["other"]
  stop_on = ["of other"]
  timeout = "20m"
}

plan "rollout" {
  source  = "plan.md"
  timeout = "30m"
  stop_on = ["of plan"]

  phase "2" {
    agent       = agent.codex
    pause_after = true
    stop_on     = ["of phase"]
  }
}
`

// A flag that names an agent or a command replaces the agent alone, for every
// phase.
func TestFlagsReplaceOnlyTheAgent(t *testing.T) {
	m := loaded(t, t.TempDir(), map[string]string{FileName: chooser})
	for name, test := range map[string]struct {
		flags   Layer
		agent   string
		command string
		rules   string
		grace   time.Duration
	}{
		"none":        {Layer{}, "codex", "codex", "of defaults, of codex, of plan", time.Second},
		"--agent":     {Layer{"agent": {"other", Origin{Name: "--agent"}}}, "other", "other", "of defaults, of other, of plan", 5 * time.Second},
		"--agent-cmd": {Layer{"command": {Command{"mine", "x"}, Origin{Name: "--agent-cmd"}}}, "agent-cmd", "mine x", "of defaults, of plan", 5 * time.Second},
	} {
		resolved, err := m.Resolve(Request{Plan: m.Plans[0], Flags: test.flags})
		if err != nil {
			t.Fatal(err)
		}
		for id, rules := range map[string]string{"phase-1": test.rules, "phase-2": test.rules + ", of phase"} {
			p := resolved.Binding.For(id)
			if p.Agent != test.agent || strings.Join(p.Argv, " ") != test.command || strings.Join(p.StopOn, ", ") != rules {
				t.Errorf("%s, %s: %s runs %q with %q", name, id, p.Agent, p.Argv, p.StopOn)
			}
			if p.Limits.Timeout != 30*time.Minute || p.Limits.Grace != test.grace || p.PauseAfter != (id == "phase-2") {
				t.Errorf("%s, %s: %+v", name, id, p)
			}
		}
	}
}

func TestAgentsThatCannotBeChosen(t *testing.T) {
	m := loaded(t, t.TempDir(), map[string]string{FileName: chooser})
	for name, abstract := range map[string]bool{"base": true, "codx": false} {
		_, err := m.Resolve(Request{Plan: m.Plans[0], Flags: Layer{"agent": {name, Origin{Name: "--agent"}}}})
		var unknown *UnknownAgentError
		if !errors.As(err, &unknown) || unknown.Abstract != abstract || !slices.Equal(unknown.Known, []string{"codex", "other"}) {
			t.Errorf("%s: %+v", name, err)
		}
	}
}

// A plan that no block binds runs as defaults say, or else with the command of
// config.json.
func TestPlansWithoutABlock(t *testing.T) {
	m := loaded(t, t.TempDir(), map[string]string{FileName: chooser})
	bound, err := m.Resolve(Request{Source: "other.md"})
	if p := bound.Binding.For("phase-1"); err != nil || p.Agent != "codex" || p.Limits.Timeout != 10*time.Minute || bound.Binding.Source != "other.md" {
		t.Errorf("%+v, %v", bound.Binding, err)
	}
	config := Layer{"command": {Command{"mine"}, Origin{Name: "config.json"}}, "timeout": {time.Minute, Origin{Name: "config.json"}}}
	none, problems := Load(Input{Config: config})
	free, err := none.Resolve(Request{Source: "other.md"})
	if p := free.Binding.For("phase-1"); err != nil || len(problems) > 0 || p.Agent != "config.json" || p.Argv[0] != "mine" || p.Limits.Timeout != time.Minute {
		t.Errorf("%+v, %v", free.Binding, err)
	}
	none.config = Layer{}
	if _, err := none.Resolve(Request{Source: "other.md"}); !errors.Is(err, ErrNoAgent) {
		t.Errorf("without any agent: %v", err)
	}
}

// max_phases and retry have their own places.
func TestWhatHoldsForAWholePlan(t *testing.T) {
	retry := "retry {\non = [\"timeout\"]\nmax_attempts = %d\n}\n"
	text := fmt.Sprintf(headPart+"defaults {\nagent = agent.a\nmax_phases = 2\n"+retry+"}\nagent \"a\" {\ncommand = [\"a\"]\n}\nplan \"d\" {\nsource = \"d.md\"\n}\n"+
		"plan \"p\" {\nsource = \"p.md\"\nmax_phases = 3\n"+retry+"phase \"2\" {\n"+retry+"}\n}\n", 2, 3, 4)
	m := loaded(t, t.TempDir(), map[string]string{FileName: text})
	m.config = Layer{"max_phases": {int64(1), Origin{Name: "config.json"}}}
	for i, want := range []string{"2: 2, 2", "3: 3, 4"} {
		resolved, _ := m.Resolve(Request{Plan: m.Plans[i]})
		got := fmt.Sprintf("%d: %d, %d", resolved.MaxPhases, resolved.Binding.For("phase-1").Retry.MaxAttempts, resolved.Binding.For("phase-2").Retry.MaxAttempts)
		if got != want {
			t.Errorf("plan %s: %s, want %s", m.Plans[i].Name, got, want)
		}
	}
	flags := Layer{"max_phases": {int64(9), Origin{Name: "--max-phases"}}}
	if resolved, _ := m.Resolve(Request{Plan: m.Plans[1], Flags: flags}); resolved.MaxPhases != 9 {
		t.Errorf("--max-phases: %d", resolved.MaxPhases)
	}
}

// Values are shown as a manifest writes them.
func TestExplainWritesValuesAsAManifest(t *testing.T) {
	text := placed("plan", "stop_on = [\"a\", \"b\"]\nidle_timeout = \"90s\"\ncpu_max = 1.5\nmemory_max = \"none\"\nenv = { B = \"\", A = \"1\" }\nlimits = \"best-effort\"\n"+
		"retry {\non = [\"timeout\"]\nmax_attempts = 2\n}")
	m := loaded(t, t.TempDir(), map[string]string{FileName: text})
	resolved, _ := m.Resolve(Request{Plan: m.Plans[0]})
	got := map[string]string{}
	for _, e := range resolved.Default.Explain() {
		got[e.Name] = e.Value
	}
	want := map[string]string{
		"agent": "codex", "command": `["my-agent"]`, "timeout": "1h0m0s", "idle_timeout": "1m30s", "grace": "5s", "output_max": "2GiB",
		"stop_on": `["a", "b"]`, "env": `{A = "1", B = ""}`, "memory_max": "none", "cpu_max": "1.5", "limits": "best-effort",
		"retry": `{ on = ["timeout"], max_attempts = 2, delay = none }`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
