//go:build linux

package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

func observeVerbs() map[string]verb {
	return map[string]verb{
		"pid":         {do: saving(func(*agent) (string, error) { return strconv.Itoa(os.Getpid()) + "\n", nil })},
		"env":         {do: saving(func(*agent) (string, error) { return lines(os.Environ()), nil })},
		"args":        {do: saving(func(*agent) (string, error) { return lines(os.Args), nil })},
		"cwd":         {do: saving(func(*agent) (string, error) { return workingDirectory() })},
		"fds":         {do: saving(func(*agent) (string, error) { return inherited() })},
		"signals":     {do: saving(func(a *agent) (string, error) { return a.signals, nil })},
		"stdio-flags": {do: saving(func(*agent) (string, error) { return stdioFlags(), nil })},
	}
}

// saving is the action that keeps what was seen in a file.
func saving(see func(*agent) (string, error)) action {
	return func(a *agent, path string) error {
		text, err := see(a)
		if err != nil {
			return err
		}
		return putWhole(path, text)
	}
}

// lines puts one string on a line each, in a form that unescape undoes.
func lines(all []string) string {
	escape := strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	var b strings.Builder
	for _, s := range all {
		b.WriteString(escape.Replace(s) + "\n")
	}
	return b.String()
}

// workingDirectory asks the kernel: os.Getwd would believe $PWD, which the
// starter may have got wrong.
func workingDirectory() (string, error) {
	dir, err := os.Readlink("/proc/self/cwd")
	return dir + "\n", err
}

// inherited lists the descriptors that came through exec. Those are exactly the
// ones without FD_CLOEXEC, as long as nothing here opens one without it; the Go
// runtime's own (epoll, cgroup limits) all carry it. A stdio descriptor that was
// closed shows as /dev/null, because the Go runtime opens it there at the start.
func inherited() (string, error) {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return "", err
	}
	var fds []int
	for _, e := range entries {
		fd, err := strconv.Atoi(e.Name())
		if err != nil {
			return "", err
		}
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		if err == nil && flags&unix.FD_CLOEXEC == 0 {
			fds = append(fds, fd)
		}
	}
	slices.Sort(fds)
	var b strings.Builder
	for _, fd := range fds {
		target, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%d %s\n", fd, target)
	}
	return b.String(), nil
}

// captureSignals returns the lines SigBlk, SigIgn and SigCgt of /proc/self/status
// (its main thread). By the time any Go code runs, the runtime has taken over the
// signals, so this is not quite what exec passed on:
//
//   - SigBlk is, for every signal but the ones the runtime unblocks for itself
//     (faults, SIGPROF, SIGURG);
//   - SigIgn is for SIGHUP and SIGINT, which the runtime leaves ignored; any other
//     signal that was ignored has been given a handler and shows in SigCgt;
//   - SigCgt is the runtime's.
//
// Where another ignored signal matters, make `grep ^Sig /proc/self/status` the
// worker instead.
func captureSignals() string {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return err.Error() + "\n"
	}
	var b strings.Builder
	for line := range strings.Lines(string(status)) {
		name, _, _ := strings.Cut(line, ":")
		if slices.Contains([]string{"SigBlk", "SigIgn", "SigCgt"}, name) {
			b.WriteString(line)
		}
	}
	return b.String()
}

// stdioFlags tells whether a write to a slow reader would block, as every worker
// expects. The flag belongs to the open file, so a nonblocking end that the
// handler keeps to itself must not be the one that the worker has.
func stdioFlags() string {
	var b strings.Builder
	for fd := range 3 {
		state := "blocking"
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
		switch {
		case err != nil:
			state = "closed"
		case flags&unix.O_NONBLOCK != 0:
			state = "nonblock"
		}
		fmt.Fprintf(&b, "%d %s\n", fd, state)
	}
	return b.String()
}
