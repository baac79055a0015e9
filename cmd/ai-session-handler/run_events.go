package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/ai-session-handler/ai-session-handler/cmd/internal/ui"
	"github.com/ai-session-handler/ai-session-handler/engine/run"
	"github.com/ai-session-handler/ai-session-handler/engine/workspace"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// tellEvents lets the events of a job go to the file that --events names too.
func (c *runCmd) tellEvents(a *app, to printer, job *run.Job) (done func(), err error) {
	if c.Events == "" {
		return func() {}, nil
	}
	if err := notOurs(c.Events, job.Plan); err != nil {
		return nil, err
	}
	file, err := a.openEvents(c.Events)
	if err != nil {
		return nil, err
	}
	events, others := ui.NewEvents(file), job.Observe
	job.Observe = func(e record.Event) { others(e); events.Event(e) }
	return func() {
		if err := events.Close(); err != nil {
			to.Error("warning: --events " + c.Events + ": " + err.Error())
		}
		if file != a.stdout {
			_ = file.Close()
		}
	}, nil
}

// notOurs refuses the plan itself and what the runner keeps.
func notOurs(name string, p workspace.Plan) error {
	kept := filepath.Join(p.Root, workspace.DirName) + string(filepath.Separator)
	events, err := os.Stat(name)
	source, planErr := os.Stat(p.Path)
	isPlan := err == nil && planErr == nil && os.SameFile(events, source)
	if isPlan || strings.HasPrefix(name, kept) {
		return inputErrorf("--events %s: events would be written into the plan or its history\n  next: name another file", name)
	}
	return nil
}

// openEvents opens a file for events. One that is a pipe must have a reader:
// waiting for one could be waiting for ever.
func (a *app) openEvents(name string) (*os.File, error) {
	if name == "-" {
		return a.stdout, nil
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND|unix.O_NONBLOCK, 0o600)
	if errors.Is(err, unix.ENXIO) {
		err = fmt.Errorf("%w: it is a pipe that nobody reads; start the reader first", err)
	}
	if err == nil {
		err = endLastLine(file, name)
	}
	if err != nil {
		return nil, inputErrorf("--events %s: %v", name, err)
	}
	return file, nil
}

// endLastLine ends a line that was cut off when the file was written last.
func endLastLine(file *os.File, name string) error {
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return err
	}
	readable, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = readable.Close() }()
	return endLine(file, readable, info.Size())
}
