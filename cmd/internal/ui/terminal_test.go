package ui

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
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

func TestColourOnATerminal(t *testing.T) {
	const coloured = "\x1b[31mred\x1b[0m\n\x1b[8mhidden\x1b[0m\n\x1b[0mline\n\x1b[0mresult\n"
	const plain = "red\nhidden\nline\nresult\n"
	tests := []struct {
		env  []string
		want string
	}{
		{nil, coloured},
		{[]string{"NO_COLOR=", "XNO_COLOR=1"}, coloured},
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
	c := newConsole(terminal, terminal, Options{}, soon)
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
