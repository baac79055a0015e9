package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/ai-session-handler/ai-session-handler/engine/plan"
)

// lab is where the measuring takes place: a directory of its own, and the
// programs, built for it.
type lab struct {
	dir     string
	runs    int // of a command with a lot of output
	handler string
	agent   string
	trivial string
	made    int // workspaces
}

const quickRuns = 8 // times as many runs of a command that takes milliseconds

func newLab(parent string, runs int) (*lab, error) {
	if runs < 1 {
		return nil, errors.New("-runs must be at least 1")
	}
	dir, err := os.MkdirTemp(parent, "bench-")
	if err != nil {
		return nil, err
	}
	bin := filepath.Join(dir, "bin")
	l := &lab{
		dir: dir, runs: runs, handler: filepath.Join(bin, "ai-session-handler"),
		agent: filepath.Join(bin, "agent"), trivial: filepath.Join(bin, "trivial"),
	}
	if err := build(bin); err != nil {
		return nil, errors.Join(err, l.close())
	}
	return l, nil
}

func (l *lab) close() error { return os.RemoveAll(l.dir) }

func build(bin string) error {
	cmd := exec.Command("go", "build", "-trimpath", "-o", bin+"/", "./cmd/ai-session-handler", "./cmd/internal/bench/agent", "./cmd/internal/bench/trivial")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%v, to be run from the top of the repository: %w\n%s", cmd, err, out)
	}
	return nil
}

// workspace makes an empty plan workspace with a plan p.md.
func (l *lab) workspace(text []byte) (string, error) {
	l.made++
	dir := filepath.Join(l.dir, fmt.Sprint("ws", l.made))
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", err
	}
	err := os.WriteFile(filepath.Join(dir, "AGENTS.md"), []byte("# Benchmark\n"), 0o644)
	return dir, errors.Join(err, os.WriteFile(filepath.Join(dir, "p.md"), text, 0o644))
}

// measure makes a function that measures a command as a whole process. What it
// prints is thrown away, but shown with the error when it fails.
func (l *lab) measure(dir, name string, args ...string) func() (time.Duration, error) {
	return func() (time.Duration, error) {
		return timed(func() error { return complete(command(dir, name, args)) })
	}
}

// measureCPU is measure for the processor time, which a shared machine disturbs
// less than the time on the wall.
func (l *lab) measureCPU(dir, name string, args ...string) func() (time.Duration, error) {
	return func() (time.Duration, error) {
		cmd := command(dir, name, args)
		err := complete(cmd)
		return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), err
	}
}

func command(dir, name string, args []string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	return cmd
}

// complete runs a command to its end.
func complete(cmd *exec.Cmd) error {
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, &stderr)
	}
	return nil
}

// runOnce makes a function that measures a run of a plan of one phase, in a new
// workspace each time, with the agent's arguments and more flags of run.
func (l *lab) runOnce(agentArgs string, flags ...string) func() (time.Duration, error) {
	return func() (time.Duration, error) {
		dir, err := l.workspace(plan.Template("Benchmark", 1))
		if err != nil {
			return 0, err
		}
		args := append([]string{"run", "--plan", "p.md", "--agent-cmd", l.agent + " " + agentArgs}, flags...)
		took, err := l.measure(dir, l.handler, args...)()
		return took, errors.Join(err, os.RemoveAll(dir))
	}
}
