package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/ai-session-handler/ai-session-handler/engine/binding"
	"github.com/ai-session-handler/ai-session-handler/engine/proc"
	"github.com/ai-session-handler/ai-session-handler/engine/proc/cgroup"
)

// machine is what a manifest is checked against.
type machine struct {
	environ    []string
	anyProgram bool // a flag gives the command, of which no manifest can say where it stands
}

func (a *app) machine() machine { return machine{environ: a.environ} }

// LookPath implements manifest.Machine.
func (m machine) LookPath(program, dir string, env binding.Environment) error {
	if m.anyProgram {
		return nil
	}
	path, err := proc.LookPath(program, dir, env.Apply(m.environ))
	if err != nil {
		return fmt.Errorf("%s: %w", program, err)
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", program, bareError(err))
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s: not a regular file", program)
	case unix.Access(path, unix.X_OK) != nil:
		return fmt.Errorf("%s: not executable", program)
	}
	return nil
}

// Enforceable implements manifest.Machine.
func (m machine) Enforceable(limit binding.TreeLimits) error {
	_, err := cgroup.Probe(testOnlySeam, cgroup.Limits{MemoryMax: limit.MemoryMax, PidsMax: limit.PidsMax, CPUMilli: limit.CPUMilli})
	var unsupported *cgroup.Unsupported
	if errors.As(err, &unsupported) {
		return errors.New(unsupported.Reasons[0].Why)
	}
	return err
}

// IsSet implements manifest.Machine.
func (m machine) IsSet(name string) bool {
	for _, entry := range m.environ {
		if value, ok := strings.CutPrefix(entry, name+"="); ok && value != "" {
			return true
		}
	}
	return false
}
