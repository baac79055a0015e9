package result

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// pieces are what the grammar turns on. Streams made of them reach states that
// mutated bytes seldom do.
var pieces = []string{
	"<phase-complete>", "</phase-complete>", "<phase-blocked>", "</phase-blocked>",
	"<phase-needs-clarification>", "</phase-needs-clarification>",
	"<", ">", "/", "phase-complete", "phase-", "<phase-blocked", "< ",
	"\n", "\n", "\n", "\r\n", "\r", " ", "\t", "   ", "\u00a0", "\u2028", "\u0085", "\v",
	"`", "```", "````", "~~~", "x", "é", "\ufeff", "\xff", "\xe2\x80", "\xa8", "\xc2",
}

func drawStream(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 14).Draw(t, "pieces"), "")
}

// drawCuts returns stream in pieces.
func drawCuts(t *rapid.T, stream string) []string {
	var all []string
	for stream != "" {
		n := rapid.IntRange(1, len(stream)).Draw(t, "cut")
		all, stream = append(all, stream[:n]), stream[n:]
	}
	return all
}

func TestScannerAgreesWithOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stream := drawStream(t)
		got, want := scan(drawCuts(t, stream)...), judgeWhole(stream)
		if got.Verdict != want.Verdict || got.Block != want.Block {
			t.Fatalf("%q:\n got %+v\nwant %+v", stream, got, want)
		}
		if whole := scan(stream); whole != got {
			t.Fatalf("%q in pieces:\n got %+v\nwant %+v", stream, got, whole)
		}
	})
}

func TestFilterAgreesWithOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stream, limit := drawStream(t), rapid.IntRange(2*maxTag, 3*maxTag).Draw(t, "limit")
		if got, want := filter(limit, drawCuts(t, stream)...), filterWhole(stream, limit); got != want {
			t.Fatalf("%q, limit %d:\n got %q\nwant %q", stream, limit, got, want)
		}
	})
}
