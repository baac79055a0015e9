package main

import (
	"cmp"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/ai-session-handler/ai-session-handler/engine/termtext"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// printed is one row of the table of results: what a worker prints, and what
// is made of it. A worker prints its stderr after its stdout.
type printed struct {
	name           string
	stdout, stderr string
	summary        string // of a result that is accepted
}

const (
	complete = "<phase-complete>done</phase-complete>"
	blocked  = "<phase-blocked>done</phase-blocked>"
)

var accepted = []printed{
	{name: "alone", stdout: complete},
	{name: "with a final newline", stdout: complete + "\n"},
	{name: "after progress", stdout: "working\nstill working\n" + complete + "\n"},
	{name: "before blank lines", stdout: complete + "\n\n \t\n\n"},
	{name: "before VT and FF", stdout: complete + "\v\f\n"},
	{name: "before a no-break space", stdout: complete + "\u00a0\n"},
	{name: "several lines", stdout: "<phase-complete>\none\n\ntwo\n</phase-complete>\n", summary: "one\n\ntwo"},
	{name: "markup in it", stdout: "<phase-complete>a <b>bold</b> a < b claim</phase-complete>\n", summary: "a <b>bold</b> a < b claim"},
	{name: "another tag in it", stdout: "<phase-complete>not <phase-completed> yet</phase-complete>\n", summary: "not <phase-completed> yet"},
	{name: "on stderr only", stdout: "working\n", stderr: "more\n" + complete + "\n"},
	{name: "CRLF", stdout: "working\r\n" + complete + "\r\n"},
	{name: "after a closed fence", stdout: "```go\ncode\n```\n" + complete + "\n"},
	{name: "a fence in it", stdout: "<phase-complete>see\n```\ncode\n</phase-complete>\n", summary: "see\n```\ncode"},
	{name: "after a line indented by four", stdout: "    ```\n" + complete + "\n"},
	{name: "after two backticks", stdout: "``\n" + complete + "\n"},
	{name: "after upper case", stdout: "<PHASE-COMPLETE>x</PHASE-COMPLETE>\n" + complete + "\n"},
	{name: "after another tag", stdout: "<phase-done>x</phase-done>\n" + complete + "\n"},
}

// refused are the rows of each status that is none of the worker's choice.
var refused = map[record.Status][]printed{
	record.MissingMarker: {
		{name: "nothing"},
		{name: "text only", stdout: "all good\n", stderr: "really\n"},
		{name: "a prefix at the end", stdout: "text\n<phase-"},
		{name: "a longer prefix at the end", stdout: "text\n<phase-complet"},
		{name: "another tag", stdout: "<phase-completed>x</phase-completed>\n"},
	},
	record.InvalidMarker: {
		{name: "inline", stdout: "result: " + complete},
		{name: "after a space", stdout: " " + complete},
		{name: "after a tab", stdout: "\t" + complete},
		{name: "before a word", stdout: complete + "\ndone\n"},
		{name: "before a full stop", stdout: complete + "."},
		{name: "empty", stdout: "<phase-complete></phase-complete>\n"},
		{name: "blank", stdout: "<phase-complete> \n\t\n</phase-complete>\n"},
		{name: "unclosed", stdout: "<phase-complete>done\n"},
		{name: "only closed", stdout: "done</phase-complete>\n"},
		{name: "closed by another", stdout: "<phase-complete>done</phase-blocked>\n"},
		{name: "half a tag at the end", stdout: "text\n<phase-complete"},
		{name: "a space before >", stdout: "<phase-complete >done</phase-complete>\n"},
		{name: "a space after <", stdout: "< phase-complete>done</phase-complete>\n"},
		{name: "a space after /", stdout: "<phase-complete>done</ phase-complete>\n"},
		{name: "self-closed", stdout: "<phase-complete/>\n"},
		{name: "with an attribute", stdout: `<phase-complete status="ok">done</phase-complete>` + "\n"},
		{name: "after a malformed mention", stdout: "I end with <phase-complete/> now\n" + complete + "\n"},
		{name: "in a fence", stdout: "```\n" + complete + "\n```\n"},
		{name: "in a fence to the end", stdout: "```\n" + complete},
		{name: "after an unclosed fence", stdout: "```\ncode\n" + complete + "\n"},
		{name: "after a fence closed by a shorter line", stdout: "````\ncode\n```\n" + complete + "\n"},
		{name: "after a fence closed with text behind", stdout: "```\ncode\n``` end\n" + complete + "\n"},
		{name: "after a backtick in a fence's info", stdout: "```a`b\n" + complete + "\n"},
		{name: "after CR alone", stdout: "working\r" + complete + "\r"},
		{name: "after NUL", stdout: "\x00" + complete + "\n"},
		{name: "after a BOM", stdout: "\ufeff" + complete + "\n"},
		{name: "beside a malformed tag on stderr", stdout: complete + "\n", stderr: "<phase-complete >\n"},
		{name: "beside a malformed tag on stdout", stdout: "<phase-complete >\n", stderr: complete + "\n"},
		{name: "opened on stdout, closed on stderr", stdout: "<phase-complete>done\n", stderr: "</phase-complete>\n"},
	},
	record.MultipleMarkers: {
		{name: "twice", stdout: complete + "\n" + complete + "\n"},
		{name: "two kinds", stdout: complete + "\n" + blocked + "\n"},
		{name: "nested", stdout: "<phase-complete>x " + blocked + "</phase-complete>\n"},
		{name: "on both streams", stdout: complete + "\n", stderr: complete + "\n"},
		{name: "two kinds on both streams", stdout: complete + "\n", stderr: blocked + "\n"},
		{name: "after a mention", stdout: "I end with <phase-complete> now\n" + complete + "\n"},
		{name: "before a stray closing tag", stdout: complete + "\n</phase-complete>\n"},
		{name: "after a quoted example", stdout: "> " + complete + "\n" + complete + "\n"},
	},
}

func TestResultsAccepted(t *testing.T) {
	t.Parallel()
	for _, row := range accepted {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			row.accept(t, record.PhaseComplete, "runner-complete: all phases complete\n")
		})
	}
	// The other kinds differ in what they mean, not in where they may stand.
	for tag, status := range map[string]record.Status{"phase-blocked": record.Blocked, "phase-needs-clarification": record.NeedsClarification} {
		for _, row := range accepted {
			if row.name != "alone" && row.name != "several lines" && row.name != "on stderr only" {
				continue
			}
			row.stdout, row.stderr = as(tag, row.stdout), as(tag, row.stderr)
			t.Run(tag+"/"+row.name, func(t *testing.T) {
				t.Parallel()
				row.accept(t, status, tag+": "+termtext.Indented(cmp.Or(row.summary, "done"), "  ")+"\n")
			})
		}
	}
}

