// Package prompt writes what a worker is told. It decides nothing and reads
// nothing: everything comes in an [Input]. The text is a contract with workers,
// see docs/worker-protocol.md, and golden-tested.
package prompt

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// maxIndex bounds the lines about earlier phases, so that a prompt does not
// grow with the plan.
const maxIndex = 100

// Input is everything a prompt is made from. Paths are absolute unless said
// otherwise.
type Input struct {
	Token          string // unpredictable, see NewToken
	AttemptID      string
	Phase          record.Phase
	PlanPath       string
	PlanWorkspace  string
	Workspace      string // the execution workspace
	PlanDir        string // where state, outcomes and transcripts lie
	StatePath      string
	TranscriptPath string
	Preamble       []byte // exact
	Body           []byte // exact
	Latest         *Handoff
	Earlier        []record.CommittedOutcome // oldest first, paths relative to PlanDir
}

// Handoff is the latest committed outcome, whose summary the prompt carries.
type Handoff struct {
	record.CommittedOutcome
	Summary string
}

// NewToken makes the random part of the lines that enclose plan text. Without
// it, a plan could forge the end of its own section.
func NewToken() (string, error) {
	var b [8]byte
	if _, err := rand.Read(b[:]); err != nil {
		return "", fmt.Errorf("random token: %w", err)
	}
	return hex.EncodeToString(b[:]), nil
}

// Build writes the prompt.
func Build(in Input) []byte {
	w := &writer{token: in.Token}
	w.text(fmt.Sprintf(rules, in.Phase.ID))
	w.section("RUN FACTS", []byte(facts(in)))
	w.section("PLAN INTENT", in.Preamble)
	w.section("PHASE "+in.Phase.ID, in.Body)
	w.section("HANDOFF", []byte(handoff(in)))
	w.section("RESULT", []byte(grammar))
	return w.buf.Bytes()
}

const rules = `You are the worker of one phase of a plan, started by ai-session-handler. Nobody
watches you and nobody can answer while you work. Your phase is %[1]s.

Rules:
- Read AGENTS.md at the root of your working directory first and follow it.
- Do exactly %[1]s, and only in your working directory. Do nothing of later
  phases and nothing in other repositories.
- The sections PLAN INTENT and PHASE below are exact copies of the plan. They
  are enough to start; you need not read the plan file unless something in them
  contradicts what you find.
- Look at what is there before you change it. Run the validation that the phase
  asks for, and report its results as they are.
- HANDOFF tells how earlier phases ended. Open an outcome listed there only when
  a decision, a result or a limitation in it matters to your phase. Transcripts
  are for diagnosis, not for reading on.
- State, outcomes, prompts and transcripts belong to the runner: never change
  them. Do not commit, push, reset, stash, clean or switch branches unless
  AGENTS.md or the phase tells you to.
- When a decision is missing that you cannot find in the plan or the repository,
  stop and ask for clarification. Do not guess.
- End with exactly one result block, as RESULT says, when your work is done and
  nothing of yours runs any more.
`

const grammar = `The last thing you print on standard output is exactly one of these blocks, its
opening tag at the very start of a line:

    <phase-complete>summary</phase-complete>
    <phase-blocked>reason</phase-blocked>
    <phase-needs-clarification>specific question for the user</phase-needs-clarification>

- phase-complete: everything the phase asks for is done and validated.
- phase-blocked: something outside your reach prevents it; say what.
- phase-needs-clarification: a person must decide; ask one specific question.
- The text may have several lines. A good summary names changed files, the
  validation commands with their results, decisions, limitations, and what later
  phases should look at.
- Nothing but white space follows the block. Never print these tags anywhere
  else, not even as an example or in a quotation: the result would be refused.
`

func facts(in Input) string {
	var b strings.Builder
	for _, fact := range [][2]string{
		{"attempt", in.AttemptID},
		{"phase", in.Phase.ID + " " + in.Phase.Title},
		{"working directory", in.Workspace},
		{"plan", in.PlanPath},
		{"plan workspace", in.PlanWorkspace},
		{"runner's directory (read-only)", in.PlanDir},
		{"state (read-only)", in.StatePath},
		{"transcript (written by the runner)", in.TranscriptPath},
	} {
		fmt.Fprintf(&b, "%s: %s\n", fact[0], fact[1])
	}
	return b.String()
}

func handoff(in Input) string {
	if in.Latest == nil {
		return "No earlier attempt has ended.\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Latest outcome: %s · %s · %s\nIts summary, as that worker or the runner gave it:\n", in.Latest.PhaseID, in.Latest.Status, in.Latest.Path)
	b.WriteString(indent(in.Latest.Summary))
	writeIndex(&b, in)
	return b.String()
}

func indent(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n    ") + "\n"
}

// writeIndex lists the latest outcome of each earlier phase, the newest where
// there are too many; the state lists them all.
func writeIndex(b *strings.Builder, in Input) {
	lines, more := index(in)
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(b, "\nOutcomes of other phases, relative to %s:\n", in.PlanDir)
	if more > 0 {
		fmt.Fprintf(b, "    (%d older ones are listed under committed_outcomes in %s)\n", more, in.StatePath)
	}
	for _, c := range lines {
		fmt.Fprintf(b, "    %s · %s · %s\n", c.PhaseID, c.Status, c.Path)
	}
}

// index keeps the latest outcome of each phase but the one whose summary is in
// the prompt already, oldest first, and counts those that are too old.
func index(in Input) (lines []record.CommittedOutcome, more int) {
	seen := make(map[string]bool, len(in.Earlier))
	seen[in.Latest.PhaseID] = true
	for _, c := range slices.Backward(in.Earlier) {
		switch {
		case seen[c.PhaseID]:
			continue
		case len(lines) < maxIndex:
			lines = append(lines, c)
		default:
			more++
		}
		seen[c.PhaseID] = true
	}
	slices.Reverse(lines)
	return lines, more
}

// writer puts parts between lines that carry the token.
type writer struct {
	buf   bytes.Buffer
	token string
}

func (w *writer) text(s string) { w.buf.WriteString(s) }

func (w *writer) section(name string, content []byte) {
	fmt.Fprintf(&w.buf, "\n===== BEGIN %s [%s] =====\n", name, w.token)
	w.buf.Write(content)
	if len(content) > 0 && content[len(content)-1] != '\n' {
		w.buf.WriteByte('\n')
	}
	fmt.Fprintf(&w.buf, "===== END %s [%s] =====\n", name, w.token)
}
