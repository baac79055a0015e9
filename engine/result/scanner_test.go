package result

import (
	"bytes"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const good = "<phase-complete>done</phase-complete>"

func scan(pieces ...string) StreamResult {
	var s Scanner
	for _, p := range pieces {
		write(&s, p)
	}
	return s.End()
}

// TestAcceptReject is the table of what is a result and what is not, by the
// verdict on each row.
func TestAcceptReject(t *testing.T) {
	tests := []struct{ name, stream string }{
		{"valid: alone with newline", good + "\n"},
		{"valid: alone without newline", good},
		{"valid: after progress lines", "reading\nediting\n" + good},
		{"valid: blank lines behind", good + "\n\n \t\n"},
		{"valid: VT and FF behind", good + "\v\f"},
		{"valid: NBSP behind", good + "\u00a0\n"},
		{"valid: line separator behind", good + "\u2028\u3000"},
		{"valid: body of several lines", "<phase-complete>\na\n\nb\n</phase-complete>\n"},
		{"valid: markup in the body", "<phase-complete><b>x</b></phase-complete>"},
		{"valid: less-than in the body", "<phase-complete>a < b</phase-complete>"},
		{"valid: longer word in the body", "<phase-complete>see <phase-completed></phase-complete>"},
		{"valid: CRLF", "working\r\n" + good + "\r\n"},
		{"valid: closed fence before", "```go\nx\n```\n" + good},
		{"valid: fence closed by a longer run", "~~~\nx\n~~~~~ \t\r\n" + good},
		{"valid: fence indented by tabs, closed", "\t\t\t```\nx\n  \t```\n" + good},
		{"valid: other character does not close", "```\n~~~\n```\n" + good},
		{"valid: fence in the body", "<phase-complete>\n```\nx\n</phase-complete>"},
		{"valid: fence line indented by four", "    ```\n" + good},
		{"valid: two backticks", "``\n" + good},
		{"valid: capitals are text", "<PHASE-COMPLETE>\n" + good},
		{"valid: unknown tag is text", "<phase-done>x</phase-done>\n" + good},
		{"valid: blocked", "<phase-blocked>no key</phase-blocked>"},
		{"valid: clarification", "<phase-needs-clarification>which?</phase-needs-clarification>"},
		{"valid: invalid UTF-8 around", "\xff\xc3\n" + good + "\n"},

		{"missing: nothing", ""},
		{"missing: text only", "all done\n"},
		{"missing: prefix at the end", "<phase-"},
		{"missing: long prefix at the end", "<phase-complet"},
		{"missing: longer word", "<phase-completed>x</phase-completed>"},
		{"missing: two slashes", "<//phase-complete>"},
		{"missing: name cut by a tag", "<phase-<phase-"},
		{"missing: invalid byte behind the name", "<phase-complete\xff>"},
		{"missing: unfinished character behind the name", "<phase-complete\xe2\x80"},

		{"invalid: inline", "result: " + good},
		{"invalid: space before", " " + good},
		{"invalid: tab before", "\t" + good},
		{"invalid: words behind", good + " done"},
		{"invalid: full stop behind", good + "."},
		{"invalid: words on a later line", good + "\n\nbye\n"},
		{"invalid: invalid byte behind", good + "\n\xff"},
		{"invalid: unfinished character behind", good + "\n\xe2\x80"},
		{"invalid: zero-width space behind", good + "\u200b"},
		{"invalid: empty", "<phase-complete></phase-complete>"},
		{"invalid: blank", "<phase-complete> \n\u00a0\v</phase-complete>"},
		{"invalid: unclosed", "<phase-complete>done\n"},
		{"invalid: only closing", "done</phase-complete>\n"},
		{"invalid: closing at line start", "</phase-complete>\n"},
		{"invalid: closed by another kind", "<phase-complete>done</phase-blocked>"},
		{"invalid: opened twice", "<phase-complete>done<phase-complete>"},
		{"invalid: closed, then opened", "</phase-complete>done<phase-complete>"},
		{"invalid: tag cut off at the end", "<phase-complete"},
		{"invalid: closing tag cut off at the end", "<phase-complete>done</phase-complete"},
		{"invalid: space before the bracket", "<phase-complete >done</phase-complete>"},
		{"invalid: space behind the bracket", "< phase-complete>done</phase-complete>"},
		{"invalid: space behind the slash", "<phase-complete>done</ phase-complete>"},
		{"invalid: space before the slash", "<phase-complete>done< /phase-complete>"},
		{"invalid: empty element", "<phase-complete/>"},
		{"invalid: attribute", "<phase-complete ok=\"1\">done</phase-complete>"},
		{"invalid: NBSP in the tag", "<\u00a0phase-complete>"},
		{"invalid: newline in the tag", "<\nphase-complete\n>"},
		{"invalid: malformed mention before", "never print <phase-complete />\n" + good},
		{"invalid: malformed tag of another kind behind", good + "\n<phase-blocked >"},
		{"invalid: in an unclosed fence", "```\n" + good},
		{"invalid: after an unclosed fence", "```\ncode\n\nprose\n" + good + "\n"},
		{"invalid: in a closed fence", "```\n" + good + "\n```\n"},
		{"invalid: fence not closed by a shorter run", "````\nx\n```\n" + good},
		{"invalid: fence not closed with text behind", "```\nx\n``` end\n" + good},
		{"invalid: fence not closed when indented by four", "```\nx\n    ```\n" + good},
		{"invalid: CR does not end a line", "working\r" + good + "\r"},
		{"invalid: NUL before", "\x00" + good},
		{"invalid: BOM before", "\ufeff" + good},
		{"invalid: fence with a backtick in its info", "``` a`b\n" + good},

		{"multiple: twice", good + "\n" + good},
		{"multiple: two kinds", good + "\n<phase-blocked>x</phase-blocked>"},
		{"multiple: nested", "<phase-complete><phase-blocked>x</phase-blocked></phase-complete>"},
		{"multiple: mention of a tag before", "I will print <phase-complete> at the end\n" + good},
		{"multiple: stray closing tag", good + "\n</phase-complete>"},
		{"multiple: quoted example before", "> " + good + "\n" + good},
		{"multiple: comes before malformed", "<phase-blocked >\n" + good + good},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want, _, _ := strings.Cut(tt.name, ":")
			got := scan(tt.stream)
			if got.Verdict.String() != want {
				t.Errorf("verdict %v (%s), want %s", got.Verdict, got.Reason, want)
			}
			if (got.Reason == "") != (got.Verdict == Valid) {
				t.Errorf("reason %q with verdict %v", got.Reason, got.Verdict)
			}
			checkSplits(t, tt.stream, got)
		})
	}
}

