package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/ai-session-handler/ai-session-handler/engine/enginetest"
	"github.com/ai-session-handler/ai-session-handler/engine/workspace"
)

// started is a command of the product that goes on while the test does.
type started struct {
	r        *repo
	cmd      *exec.Cmd
	wait     func() int
	out, err string // the files that it writes to
}

func (r *repo) begin(name string, args ...string) *started {
	r.t.Helper()
	dir := r.t.TempDir()
	s := &started{r: r, cmd: r.command(nil, args...), out: filepath.Join(dir, name+".out"), err: filepath.Join(dir, name+".err")}
	stdout, err := os.Create(s.out)
	if err != nil {
		r.t.Fatal(err)
	}
	stderr, err := os.Create(s.err)
	if err != nil {
		r.t.Fatal(err)
	}
	s.cmd.Stdout, s.cmd.Stderr = stdout, stderr
	s.wait = r.start(s.cmd)
	_, _ = stdout.Close(), stderr.Close()
	return s
}

func (s *started) read(path string) string {
	s.r.t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		s.r.t.Fatal(err)
	}
	return string(data)
}

// shows waits until the command has printed text, on stdout or on stderr.
func (s *started) shows(text string) {
	s.r.t.Helper()
	enginetest.WaitUntil(s.r.t, fmt.Sprintf("%q is shown", text), patience, func() bool {
		return strings.Contains(s.read(s.out)+s.read(s.err), text)
	})
}

// ends checks how the command ends, and what it has printed by then.
func (s *started) ends(code int, out string, errs ...string) {
	s.r.t.Helper()
	if got := s.wait(); got != code {
		s.r.t.Errorf("exit code %d, want %d", got, code)
	}
	if got := s.read(s.out); got != out {
		s.r.t.Errorf("stdout %.300q, want %q", got, out)
	}
	rest := s.read(s.err)
	for _, want := range errs {
		_, after, found := strings.Cut(rest, want)
		if !found {
			s.r.t.Errorf("no %q next in stderr: %s", want, s.read(s.err))
			continue
		}
		rest = after
	}
}

func (r *repo) touch(name string) { r.write(name, "") }

const done = "<phase-complete>done</phase-complete>\n"

// TestTailFollowsARunToItsEnd begins in the middle of a phase, and has phases
// that are over before it looks again.
func TestTailFollowsARunToItsEnd(t *testing.T) {
	t.Parallel()
	r := newRepo(t, 5)
	run := r.begin("run", r.runArgs([]string{
		`phase-1:out=lost\none\n`, "phase-1:touch=ready", "phase-1:wait-file=go", `phase-1:out=\x1b[31mmore\x1b[0m\n`,
		`phase-2:out=two\n`, `phase-3:out=three\n`, `phase-4:out=four\n`, "phase-4:wait-file=go-4", `phase-5:out=five\n`, "complete=done",
	})...)
	run.shows("one\n")
	tail := r.begin("tail", "attempts", "tail", "-f", "-n", "1", "--plan", r.plan)
	tail.shows("one\n")
	r.touch("go")
	tail.shows("four\n")
	r.touch("go-4")
	tail.ends(exitOK, "one\nmore\n"+done+"two\n"+done+"three\n"+done+"four\n"+done+"five\n"+done,
		`phase-1 "Title 1": attempt `, "phase-1: phase-complete\n", "phase-2", "phase-2: phase-complete\n",
		"phase-4", "phase-4: phase-complete\n", "phase-5", "phase-5: phase-complete\n", "the run has ended\n")
	if code := run.wait(); code != exitOK {
		t.Errorf("the run ended with %d", code)
	}
}

// TestTailOfOneAttemptEndsWithIt names the attempt, and shows exact bytes.
func TestTailOfOneAttemptEndsWithIt(t *testing.T) {
	t.Parallel()
	r := newRepo(t, 2)
	run := r.begin("run", r.runArgs([]string{`phase-1:out=\x1b[31mone\xff\x00`, "phase-1:wait-file=go", `out=\n`, "complete=done", "phase-2:forever"})...)
	run.shows("one")
	tail := r.begin("tail", "attempts", "tail", "phase-1", "--follow", "--raw", "--plan", r.plan)
	tail.shows("one")
	r.touch("go")
	tail.ends(exitOK, "\x1b[31mone\xff\x00\n"+done, "phase-1: phase-complete\n")
}