func (p printed) accept(t *testing.T, status record.Status, final string) {
	t.Helper()
	e, last := p.run(t, "")
	if last.Status != status || e.code != statusCodes[status] || last.Summary != cmp.Or(p.summary, "done") {
		t.Errorf("%s with code %d and summary %q, want %s with %q\n%s", last.Status, e.code, last.Summary, status, p.summary, e.err)
	}
	if !strings.HasSuffix(e.out, final) {
		t.Errorf("stdout %q, want it to end in %q", e.out, final)
	}
}

// as turns the exact tags of a row into those of another kind.
func as(kind, text string) string {
	return strings.NewReplacer("<phase-complete>", "<"+kind+">", "</phase-complete>", "</"+kind+">").Replace(text)
}

func TestResultsRefused(t *testing.T) {
	t.Parallel()
	for status, rows := range refused {
		for _, row := range rows {
			t.Run(string(status)+"/"+row.name, func(t *testing.T) {
				t.Parallel()
				e, last := row.run(t, "")
				if last.Status != status || e.code != exitFailed {
					t.Errorf("%s with code %d, want %s\n%s", last.Status, e.code, status, e.err)
				}
				if strings.Contains(e.out, "runner-complete") || !strings.Contains(e.err, "\n"+string(status)+": ") {
					t.Errorf("stdout %q, stderr %q", e.out, e.err)
				}
			})
		}
	}
}

// TestResultsAfterAnotherEnd has results that don't count because of how the
// process ended. What is said is why it ended.
func TestResultsAfterAnotherEnd(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]printed{
		"good":    {stdout: complete + "\n"},
		"invalid": {stdout: " " + complete + "\n"},
		"missing": {stdout: "text\n"},
	} {
		for _, last := range []string{"exit=1", "kill-self=KILL"} {
			t.Run(name+" "+last, func(t *testing.T) {
				t.Parallel()
				e, last := row.run(t, last)
				if last.Status != record.AgentFailed || e.code != exitFailed {
					t.Errorf("%s with code %d", last.Status, e.code)
				}
				if seen := strings.Contains(e.err, "a result block was seen and does not count"); seen != (name == "good") {
					t.Errorf("stderr %q", e.err)
				}
			})
		}
	}
}

// TestAResultInPieces has a worker that writes its result one byte at a time.
func TestAResultInPieces(t *testing.T) {
	t.Parallel()
	r := newRepo(t, 1)
	e := r.run([]string{`split=working\n` + complete + `\n`})
	if e.code != exitOK || e.out != "working\nrunner-complete: all phases complete\n" {
		t.Errorf("exit code %d, stdout %q", e.code, e.out)
	}
	if !strings.Contains(r.transcript(), "working\n"+complete+"\n") {
		t.Errorf("transcript %q", r.transcript())
	}
}

// run has a worker print the row, and then do one more step.
func (p printed) run(t *testing.T, step string) (ended, record.LastRun) {
	t.Helper()
	r := newRepo(t, 1)
	steps := "out=" + escaped(p.stdout) + "\nerr=" + escaped(p.stderr) + "\n" + step + "\n"
	if err := os.WriteFile(r.path("steps"), []byte(steps), 0o600); err != nil {
		t.Fatal(err)
	}
	e := r.run([]string{"@steps"})
	st := r.state()
	if st.LastRun == nil {
		t.Fatalf("nothing ran: %s", e.err)
	}
	for _, text := range []string{p.stdout, p.stderr} {
		if !strings.Contains(r.transcript(), text) {
			t.Errorf("the transcript does not hold %q", text)
		}
	}
	return e, *st.LastRun
}

// escaped is text as the value of a step of the fake agent.
func escaped(text string) string {
	quoted := strconv.QuoteToASCII(text)
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
}
