package main

import (
	"errors"
	"os"
	"slices"
	"syscall"

	"github.com/ai-session-handler/ai-session-handler/engine/run"
	"github.com/ai-session-handler/ai-session-handler/manifest/problem"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// The exit codes, see the README.
const (
	exitOK            = 0
	exitBug           = 1
	exitBlocked       = 2
	exitClarification = 3
	exitFailed        = 4
	exitInvalid       = 5
	exitDiffers       = 7
	exitSignal        = 128 // plus the number of the signal
)

// statusCodes is the one table from how an attempt ended to the exit code.
var statusCodes = map[record.Status]int{
	record.PhaseComplete:      exitOK,
	record.Blocked:            exitBlocked,
	record.NeedsClarification: exitClarification,
	record.AgentFailed:        exitFailed,
	record.MissingMarker:      exitFailed,
	record.InvalidMarker:      exitFailed,
	record.MultipleMarkers:    exitFailed,
	record.Timeout:            exitFailed,
	record.IdleTimeout:        exitFailed,
	record.OutputLimit:        exitFailed,
	record.MemoryLimit:        exitFailed,
	record.StopRegex:          exitFailed,
	record.LaunchFailed:       exitFailed,
	record.ExecutionIOFailed:  exitFailed,
	record.Interrupted:        exitFailed, // unless a signal to the handler did it
}

// codeOf is the one table from errors to exit codes. What is not named is
// input, state or a lock that can't be used: nothing was launched.
func codeOf(err error) int {
	var (
		interrupted *run.InterruptedError
		unresolved  *run.UnresolvedError
		prepare     *run.PrepareError
	)
	switch {
	case errors.As(err, &interrupted):
		return signalCode(interrupted.Signal)
	case errors.As(err, &unresolved), errors.As(err, &prepare):
		return exitFailed
	}
	return exitInvalid
}

func signalCode(s os.Signal) int {
	if number, ok := s.(syscall.Signal); ok {
		return exitSignal + int(number)
	}
	return exitFailed
}

// errorFormat is the format word of an error printed as JSON.
const errorFormat = "ai-session-handler/error/1"

// report prints an error to p, and on stdout as JSON where JSON was asked for.
func (a *app) report(p printer, err error) {
	var faulty *faultyManifest
	if errors.As(err, &faulty) {
		p.Error(faulty.Problems.Text(a.color.On(a.stderr, a.environ)) + afterProblems(err, faulty))
	} else {
		p.Error("error: " + advised(err))
	}
	if !a.json {
		return
	}
	_ = a.JSON(struct {
		Format string `json:"format"`
		Code   int    `json:"code"`
		Error  string `json:"error"`
	}{errorFormat, codeOf(err), err.Error()})
}

// afterProblems says what a manifest with errors kept from being done.
func afterProblems(err error, faulty *faultyManifest) string {
	var broke *brokeOff
	if errors.As(err, &broke) {
		return "nothing more was run\n  next: correct the manifest (" + faulty.check + " checks it), then: " + broke.again
	}
	if !slices.ContainsFunc(faulty.Problems, notOfFlag) {
		return "nothing was run or written\n  next: correct --var, then repeat this command"
	}
	return "nothing was run or written\n  next: correct the manifest, then: " + faulty.check
}

// notOfFlag holds for an error that lies elsewhere than in a value of --var.
func notOfFlag(p problem.Problem) bool {
	return p.Severity == problem.Error && p.Range.File != "--var"
}

// advised is the text of an error, and for one of the operating system what to
// do about it.
func advised(err error) string {
	if run.IsBare(err) {
		return err.Error() + "\n  next: settle that, then repeat this command"
	}
	return err.Error()
}
