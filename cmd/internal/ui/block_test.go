package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mattn/go-runewidth"
	"pgregory.net/rapid"

	"github.com/ai-session-handler/ai-session-handler/engine/termtext"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// blockAt is a block so long after its phase started, with output so long ago,
// or none where that is more.
func blockAt(e record.Event, elapsed, silent time.Duration) *block {
	now := time.Hour // since some fixed time
	a := &activity{clock: func() time.Duration { return now }}
	b := newBlock(e, a)
	now += elapsed
	if silent <= elapsed {
		a.heard(silent)
	}
	return b
}

func phaseStartedEvent(title string) record.Event {
	return record.Event{
		Plan: "/home/me/docs/plans/rollout.md", Phase: &record.Phase{ID: "phase-2", Title: title}, Index: 2, Count: 7,
		AttemptID: "20261130T233411Z-phase-2-15fc28b9-6677-4b09-be13-8e4a272571c1", Agent: "codex", TimeoutMS: 3_600_000,
	}
}

// TestBlockRows has what a person sees at three widths.
func TestBlockRows(t *testing.T) {
	long := "Move the accounts to the new store, and nothing else in this phase at all"
	tests := []struct {
		name    string
		edit    func(e *record.Event)
		columns int
		want    string // rows joined by newlines
	}{
		{"80", nil, 80, `
plan rollout, phase 2/7: Move the accounts
3m12s of 1h0m0s, last output 12s ago, agent codex, attempt 20261130T233411Z`},
		{"40", nil, 40, `
plan rollout, phase 2/7: Move the acco…
3m12s of 1h0m0s, last output 12s ago
agent codex, attempt 20261130T233411Z`},
		{"20", nil, 20, `
phase 2/7: Move th…
3m12s of 1h0m0s
last output 12s ago`},
		{"long", func(e *record.Event) {
			e.Phase.Title, e.Agent, e.Plan = long, "a wrapper of codex", "/p/everything-at-once-in-one.md"
		}, 80, `
plan everything-at-once…, phase 2/7: Move the accounts to the new store, and n…
3m12s of 1h0m0s, last output 12s ago, agent a wrapper of codex
attempt 20261130T233411Z`},
		{"500", func(e *record.Event) { e.Phase.Title = strings.Repeat("x", 500) }, 500, `
plan rollout, phase 2/7: ` + strings.Repeat("x", 93) + `…
3m12s of 1h0m0s, last output 12s ago, agent codex, attempt 20261130T233411Z`},
		{"no timeout", func(e *record.Event) { e.TimeoutMS = 0 }, 80, `
plan rollout, phase 2/7: Move the accounts
3m12s, last output 12s ago, agent codex, attempt 20261130T233411Z`},
		{"no title", func(e *record.Event) { e.Phase.Title = "" }, 80, `
plan rollout, phase 2/7
3m12s of 1h0m0s, last output 12s ago, agent codex, attempt 20261130T233411Z`},
		{"wide", func(e *record.Event) { e.Phase.Title = "漢字漢字漢字漢字漢字漢字" }, 40, `
plan rollout, phase 2/7: 漢字漢字漢字…
3m12s of 1h0m0s, last output 12s ago
agent codex, attempt 20261130T233411Z`},
		{"right to left", func(e *record.Event) {
			e.Phase.Title, e.Plan, e.Agent = "שלום 12 עולם", "/p/תכנית.md", "סוכן"
		}, 80, `
plan תכנית, phase 2/7: שלום 12 עולם
3m12s of 1h0m0s, last output 12s ago, agent סוכן, attempt 20261130T233411Z`},
		{"combining", func(e *record.Event) { e.Phase.Title = strings.Repeat("e\u0301\u0323", 40) }, 40, `
plan rollout, phase 2/7: ` + strings.Repeat("e\u0301\u0323", 13) + `…
3m12s of 1h0m0s, last output 12s ago
agent codex, attempt 20261130T233411Z`},
		{"escapes", func(e *record.Event) {
			e.Phase.Title = "a\x1b[31mb\x1b]0;t\x07c\nphase 7/7: d\r\u009b2Je\u202ef\u2066g\x08h\u200di"
		}, 80, `
plan rollout, phase 2/7: abc phase 7/7: d e` + "\ufffdf\ufffdgh\ufffdi" + `
3m12s of 1h0m0s, last output 12s ago, agent codex, attempt 20261130T233411Z`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := phaseStartedEvent("Move the accounts")
			if tt.edit != nil {
				tt.edit(&e)
			}
			rows := blockAt(e, 3*time.Minute+12*time.Second+999*time.Millisecond, 12*time.Second).rows(tt.columns)
			if got := "\n" + strings.Join(rows, "\n"); got != tt.want {
				t.Errorf("got%s\nwant%s", got, tt.want)
			}
		})
	}
}

