package ui

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ai-session-handler/ai-session-handler/cmd/internal/termtest"
	"github.com/ai-session-handler/ai-session-handler/engine/enginetest"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// openTerminal returns a new pseudo-terminal and its other end.
func openTerminal(t *testing.T) (terminal, other *os.File) {
	t.Helper()
	other, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no pseudo-terminals here: %v", err)
	}
	t.Cleanup(func() { other.Close() })
	fd := int(other.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { terminal.Close() })
	return terminal, other
}

func setSize(t *testing.T, terminal *os.File, columns, rows uint16) {
	t.Helper()
	if err := unix.IoctlSetWinsize(int(terminal.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Col: columns, Row: rows}); err != nil {
		t.Fatal(err)
	}
}

// watch shows on a terminal of 80 by 24 in memory what comes out of the other
// end of a terminal. The function returns the rows of the screen, joined by |,
// and closes nothing.
func watch(t *testing.T, other *os.File) (screen func() string, all func() []string) {
	t.Helper()
	var mu sync.Mutex
	term := termtest.New(80, 24)
	go func() {
		buf := make([]byte, 4096)
		for {
			n, err := other.Read(buf)
			mu.Lock()
			_, _ = term.Write(buf[:n])
			mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	locked := func(get func() []string) []string {
		mu.Lock()
		defer mu.Unlock()
		if err := term.Err(); err != nil {
			t.Error(err)
		}
		return get()
	}
	return func() string { return strings.Join(locked(term.Screen), "|") },
		func() []string { return locked(func() []string { return term.Lines(true) }) }
}

// TestBlockOnATerminal has a phase from its start to its end, wherever standard
// output goes.
func TestBlockOnATerminal(t *testing.T) {
	for _, color := range []Color{ColorAlways, ColorNever} {
		t.Run(string(color), func(t *testing.T) {
			terminal, other := openTerminal(t)
			setSize(t, terminal, 80, 24)
			screen, all := watch(t, other)
			c := newConsole(terminal, terminal, Options{Color: color, Env: []string{"TERM=xterm"}}, soon)
			p := NewProgress(c)
			e := phaseStartedEvent("Move")
			e.Kind = record.PhaseStarted
			p.Event(e)
			write(t, c.Stdout(), "one\n\x1b[31mtwo")
			await(t, screen, "one|two|plan rollout, phase 2/7: Move|")
			bold := slices.Contains(all(), "\x1b[0;1mplan rollout, phase 2/7: Move")
			if bold != (color == ColorAlways) {
				t.Errorf("bold: %v", bold)
			}

			e.Kind, e.Bytes = record.PhaseProgress, 100
			p.Event(e)
			c.EndAttempt()
			e.Kind, e.Status = record.PhaseEnded, record.Timeout
			p.Event(e)
			c.Result("the end")
			if err := c.Close(); err != nil {
				t.Error(err)
			}
			await(t, screen, "the end")
			want := []string{
				`phase 2/7 phase-2 "Move": started, agent codex, timeout 1h0m0s, attempt 20261130T233411Z-phase-2-15fc28b9-6677-4b09-be13-8e4a272571c1`,
				"one", "two", "phase 2/7 phase-2: timeout after 0s", "the end",
			}
			if color == ColorAlways {
				want[2], want[3] = "\x1b[0;31mtwo", "phase 2/7 phase-2: \x1b[0;31mtimeout\x1b[0m after 0s"
			}
			if got := all(); !slices.Equal(got, want) {
				t.Errorf("%q", got)
			}
		})
	}
}

func await(t *testing.T, screen func() string, want string) {
	t.Helper()
	enginetest.WaitUntil(t, "the screen shows "+want, soon, func() bool { return strings.Contains(screen(), want) })
}

// TestWhereThereIsABlock has standard output and standard error on different
// things.
func TestWhereThereIsABlock(t *testing.T) {
	terminal, _ := openTerminal(t)
	setSize(t, terminal, 80, 24)
	file := create(t, t.TempDir()+"/file")
	_, pipe := blockingPipe(t)
	xterm := []string{"TERM=xterm"}
	tests := []struct {
		name           string
		stdout, stderr *os.File
		o              Options
		want           bool
	}{
		{"one terminal", terminal, terminal, Options{Env: xterm}, true},
		{"stdout in a file", file, terminal, Options{Env: xterm}, true},
		{"stdout in a pipe", pipe, terminal, Options{Env: xterm}, false},
		{"stderr in a file", terminal, file, Options{Env: xterm}, false},
		{"two files", file, file, Options{Env: xterm, Color: ColorAlways}, false},
		{"quiet", terminal, terminal, Options{Env: xterm, Quiet: true}, false},
		{"dumb", terminal, terminal, Options{Env: []string{"TERM=dumb"}}, false},
		{"unknown", terminal, terminal, Options{}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := newConsole(tt.stdout, tt.stderr, tt.o, soon)
			if got := c.err.live != nil; got != tt.want {
				t.Errorf("%v", got)
			}
		})
	}
}

func TestColourOnATerminal(t *testing.T) {
	const coloured = "\x1b[31mred\x1b[0m\n\x1b[8mhidden\x1b[0m\n\x1b[0mline\n\x1b[0mresult\n"
	const plain = "red\nhidden\nline\nresult\n"
	tests := []struct {
		env  []string
		want string
	}{
		{[]string{"TERM=xterm"}, coloured},
		{[]string{"TERM=xterm", "NO_COLOR=", "XNO_COLOR=1"}, coloured},
		{[]string{"NO_COLOR=1"}, plain},
		{[]string{"A=b", "NO_COLOR=", "NO_COLOR=0"}, plain},
	}
	for _, tt := range tests {
		terminal, other := openTerminal(t)
		c := newConsole(terminal, terminal, Options{Env: tt.env}, soon)
		write(t, c.Stdout(), "\x1b[31mred\x1b[0m\n\x1b]0;title\x07\x1b[2J\x1b[8mhidden")
		c.EndAttempt()
		c.Line("line")
		c.Result("result")
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		terminal.Close()
		got, _ := io.ReadAll(other) // ends with EIO
		if text := strings.ReplaceAll(string(got), "\r\n", "\n"); text != tt.want {
			t.Errorf("%q: %q, want %q", tt.env, text, tt.want)
		}
	}
}

// TestWorkerCannotHideALine has the line come in between.
func TestWorkerCannotHideALine(t *testing.T) {
	terminal, other := openTerminal(t)
	c := newConsole(terminal, terminal, Options{Env: []string{"TERM=xterm"}}, soon)
	write(t, c.Stdout(), "\x1b[8m")
	c.Line("line")
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	terminal.Close()
	got, _ := io.ReadAll(other)
	if text := string(got); !strings.HasPrefix(text, "\x1b[8m\x1b[0mline\r\n") {
		t.Errorf("%q", text)
	}
}
