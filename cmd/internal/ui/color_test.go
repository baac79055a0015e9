package ui

import (
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

func TestColorOn(t *testing.T) {
	terminal, _ := openTerminal(t)
	file := create(t, t.TempDir()+"/file")
	tests := []struct {
		color          Color
		env            string
		terminal, file bool
	}{
		{"", "TERM=xterm", true, false},
		{ColorAuto, "TERM=xterm", true, false},
		{ColorAuto, "TERM=dumb", false, false},
		{ColorAuto, "TERM=", false, false},
		{ColorAuto, "", false, false},
		{ColorAuto, "TERM=xterm NO_COLOR=1", false, false},
		{ColorAuto, "TERM=xterm NO_COLOR=", true, false},
		{ColorAuto, "TERM=xterm CLICOLOR_FORCE=1", true, true},
		{ColorAuto, "TERM=dumb CLICOLOR_FORCE=yes", true, true},
		{ColorAuto, "TERM=xterm CLICOLOR_FORCE=0", true, false},
		{ColorAuto, "TERM=xterm CLICOLOR_FORCE=", true, false},
		{ColorAuto, "TERM=xterm CLICOLOR_FORCE=1 NO_COLOR=1", false, false},
		{ColorAlways, "NO_COLOR=1 TERM=dumb", true, true},
		{ColorNever, "TERM=xterm CLICOLOR_FORCE=1", false, false},
	}
	for _, tt := range tests {
		env := strings.Fields(tt.env)
		if on := tt.color.On(terminal, env); on != tt.terminal {
			t.Errorf("%q, %s, terminal: %v", tt.color, tt.env, on)
		}
		if on := tt.color.On(file, env); on != tt.file {
			t.Errorf("%q, %s, file: %v", tt.color, tt.env, on)
		}
	}
}

// TestColoursOnWhatIsNoTerminal has those of the worker and of the handler.
func TestColoursOnWhatIsNoTerminal(t *testing.T) {
	for _, tt := range []struct {
		color Color
		env   []string
		want  string
	}{
		{ColorAlways, []string{"NO_COLOR=1"}, "\x1b[31mred\x1b[0m\n\x1b[0mphase 0/0: \x1b[32mphase-complete\x1b[0m after 0s\n"},
		{ColorAuto, []string{"CLICOLOR_FORCE=1"}, "\x1b[31mred\x1b[0m\n\x1b[0mphase 0/0: \x1b[32mphase-complete\x1b[0m after 0s\n"},
		{ColorAuto, nil, "red\nphase 0/0: phase-complete after 0s\n"},
	} {
		c, read := consoleOf(t, true, Options{Color: tt.color, Env: tt.env})
		write(t, c.Stdout(), "\x1b[31mred\x1b[2J")
		c.EndAttempt()
		NewProgress(c).Event(record.Event{Kind: record.PhaseEnded, Status: record.PhaseComplete})
		if out, _ := read(); out != tt.want {
			t.Errorf("%s %q: %q", tt.color, tt.env, out)
		}
	}
}

// TestStatusColours has every status in one of three colours.
func TestStatusColours(t *testing.T) {
	want := map[record.Status]string{
		record.PhaseComplete: "32", record.Blocked: "33", record.NeedsClarification: "33", record.Interrupted: "33",
	}
	for _, s := range record.Statuses() {
		code := want[s]
		if code == "" {
			code = "31"
		}
		if got := palette(true).status(s, string(s)); got != "\x1b["+code+"m"+string(s)+"\x1b[0m" {
			t.Errorf("%q", got)
		}
		if got := palette(false).status(s, string(s)); got != string(s) {
			t.Errorf("%q without colours", got)
		}
	}
}

func TestPlaceOf(t *testing.T) {
	terminal, _ := openTerminal(t)
	setSize(t, terminal, 100, 30)
	if at := placeOf(terminal); at != (place{columns: 100, rows: 30}) {
		t.Errorf("%+v", at)
	}
	if at := placeOf(create(t, t.TempDir()+"/file")); at != (place{}) {
		t.Errorf("a file: %+v", at)
	}
}

func TestSameOutput(t *testing.T) {
	one, _ := openTerminal(t)
	other, _ := openTerminal(t)
	again, err := os.OpenFile(one.Name(), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	file := create(t, t.TempDir()+"/file")
	if !sameOutput(one, again) || !sameOutput(file, file) {
		t.Error("the same is not the same")
	}
	if sameOutput(one, other) || sameOutput(one, file) || sameOutput(file, create(t, t.TempDir()+"/file")) {
		t.Error("what differs is the same")
	}
}