func TestBlockWithoutOutput(t *testing.T) {
	rows := blockAt(phaseStartedEvent("t"), 59*time.Second, time.Minute).rows(80)
	if want := "59s of 1h0m0s, no output yet, agent codex"; !strings.HasPrefix(rows[1], want) {
		t.Errorf("%q", rows)
	}
}

// TestBlockFits puts anything into a block of any width.
func TestBlockFits(t *testing.T) {
	words := rapid.OneOf(rapid.SampledFrom([]string{"", hostile, strings.Repeat("漢", 200), "👩‍👩‍👧‍👦❤️🇩🇪", "مرحبا\u200f", "\n\n\t"}), rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		e := record.Event{
			Plan: words.Draw(t, "plan"), Phase: &record.Phase{Title: words.Draw(t, "title")}, AttemptID: words.Draw(t, "attempt"),
			Agent: words.Draw(t, "agent"), Index: rapid.IntRange(1, 1e6).Draw(t, "index"), Count: 1e6, TimeoutMS: rapid.Int64Range(0, 1e12).Draw(t, "timeout"),
		}
		columns := rapid.IntRange(minColumns, 300).Draw(t, "columns")
		rows := blockAt(e, time.Duration(rapid.Int64Range(0, 1e18).Draw(t, "elapsed")), 0).rows(columns)
		if len(rows) < 2 || len(rows) > blockRows {
			t.Fatalf("%d rows: %q", len(rows), rows)
		}
		for _, row := range rows {
			if width := runewidth.StringWidth(row); width == 0 || width >= columns || width >= maxColumns {
				t.Fatalf("%d columns of %d: %q", width, columns, row)
			}
			if row != termtext.Line(row) {
				t.Fatalf("not safe: %q", row)
			}
		}
	})
}

func TestFitEnd(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", ""},
		{"1234567890", "1234567890"},
		{"12345678901", "…345678901"},
		{"漢漢漢漢漢x", "…漢漢漢漢x"},
		{"漢漢漢漢漢漢", "… 漢漢漢漢"},
		{"abcdefghie\u0301jk", "…defghie\u0301jk"},
	} {
		if got := fitEnd(tt.text, 10); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestPen(t *testing.T) {
	tests := []struct{ text, want string }{
		{"text", ""},
		{"\x1b[31mred", "\x1b[31m"},
		{"\x1b[31mred\x1b[1mbold", "\x1b[31m\x1b[1m"},
		{"\x1b[31mred\x1b[m", ""},
		{"\x1b[31mred\x1b[0;0m", ""},
		{"\x1b[31mred\x1b[0;1mbold", "\x1b[0;1m"},
		{"\x1b[31mred\x1b[;1mbold", "\x1b[;1m"},
		{"\x1b[38;5;0mblack", "\x1b[38;5;0m"},
		{"\x1b[31ma\x1b[32mb\x1b[31mc", "\x1b[32m\x1b[31m"},
	}
	for _, tt := range tests {
		var p pen
		p.follow([]byte(tt.text))
		if string(p) != tt.want {
			t.Errorf("%q: %q, want %q", tt.text, p, tt.want)
		}
	}
}

// TestPenIsBounded keeps the newest of more than fit.
func TestPenIsBounded(t *testing.T) {
	var p pen
	for i := range 1000 {
		p.follow(fmt.Appendf(nil, "\x1b[38;2;%d;%d;1mx", i/256, i%256))
	}
	if last := "\x1b[38;2;3;231;1m"; len(p) > maxPen || len(p) < maxPen/2 || !strings.HasSuffix(string(p), last) || !strings.HasPrefix(string(p), "\x1b[38;2;3;") {
		t.Errorf("%q", p)
	}
}
