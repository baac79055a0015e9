package hclfile_test

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ai-session-handler/ai-session-handler/manifest/hclfile"
)

// plansPerFile keeps a file below 1 MiB.
const plansPerFile = 1000

// manyPlans returns a manifest of n plans, with an agent for every ten of them.
func manyPlans(n int) (files []hclfile.Source) {
	for first := 0; first < n; first += plansPerFile {
		text := strings.Builder{}
		if first == 0 {
			text.WriteString(head)
		}
		for i := first; i < min(n, first+plansPerFile); i++ {
			if i%10 == 0 {
				fmt.Fprintf(&text, "agent \"agent-%d\" {\n  command = [\"codex\", \"exec\", \"--json\", \"-\"]\n  secret_env = [\"OPENAI_API_KEY\"]\n}\n\n", i/10)
			}
			fmt.Fprintf(&text, "plan \"plan-%d\" {\n  source     = \"docs/plans/plan-%d.md\"\n  agent      = agent.agent-%d\n  timeout    = \"45m\"\n"+
				"  max_phases = 4\n  stop_on    = [\"FATAL\", \"(?i)usage limit\"]\n\n  phase \"3\" {\n    timeout     = \"90m\"\n    pause_after = true\n  }\n}\n\n", i, i, i/10)
		}
		files = append(files, hclfile.Source{Name: fmt.Sprintf("m%d.hcl", first), Bytes: []byte(text.String())})
	}
	return files
}

// processorTime is that of this process, which a loaded machine changes less than
// the time of a clock.
func processorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func BenchmarkLoad(b *testing.B) {
	for _, n := range []int{10, 1000, 9000} {
		b.Run(fmt.Sprintf("plans=%d", n), func(b *testing.B) {
			files := manyPlans(n)
			size := 0
			for _, f := range files {
				size += len(f.Bytes)
			}
			b.SetBytes(int64(size))
			before := processorTime()
			for b.Loop() {
				if _, problems := hclfile.Load(files, hclfile.Inputs{}); len(problems) > 0 {
					b.Fatal(problems[0])
				}
			}
			b.ReportMetric(float64((processorTime()-before).Microseconds())/float64(b.N)/1000, "cpu-ms/op")
		})
	}
}

func BenchmarkFormat(b *testing.B) {
	text := manyPlans(1000)[0].Bytes
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		hclfile.Format(text)
	}
}
