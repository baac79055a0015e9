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
	return build("fakeagent", "build", source)
})

// BuildPlainTest returns the path of the test binary of a package, under this
// name and without the race detector: its processes start several times as fast.
// The first call for a name in a test process builds it.
func BuildPlainTest(t testing.TB, name, source string) string {
	t.Helper()
	built, _ := plainTests.LoadOrStore(name, sync.OnceValues(func() (string, error) { return build(name, "test", "-c", source) }))
	path, err := built.(func() (string, error))()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

var plainTests sync.Map

// build runs the go command with the name of its result as -o.
func build(name, command string, args ...string) (string, error) {
	dir, err := buildDirectory()
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, name)
	// Static, so that it starts fast and from anywhere; -buildvcs=false, because
	// the stamp would cost more than the build.
	run := exec.Command("go", append([]string{command, "-buildvcs=false", "-o", path}, args...)...)
	run.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := run.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building %s: %w\n%s", name, err, out)
	}
	return path, nil
}

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
