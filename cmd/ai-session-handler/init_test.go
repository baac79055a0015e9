package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// starterBlocks are the blocks of the starter manifest that are comments, by how
// they begin.
func starterBlocks() map[string]string {
	blocks := map[string]string{}
	name, text := "", ""
	for line := range strings.Lines(string(starterManifest)) {
		body := strings.TrimPrefix(strings.TrimPrefix(line, "#"), " ")
		if name == "" && strings.HasSuffix(body, " {\n") && body != line {
			name = strings.TrimSuffix(body, " {\n")
		}
		if name == "" {
			continue
		}
		text += body
		if body == "}\n" {
			blocks[name], name, text = text, "", ""
		}
	}
	return blocks
}

// TestWhatInitWritesIsValid runs init, and then uncomments each of the profiles,
// with the plan bound to it.
func TestWhatInitWritesIsValid(t *testing.T) {
	t.Parallel()
	blocks := starterBlocks()
	plan := `plan "example"`
	if len(blocks) != 4 || blocks[plan] == "" {
		t.Fatalf("%q", blocks)
	}
	bin := t.TempDir()
	for _, program := range []string{"claude", "codex"} {
		if err := os.WriteFile(filepath.Join(bin, program), []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	r := &repo{t: t, ws: t.TempDir()}
	r.writeFile("AGENTS.md", "")
	if e := r.exec(nil, "init"); e.code != exitOK {
		t.Fatalf("%+v", e)
	}
	r.writeFile("scripts/agent", "#!/bin/sh\n")
	if err := os.Chmod(r.path("scripts/agent"), 0o700); err != nil {
		t.Fatal(err)
	}
	r.wantValid(bin, "agents: 0, plans: 0")
	for name, block := range blocks {
		if name == plan {
			continue
		}
		reference := strings.ReplaceAll(strings.ReplaceAll(name, " ", "."), `"`, "")
		bound := strings.ReplaceAll(blocks[plan], "agent.claude", reference)
		r.writeFile("ai-session-handler.hcl", string(starterManifest)+"\n"+block+"\n"+bound)
		r.wantValid(bin, "agents: 1, plans: 1")
		if e := r.exec(nil, "fmt", "--diff"); e.code != exitOK || e.out != "" {
			t.Errorf("fmt would change %s: %+v", name, e)
		}
		e := r.exec([]string{"PATH=" + bin + ":" + os.Getenv("PATH"), "AGENT_API_KEY=a-value-of-a-key"}, "run", "example", "--dry-run")
		if e.code != exitOK || !strings.Contains(e.out, "pause after it:      yes") {
			t.Errorf("%s: %+v", name, e)
		}
	}
}

func (r *repo) wantValid(bin, counts string) {
	r.t.Helper()
	e := r.exec([]string{"PATH=" + bin + ":" + os.Getenv("PATH"), "AGENT_API_KEY=a-value-of-a-key"}, "validate")
	if want := r.path("ai-session-handler.hcl") + ": ok (" + counts + ")\n"; e.code != exitOK || e.out != want {
		r.t.Errorf("%+v, want %s", e, want)
	}
}
