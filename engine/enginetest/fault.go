//go:build linux

package enginetest

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/ai-session-handler/ai-session-handler/engine/fsx"
)

// The environment variables by which a test gives a fault to a handler process,
// and through it to its supervisors, which have no environment of their own, and
// to their trampolines, which have that of the worker.
const (
	FaultEnv           = "HANDLER_TEST_FAULT"
	SupervisorFaultEnv = "SUPERVISOR_TEST_FAULT"
	TrampolineFaultEnv = "TRAMPOLINE_TEST_FAULT"
)

// Fault turns a specification into a seam. It is a list of actions, each of
// which looks at every point, in this order:
//
//	log=PATH            append the point to a file
//	kill=ID             SIGKILL this process at a point
//	fail=ID:ERRNO       fail the operation with this number
//	fail-from=ID:ERRNO  fail every operation on files from there on, as a disk
//	                    does that is full or broken for good
//	short=ID[:ERRNO]    let half of a write through, which then reports ERRNO, or only the count
//
// separated by spaces. [PointsOf] a log tells the IDs. Each of kill, fail and
// short can be written as kill-at=RE and so on, for every point that matches,
// with _ for a space. An empty specification is no seam.
func Fault(spec string) fsx.Seam {
	if spec == "" {
		return nil
	}
	var actions []action
	for _, field := range strings.Fields(spec) {
		name, value, _ := strings.Cut(field, "=")
		actions = append(actions, faultAction(name, value))
	}
	dir, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	var mu sync.Mutex
	seen := map[string]int{}
	return func(p fsx.Point) error {
		mu.Lock()
		defer mu.Unlock()
		text := Stable(p.String(), dir)
		seen[text]++
		for _, act := range actions {
			if err := act(p, text, id(seen[text], text)); err != nil {
				return err
			}
		}
		return nil
	}
}

// NamedPoint is a point of one run that can be found in another: what is done to
// the same thing for the same time.
type NamedPoint struct{ ID, Text string }

// PointsOf lists the points in a log.
func PointsOf(log string) ([]NamedPoint, error) {
	data, err := os.ReadFile(log)
	seen := map[string]int{}
	var list []NamedPoint
	for line := range strings.Lines(string(data)) {
		text := strings.TrimSuffix(line, "\n")
		seen[text]++
		list = append(list, NamedPoint{id(seen[text], text), text})
	}
	return list, err
}

func id(nth int, text string) string { return url.QueryEscape(fmt.Sprintf("%d %s", nth, text)) }

// action looks at a point, whose text and ID are the same in every run.
type action func(p fsx.Point, text, id string) error

var uuids = regexp.MustCompile(`[0-9]{8}T[0-9]{6}Z|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{64}`)

// Stable takes out of a text what differs from run to run: the directory that the
// run was started in, and the names of attempts, histories and temporary files.
func Stable(text, dir string) string {
	if dir != "/" {
		text = strings.ReplaceAll(text, dir, "WORKSPACE")
	}
	return stable(text)
}

func stable(text string) string { return uuids.ReplaceAllString(text, "*") }

func faultAction(name, value string) action {
	if name == "log" {
		return func(_ fsx.Point, text, _ string) error { return appendLine(value, text) }
	}
	kind, how, _ := strings.Cut(name, "-")
	where, number := value, ""
	if i := strings.LastIndexByte(value, ':'); i >= 0 && kind != "kill" {
		where, number = value[:i], value[i+1:]
	}
	at, do := condition(how, where), effect(kind, number)
	return func(p fsx.Point, text, id string) error {
		if at(p, text, id) {
			return do(p)
		}
		return nil
	}
}

func condition(how, where string) func(p fsx.Point, text, id string) bool {
	switch how {
	case "at":
		re := regexp.MustCompile(strings.ReplaceAll(where, "_", " "))
		return func(_ fsx.Point, text, _ string) bool { return re.MatchString(text) }
	case "from":
		begun := false
		return func(p fsx.Point, _, id string) bool {
			begun = begun || id == where
			return begun && OnFiles(p.Op)
		}
	}
	return func(_ fsx.Point, _, id string) bool { return id == where }
}

// OnFiles reports whether an operation is one that a broken disk fails.
func OnFiles(op string) bool {
	return Writes(op) || slices.Contains([]string{"open", "stat", "list", "read"}, op)
}

// Writes reports whether an operation changes what is on disk.
func Writes(op string) bool {
	return slices.Contains([]string{"create", "mkdir", "write", "sync", "close", "rename", "syncdir", "remove"}, op)
}

// effect makes errors that look like those of package os.
func effect(kind, number string) func(fsx.Point) error {
	errno := 0
	if number != "" {
		var err error
		if errno, err = strconv.Atoi(number); err != nil {
			panic(err)
		}
	}
	fail := func(p fsx.Point) error { return &fs.PathError{Op: p.Op, Path: p.Name, Err: syscall.Errno(errno)} }
	switch {
	case kind == "kill":
		return killSelf
	case kind == "fail" && errno != 0:
		return fail
	case kind == "short" && errno != 0:
		return func(p fsx.Point) error { return &fsx.ShortWrite{Err: fail(p)} }
	case kind == "short":
		return func(fsx.Point) error { return &fsx.ShortWrite{} }
	}
	panic("unknown fault " + kind)
}

func appendLine(path, line string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(line + "\n")
	return errors.Join(err, f.Close())
}

func killSelf(fsx.Point) error {
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {} // the signal is on its way
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
