//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

func signalVerbs() map[string]verb {
	return map[string]verb{
		"exit":         {do: exit},
		"sleep":        {do: sleep},
		"forever":      {do: func(*agent, string) error { forever(); return nil }, value: none},
		"ignore":       {do: ignore},
		"kill-self":    {do: killSelf},
		"stop-self":    {do: func(*agent, string) error { return raise(unix.SIGSTOP) }, value: none},
		"kill-parent":  {do: killParent},
		"on-term":      {do: onTerm(func() {})},
		"on-term-exit": {do: onTerm(func() { os.Exit(0) })},
	}
}

func exit(_ *agent, value string) error {
	code, err := strconv.ParseUint(value, 10, 8)
	if err != nil {
		return fmt.Errorf("%q is not an exit status", value)
	}
	os.Exit(int(code))
	return nil
}

func sleep(_ *agent, value string) error {
	d, err := time.ParseDuration(value)
	if err != nil {
		return err
	}
	time.Sleep(d)
	return nil
}

// forever never returns. It sleeps, because the runtime calls an empty select a
// deadlock.
func forever() {
	for {
		time.Sleep(time.Hour)
	}
}

func ignore(_ *agent, value string) error {
	for name := range strings.SplitSeq(value, ",") {
		sig, err := parseSignal(name)
		if err != nil {
			return err
		}
		signal.Ignore(sig)
	}
	return nil
}

func killSelf(_ *agent, value string) error {
	sig, err := parseSignal(value)
	if err != nil {
		return err
	}
	if err := setDefault(sig); err != nil {
		return err
	}
	return raise(sig)
}

func killParent(_ *agent, value string) error {
	sig, err := parseSignal(value)
	if err != nil {
		return err
	}
	parent := os.Getppid()
	if parent <= 1 {
		return errors.New("the parent is gone already")
	}
	return unix.Kill(parent, sig)
}

// onTerm is the action that arranges for SIGTERM to be noted, and then what.
func onTerm(then func()) action {
	return func(_ *agent, path string) error {
		path, err := filepath.Abs(path)
		if err != nil {
			return err
		}
		noteTerm(path, then)
		return nil
	}
}

// noteTerm appends a line to the file at each SIGTERM that arrives after it
// returned, and calls then.
func noteTerm(path string, then func()) {
	terms := make(chan os.Signal, 16)
	signal.Notify(terms, unix.SIGTERM)
	go func() {
		for range terms {
			if err := put(path, "TERM\n", os.O_APPEND); err != nil {
				fail(err)
			}
			then()
		}
	}()
}

// raise sends a signal to the calling thread, so that it has been acted on when
// raise returns.
func raise(sig unix.Signal) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return unix.Tgkill(os.Getpid(), unix.Gettid(), sig)
}

// setDefault gives a signal its default action behind the runtime's back, which
// would turn SIGSEGV, SIGABRT and SIGQUIT into a traceback and an exit status.
func setDefault(sig unix.Signal) error {
	if sig == unix.SIGKILL || sig == unix.SIGSTOP {
		return nil
	}
	var action [4]uintptr // the kernel's sigaction: all zero is SIG_DFL
	const maskSize = 8
	_, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(sig),
		uintptr(unsafe.Pointer(&action)), 0, maskSize, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// parseSignal understands TERM, SIGTERM and 15.
func parseSignal(name string) (syscall.Signal, error) {
	if n, err := strconv.Atoi(name); err == nil && n > 0 && n <= 64 {
		return syscall.Signal(n), nil
	}
	sig := unix.SignalNum("SIG" + strings.TrimPrefix(strings.ToUpper(name), "SIG"))
	if sig == 0 {
		return 0, fmt.Errorf("%q is no signal", name)
	}
	return sig, nil
}
