package ui

import (
	"strings"
	"testing"

	"github.com/ai-session-handler/ai-session-handler/engine/termtext"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

func eventKinds() []record.EventKind {
	return []record.EventKind{
		record.InvocationStarted, record.PlanChanged, record.ManifestChanged, record.RetryScheduled, record.LimitDropped, record.HistoryArchived, record.AttemptAbandoned,
		record.PhaseStarted, record.PhaseProgress, record.PhaseEnded, record.InvocationEnded, "of a later release",
	}
}

func TestProgressLines(t *testing.T) {
	base := record.Event{
		Phase: &record.Phase{ID: "phase-3", Title: "Title"}, Index: 2, Count: 7,
		AttemptID: "a1", Agent: "codex", TimeoutMS: 3_600_000,
	}
	tests := []struct {
		name string
		kind record.EventKind
		edit func(e *record.Event)
		want string
	}{
		{"started", record.PhaseStarted, nil,
			`phase 2/7 phase-3 "Title": started, agent codex, timeout 1h0m0s, attempt a1`},
		{"started without timeout", record.PhaseStarted, func(e *record.Event) { e.TimeoutMS = 0 },
			`phase 2/7 phase-3 "Title": started, agent codex, no timeout, attempt a1`},
		{"started without phase", record.PhaseStarted, func(e *record.Event) { e.Phase = nil },
			`phase 2/7: started, agent codex, timeout 1h0m0s, attempt a1`},
		{"long title", record.PhaseStarted, func(e *record.Event) { e.Phase = &record.Phase{ID: "p", Title: strings.Repeat("漢", 41)} },
			`phase 2/7 p "` + strings.Repeat("漢", 39) + `…": started, agent codex, timeout 1h0m0s, attempt a1`},
		{"title that just fits", record.PhaseStarted, func(e *record.Event) { e.Phase = &record.Phase{ID: "p", Title: strings.Repeat("x", 80)} },
			`phase 2/7 p "` + strings.Repeat("x", 80) + `": started, agent codex, timeout 1h0m0s, attempt a1`},
		{"title of two lines", record.PhaseStarted, func(e *record.Event) { e.Phase = &record.Phase{ID: "p", Title: "a\nphase-complete: p\x1b[2J"} },
			`phase 2/7 p "a phase-complete: p": started, agent codex, timeout 1h0m0s, attempt a1`},
		{"progress", record.PhaseProgress, func(e *record.Event) { e.ElapsedMS, e.SilentMS, e.Bytes = 180_400, 12_100, 1_234_567 },
			"phase 2/7 phase-3: running 3m0s of 1h0m0s, last output 12s ago, 1.2 MB of output"},
		{"progress without timeout", record.PhaseProgress, func(e *record.Event) { e.ElapsedMS, e.TimeoutMS, e.Bytes = 60_000, 0, 12_345 },
			"phase 2/7 phase-3: running 1m0s, last output 0s ago, 12.3 kB of output"},
		{"silent", record.PhaseProgress, func(e *record.Event) { e.ElapsedMS, e.SilentMS = 60_000, 60_000 },
			"phase 2/7 phase-3: running 1m0s of 1h0m0s, no output yet"},
		{"ended", record.PhaseEnded, func(e *record.Event) { e.Status, e.ElapsedMS = record.PhaseComplete, 251_999 },
			"phase 2/7 phase-3: phase-complete after 4m12s"},
		{"plan changed", record.PlanChanged, func(e *record.Event) { e.Message = "plan change accepted" }, "plan change accepted"},
		{"manifest changed", record.ManifestChanged, func(e *record.Event) { e.Message = "manifest change accepted" }, "manifest change accepted"},
		{"retry", record.RetryScheduled, func(e *record.Event) { e.Message = "attempt 1 of 3 ended timeout; the next begins now" },
			"phase 2/7 phase-3: attempt 1 of 3 ended timeout; the next begins now"},
		{"limit dropped", record.LimitDropped, func(e *record.Event) { e.Message = "runs without pids_max: no" }, "phase 2/7 phase-3: runs without pids_max: no"},
		{"archived", record.HistoryArchived, func(e *record.Event) { e.Message = "archived to history/1\n" }, "archived to history/1"},
		{"abandoned", record.AttemptAbandoned, func(e *record.Event) { e.Message = "a1 abandoned" }, "a1 abandoned"},
		{"abandoned, no message", record.AttemptAbandoned, nil, "attempt abandoned"},
		{"invocation started", record.InvocationStarted, func(e *record.Event) { e.Message = "m" }, ""},
		{"invocation ended", record.InvocationEnded, func(e *record.Event) { e.Message = "m" }, ""},
		{"unknown", "of a later release", func(e *record.Event) { e.Message = "m" }, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := base
			e.Kind = tt.kind
			if tt.edit != nil {
				tt.edit(&e)
			}
			if got := progressLine(e, false); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

func hostileEvent(kind record.EventKind) record.Event {
	return record.Event{
		Kind: kind, Phase: &record.Phase{ID: hostile, Title: hostile}, AttemptID: hostile,
		Agent: hostile, Status: hostile, Message: hostile, Plan: hostile,
	}
}

// TestProgressLinesAreSafe does not rely on what the Console does as well.
func TestProgressLinesAreSafe(t *testing.T) {
	for _, kind := range eventKinds() {
		if line := progressLine(hostileEvent(kind), false); line != termtext.Line(line) {
			t.Errorf("%s: %q", kind, line)
		}
	}
}

func TestProgressGoesToStandardError(t *testing.T) {
	c, read := consoleOf(t, false, Options{})
	p := NewProgress(c)
	p.Event(record.Event{Kind: record.HistoryArchived, Message: "archived"})
	p.Event(record.Event{Kind: record.InvocationEnded, Message: "ended"})
	if out, err := read(); out != "" || err != "archived\n" {
		t.Errorf("stdout %q, stderr %q", out, err)
	}
}

// TestADetailIsIndented cannot be taken for another line of ours.
func TestADetailIsIndented(t *testing.T) {
	for quiet, want := range map[bool]string{false: "accepted\n  -old\n  +new\x20\n", true: ""} {
		c, read := consoleOf(t, false, Options{Quiet: quiet})
		NewProgress(c).Event(record.Event{Kind: record.PlanChanged, Message: "accepted", Detail: "-old\n+n\x1b[2Jew\x20"})
		if out, err := read(); out != "" || err != want {
			t.Errorf("quiet %v: stdout %q, stderr %q", quiet, out, err)
		}
	}
}

func TestSize(t *testing.T) {
	tests := []struct {
		bytes int64
		want  string
	}{
		{0, "0 B"},
		{999, "999 B"},
		{1000, "1.0 kB"},
		{999_949, "999.9 kB"},
		{999_950, "1.0 MB"},
		{1_234_567, "1.2 MB"},
		{999_950_000, "1.0 GB"},
		{10_000_000_000, "10.0 GB"},
	}
	for _, tt := range tests {
		if got := size(tt.bytes); got != tt.want {
			t.Errorf("%d: %s, want %s", tt.bytes, got, tt.want)
		}
	}
}

func TestDuration(t *testing.T) {
	for ms, want := range map[int64]string{0: "0s", 499: "0s", 500: "1s", 59_500: "1m0s", 86_400_000: "24h0m0s"} {
		if got := duration(ms); got != want {
			t.Errorf("%d: %s, want %s", ms, got, want)
		}
	}
}
