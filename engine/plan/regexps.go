package plan

import (
	"regexp"
	"sync"
)

// lazily compiles a pattern at its first use: a run starts this program twice
// more for every phase, and those processes never look at a plan.
func lazily(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
