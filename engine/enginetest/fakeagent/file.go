//go:build linux

package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"
)

func fileVerbs() map[string]verb {
	return map[string]verb{
		"read-stdin": {do: readStdin, value: optional},
		"ledger":     {do: ledger},
		"write":      {do: withText(os.O_TRUNC)},
		"append":     {do: withText(os.O_APPEND)},
		"touch":      {do: func(_ *agent, path string) error { return put(path, "", os.O_APPEND) }},
		"mkdir":      {do: func(_ *agent, path string) error { return os.MkdirAll(path, 0o777) }},
		"remove":     {do: func(_ *agent, path string) error { return os.RemoveAll(path) }},
		"chdir":      {do: func(_ *agent, path string) error { return os.Chdir(path) }},
		"wait-file":  {do: waitFile},
	}
}

func readStdin(_ *agent, path string) error {
	text, err := io.ReadAll(os.Stdin)
	if err != nil || path == "" {
		return err
	}
	return putWhole(path, string(text))
}

// ledger records a start, so that a test can count how often a phase ran and
// who did it, whatever the handler says.
func ledger(a *agent, path string) error {
	attempt := cmp.Or(os.Getenv("AI_SESSION_HANDLER_ATTEMPT_ID"), "-")
	line := fmt.Sprintf("%s %s %d\n", cmp.Or(a.phase, "-"), attempt, os.Getpid())
	return put(path, line, os.O_APPEND)
}

func withText(flag int) action {
	return func(_ *agent, value string) error {
		path, text, cut := strings.Cut(value, ",")
		if !cut {
			return errors.New("needs PATH,TEXT")
		}
		return put(path, text, flag)
	}
}

// put writes text in one write(2), creating the file where it is missing.
func put(path, text string, flag int) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|flag, 0o666)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// putWhole makes the file appear with all of its text or not at all: a test
// that waits for the file may read it at once.
func putWhole(path, text string) error {
	temp := path + ".tmp"
	if err := put(temp, text, os.O_TRUNC); err != nil {
		return err
	}
	return os.Rename(temp, path)
}

func waitFile(_ *agent, path string) error {
	for {
		_, err := os.Stat(path)
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		time.Sleep(5 * time.Millisecond)
	}
}