// TestTailOfARunThatIsKilled says that the attempt is unresolved; one that a
// signal ends in order is interrupted.
func TestTailOfARunThatIsKilled(t *testing.T) {
	t.Parallel()
	for sig, want := range map[syscall.Signal]string{
		syscall.SIGKILL: "phase-1 \"Title 1\": unresolved: its handler, pid %d, is gone and its result is not on disk\nthe run has ended\n",
		syscall.SIGTERM: "phase-1: interrupted\nthe run has ended\n",
	} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, 1)
			run := r.begin("run", r.runArgs([]string{"out=half", "forever"})...)
			run.shows("half")
			tail := r.begin("tail", "attempts", "tail", "-f", "--plan", r.plan)
			tail.shows("half")
			_ = run.cmd.Process.Signal(sig)
			if strings.Contains(want, "%d") {
				want = fmt.Sprintf(want, run.cmd.Process.Pid)
			}
			tail.ends(exitOK, "half\n", want)
		})
	}
}

// TestInterruptedTailDisturbsNothing ends the command and not the run, also
// when nobody reads what it prints.
func TestInterruptedTailDisturbsNothing(t *testing.T) {
	t.Parallel()
	r := newRepo(t, 1)
	run := r.begin("run", r.runArgs([]string{"flood=1M", `out=\nhere`, "wait-file=go", `out=\n`, "complete=done"}, "--quiet")...)
	args := []string{"attempts", "tail", "-f", "-n", "1", "--plan", r.plan}
	enginetest.WaitUntil(t, "the transcript has it", patience, func() bool {
		matches, _ := filepath.Glob(r.path(".ai-session-handler/plans/*/transcripts/*.txt"))
		return len(matches) == 1 && strings.HasSuffix(run.read(matches[0]), "\nhere")
	})
	for sig, code := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		tail := r.begin("tail", args...)
		tail.shows("here")
		_ = tail.cmd.Process.Signal(sig)
		tail.ends(code, "here\n")
	}
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = read.Close() }()
	stuck := r.command(nil, "attempts", "tail", "-f", "-n", "1000000", "--plan", r.plan)
	stuck.Stdout = write
	wait := r.start(stuck)
	_ = write.Close()
	if _, err := read.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	_ = stuck.Process.Signal(syscall.SIGINT)
	if code := wait(); code != 130 {
		t.Errorf("a reader that takes nothing: exit code %d", code)
	}
	r.touch("go")
	if code := run.wait(); code != exitOK {
		t.Errorf("the run ended with %d", code)
	}
}

// TestTailOfATranscriptThatIsTamperedWith says so.
func TestTailOfATranscriptThatIsTamperedWith(t *testing.T) {
	t.Parallel()
	r := newRepo(t, 1)
	run := r.begin("run", r.runArgs([]string{`out=one\n`, "wait-file=go", `out=two\n`, "complete=done"})...)
	run.shows("one")
	args := []string{"attempts", "tail", "-f", "--plan", r.plan}
	cut, removed := r.begin("cut", args...), r.begin("removed", args...)
	cut.shows("one")
	removed.shows("one")
	path := filepath.Join(filepath.Dir(r.statePath()), workspace.TranscriptFile(r.state().ActiveAttempt.ID))
	if err := os.Rename(path, path+".moved"); err != nil {
		t.Fatal(err)
	}
	removed.shows("was removed or replaced")
	cut.shows("was removed or replaced")
	r.touch("go")
	removed.ends(exitOK, "one\ntwo\n"+done, "was removed or replaced; what its handler goes on writing is shown all the same\n", "phase-1: phase-complete\n")
	cut.ends(exitOK, "one\ntwo\n"+done)

	r = newRepo(t, 1)
	run = r.begin("run", r.runArgs([]string{`out=one\n`, "forever"})...)
	run.shows("one")
	cut = r.begin("cut", "attempts", "tail", "-f", "--plan", r.plan)
	cut.shows("one")
	path = filepath.Join(filepath.Dir(r.statePath()), workspace.TranscriptFile(r.state().ActiveAttempt.ID))
	if err := os.Truncate(path, 10); err != nil {
		t.Fatal(err)
	}
	cut.ends(exitInvalid, "one\n", "was cut off while it was followed: it is not what the worker printed any more\n")
}

