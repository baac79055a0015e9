package manifest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// manyPlans is a manifest as people write it, with so many plans, in files small
// enough to be read. Every other plan has a phase block.
func manyPlans(b *testing.B, plans int) Input {
	b.Helper()
	root := b.TempDir()
	files := []*strings.Builder{{}}
	fmt.Fprint(files[0], headPart+variablePart+`locals {
  limits = ["(?i)usage limit reached", "(?i)quota exceeded"]
}
defaults {
  agent   = agent.codex
  timeout = "1h"
}
agent "base" {
  abstract = true
  stop_on  = local.limits
}
agent "codex" {
  extends = agent.base
  command = ["my-agent", "--prompt", "{prompt_file}"]
  env     = { EFFORT = var.effort }
}
`)
	for i := range plans {
		last := files[len(files)-1]
		if last.Len() > 900_000 {
			last = &strings.Builder{}
			files = append(files, last)
		}
		fmt.Fprintf(last, `
plan "plan-%d" {
  source       = "docs/plans/plan-%d.md"
  agent        = agent.codex
  max_phases   = 4
  idle_timeout = "30m"
  stop_on      = ["FATAL"]
`, i, i)
		if i%2 == 0 {
			fmt.Fprint(last, "\n  phase \"3\" {\n    timeout     = \"90m\"\n    pause_after = true\n  }\n")
		}
		fmt.Fprintln(last, "}")
	}
	for i, text := range files {
		name := FileName
		if i > 0 {
			name = fmt.Sprintf("f%d.handler.hcl", i)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(text.String()), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	return Input{Root: root, Path: filepath.Join(root, FileName), Program: "1.0.0", Config: Layer{}}
}

// BenchmarkLoad reads and checks a manifest, and makes the digest of every plan.
func BenchmarkLoad(b *testing.B) {
	for _, plans := range []int{10, 1_000, 10_000} {
		in := manyPlans(b, plans)
		b.Run(fmt.Sprintf("plans=%d", plans), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				m, problems := Load(in)
				if len(problems) > 0 {
					b.Fatal(problems.Text(false))
				}
				for _, p := range m.Plans {
					resolved, err := m.Resolve(Request{Plan: p})
					if err != nil {
						b.Fatal(err)
					}
					_ = resolved.Binding.Digest()
				}
			}
			b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N)/float64(plans), "ms/plan")
		})
	}
}
