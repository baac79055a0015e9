package plan_test

import (
	"fmt"

	"github.com/ai-session-handler/ai-session-handler/engine/plan"
)

func ExampleParse() {
	s, err := plan.Parse("rollout.md", []byte("# Rollout\n\n## Phase 1: Schema\n\n### Workspace\n\n../db\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	p, _ := s.Phase("phase-1")
	fmt.Printf("%s at line %d works in %s\n", p.Title, p.Line, p.Workspace)
	// Output: Schema at line 3 works in ../db
}

func ExampleError() {
	_, err := plan.Parse("rollout.md", []byte("# Rollout\n\n### Fase 1 - Schema\n"))
	fmt.Println(err)
	// Output:
	// rollout.md: no executable phase; found 1 heading like "### Fase 1 - Schema" (line 3)
	//     Line 3: write "## Phase 1: Schema".
}
