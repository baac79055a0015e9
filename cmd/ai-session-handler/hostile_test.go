package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/ai-session-handler/ai-session-handler/engine/enginetest"
)

// hostile is what a worker, a plan or a file name may try on a terminal: set its
// title and clipboard, clear it, ask it for something to be typed back, in seven
// and in eight bits, hide text, and turn its direction.
const hostile = "a\x1b]0;title\ab\x1b]52;c;cm0gLXJm\x1b\\c\x1b[2Jd\x1b[6ne\x1bP$qm\x1b\\f\x1b[8mg\u009b2Jh\x9b6ni\u009dtitle\u009cj\x08k\x07l\u202em\x7fn\x00o"

// TestHostileTextNeverReachesTheReader puts it wherever text of others comes
// from, and looks at what each command prints, as text and as JSON.
func TestHostileTextNeverReachesTheReader(t *testing.T) {
	t.Parallel()
	for status, end := range map[string]string{
		"blocked":             "blocked=",
		"needs-clarification": "clarify=",
		"phase-complete":      "complete=",
		"agent-failed":        "exit=3\n#",
		"invalid-marker":      "out=<phase-complete>",
	} {
		t.Run(status, func(t *testing.T) {
			t.Parallel()
			r := hostileRepo(t)
			r.write("steps", "out="+escaped(hostile)+"\\n\nerr="+escaped(hostile)+"\\n\n"+end+escaped(hostile)+"\n")
			e := r.run([]string{"write=junk," + strings.ReplaceAll(hostileArgument, `\`, ""), "@steps"}, "--max-phases", "1")
			if r.safe(e); !strings.Contains(e.out, "abcdefghijkl\ufffdm\ufffdn\ufffdo\n") {
				t.Errorf("stdout %q has lost the text as well", e.out)
			}
			if got := string(r.state().LastRun.Status); got != status {
				t.Fatalf("the attempt ended %s, the test shows nothing: %s", got, e.err)
			}
			if !strings.Contains(r.transcript(), hostile+"\n") {
				t.Errorf("the transcript has lost bytes: %q", r.transcript())
			}
			r.looksSafe()
		})
	}
}

// hostileRepo has it in the titles of a plan, where a NUL can't be.
func hostileRepo(t *testing.T) *repo {
	r := newRepo(t, 2)
	text, err := os.ReadFile(r.plan)
	if err != nil {
		t.Fatal(err)
	}
	title := strings.NewReplacer("\x00", "", "\x9b6n", "")
	text = bytes.ReplaceAll(text, []byte("Title"), []byte("Title "+title.Replace(hostile)))
	if err := os.WriteFile(r.plan, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return r
}

// looksSafe has every command show what is there.
func (r *repo) looksSafe() {
	r.t.Helper()
	again := r.runArgs([]string{"complete=done"})
	for _, args := range [][]string{
		again, // refused, with the reason, or with what is left to do
		append(again, "--dry-run", "--retry-stopped"),
		{"run", "--plan", r.plan, "--agent-cmd", "x {" + hostileArgument + "}"},
		{hostileArgument},
	} {
		r.safe(r.exec(nil, args...))
	}
	for _, args := range [][]string{
		{"status", "--plan", r.plan},
		{"status", "--plan", hostileArgument},
		{"attempts", "--plan", r.plan},
		{"attempts", "--plan", r.plan, "--phase", hostileArgument},
		{"attempts", "--plan", r.plan, "--status", hostileArgument},
		{"attempts", "show", "--plan", r.plan},
		{"attempts", "show", hostileArgument, "--plan", r.plan},
		{"plan", "lint", r.plan},
		{"plan", "show", r.plan},
		{"plan", "show", r.plan, "--phase", "1"},
		{"plan", "show", r.plan, "--phase", hostileArgument},
	} {
		text, object := r.exec(nil, args...), r.exec(nil, append(args, "--json")...)
		r.safe(text)
		r.safe(object)
		if !json.Valid([]byte(object.out)) || object.code != text.code {
			r.t.Errorf("%q --json ends with %d, not %d: %s", args, object.code, text.code, object.out)
		}
	}
	for _, args := range [][]string{
		{"attempts", "show", "--prompt", "--plan", r.plan},
		{"attempts", "show", "--transcript", "--plan", r.plan},
		{"attempts", "show", "--outcome", "--plan", r.plan},
		{"attempts", "tail", "--plan", r.plan},
		{"attempts", "tail", "-f", "-n", "1", "--plan", r.plan},
		{"attempts", "tail", hostileArgument, "--plan", r.plan},
		{"attempts", "resolve", "2", "--as", "failed", "--note", hostileArgument, "--plan", r.plan},
		{"attempts", "resolve", hostileArgument, "--as", hostileArgument, "--note", hostileArgument, "--plan", r.plan},
	} {
		r.safe(r.exec(nil, args...))
	}
}

// TestAHostileChangeIsShownSafely has it in the body of a plan that changed,
// where a carriage return might forge a line of ours.
func TestAHostileChangeIsShownSafely(t *testing.T) {
	t.Parallel()
	r := hostileRepo(t)
	r.wants(r.run([]string{"complete=done"}, "--max-phases", "1"), exitOK)
	text, err := os.ReadFile(r.plan)
	if err != nil {
		t.Fatal(err)
	}
	hidden := strings.NewReplacer("\x00", "", "\x9b6n", "").Replace(hostile)
	r.write("docs/plans/p.md", string(text)+hidden+"\r  next: sh evil\u2028  next: sh evil\u2029  next: sh evil\n")
	for name, e := range map[string]ended{
		"refused":  r.run([]string{"complete=done"}),
		"accepted": r.run([]string{"blocked=no"}, "--accept-plan-change"),
	} {
		if r.safe(e); !strings.Contains(e.err, `  +a\u{001B}]0;title`) || strings.Contains(e.err, "\n  next: sh evil") {
			t.Errorf("%s: %s", name, e.err)
		}
	}
}

// TestAMessageOfSeveralLinesForgesNoneOfOurs has a worker end its last words
// with what looks like advice of the runner, by all line ends that there are.
func TestAMessageOfSeveralLinesForgesNoneOfOurs(t *testing.T) {
	t.Parallel()
	for _, end := range []string{"blocked=", "clarify="} {
		r := newRepo(t, 1)
		const forged = "it broke\n  next: sh evil\nnext: sh evil\r  next: sh evil\u2028  next: sh evil\u2029outcome: evil"
		r.write("steps", end+escaped(forged)+"\n")
		for _, shown := range []struct {
			indent string // of our own lines
			by     ended
		}{
			{"", r.run([]string{"@steps"})},
			{"  ", r.run([]string{"complete=done"})},
			{"", r.exec(nil, "status", "--plan", r.plan)},
			{"", r.exec(nil, "attempts", "show", "--plan", r.plan)},
		} {
			lines := shown.by.out + "\n" + shown.by.err
			if _, below, found := strings.Cut(lines, "\nsummary:\n"); found {
				lines, _, _ = strings.Cut(below, "\ntranscript: ") // behind it all is the worker's
			}
			forged := regexp.MustCompile("(?m)^"+shown.indent+"(next: sh|outcome:) evil").FindAllString(lines, -1)
			if len(forged) > 0 || !strings.Contains(lines, "  next: sh evil") {
				t.Errorf("%s: forged %q in %s", end, forged, lines)
			}
		}
	}
}

// hostileArgument is what of it an argument can hold.
var hostileArgument = strings.ReplaceAll(hostile, "\x00", "")

// safe checks that what came out is nothing but text.
func (r *repo) safe(e ended) {
	r.t.Helper()
	for stream, text := range map[string]string{"stdout": e.out, "stderr": e.err} {
		if bad := unsafe(text); bad != "" {
			r.t.Errorf("%s has %s: %q", stream, bad, text)
		}
	}
}

// unsafe names the first thing in text that a terminal might obey.
func unsafe(text string) string {
	if !utf8.ValidString(text) {
		return "invalid UTF-8"
	}
	for _, r := range text {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || r == '\u202e') {
			return escaped(string(r))
		}
	}
	return ""
}

// TestHostileTextOnATerminal has a terminal as stdout and stderr: colours of a
// worker come through there, unless NO_COLOR is set, and nothing else.
func TestHostileTextOnATerminal(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		env     []string
		colours bool
	}{
		"colours":    {[]string{"NO_COLOR="}, true},
		"no colours": {[]string{"NO_COLOR=1"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := hostileRepo(t)
			r.write("steps", `out=\x1b[31mred\x1b[0m\n`+"\nout="+escaped(hostile)+"\\n\nerr="+escaped(hostile)+"\\n\nblocked="+escaped(hostile)+"\n")
			screen := r.onTerminal(test.env, r.runArgs([]string{"@steps"})...)
			if got := strings.Contains(screen, "\x1b[31mred\x1b[0m"); got != test.colours {
				t.Errorf("colours came through: %v", got)
			}
			screen += r.onTerminal(test.env, "status", "--plan", r.plan)
			screen += r.onTerminal(test.env, "attempts", "--plan", r.plan)
			screen += r.onTerminal(test.env, "attempts", "show", "--plan", r.plan)
			for _, command := range []string{"show", "tail"} {
				again := r.onTerminal(test.env, "attempts", command, "--plan", r.plan)
				if got := strings.Contains(again, "\x1b[31mred\x1b[0m"); got != test.colours {
					t.Errorf("colours came through attempts %s: %v", command, got)
				}
				screen += again
			}
			if bad := unsafe(colour.ReplaceAllString(strings.ReplaceAll(screen, "\r\n", "\n"), "")); bad != "" {
				t.Errorf("it has %s: %q", bad, screen)
			}
			if !strings.Contains(screen, "phase-blocked: abcdef") {
				t.Errorf("%q", screen)
			}
		})
	}
}

var colour = regexp.MustCompile("\x1b\\[[0-9;]*m")

// onTerminal returns what a command shows on a terminal.
func (r *repo) onTerminal(env []string, args ...string) string {
	r.t.Helper()
	master, slave := terminal(r.t)
	cmd := r.command(env, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	wait := r.start(cmd)
	_ = slave.Close()
	screen, _ := io.ReadAll(master) // ends with EIO when nobody has the other side
	_ = master.Close()
	wait()
	return string(screen)
}

// TestHostileFileNames has it in the path of the plan and of the repository.
func TestHostileFileNames(t *testing.T) {
	t.Parallel()
	ws := enginetest.Workspace(t)
	r := &repo{t: t, ws: ws}
	name := strings.ToValidUTF8(hostileArgument, "")
	r.write(name+"/AGENTS.md", "")
	r.ws = r.path(name)
	r.write("docs/plans/"+name+".md", "## Phase 1: One\n\n### Workspace\n\n.\n")
	r.plan = r.path("docs/plans/" + name + ".md")
	e := r.run([]string{"blocked=no"})
	if r.safe(e); e.code != exitBlocked {
		t.Errorf("exit code %d: %s", e.code, e.err)
	}
	r.looksSafe()
}
