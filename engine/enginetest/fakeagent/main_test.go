//go:build linux

package main_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ai-session-handler/ai-session-handler/engine/enginetest"
	"golang.org/x/sys/unix"
)

const patience = 20 * time.Second

// command prepares the fake agent in a directory of its own, with its own group
// so that what it leaves there can be killed with it.
func command(t *testing.T, dir string, steps ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(enginetest.BuildFakeAgent(t), steps...)
	cmd.Dir = dir
	cmd.Env = []string{"AI_SESSION_HANDLER_PHASE_ID=phase-2", "AI_SESSION_HANDLER_ATTEMPT_ID=a-1"}
	cmd.SysProcAttr = &unix.SysProcAttr{Setpgid: true}
	t.Cleanup(func() {
		if cmd.Process != nil {
			_ = unix.Kill(-cmd.Process.Pid, unix.SIGKILL)
		}
	})
	return cmd
}

type result struct {
	stdout, stderr string
	code           int            // -1 when a signal ended it
	signal         syscall.Signal // 0 when none did
}

func run(t *testing.T, dir string, steps ...string) result {
	t.Helper()
	cmd := command(t, dir, steps...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		if _, ended := errors.AsType[*exec.ExitError](err); !ended {
			t.Fatal(err)
		}
	}
	got := result{stdout: stdout.String(), stderr: stderr.String(), code: cmd.ProcessState.ExitCode()}
	if status := cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signaled() {
		got.signal = status.Signal()
	}
	return got
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestOutput(t *testing.T) {
	for _, tt := range []struct {
		name  string
		steps []string
		want  result
	}{
		{"nothing", nil, result{}},
		{"escapes", []string{`out=a\tb\n"c" \x1b[1m\x00\u00e9=`}, result{stdout: "a\tb\n\"c\" \x1b[1m\x00é="}},
		{"bytes that aren't UTF-8", []string{"out=\xff" + `\xfe`}, result{stdout: "\xff\xfe"}},
		{"both streams", []string{"out=o", "err=e"}, result{stdout: "o", stderr: "e"}},
		{"blocks", []string{"complete=c", `blocked=b\nb`, "err-clarify=q"}, result{
			stdout: "<phase-complete>c</phase-complete>\n<phase-blocked>b\nb</phase-blocked>\n",
			stderr: "<phase-needs-clarification>q</phase-needs-clarification>\n",
		}},
		{"split", []string{`split=<\u00e9>`}, result{stdout: "<é>"}},
		{"exit", []string{"out=x", "exit=3", "out=y"}, result{stdout: "x", code: 3}},
		{"phase prefix", []string{"phase-1:out=1", "phase-2:out=2", "phase-22:exit=1"}, result{stdout: "2"}},
		{"unknown verb", []string{"out=x", "fly=1"}, result{code: 64, stderr: "fakeagent: step \"fly=1\": no such verb\n"}},
		{"missing value", []string{"out"}, result{code: 64, stderr: "fakeagent: step \"out\": needs a value\n"}},
		{"spare value", []string{"forever=1"}, result{code: 64, stderr: "fakeagent: step \"forever=1\": takes no value\n"}},
		{"bad escape", []string{`out=a\q`}, result{code: 64, stderr: "fakeagent: step \"out=a\\\\q\": unknown escape at \"\\\\q\"\n"}},
		{"failed step", []string{"chdir=gone", "out=x"}, result{code: 70, stderr: "fakeagent: chdir=gone: chdir gone: no such file or directory\n"}},
		{"closed", []string{"close-stdout", "out=x"}, result{code: 70, stderr: "fakeagent: out=x: write /dev/stdout: file already closed\n"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := run(t, t.TempDir(), tt.steps...); got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestFlood(t *testing.T) {
	got := run(t, t.TempDir(), "flood=1K,64").stdout
	if lines := strings.SplitAfter(got, "\n"); len(got) != 1024 || len(lines) != 17 || len(lines[0]) != 64 {
		t.Errorf("%d bytes in %d lines, the first of %d", len(got), len(lines)-1, len(lines[0]))
	}
	got = run(t, t.TempDir(), "oneline=300001").stdout
	if len(got) != 300001 || strings.Contains(got, "\n") {
		t.Errorf("%d bytes, %d line ends", len(got), strings.Count(got, "\n"))
	}
}

func TestStepsFromFileAreReadWhenTheirTurnComes(t *testing.T) {
	dir := t.TempDir()
	got := run(t, dir, `write=steps,# later\n\nout=a\nphase-1:out=b\nphase-2:out=c\n`, "@steps", "out=d")
	if got.stdout != "acd" {
		t.Errorf("got %+v", got)
	}
	if got := run(t, dir, "write=steps,@steps", "@steps"); got.code != 64 {
		t.Errorf("a nested file: %+v", got)
	}
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	cmd := command(t, dir, "mkdir=a/b", "write=a/f,1,2", "append=a/f,3", "touch=a/t", "touch=gone", "remove=gone",
		"ledger=ledger", "ledger=ledger", "read-stdin=stdin", "chdir=a", "cwd=cwd")
	cmd.Stdin = strings.NewReader("prompt\x00")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	canonical, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	line := fmt.Sprintf("phase-2 a-1 %d\n", cmd.Process.Pid)
	for name, want := range map[string]string{
		"a/f": "1,23", "a/t": "", "ledger": line + line, "stdin": "prompt\x00", "a/cwd": canonical + "/a\n",
	} {
		if got := read(t, dir, name); got != want {
			t.Errorf("%s holds %q, want %q", name, got, want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "gone")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("remove left it: %v", err)
	}
}

func TestObservations(t *testing.T) {
	dir := t.TempDir()
	leak, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer leak.Close()
	cmd := command(t, dir, "pid=pid", "args=args", "env=env", "fds=fds", "signals=signals", "stdio-flags=flags")
	cmd.Env = append(cmd.Env, "ODD=a\\\nb")
	cmd.ExtraFiles = []*os.File{nil, leak}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got := enginetest.ReadPid(t, filepath.Join(dir, "pid")); got != cmd.Process.Pid {
		t.Errorf("pid %d, want %d", got, cmd.Process.Pid)
	}
	if got, want := read(t, dir, "args"), strings.Join(cmd.Args, "\n")+"\n"; got != want {
		t.Errorf("args %q, want %q", got, want)
	}
	if got := read(t, dir, "env"); !strings.Contains(got, "PHASE_ID=phase-2\n") || !strings.Contains(got, `ODD=a\\\nb`+"\n") {
		t.Errorf("env %q", got)
	}
	var numbers []string
	for line := range strings.Lines(read(t, dir, "fds")) {
		numbers = append(numbers, strings.Fields(line)[0])
	}
	// There may be more: whoever started the tests can have leaked theirs.
	for number, want := range map[string]bool{"0": true, "1": true, "2": true, "3": false, "4": true} {
		if slices.Contains(numbers, number) != want {
			t.Errorf("fds %v; of %s being there: want %v", numbers, number, want)
		}
	}
	if got := read(t, dir, "signals"); strings.Count(got, "\n") != 3 || !strings.HasPrefix(got, "SigBlk:") {
		t.Errorf("signals %q", got)
	}
	if got, want := read(t, dir, "flags"), "0 blocking\n1 blocking\n2 blocking\n"; got != want {
		t.Errorf("stdio-flags %q, want %q", got, want)
	}
}

func TestNonblockingStdoutIsTold(t *testing.T) {
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	defer unix.Close(ends[0])
	w := os.NewFile(uintptr(ends[1]), "pipe")
	defer w.Close()
	dir := t.TempDir()
	cmd := command(t, dir, "stdio-flags=flags")
	cmd.Stdout = w
	if err := unix.SetNonblock(ends[1], true); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	if got, want := read(t, dir, "flags"), "0 blocking\n1 nonblock\n2 blocking\n"; got != want {
		t.Errorf("stdio-flags %q, want %q", got, want)
	}
}

func TestIgnoredHangUpIsSeen(t *testing.T) {
	dir := t.TempDir()
	agent := enginetest.BuildFakeAgent(t)
	cmd := exec.Command("sh", "-c", `trap "" HUP; exec "$0" signals=signals`, agent)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var ignored uint64
	for line := range strings.Lines(read(t, dir, "signals")) {
		if mask, ok := strings.CutPrefix(line, "SigIgn:"); ok {
			if _, err := fmt.Sscanf(strings.TrimSpace(mask), "%x", &ignored); err != nil {
				t.Fatal(err)
			}
		}
	}
	if ignored&(1<<(unix.SIGHUP-1)) == 0 {
		t.Errorf("SigIgn is %x, without SIGHUP", ignored)
	}
}

func TestKillSelfTakesTheDefaultAction(t *testing.T) {
	for name, want := range map[string]syscall.Signal{
		"TERM": unix.SIGTERM, "SIGKILL": unix.SIGKILL, "SEGV": unix.SIGSEGV, "abrt": unix.SIGABRT, "1": unix.SIGHUP,
	} {
		got := run(t, t.TempDir(), "ignore=TERM,HUP", "kill-self="+name, "out=alive")
		if got != (result{code: -1, signal: want}) {
			t.Errorf("kill-self=%s: %+v", name, got)
		}
	}
}

func TestKillParent(t *testing.T) {
	got := make(chan os.Signal, 1)
	signal.Notify(got, unix.SIGUSR1)
	defer signal.Stop(got)
	if r := run(t, t.TempDir(), "kill-parent=USR1"); r != (result{}) {
		t.Fatalf("got %+v", r)
	}
	select {
	case <-got:
	case <-time.After(patience):
		t.Error("the parent got no signal")
	}
}

// start runs the agent until it has made the file "ready".
func start(t *testing.T, dir string, steps ...string) *exec.Cmd {
	t.Helper()
	cmd := command(t, dir, append(steps, "touch=ready", "forever")...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitForFile(t, filepath.Join(dir, "ready"))
	return cmd
}

func waitForFile(t *testing.T, path string) {
	t.Helper()
	enginetest.WaitUntil(t, path+" exists", patience, func() bool {
		_, err := os.Stat(path)
		return err == nil
	})
}

func TestSignals(t *testing.T) {
	t.Run("ignore", func(t *testing.T) {
		cmd := start(t, t.TempDir(), "ignore=TERM")
		kill(t, cmd.Process.Pid, unix.SIGTERM)
		kill(t, cmd.Process.Pid, unix.SIGKILL)
		if err := cmd.Wait(); err == nil || err.Error() != "signal: killed" {
			t.Errorf("ended with %v", err)
		}
	})
	t.Run("on-term", func(t *testing.T) {
		dir := t.TempDir()
		cmd := start(t, dir, "on-term=log", "mkdir=d", "chdir=d", "touch=../ready")
		for _, want := range []string{"TERM\n", "TERM\nTERM\n"} {
			kill(t, cmd.Process.Pid, unix.SIGTERM)
			enginetest.WaitUntil(t, "the log is "+want, patience, func() bool {
				text, _ := os.ReadFile(filepath.Join(dir, "log"))
				return string(text) == want
			})
		}
	})
	t.Run("on-term-exit", func(t *testing.T) {
		dir := t.TempDir()
		cmd := start(t, dir, "on-term-exit=log")
		kill(t, cmd.Process.Pid, unix.SIGTERM)
		if err := cmd.Wait(); err != nil || read(t, dir, "log") != "TERM\n" {
			t.Errorf("ended with %v, log %q", err, read(t, dir, "log"))
		}
	})
	t.Run("stop-self", func(t *testing.T) {
		dir := t.TempDir()
		cmd := command(t, dir, "pid=pid", "stop-self", "exit=5")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		pid := enginetest.ReadPid(t, filepath.Join(dir, "pid"))
		enginetest.WaitUntil(t, "the agent is stopped", patience, func() bool { return state(pid) == "T" })
		kill(t, pid, unix.SIGCONT)
		if err := cmd.Wait(); err == nil || err.Error() != "exit status 5" {
			t.Errorf("ended with %v", err)
		}
	})
	t.Run("wait-file", func(t *testing.T) {
		dir := t.TempDir()
		cmd := command(t, dir, "touch=waiting", "wait-file=go", "sleep=1ms", "exit=7")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		waitForFile(t, filepath.Join(dir, "waiting"))
		if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err == nil || err.Error() != "exit status 7" {
			t.Errorf("ended with %v", err)
		}
	})
}
