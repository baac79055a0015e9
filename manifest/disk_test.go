package manifest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const focused = headPart + `
agent "codex" {
  command = ["my-agent"]
}

agent "absent" {
  command = ["absent"]
}

defaults {
  agent = agent.codex
}

plan "rollout" {
  source = "plan.md"

  phase "2" {
    agent = agent.absent
  }
}

plan "web" {
  source = "web.md"
  agent  = agent.absent
}

plan "gone" {
  source = "gone.md"
}

plan "bad" {
  source = "bad.md"
}
`

// TestFocus checks the disk for one phase that runs next: only what that needs is
// an error, and other plans are only looked for.
func TestFocus(t *testing.T) {
	root := workspaceOf(t)
	write(t, filepath.Join(root, "bad.md"), "no plan\n")
	m := loaded(t, root, map[string]string{FileName: focused})
	plan := func(name string) *Plan {
		p, _ := m.Plan(name)
		return p
	}
	flags := Layer{"agent": {"absent", Origin{Name: "--agent"}}}
	for name, test := range map[string]struct {
		focus *Focus
		want  []string
	}{
		"none":             {nil, []string{"error E504 absent", "error E501 gone", "error E502 bad"}},
		"first phase":      {&Focus{Plan: plan("rollout"), PhaseID: "phase-1"}, []string{"warning E504 absent", "warning E501 gone", "warning E502 bad"}},
		"second phase":     {&Focus{Plan: plan("rollout"), PhaseID: "phase-2"}, []string{"error E504 absent", "warning E501 gone", "warning E502 bad"}},
		"nothing left":     {&Focus{Plan: plan("rollout")}, []string{"warning E504 absent", "warning E501 gone", "warning E502 bad"}},
		"another plan":     {&Focus{Plan: plan("web"), PhaseID: "phase-1"}, []string{"error E504 absent", "warning E501 gone", "warning E502 bad"}},
		"the missing plan": {&Focus{Plan: plan("gone"), PhaseID: "phase-1"}, []string{"error E501 gone", "warning E502 bad"}},
		"the broken plan":  {&Focus{Plan: plan("bad"), PhaseID: "phase-1"}, []string{"warning E501 gone", "error E502 bad"}},
		"flags":            {&Focus{Plan: plan("rollout"), PhaseID: "phase-1", Flags: flags}, []string{"error E504 absent", "warning E501 gone", "warning E502 bad"}},
	} {
		problems := m.CheckFiles(fakeMachine{missing: "absent"}, test.focus)
		var got []string
		for _, p := range problems {
			what := map[string]string{"E504": "absent", "E501": "gone", "E502": "bad"}[p.Code]
			got = append(got, fmt.Sprintf("%s %s %s", p.Severity, p.Code, what))
		}
		slices.Sort(got)
		slices.Sort(test.want)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s:\n%s\n%s", name, diff, problems.Text(false))
		}
	}
}

// TestPlansThatLieElsewhere has a manifest in a directory that nothing makes a
// workspace of the plans below it, and plans to which links lead.
func TestPlansThatLieElsewhere(t *testing.T) {
	root := workspaceOf(t)
	write(t, filepath.Join(root, "docs", "plan.md"), threePhases)
	outside := filepath.Join(filepath.Dir(root), "outside", "plan.md")
	write(t, outside, threePhases)
	if err := os.Symlink(outside, filepath.Join(root, "link.md")); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ source, remove, want string }{
		{"docs/plan.md", "", ""},
		{"link.md", "", "lies outside the plan workspace, in " + filepath.Dir(outside) + ", where a link leads. Put the plan itself"},
		{"docs/plan.md", "all", "belongs to no plan workspace, since " + root + " has no .ai-session-handler, .git or AGENTS.md. Run ai-session-handler init there"},
	} {
		m := loaded(t, root, map[string]string{FileName: headPart + `
agent "codex" {
  command = ["my-agent"]
}

plan "p" {
  source = "` + test.source + `"
  agent  = agent.codex
}
`})
		if test.remove != "" {
			for _, marker := range []string{".git", "AGENTS.md"} {
				if err := os.RemoveAll(filepath.Join(root, marker)); err != nil {
					t.Fatal(err)
				}
			}
		}
		problems := m.CheckFiles(fakeMachine{}, nil)
		if test.want == "" && len(problems) == 0 {
			continue
		}
		if len(problems) != 1 || problems[0].Code != "E507" || !strings.Contains(problems[0].Summary+". "+problems[0].Hint, test.want) {
			t.Errorf("%s:\n%s", test.source, problems.Text(false))
		}
	}
}

// What a hint says to run can be pasted into a shell, wherever that is.
func TestCommandsInHintsAreQuoted(t *testing.T) {
	root := workspaceOf(t)
	m := loaded(t, root, map[string]string{FileName: headPart + `
agent "codex" {
  command = ["my-agent"]
}

plan "p" {
  source = "-$(date) x.md"
  agent  = agent.codex
}
`})
	problems := m.CheckFiles(fakeMachine{}, nil)
	want := "ai-session-handler plan new '" + filepath.Join(root, "-$(date) x.md") + "'"
	if len(problems) != 1 || !strings.Contains(problems[0].Hint, "("+want+")") {
		t.Errorf("want %s:\n%s", want, problems.Text(false))
	}
}
