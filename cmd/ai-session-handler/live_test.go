package main

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ai-session-handler/ai-session-handler/cmd/internal/termtest"
	"github.com/ai-session-handler/ai-session-handler/engine/enginetest"
)

// window is a terminal that the product runs on, and what a person sees of it.
type window struct {
	t      *testing.T
	master *os.File
	wait   func() int
	ended  chan struct{} // nothing more comes out

	mu   sync.Mutex
	term *termtest.Terminal
}

// openWindow starts a command on a new terminal, which is its controlling one.
func openWindow(r *repo, cmd *exec.Cmd, columns, rows int) *window {
	r.t.Helper()
	master, slave := terminal(r.t)
	w := &window{t: r.t, master: master, ended: make(chan struct{}), term: termtest.New(columns, rows)}
	w.resize(columns, rows)
	cmd.Stdin, cmd.Stderr = slave, slave
	if cmd.Stdout == nil {
		cmd.Stdout = slave
	}
	cmd.Env = append(cmd.Env, "TERM=xterm-256color", "NO_COLOR=")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	go w.show()
	r.t.Cleanup(func() { <-w.ended; _ = master.Close() }) // when the command is dead
	w.wait = r.start(cmd)
	_ = slave.Close()
	return w
}

func (w *window) show() {
	defer close(w.ended)
	buf := make([]byte, 64<<10)
	for {
		n, err := w.master.Read(buf)
		w.mu.Lock()
		_, _ = w.term.Write(buf[:n])
		w.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (w *window) resize(columns, rows int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	size := &unix.Winsize{Col: uint16(columns), Row: uint16(rows)}
	if err := unix.IoctlSetWinsize(int(w.master.Fd()), unix.TIOCSWINSZ, size); err != nil {
		w.t.Fatal(err)
	}
	w.term.Resize(columns, rows, true)
}

// await waits until a row of the screen has text.
func (w *window) await(text string) {
	w.t.Helper()
	enginetest.WaitUntil(w.t, "the screen shows "+text, patience, func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return slices.ContainsFunc(w.term.Screen(), func(row string) bool { return strings.Contains(row, text) })
	})
}

// lines waits for the end of the command and returns everything it has left,
// which must not include a block.
func (w *window) lines(code int) []string {
	w.t.Helper()
	if got := w.wait(); got != code {
		w.t.Errorf("exit code %d, want %d", got, code)
	}
	<-w.ended
	lines := w.term.Lines(false)
	if err := w.term.Err(); err != nil {
		w.t.Error(err)
	}
	if !w.term.Settled() {
		w.t.Error("the terminal is not left as it was")
	}
	for _, line := range lines {
		if strings.HasPrefix(line, "plan p, ") || strings.Contains(line, "last output") {
			w.t.Errorf("some of a block is left: %q", line)
		}
	}
	return lines
}

// outputOf is what a worker printed, in the order of the steps below.
func outputOf(lines []string) (out []string) {
	for _, line := range lines {
		if strings.HasPrefix(line, "out ") {
			out = append(out, line)
		}
	}
	return out
}

// liveSteps print lines slowly and fast, and one that is not ended for a while.
func liveSteps(end ...string) []string {
	var steps []string
	for i := range 30 {
		steps = append(steps, fmt.Sprintf(`out=out \x1b[3%dm%d 漢字\n`, i%8, i))
	}
	steps = append(steps, "out=out half", "touch=half", "wait-file=whole", `out= and whole\n`)
	return append(steps, end...)
}

func wantOutput() (lines []string) {
	for i := range 30 {
		lines = append(lines, fmt.Sprintf("out %d 漢字", i))
	}
	return append(lines, "out half and whole")
}

// TestBlockOfARun sees a run on a terminal, whose window changes meanwhile, from
// its middle to its end.
func TestBlockOfARun(t *testing.T) {
	t.Parallel()
	r := newRepo(t, 2)
	w := openWindow(r, r.command(nil, r.runArgs(liveSteps("complete=done"))...), 80, 24)
	w.await("out half")
	w.await("plan p, phase 1/2: Title 1")
	w.await("last output 2s ago, agent agent-cmd, attempt 2") // it ticks by itself
	w.resize(40, 24)
	w.await("agent agent-cmd")
	w.resize(20, 10)
	w.await("phase 1/2: Title 1")
	w.resize(100, 30)
	w.await("plan p, phase 1/2: Title 1")
	r.write("whole", "")
	lines := w.lines(exitOK)
	want := append(wantOutput(), wantOutput()...)
	if got := outputOf(lines); !slices.Equal(got, want) {
		t.Errorf("output\n%q\nwant\n%q", got, want)
	}
	if last := lines[len(lines)-1]; last != "runner-complete: all phases complete" {
		t.Errorf("the last line is %q", last)
	}
	for _, part := range []string{"phase 1/2 phase-1 ", "phase 1/2 phase-1: phase-complete ", "phase 2/2 phase-2 ", "phase 2/2 phase-2: phase-complete "} {
		if !slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, part) }) {
			t.Errorf("no line begins with %q: %q", part, lines)
		}
	}
}

