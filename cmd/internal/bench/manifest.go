package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/ai-session-handler/ai-session-handler/engine/plan"
)

// manifestSizes are how many plans a manifest has, and the CPU time that checking
// it may take. The largest one shows how the time grows.
var manifestSizes = []struct {
	plans  int
	target time.Duration
}{{10, 15 * time.Millisecond}, {1_000, 300 * time.Millisecond}, {10_000, 3 * time.Second}}

// measureManifest measures checking a manifest up to the values, and all of it for
// the smallest. The CPU time counts, since the machine may be shared.
func measureManifest(l *lab) ([]line, error) {
	var lines []line
	for _, size := range manifestSizes {
		dir, err := l.manifest(size.plans)
		if err != nil {
			return nil, err
		}
		samples, err := interleave(l.runs, l.measureCPU(dir, l.handler, "--version"),
			l.measureCPU(dir, l.handler, "validate", "--level", "value"))
		if err != nil {
			return nil, err
		}
		lines = append(lines, atMost(fmt.Sprintf("validate, CPU time, %d plans", size.plans), samples[1], size.target, samples[0], "start-up"))
	}
	return lines, nil
}

// manifestChunk is how many plans go into one file, which must stay below 1 MiB.
const manifestChunk = 2_000

// manifest makes a workspace with a manifest of that many plans: an agent for each
// ten of them, and a phase with settings of its own in each.
func (l *lab) manifest(plans int) (dir string, err error) {
	if dir, err = l.workspace(plan.Template("Benchmark", 1)); err != nil {
		return "", err
	}
	text := []byte("manifest {\n  version = 1\n}\n")
	for n := range plans {
		if n%10 == 0 {
			text = fmt.Appendf(text, "\nagent \"a%d\" {\n  command = [\"sh\", \"-c\", \"true\", \"{prompt_file}\"]\n  timeout = \"45m\"\n}\n", n/10)
		}
		text = fmt.Appendf(text, "\nplan \"p%d\" {\n  source     = \"docs/plans/p%d.md\"\n  agent      = agent.a%d\n  timeout    = \"30m\"\n  max_phases = 4\n  stop_on    = [\"(?i)usage limit reached\", \"FATAL\"]\n\n  phase \"3\" {\n    timeout = \"90m\"\n  }\n}\n", n, n, n/10)
		if (n+1)%manifestChunk == 0 || n+1 == plans {
			name := "ai-session-handler.hcl"
			if n >= manifestChunk {
				name = fmt.Sprintf("%05d.handler.hcl", n)
			}
			if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
				return "", err
			}
			text = nil
		}
	}
	return dir, nil
}