// checkSplits fails unless every cut in two and single bytes give want.
func checkSplits(t *testing.T, stream string, want StreamResult) {
	t.Helper()
	for i := range len(stream) {
		if got := scan(stream[:i], stream[i:]); got != want {
			t.Fatalf("cut at %d of %q:\n%s", i, stream, cmp.Diff(want, got))
		}
	}
	if got := scan(strings.Split(byteWise(stream), sep)...); got != want {
		t.Fatalf("single bytes of %q:\n%s", stream, cmp.Diff(want, got))
	}
}

const sep = "|cut here|"

func byteWise(s string) string {
	var b strings.Builder
	for i := range len(s) {
		b.WriteString(s[i:i+1] + sep)
	}
	return b.String()
}

func TestText(t *testing.T) {
	tests := []struct{ name, body, want string }{
		{"stripped of white space", " \n\u00a0a b\u3000\v\r\n", "a b"},
		{"inner markup kept", "<b>x</b> </phase", "<b>x</b> </phase"},
		{"made valid UTF-8", "a\xffb\xe2\x82", "a\ufffdb\ufffd"},
		{"control characters kept", "a\x00\x1b[1mb", "a\x00\x1b[1mb"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := scan("<phase-blocked>" + tt.body + "</phase-blocked>\n")
			want := StreamResult{Verdict: Valid, Block: Block{Blocked, tt.want}}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("result (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReason(t *testing.T) {
	tests := []struct{ stream, want string }{
		{"", "no result block was printed"},
		{good + good, "more than one opening and one closing tag were printed"},
		{"ab <phase-blocked/>", "the phase-blocked tag at offset 3 is malformed"},
		{"é\n " + good, "<phase-complete> at offset 4 is not at the start of a line"},
		{"```\n" + good, "<phase-complete> at offset 4 is inside a code fence"},
		{"</phase-blocked>", "</phase-blocked> at offset 0 closes no block"},
		{"<phase-blocked>x", "the block is not closed by </phase-blocked>"},
		{"<phase-blocked>x</phase-complete>", "the tag at offset 16 is not </phase-blocked>"},
		{"<phase-blocked> </phase-blocked>", "the block has no text"},
		{good + "\né", "text follows the block at offset 38"},
	}
	for _, tt := range tests {
		if got := scan(tt.stream).Reason; got != tt.want {
			t.Errorf("reason for %q:\n got %q\nwant %q", tt.stream, got, tt.want)
		}
	}
}

func TestLargestText(t *testing.T) {
	const tooLong = "the text of the block is longer than 1048576 bytes"
	largest := strings.Repeat("x", MaxText)
	tests := []struct {
		name, body, reason string
		verdict            Verdict
	}{
		{"largest", largest, "", Valid},
		{"one more", largest + "x", tooLong, Invalid},
		{"white space counts", largest + "\n", tooLong, Invalid},
		{"far more", strings.Repeat(largest, 3), tooLong, Invalid},
		{"grows past it when made valid", "\xff" + largest[1:], tooLong, Invalid},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			stream := "<phase-complete>" + tt.body + "</phase-complete>\n"
			for _, size := range []int{len(stream), 4096, 7} {
				got := scan(chunks(stream, size)...)
				if got.Verdict != tt.verdict || got.Reason != tt.reason {
					t.Errorf("pieces of %d: %v (%s), want %v (%s)", size, got.Verdict, got.Reason, tt.verdict, tt.reason)
				}
				if tt.verdict == Valid && got.Block.Text != tt.body {
					t.Errorf("pieces of %d: the text differs", size)
				}
			}
		})
	}
}

func chunks(s string, size int) []string {
	var all []string
	for ; len(s) > size; s = s[size:] {
		all = append(all, s[:size])
	}
	return append(all, s)
}

func TestTooLongThenSecondBlockIsMultiple(t *testing.T) {
	long := "<phase-complete>" + strings.Repeat("x", MaxText+1) + "</phase-complete>\n"
	if got := scan(long, good).Verdict; got != Multiple {
		t.Errorf("verdict %v, want multiple", got)
	}
}

func TestSeen(t *testing.T) {
	steps := []struct {
		piece string
		want  bool
	}{
		{"working\n<phase-complete>done</phase-complete", false},
		{">", true},
		{"\nbye\n", true},
		{good, true},
	}
	var s Scanner
	for _, step := range steps {
		write(&s, step.piece)
		if s.Seen() != step.want {
			t.Errorf("after %q: seen is %v", step.piece, s.Seen())
		}
	}
	for _, stream := range []string{" " + good, "```\n" + good, "<phase-blocked> </phase-blocked>", "<phase-blocked />\n" + good} {
		var s Scanner
		if write(&s, stream); s.Seen() {
			t.Errorf("%q counts as a block", stream)
		}
	}
}

// TestScannerMemory feeds output that must cost nothing, or no more than the
// largest text, and measures what stays reachable and what was allocated.
func TestScannerMemory(t *testing.T) {
	tests := []struct {
		name, start, char string
		size              int
		limit             uint64
	}{
		{"one line", "", "x", 256 << 20, 64 << 10},
		{"unclosed block", "<phase-complete>", "y", 64 << 20, 4 << 20},
		{"white space in a tag", "<", " ", 4 << 20, 64 << 10},
		{"one fence line", "```", "`", 4 << 20, 64 << 10},
		{"white space behind a block", good, "\n", 4 << 20, 64 << 10},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var s Scanner
			piece := bytes.Repeat([]byte(tt.char), 64<<10)
			write(&s, tt.start)
			got := allocated(func() {
				for range tt.size / len(piece) {
					writeBytes(&s, piece)
				}
			})
			if got > tt.limit {
				t.Errorf("%d bytes of output allocated %d, want at most %d", tt.size, got, tt.limit)
			}
			if cap(s.body) > MaxText+maxTag {
				t.Errorf("%d bytes kept", cap(s.body))
			}
		})
	}
}

// allocated returns the bytes that f allocates, freed ones included.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestBodyKeepsNoMoreThanTheLargestText(t *testing.T) {
	var s Scanner
	write(&s, "<phase-complete>")
	for range MaxText / 1000 {
		write(&s, strings.Repeat("x", 1000))
		if cap(s.body) > MaxText+maxTag {
			t.Fatalf("capacity %d with %d bytes of text", cap(s.body), len(s.body))
		}
	}
}
