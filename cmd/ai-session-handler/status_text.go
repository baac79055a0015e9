package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/kballard/go-shellquote"

	"github.com/ai-session-handler/ai-session-handler/engine/run"
	"github.com/ai-session-handler/ai-session-handler/engine/termtext"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// text renders a status for people: first where the plan stands, then how to
// go on, then where everything lies.
func (s *planStatus) text() string {
	var t textWriter
	s.headline(&t)
	s.activeText(&t)
	if s.GoOn != "" {
		t.line("to go on", s.GoOn)
	}
	if s.Stands == standsAbandoned || s.Stands == standsUnknown {
		t.line("to decide without a run", shellquote.Join("ai-session-handler", "attempts", "resolve", s.Active.ID,
			"--as", "interrupted", "--note", "TEXT", "--plan", s.Plan.Path))
	}
	for _, p := range s.Problems {
		t.line("problem", p)
	}
	t.blank()
	s.phasesText(&t)
	t.blank()
	t.line("plan", s.Plan.Path)
	t.line("plan sha256", s.digestText())
	t.line("manifest", s.manifestText())
	t.line("plan workspace", s.PlanWorkspace)
	t.line("state", s.stateText())
	t.line("execution workspace", orNone(s.NextWorkspace))
	t.line("latest transcript", orNone(s.Transcript))
	t.line("latest committed outcome", orNone(s.Outcome))
	return t.String()
}

// textWriter aligns "name: value" lines; a value of several lines is indented.
type textWriter struct{ strings.Builder }

func (t *textWriter) line(name, value string) {
	fmt.Fprintf(t, "%s: %s\n", name, termtext.Indented(value, "  "))
}

func (t *textWriter) blank() { t.WriteByte('\n') }

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

func (s *planStatus) headline(t *textWriter) {
	next := ""
	if s.NextPhase != nil {
		next = s.NextPhase.ID + " " + termtext.Line(s.NextPhase.Title)
	}
	switch s.Stands {
	case standsRunning:
		t.line("running", fmt.Sprintf("%s, by the handler with pid %d%s", next, s.Handler.PID, s.stopNote()))
	case standsAbandoned:
		t.line("unresolved", fmt.Sprintf("%s: its handler, pid %d, is gone and its result is not on disk", next, s.Handler.PID))
	case standsUnknown:
		t.line("unknown", fmt.Sprintf("%s: whether its handler, pid %d, lives can't be seen from here", next, s.Handler.PID))
	case standsStopped:
		t.line("stopped", fmt.Sprintf("%s (%s)", next, s.Stop.Reason))
		if s.Stop.ClarificationRequest != nil {
			t.line("clarification", *s.Stop.ClarificationRequest)
		}
		if s.Stop.Message != nil {
			t.line("message", *s.Stop.Message)
		}
	case standsComplete:
		t.line("complete", "all phases are complete")
	case standsOffPlan:
		t.line("unreadable", "the plan can't be read, so what is left to do is unknown")
	default:
		t.line("next phase", next)
	}
}

// stopNote is how the latest attempt ended, where the handler is still there after
// that.
func (s *planStatus) stopNote() string {
	if s.Stop == nil {
		return ""
	}
	return fmt.Sprintf("; its last attempt ended %s", s.Stop.Reason)
}

func (s *planStatus) activeText(t *textWriter) {
	a := s.Active
	if a == nil {
		return
	}
	t.line("attempt", fmt.Sprintf("%s (%s)", a.ID, a.Status))
	t.line("started", fmt.Sprintf("%s, %v ago", a.StartedAt.Format("2006-01-02 15:04:05Z"), time.Duration(a.ElapsedMS)*time.Millisecond/time.Second*time.Second))
	t.line("worker", a.Worker)
	if a.End != nil {
		t.line("its end", run.DescribeExit(*a.End))
	}
	if s.Stands != standsRunning {
		for _, left := range a.Remaining {
			t.line("still alive", fmt.Sprintf("process %d (%s)", left.PID, termtext.Line(left.Name)))
		}
	}
	t.line("planned outcome (uncommitted)", strings.TrimSuffix(s.StatePath, "state.json")+a.OutcomePath)
}

func (s *planStatus) phasesText(t *textWriter) {
	done, all := 0, 0
	for _, p := range s.Phases {
		if p.InPlan != nil && !*p.InPlan {
			continue
		}
		all++
		if p.status == record.PhaseComplete {
			done++
		}
	}
	if s.Plan.SHA256 == "" {
		t.line("phases", fmt.Sprintf("%d complete; what else the plan holds is unknown", done))
	} else {
		t.line("phases", fmt.Sprintf("%d of %d complete", done, all))
	}
	for _, p := range s.Phases {
		line := fmt.Sprintf("  %-10s %-20s %s%s", p.ID, p.Status, termtext.Line(p.Title), p.notes())
		t.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

func (p phaseStatus) notes() string {
	notes := ""
	if p.Attempts > 1 {
		notes += fmt.Sprintf(" (%d attempts)", p.Attempts)
	}
	if p.InPlan != nil && !*p.InPlan {
		notes += " (not in the plan now)"
	}
	return notes
}

func (s *planStatus) digestText() string {
	switch {
	case s.Plan.SHA256 == "":
		return "unreadable; accepted: " + orNone(s.Plan.AcceptedSHA256)
	case s.Plan.AcceptedSHA256 == "":
		return s.Plan.SHA256 + " (nothing accepted yet)"
	case s.Plan.Changed:
		return s.Plan.SHA256 + "; accepted: " + s.Plan.AcceptedSHA256
	}
	return s.Plan.SHA256 + " (as accepted)"
}

func (s *planStatus) stateText() string {
	if !s.StateExists {
		return s.StatePath + " (not there yet)"
	}
	return s.StatePath
}
