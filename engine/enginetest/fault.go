//go:build linux

package enginetest

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/ai-session-handler/ai-session-handler/engine/fsx"
)

// The environment variables by which a test gives a fault to a handler process,
// and through it to its supervisors, which have no environment of their own.
const (
	FaultEnv           = "HANDLER_TEST_FAULT"
	SupervisorFaultEnv = "SUPERVISOR_TEST_FAULT"
)

// Fault turns a specification into a seam. It is a list of actions, each of
// which looks at every point, in this order:
//
//	log=PATH      append the point to a file
//	kill=N        SIGKILL this process at the Nth point, counted from 1
//	kill-at=RE    SIGKILL this process at the first point that matches
//	fail=N:ERRNO  fail the Nth point with this number
//	fail-at=RE:ERRNO  fail every point that matches
//
// separated by spaces. An empty specification is no seam.
func Fault(spec string) fsx.Seam {
	if spec == "" {
		return nil
	}
	var actions []func(n int, point string) error
	for _, field := range strings.Fields(spec) {
		name, value, _ := strings.Cut(field, "=")
		actions = append(actions, faultAction(name, strings.ReplaceAll(value, "_", " ")))
	}
	var mu sync.Mutex
	n := 0
	return func(p fsx.Point) error {
		mu.Lock()
		defer mu.Unlock()
		n++
		for _, act := range actions {
			if err := act(n, stable(p.String())); err != nil {
				return err
			}
		}
		return nil
	}
}

var uuids = regexp.MustCompile(`[0-9]{8}T[0-9]{6}Z|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{64}`)

// stable takes out of a point what differs from run to run.
func stable(point string) string { return uuids.ReplaceAllString(point, "*") }

func faultAction(name, value string) func(int, string) error {
	switch name {
	case "log":
		path := strings.ReplaceAll(value, " ", "_")
		return func(_ int, point string) error { return appendLine(path, point) }
	case "kill":
		return func(n int, _ string) error { return killIf(strconv.Itoa(n) == value) }
	case "kill-at":
		re := regexp.MustCompile(value)
		return func(_ int, point string) error { return killIf(re.MatchString(point)) }
	case "fail":
		at, number, _ := strings.Cut(value, ":")
		return func(n int, _ string) error { return failIf(strconv.Itoa(n) == at, number) }
	case "fail-at":
		at := strings.LastIndexByte(value, ':')
		re := regexp.MustCompile(value[:at])
		return func(_ int, point string) error { return failIf(re.MatchString(point), value[at+1:]) }
	}
	panic("unknown fault " + name)
}

func appendLine(path, line string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(line + "\n")
	return errors.Join(err, f.Close())
}

func killIf(now bool) error {
	if now {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {} // the signal is on its way
	}
	return nil
}

func failIf(now bool, number string) error {
	if !now {
		return nil
	}
	n, err := strconv.Atoi(number)
	if err != nil {
		panic(err)
	}
	return syscall.Errno(n)
}

// ParentFault is the fault for a supervisor, taken from the environment of the
// handler that started it.
func ParentFault() fsx.Seam {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", os.Getppid()))
	if err != nil {
		return nil
	}
	for _, entry := range strings.Split(string(data), "\x00") {
		if spec, ok := strings.CutPrefix(entry, SupervisorFaultEnv+"="); ok {
			return Fault(spec)
		}
	}
	return nil
}
