//go:build linux

package enginetest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// BuildFakeAgent returns the path of the fake agent, which the first call in a
// test process builds. It stays valid for the life of the process.
func BuildFakeAgent(t testing.TB) string {
	t.Helper()
	path, err := builtFakeAgent()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

var builtFakeAgent = sync.OnceValues(func() (string, error) {
	const source = "github.com/ai-session-handler/ai-session-handler/engine/enginetest/fakeagent"
	dir, err := buildDirectory()
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "fakeagent")
	// Static, so that it starts fast and from anywhere; -buildvcs=false, because
	// the stamp would cost more than the build.
	build := exec.Command("go", "build", "-buildvcs=false", "-o", path, source)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the fake agent: %w\n%s", err, out)
	}
	return path, nil
})

// buildDirectory returns a directory that outlives every test of this process.
// `go test` runs the test binary from one that it removes afterwards; a binary
// made by `go test -c` gets a temporary one that stays.
func buildDirectory() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	if dir := filepath.Dir(self); strings.Contains(dir, "/go-build") {
		return dir, nil
	}
	return os.MkdirTemp("", "ai-session-handler-fakeagent-")
}