// TestTailOfAHistoryThatGoesAway ends with an error.
func TestTailOfAHistoryThatGoesAway(t *testing.T) {
	t.Parallel()
	r := newRepo(t, 1)
	run := r.begin("run", r.runArgs([]string{`out=one\n`, "forever"})...)
	run.shows("one")
	tail := r.begin("tail", "attempts", "tail", "-f", "--plan", r.plan)
	tail.shows("one")
	if err := os.RemoveAll(filepath.Join(r.ws, workspace.DirName)); err != nil {
		t.Fatal(err)
	}
	tail.ends(exitInvalid, "one\n", "error: the history went away while it was followed: ")
}

// TestTailWaitsForATranscript has one that is not there yet, or without the
// end of its header.
func TestTailWaitsForATranscript(t *testing.T) {
	t.Parallel()
	r := unresolvedRepo(t)
	h, err := openHistory(r.plan)
	if err != nil {
		t.Fatal(err)
	}
	defer h.close()
	stdout, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer stdout.Close()
	id := h.state.ActiveAttempt.ID
	path := h.path(workspace.TranscriptFile(id))
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	header := whole[:bytes.Index(whole, []byte("\n---\n"))+5]
	tail := newTail(&app{stdout: stdout}, h, id, 1, true)
	defer tail.close()
	for _, content := range []string{"-", "", string(header[:20]), string(header), string(header) + "a\nb\n", string(header) + "a\nb\nc\n"} {
		_ = os.Remove(path)
		if content != "-" {
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := tail.copy(); err != nil {
			t.Fatalf("%q: %v", content, err)
		}
		if content == string(header) {
			break // from here on the file is held, and would have to grow
		}
	}
	for _, more := range []string{"a\nb\n", "c\n"} {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err == nil {
			_, err = f.WriteString(more)
		}
		if err == nil {
			err = f.Close()
		}
		if err == nil {
			err = tail.copy()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if got, _ := os.ReadFile(stdout.Name()); string(got) != "a\nb\nc\n" {
		t.Errorf("%q", got)
	}
}

func TestLastLines(t *testing.T) {
	for _, test := range []struct {
		text string
		n    int
		want string
	}{
		{"", 0, ""}, {"", 3, ""}, {"a", 0, ""}, {"a", 1, "a"}, {"a\n", 1, "a\n"}, {"a\nb", 1, "b"}, {"a\nb\n", 1, "b\n"},
		{"a\nb\n", 2, "a\nb\n"}, {"a\nb\n", allLines, "a\nb\n"}, {"\n\n\n", 2, "\n\n"}, {"a\n\n", 1, "\n"}, {"\n", 1, "\n"},
	} {
		if got := endOf(t, "head\n", test.text, test.n); got != test.want {
			t.Errorf("the last %d of %q: %q, want %q", test.n, test.text, got, test.want)
		}
	}
}

// TestLastLinesAcrossReads has lines longer than what is read at once, and many
// shorter ones.
func TestLastLinesAcrossReads(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		var lines []string
		for range 1 + random.IntN(40) {
			lines = append(lines, strings.Repeat("x", random.IntN(tailBytes/4))+"\n")
		}
		n := 1 + random.IntN(len(lines))
		if got, want := endOf(t, "head", strings.Join(lines, ""), n), strings.Join(lines[len(lines)-n:], ""); got != want {
			t.Errorf("the last %d of %d lines: %d bytes, want %d", n, len(lines), len(got), len(want))
		}
	}
}

func endOf(t *testing.T, head, text string, n int) string {
	t.Helper()
	at, err := lastLines(strings.NewReader(head+text), int64(len(head)), int64(len(head+text)), n)
	if err != nil {
		t.Fatal(err)
	}
	return (head + text)[at:]
}
