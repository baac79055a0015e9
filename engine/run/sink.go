package run

import (
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/kballard/go-shellquote"

	"github.com/ai-session-handler/ai-session-handler/engine/proc"
	"github.com/ai-session-handler/ai-session-handler/engine/result"
	"github.com/ai-session-handler/ai-session-handler/engine/stream"
	"github.com/ai-session-handler/ai-session-handler/engine/workspace"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// sink passes a worker's bytes on: result framing, transcript, console.
type sink struct {
	transcript *stream.Transcript
	scanners   [2]result.Scanner
	live       [2]*result.Filter
	noted      [2]bool // a console that does not take bytes was noted
	bytes      atomic.Int64
	last       atomic.Int64 // when the last byte came, Unix nanoseconds
}

func newSink(console Console, transcript *stream.Transcript) *sink {
	s := &sink{transcript: transcript}
	for i, w := range []io.Writer{proc.Stdout: console.Stdout(), proc.Stderr: console.Stderr()} {
		s.live[i] = result.NewFilter(w)
	}
	s.last.Store(time.Now().UnixNano())
	return s
}

// Chunk implements proc.Sink. Only the transcript can fail it.
func (s *sink) Chunk(from proc.Stream, p []byte) error {
	s.bytes.Add(int64(len(p)))
	s.last.Store(time.Now().UnixNano())
	_, _ = s.scanners[from].Write(p)
	if err := s.transcript.Write(from.String(), p); err != nil {
		return fmt.Errorf("write the transcript: %w", err)
	}
	_, err := s.live[from].Write(p)
	return s.noteConsole(from, err)
}

func (s *sink) noteConsole(from proc.Stream, err error) error {
	if err == nil || s.noted[from] {
		return nil
	}
	s.noted[from] = true
	return s.transcript.Notice("the console did not take all of %s: %v", from, err)
}

// end closes the live view and says in the transcript what is worth saying.
func (s *sink) end(exit proc.Exit, console Console) error {
	for i, live := range s.live {
		if err := s.noteConsole(proc.Stream(i), live.Close()); err != nil {
			return err
		}
	}
	console.EndAttempt()
	if exit.Cut && len(exit.Holders) == 0 {
		if err := s.transcript.Notice("an output pipe was still open and was not waited for"); err != nil {
			return err
		}
	}
	for _, h := range exit.Holders {
		if err := s.transcript.Notice("process %d (%s) still had an output pipe open and was not waited for", h.PID, h.Name); err != nil {
			return err
		}
	}
	if s.transcript.Written() == 0 && exit.Executed {
		return s.transcript.Notice("the process ended without stdout or stderr output")
	}
	return nil
}

func (s *sink) result() result.Result {
	return result.Judge(s.scanners[proc.Stdout].End(), s.scanners[proc.Stderr].End())
}

func (s *sink) seen() bool { return s.scanners[proc.Stdout].Seen() || s.scanners[proc.Stderr].Seen() }

// reportProgress sends an event now and then until it is stopped.
func (v *invocation) reportProgress(t *target, s *sink) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	began := time.Now()
	go func() {
		defer close(ended)
		tick := time.NewTicker(v.r.ProgressEvery)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				v.observePhase(t, record.Event{
					Kind: record.PhaseProgress, AttemptID: t.attemptID, Bytes: s.bytes.Load(),
					ElapsedMS: time.Since(began).Milliseconds(), SilentMS: time.Since(time.Unix(0, s.last.Load())).Milliseconds(),
					TimeoutMS: v.job.Binding.Limits.Timeout.Milliseconds(),
				})
			}
		}
	}()
	return func() { close(done); <-ended }
}

func (v *invocation) observePhase(t *target, e record.Event) {
	phase := phaseRecord(t.phase)
	e.Phase = &phase
	for i, p := range v.snapshot.Phases {
		if p.ID == phase.ID {
			e.Index = i + 1
		}
	}
	v.observe(e)
}

// header is the head of a transcript: what a reader must know about the
// attempt before the worker's first byte.
func (v *invocation) header(t *target) []byte {
	values := v.values(t)
	var out []byte
	for _, line := range [][2]string{
		{"attempt", t.attemptID},
		{"phase", t.phase.ID + " " + t.phase.Title},
		{"plan", v.job.Plan.Path},
		{"plan_sha256", v.snapshot.SHA256},
		{"binding_sha256", v.job.Binding.Digest()},
		{"state", values.StateFile},
		{"prompt", values.PromptFile},
		{"index", v.path(workspace.IndexFile(t.attemptID))},
		{"plan_workspace_path", v.job.Plan.Root},
		{"execution_workspace_path", t.workspace},
		{"started_at", t.startedAt.Format(time.RFC3339)},
		{"agent", v.job.Binding.Agent},
		{"agent_cmd", v.job.Binding.Command},
		{"argv", shellquote.Join(t.argv...)},
	} {
		out = append(out, line[0]+": "+oneLine(line[1])+"\n"...)
	}
	return append(out, "---\n"...)
}

// oneLine keeps a value from looking like another line of the header.
func oneLine(value string) string {
	for _, r := range value {
		if r < ' ' {
			return fmt.Sprintf("%q", value)
		}
	}
	return value
}
