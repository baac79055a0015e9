package ui

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode"
	"unicode/utf8"
)

// hostile has what a worker, a title or an error may try on a terminal.
const hostile = "a\x1b]0;title\x07b\x1b[2J\x1b[8mc\u009b1A\x9b1Ad\x00\u202ee\xff\x1bP$q\x1b\\\U000e0041f\r\ng\u2028h\bi"

// consoleOf returns a Console of two new files, or of one, and what reads them
// back once the Console is closed.
func consoleOf(t *testing.T, same bool, o Options) (c *Console, read func() (out, err string)) {
	t.Helper()
	dir := t.TempDir()
	stdout := create(t, filepath.Join(dir, "out"))
	stderr := stdout
	if !same {
		stderr = create(t, filepath.Join(dir, "err"))
	}
	c = newConsole(stdout, stderr, o, soon)
	return c, func() (string, string) {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		return contents(t, stdout), contents(t, stderr)
	}
}

func create(t *testing.T, path string) *os.File {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func contents(t *testing.T, f *os.File) string {
	t.Helper()
	text, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// session is a use of every method.
func session(t *testing.T, c *Console) {
	t.Helper()
	c.Line("phase 1")
	write(t, c.Stdout(), "out\nunfinished")
	write(t, c.Stderr(), "warning\nunfinished\xe2\x82")
	c.Line("still running")
	write(t, c.Stdout(), " goes on")
	c.EndAttempt()
	c.Line("phase 2")
	write(t, c.Stderr(), "\xac again\n")
	c.EndAttempt()
	c.Error("failed\nbecause")
	c.Result("phase-blocked: phase-2\n")
}

func TestConsole(t *testing.T) {
	tests := []struct {
		name        string
		same, quiet bool
		out, err    string
	}{
		{
			"two files", false, false,
			"out\nunfinished goes on\nphase-blocked: phase-2\n",
			"phase 1\nwarning\nunfinished\nstill running\n\ufffd\nphase 2\n\ufffd again\nfailed\nbecause\n",
		},
		{
			"one file", true, false,
			"phase 1\nout\nunfinishedwarning\nunfinished\nstill running\n goes on\ufffd\nphase 2\n\ufffd again\n" +
				"failed\nbecause\nphase-blocked: phase-2\n", "",
		},
		{"two files, quiet", false, true, "phase-blocked: phase-2\n", "failed\nbecause\n"},
		{"one file, quiet", true, true, "failed\nbecause\nphase-blocked: phase-2\n", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, read := consoleOf(t, tt.same, Options{Quiet: tt.quiet})
			session(t, c)
			out, err := read()
			if out != tt.out {
				t.Errorf("stdout %q, want %q", out, tt.out)
			}
			if !tt.same && err != tt.err {
				t.Errorf("stderr %q, want %q", err, tt.err)
			}
		})
	}
}

// TestFlush reads what is out while the Console is in use.
func TestFlush(t *testing.T) {
	f := create(t, filepath.Join(t.TempDir(), "out"))
	c := NewConsole(f, f, Options{})
	for _, want := range []string{"one\n", "one\ntwo\n"} {
		c.Line(want[len(want)-4 : len(want)-1])
		if err := c.Flush(); err != nil {
			t.Error(err)
		}
		if got := contents(t, f); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

func TestHostileText(t *testing.T) {
	shows := map[string]func(c *Console){
		"Stdout": func(c *Console) { write(t, c.Stdout(), hostile) },
		"Stderr": func(c *Console) { write(t, c.Stderr(), hostile) },
		"Line":   func(c *Console) { c.Line(hostile) },
		"Result": func(c *Console) { c.Result(hostile) },
		"Error":  func(c *Console) { c.Error(hostile) },
	}
	for _, kind := range eventKinds() {
		shows[string(kind)] = func(c *Console) { NewProgress(c).Event(hostileEvent(kind)) }
	}
	for name, show := range shows {
		t.Run(name, func(t *testing.T) {
			c, read := consoleOf(t, true, Options{})
			show(c)
			out, _ := read()
			checkSafe(t, out)
			isLine := name != "Stdout" && name != "Stderr" && name != "Result" && name != "Error"
			if isLine && strings.Count(out, "\n") > 1 {
				t.Errorf("more than a line: %q", out)
			}
		})
	}
}

func checkSafe(t *testing.T, out string) {
	t.Helper()
	for _, r := range out {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || r == '\u202e' || r == '\U000e0041' {
			t.Errorf("%U in %q", r, out)
		}
	}
	if !utf8.ValidString(out) {
		t.Errorf("invalid UTF-8 in %q", out)
	}
	if out != "" && !strings.HasSuffix(out, "\n") {
		t.Errorf("the last line of %q is not ended", out)
	}
}

// TestAttemptsDoNotMix leaves every state that a filter can have.
func TestAttemptsDoNotMix(t *testing.T) {
	for _, end := range []string{"\x1b", "\x1b]0;", "\xe2\x82", "a\r", "\x1b[31", "\n", ""} {
		for _, next := range []string{"0;next\n", "\nnext\n"} {
			c, read := consoleOf(t, false, Options{})
			write(t, c.Stdout(), end)
			c.EndAttempt()
			write(t, c.Stdout(), next)
			c.EndAttempt()
			if out, _ := read(); !strings.HasSuffix("\n"+out, "\n"+next) {
				t.Errorf("%q after %q: %q", next, end, out)
			}
		}
	}
}

// stuck returns a Console whose buffer is full, before a worker's last bytes
// are shown.
func stuck(t *testing.T) (*Console, *gate) {
	t.Helper()
	g := newGate()
	w := newWriter(g, Patience, false)
	a := &activity{clock: bootTime}
	c := &Console{patience: Patience, activity: a, out: w, err: w, workerOut: newStream(w, a), workerErr: newStream(w, a)}
	write(t, w, strings.Repeat("x", bufferSize))
	write(t, c.Stdout(), "\xe2")
	return c, g
}

func TestCloseOfAStuckConsole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, g := stuck(t)
		start := time.Now()
		if err := c.Close(); !errors.Is(err, ErrNotTaken) {
			t.Errorf("Close: %v", err)
		}
		if waited := time.Since(start); waited != Patience {
			t.Errorf("waited %v", waited)
		}
		close(g.open)
	})
}

func TestCloseOfAConsoleThatIsReadLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, g := stuck(t)
		go func() {
			time.Sleep(time.Second)
			close(g.open)
		}()
		if err := c.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
		if want := strings.Repeat("x", bufferSize) + "\ufffd\n"; g.out.String() != want {
			t.Errorf("wrote …%q", tail(g.out.String()))
		}
	})
}

func TestConsoleThatIsGone(t *testing.T) {
	dir := t.TempDir()
	stdout, stderr := create(t, filepath.Join(dir, "out")), create(t, filepath.Join(dir, "err"))
	c := newConsole(stdout, stderr, Options{}, soon)
	stdout.Close()
	_, _ = c.Stdout().Write([]byte("lost"))
	_ = c.out.Flush(soon) // so that the failure is known
	if _, err := c.Stdout().Write([]byte("lost")); err == nil {
		t.Error("no error")
	}
	c.EndAttempt()
	c.Result("lost")
	c.Error("shown")
	if err := c.Close(); err == nil {
		t.Error("no error of Close")
	}
	if got := contents(t, stderr); got != "shown\n" {
		t.Errorf("stderr %q", got)
	}
}
