package problem

import (
	"fmt"
	"strings"

	"github.com/ai-session-handler/ai-session-handler/engine/termtext"
)

// GitHub renders the problems as workflow commands, up to Max of them, which
// GitHub Actions turns into annotations of the files:
//
//	::error file=ai-session-handler.hcl,line=31,col=16,endColumn=26,title=E304::no agent is named "codx". Did you mean agent.codex?
func (l List) GitHub() string {
	shown, more := l.shown()
	var out strings.Builder
	for _, p := range shown {
		properties := append(location(p.Range), "title="+escapeProperty(p.Code))
		fmt.Fprintf(&out, "::%s %s::%s\n", p.Severity, strings.Join(properties, ","), escapeMessage(p.message()))
	}
	if more > 0 {
		fmt.Fprintf(&out, "::notice::and %d more\n", more)
	}
	return out.String()
}

// location returns the properties that say where. GitHub takes columns only of
// a range in one line.
func location(r Range) (properties []string) {
	if r.File == "" {
		return nil
	}
	properties = append(properties, "file="+escapeProperty(r.File))
	if r.Start.Line < 1 {
		return properties
	}
	properties = append(properties, fmt.Sprintf("line=%d", r.Start.Line))
	if r.End.Line > r.Start.Line {
		return append(properties, fmt.Sprintf("endLine=%d", r.End.Line))
	}
	return append(properties, fmt.Sprintf("col=%d", r.Start.Column), fmt.Sprintf("endColumn=%d", max(r.Start.Column, r.End.Column)))
}

// message is everything about a problem but its place.
func (p Problem) message() string {
	lines := []string{sentence(p)}
	for _, r := range p.Related {
		lines = append(lines, related(r))
	}
	if p.Detail != "" {
		lines = append(lines, strings.TrimRight(termtext.Text(p.Detail), "\n"))
	}
	return strings.Join(lines, "\n")
}

var (
	inMessage  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	inProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func escapeMessage(s string) string { return inMessage.Replace(s) }

func escapeProperty(s string) string { return inProperty.Replace(termtext.Line(s)) }
