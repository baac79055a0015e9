//go:build linux

// Command fakeagent is the agent that the tests run in place of a real one.
// It does what its arguments say, in order, and then exits 0:
//
//	fakeagent 'out=working\n' sleep=50ms 'complete=done it' exit=3
//
// # Steps
//
// A step is `verb` or `verb=value`. A value understands Go's escapes (\n, \t,
// \x1b, \x00, \u00e9 …); everything else in it stands for itself, quotes and
// bytes that aren't UTF-8 included. `phase-2:STEP` is skipped unless
// AI_SESSION_HANDLER_PHASE_ID is phase-2. `@FILE` stands for the steps in FILE,
// one a line, read when its turn comes, so that a test can change the behaviour
// between two runs of one command line; blank lines and lines that start with #
// are skipped, and a file names no other file.
//
// Paths are relative to the directory the step runs in. Where a step takes a
// path and more, the path ends at the first comma. SIZE is a number of bytes;
// K, M and G stand for powers of 1024. SIG is a signal's name or number.
//
// Writing:
//
//	out=TEXT err=TEXT           TEXT, as it is
//	complete=TEXT               a result block on stdout, and a newline
//	blocked=TEXT clarify=TEXT   the other two kinds
//	err-complete=TEXT …         the same on stderr
//	split=TEXT                  stdout, one byte per write(2)
//	flood=SIZE[,LINE]           SIZE bytes in lines of LINE (80), newline included
//	oneline=SIZE                SIZE bytes without any newline
//	close-stdin close-stdout close-stderr
//
// Reading and files:
//
//	read-stdin[=PATH]           stdin to its end, kept in PATH
//	ledger=PATH                 append "phase attempt pid\n" in one write, with
//	                            "-" for what the environment doesn't name
//	write=PATH,TEXT append=PATH,TEXT touch=PATH mkdir=PATH remove=PATH
//	wait-file=PATH              until PATH exists
//	chdir=PATH
//
// What it was given, each file appearing whole:
//
//	pid=PATH                    its pid
//	env=PATH args=PATH          one a line; newline and backslash escaped
//	cwd=PATH
//	fds=PATH                    "NUMBER TARGET" of the inherited descriptors
//	signals=PATH                SigBlk, SigIgn and SigCgt (see captureSignals)
//	stdio-flags=PATH            "NUMBER blocking|nonblock|closed" of 0, 1, 2
//
// Ending, or not:
//
//	exit=N                      at once
//	sleep=DURATION forever
//	kill-self=SIG               SIG's default action, even if SIG is ignored
//	stop-self                   SIGSTOP; goes on after SIGCONT
//	kill-parent=SIG
//	ignore=SIG[,SIG…]           from here on
//	on-term=PATH                SIGTERM appends "TERM\n" to PATH and is survived
//	on-term-exit=PATH           SIGTERM appends "TERM\n" to PATH; exit 0
//
// Processes it leaves behind. Each step returns once the pid file is there and
// the process is ready to be signalled; each process lives until it is killed:
//
//	child=PIDFILE               same group, holds the inherited stdio
//	forks=N                     N in the same group, stdio on /dev/null
//	session=PIDFILE,TERMFILE    its own session; SIGTERM appends "TERM\n" to
//	                            TERMFILE and ends it
//	daemon=PIDFILE[,hold]       double fork and setsid; no environment, another
//	                            name, cwd /, ignores SIGTERM and SIGHUP; with
//	                            hold it keeps the inherited stdout and stderr
//	hopper=PIDFILE              starts a successor in a new session and exits,
//	                            every few milliseconds; PIDFILE names the latest
//	                            one, and it ends when that can't be written
//	beheaded=PIDFILE            a process in a session of its own whose first
//	                            thread ends while others live on, as a zombie
//	                            in all but fact; ignores SIGTERM and SIGHUP
//
// # Exit status
//
// 64 for a step that can't be understood (those of the command line are all
// read before the first one runs), 70 for one that failed; both with a message
// on stderr.
package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

const (
	exitUsage  = 64
	exitFailed = 70
)

func main() {
	if len(os.Args) > 1 && strings.HasPrefix(os.Args[1], rolePrefix) {
		fail(play(os.Args[1], os.Args[2:]))
		return
	}
	a := &agent{phase: os.Getenv("AI_SESSION_HANDLER_PHASE_ID"), signals: captureSignals()}
	program, err := parse(os.Args[1:])
	if err == nil {
		err = a.run(program)
	}
	fail(err)
}

func fail(err error) {
	if err == nil {
		return
	}
	fmt.Fprintf(os.Stderr, "fakeagent: %v\n", err)
	if _, ok := errors.AsType[*usageError](err); ok {
		os.Exit(exitUsage)
	}
	os.Exit(exitFailed)
}

// An agent is one run of the program.
type agent struct {
	phase   string // the phase it was started for, "" outside the handler
	signals string // what captureSignals saw at the start
}

// run does the steps in order. It returns at the first one that fails.
func (a *agent) run(program []step) error {
	for _, s := range program {
		if s.phase != "" && s.phase != a.phase {
			continue
		}
		if err := s.do(a, s.value); err != nil {
			return fmt.Errorf("%s: %w", s.text, err)
		}
	}
	return nil
}

// include does the steps of a file.
func (a *agent) include(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var steps []string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if _, rest := cutPhase(line); strings.HasPrefix(rest, "@") {
			return &usageError{line, "a file of steps names no other file"}
		}
		steps = append(steps, line)
	}
	program, err := parse(steps)
	if err != nil {
		return err
	}
	return a.run(program)
}
