// Command ai-session-handler runs the phases of a plan, each in a fresh agent
// process, and keeps durable evidence of every one.
package main

import (
	"context"
	"os"
	"runtime/debug"

	"github.com/ai-session-handler/ai-session-handler/engine/proc/supervise"
)

func main() {
	supervise.Dispatch(os.Args, nil)
	abortOnCrash()
	os.Exit(Main(context.Background(), os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr))
}

// abortOnCrash makes the Go runtime end this process with SIGABRT when it can't
// go on. It would exit with 2, the code of a blocked phase.
func abortOnCrash() { debug.SetTraceback("crash") }
