// Command ai-session-handler runs the phases of a plan, each in a fresh agent
// process, and keeps durable evidence of every one.
package main

import (
	"context"
	"os"

	"github.com/ai-session-handler/ai-session-handler/engine/proc/supervise"
)

func main() {
	supervise.Dispatch(os.Args, nil)
	os.Exit(Main(context.Background(), os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr))
}
