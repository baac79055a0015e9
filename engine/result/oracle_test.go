package result

import (
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// judgeWhole is the grammar once more, written over the whole stream at once
// and without regard to cost. It knows verdict and block, not the reason.
func judgeWhole(stream string) StreamResult {
	exact, malformed := findTags(stream)
	switch {
	case len(exact) > 2:
		return StreamResult{Verdict: Multiple}
	case malformed:
		return StreamResult{Verdict: Invalid}
	case len(exact) == 0:
		return StreamResult{Verdict: None}
	case len(exact) == 2:
		return judgePair(stream, exact[0], exact[1])
	}
	return StreamResult{Verdict: Invalid}
}

type wholeTag struct {
	start, end int
	closing    bool
	name       string
}

var tagPattern = regexp.MustCompile(
	`<([\s\v\x{85}\p{Z}]*)(/?)([\s\v\x{85}\p{Z}]*)(phase-complete|phase-blocked|phase-needs-clarification)`)

func findTags(stream string) (exact []wholeTag, malformed bool) {
	for _, m := range tagPattern.FindAllStringSubmatchIndex(stream, -1) {
		rest := []rune(stream[m[1]:])
		spaced := m[2] != m[3] || m[6] != m[7]
		switch {
		case len(rest) == 0, unicode.IsSpace(rest[0]), rest[0] == '/', rest[0] == '>' && spaced:
			malformed = true
		case rest[0] == '>':
			exact = append(exact, wholeTag{m[0], m[1] + 1, m[4] != m[5], stream[m[8]:m[9]]})
		}
	}
	return exact, malformed
}

func judgePair(stream string, open, end wholeTag) StreamResult {
	before, text := stream[:open.start], strings.TrimSpace(stream[open.end:end.start])
	switch {
	case open.closing, !end.closing, open.name != end.name,
		before != "" && !strings.HasSuffix(before, "\n"),
		endsInFence(before),
		strings.TrimSpace(stream[end.end:]) != "",
		text == "":
		return StreamResult{Verdict: Invalid}
	}
	kinds := map[string]Kind{"phase-complete": Complete, "phase-blocked": Blocked, "phase-needs-clarification": Clarification}
	text = strings.ToValidUTF8(text, "\ufffd")
	return StreamResult{Verdict: Valid, Block: Block{kinds[open.name], text}}
}

var fencePattern = regexp.MustCompile("(?s)^[ \t]{0,3}(`{3,}|~{3,})(.*)$")

func endsInFence(before string) bool {
	fence := ""
	for line := range strings.SplitSeq(before, "\n") {
		m := fencePattern.FindStringSubmatch(line)
		switch {
		case m == nil:
		case fence == "":
			fence = m[1]
		case strings.HasPrefix(m[1], fence) && strings.TrimSpace(m[2]) == "":
			fence = ""
		}
	}
	return fence != ""
}

func FuzzScanner(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, stream string) {
		if len(stream) > 1<<10 {
			return // every cut of a long stream takes too long
		}
		whole := scan(stream)
		got, want := whole, judgeWhole(stream)
		got.Reason = ""
		if got != want {
			t.Fatalf("%q:\n got %+v (%s)\nwant %+v", stream, got, whole.Reason, want)
		}
		checkSplits(t, stream, whole)
	})
}

var seeds = []string{
	good,
	"log\n" + good + "\n",
	"```\n~~~\n```  \n" + good,
	"\t ~~~~x\n~~~\n" + good + "\u00a0\xff",
	"<phase-blocked>a\xe2\x82</phase-blocked>\u2028",
	"< / phase-needs-clarification\u0085>\n<<phase-needs-clarification>?</phase-needs-clarification>",
	"<phase-complete><phase-blocked>x</phase-blocked></phase-complete>",
	"a\n<phase-com\n<phase-complete\n</phase-complete",
	"<phase-blocked>x\n<phase-blocked>\ny</phase-blocked> tail\n<phase-",
}

// filterWhole is what a Filter with the given limit lets through of a stream.
func filterWhole(stream string, limit int) string {
	var out strings.Builder
	for i := 0; i < len(stream); {
		n, hidden := heldAt(stream, i, limit)
		if !hidden {
			out.WriteString(stream[i : i+n])
		}
		i += n
	}
	return out.String()
}

// heldAt returns how many bytes from i belong together, and whether they are
// hidden.
func heldAt(stream string, i, limit int) (n int, hidden bool) {
	if i > 0 && stream[i-1] != '\n' {
		return 1, false
	}
	for _, name := range []string{"phase-complete", "phase-blocked", "phase-needs-clarification"} {
		body, opened := strings.CutPrefix(stream[i:], "<"+name+">")
		if !opened {
			continue
		}
		text, _, closed := strings.Cut(body, "</"+name+">")
		if n := 2*len(name) + 5 + len(text); closed && n <= limit {
			if strings.HasPrefix(stream[i+n:], "\n") {
				n++
			}
			return n, true
		}
		return min(limit, len(stream)-i), false
	}
	return 1, false
}

func FuzzFilter(f *testing.F) {
	for _, s := range seeds {
		f.Add(s, uint8(0))
		f.Add(s+"\n"+s, uint8(10))
	}
	f.Fuzz(func(t *testing.T, stream string, more uint8) {
		if len(stream) > 1<<10 {
			return
		}
		limit := 2*maxTag + int(more)
		want := filterWhole(stream, limit)
		check := func(pieces ...string) {
			if got := filter(limit, pieces...); got != want {
				t.Fatalf("pieces %q, limit %d:\n got %q\nwant %q", pieces, limit, got, want)
			}
		}
		for i := range len(stream) + 1 {
			check(stream[:i], stream[i:])
		}
		check(strings.Split(byteWise(stream), sep)...)
	})
}