// TestBlockIsErased ends a run in the middle of a line, in every way that a
// person or the system has.
func TestBlockIsErased(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		end  func(w *window, pid int)
		code int
	}{
		"Ctrl-C":  {func(w *window, _ int) { _, _ = w.master.WriteString("\x03") }, exitSignal + int(syscall.SIGINT)},
		"SIGTERM": {func(_ *window, pid int) { _ = syscall.Kill(pid, syscall.SIGTERM) }, exitSignal + int(syscall.SIGTERM)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, 1)
			cmd := r.command(nil, r.runArgs(liveSteps("forever"))...)
			w := openWindow(r, cmd, 80, 24)
			w.await("out half")
			w.await("plan p, phase 1/1: Title 1")
			test.end(w, cmd.Process.Pid)
			lines := w.lines(test.code)
			want := wantOutput()
			want[len(want)-1] = "out half"
			if got := outputOf(lines); !slices.Equal(got, want) {
				t.Errorf("output\n%q\nwant\n%q", got, want)
			}
		})
	}
}

// TestBlockBesideARedirection has the worker's output in a file, and the block
// on the terminal all the same; and the terminal by another name.
func TestBlockBesideARedirection(t *testing.T) {
	t.Parallel()
	r := newRepo(t, 1)
	r.write("whole", "")
	out, err := os.Create(r.path("out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	cmd := r.command(nil, r.runArgs(liveSteps("wait-file=go", "complete=done"))...)
	cmd.Stdout = out
	w := openWindow(r, cmd, 80, 24)
	w.await("plan p, phase 1/1: Title 1")
	r.write("go", "")
	if got := outputOf(w.lines(exitOK)); len(got) > 0 {
		t.Errorf("on the terminal: %q", got)
	}
	text, _ := os.ReadFile(r.path("out"))
	if want := strings.Join(wantOutput(), "\n") + "\nrunner-complete: all phases complete\n"; string(text) != want {
		t.Errorf("in the file: %q", text)
	}
}

func TestBlockOnATerminalByTwoNames(t *testing.T) {
	t.Parallel()
	r := newRepo(t, 1)
	r.write("whole", "")
	cmd := r.command(nil, r.runArgs(liveSteps("wait-file=go", "complete=done"))...)
	cmd.Args = append([]string{"sh", "-c", `exec "$0" "$@" 2>/dev/tty`, cmd.Path}, cmd.Args[1:]...)
	cmd.Path = "/bin/sh"
	w := openWindow(r, cmd, 80, 24)
	w.await("out half and whole")
	w.await("plan p, phase 1/1: Title 1")
	r.write("go", "")
	if got := outputOf(w.lines(exitOK)); !slices.Equal(got, wantOutput()) {
		t.Errorf("%q", got)
	}
}

// TestColoursOfATranscript has attempts show keep them where asked.
func TestColoursOfATranscript(t *testing.T) {
	t.Parallel()
	r := newRepo(t, 1)
	r.run([]string{`out=\x1b[31mred\x1b[2J\n`, "complete=done"})
	for flag, want := range map[string]string{"auto": "red\n", "never": "red\n", "always": "\x1b[31mred\n"} {
		e := r.exec(nil, "attempts", "show", "--plan", r.plan, "--color", flag)
		if e.code != exitOK || !strings.Contains(e.out, "\n"+want) {
			t.Errorf("--color %s: %+v", flag, e)
		}
	}
	if e := r.exec(nil, "status", "--plan", r.plan, "--color", "sometimes"); e.code != exitInvalid || !strings.Contains(e.err, "--color must be one of") {
		t.Errorf("%+v", e)
	}
}
