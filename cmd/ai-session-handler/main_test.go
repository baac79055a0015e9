package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ai-session-handler/ai-session-handler/engine/enginetest"
	"github.com/ai-session-handler/ai-session-handler/engine/proc/supervise"
)

// TestMain makes the test binary the product: run under the name
// ai-session-handler it is the real Main, and its supervisors and workers'
// trampolines are this binary too. Only the seam differs.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "__supervise" {
		supervise.Dispatch(os.Args, enginetest.ParentFault())
	}
	supervise.Dispatch(os.Args, enginetest.Fault(os.Getenv(enginetest.TrampolineFaultEnv)))
	// A process with the race detector would sleep for a second when it ends.
	if os.Getenv("GORACE") == "" {
		_ = os.Setenv("GORACE", "atexit_sleep_ms=0")
	}
	testscript.Main(m, map[string]func(){"ai-session-handler": product})
}

func product() {
	abortOnCrash()
	testOnlySeam = enginetest.Fault(os.Getenv(enginetest.FaultEnv))
	if grace, err := time.ParseDuration(os.Getenv("HANDLER_TEST_GRACE")); err == nil {
		testOnlyGrace = grace
	}
	os.Exit(Main(context.Background(), os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr))
}

// TestScripts runs testdata/<command>/*.txtar, one folder for each command. In
// them ai-session-handler is the product, fakeagent the scripted agent, and
// scriptCommands says what else they can do.
func TestScripts(t *testing.T) {
	agentDir := filepath.Dir(enginetest.BuildFakeAgent(t))
	folders, err := filepath.Glob("testdata/*")
	if err != nil || len(folders) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, folder := range folders {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			testscript.Run(t, testscript.Params{
				Dir:                 folder,
				RequireExplicitExec: true,
				RequireUniqueNames:  true,
				UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
				Cmds:                scriptCommands(),
				Setup:               setUpScript(agentDir),
			})
		})
	}
}
