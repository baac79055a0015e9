package run

import (
	"context"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/ai-session-handler/ai-session-handler/engine/match"
	"github.com/ai-session-handler/ai-session-handler/engine/proc"
	"github.com/ai-session-handler/ai-session-handler/engine/result"
	"github.com/ai-session-handler/ai-session-handler/engine/stream"
)

// sink passes a worker's bytes on, in one order for all: each stream is masked,
// and what comes out goes to the result framing, the transcript, the stop rules
// and the console.
type sink struct {
	secrets    *stream.Secrets
	transcript *stream.Transcript
	stop       context.CancelCauseFunc // ends the worker at once
	room       int64                   // bytes of output the transcript may still get
	limit      int64                   // 0: none
	cut        int64                   // bytes beyond it
	rules      *match.Matcher
	outputs    [2]output
	bytes      atomic.Int64
	last       atomic.Int64 // when the last byte came, Unix nanoseconds
}

// output is what one stream has of its own.
type output struct {
	masker  *stream.Masker
	scanner result.Scanner
	live    *result.Filter
	noted   bool // a console that does not take bytes was noted
}

// stopRuleError ends a worker because of what it printed.
type stopRuleError struct{ hit match.Hit }

func (e *stopRuleError) Error() string { return "output matched stop regex: " + e.hit.Expr }

// outputLimitError ends a worker because of how much it printed.
type outputLimitError struct{ limit int64 }

func (e *outputLimitError) Error() string {
	return fmt.Sprintf("the output is longer than %d bytes; what came after them is not kept", e.limit)
}

func (v *invocation) newSink(t *target, transcript *stream.Transcript, stop context.CancelCauseFunc) *sink {
	s := &sink{
		secrets: v.job.Secrets, transcript: transcript, stop: stop, rules: v.rules.of(t.how).NewMatcher(),
		limit: t.how.Limits.OutputMax, room: t.how.Limits.OutputMax,
	}
	for i, w := range []io.Writer{proc.Stdout: v.job.Console.Stdout(), proc.Stderr: v.job.Console.Stderr()} {
		s.outputs[i] = output{masker: v.job.Secrets.NewMasker(), live: result.NewFilter(w)}
	}
	s.last.Store(time.Now().UnixNano())
	return s
}

// Chunk implements proc.Sink. It fails when the transcript does, and from when
// on the worker is to be ended for what it printed.
func (s *sink) Chunk(from proc.Stream, p []byte) error {
	s.bytes.Add(int64(len(p)))
	s.last.Store(time.Now().UnixNano())
	return s.pass(from, s.outputs[from].masker.Write(p))
}

// pass gives masked bytes to everybody. The transcript gets them before the
// worker is ended for them, so that the evidence shows why; the console gets
// them last, since it may be slow.
func (s *sink) pass(from proc.Stream, p []byte) error {
	p, end := s.within(p)
	out := &s.outputs[from]
	_, _ = out.scanner.Write(p)
	if err := s.transcript.Write(from.String(), p); err != nil {
		return fmt.Errorf("write the transcript: %w", err)
	}
	if err := s.match(from, p); err != nil {
		end = err
	}
	if end != nil {
		s.stop(end)
	}
	_, err := out.live.Write(p)
	if err := s.noteConsole(from, err); err != nil {
		return err
	}
	return end
}

// match asks the stop rules. What the masker holds back counts as printed: it
// may be the worker's last words for long.
func (s *sink) match(from proc.Stream, p []byte) error {
	hit, ok := s.rules.Add(p)
	if !ok {
		hit, ok = s.rules.Peek(s.outputs[from].masker.Held())
	}
	if !ok {
		return nil
	}
	return &stopRuleError{hit}
}

// within cuts p to what the limit of output leaves.
func (s *sink) within(p []byte) ([]byte, error) {
	if s.limit == 0 || int64(len(p)) <= s.room {
		s.room -= int64(len(p))
		return p, nil
	}
	kept := p[:s.room]
	s.room = 0
	s.cut += int64(len(p) - len(kept))
	return kept, &outputLimitError{s.limit}
}

func (s *sink) noteConsole(from proc.Stream, err error) error {
	if err == nil || s.outputs[from].noted {
		return nil
	}
	s.outputs[from].noted = true
	return s.notice("the console did not take all of %s: %v", from, err)
}

// notice adds a line of ours to the transcript. Names in it can be the
// worker's choice.
func (s *sink) notice(format string, args ...any) error {
	return s.transcript.Notice("%s", s.secrets.Mask(fmt.Sprintf(format, args...)))
}

// flush passes on what was held back, once the worker printed its last. What
// that shows counts as if it had come earlier.
func (s *sink) flush(exit *proc.Exit) {
	for i := range s.outputs {
		err := s.pass(proc.Stream(i), s.outputs[i].masker.Close())
		if err != nil && exit.Reason == proc.Exited {
			exit.Reason, exit.Err = proc.SinkFailed, err
		}
	}
}

// end closes the live view and says in the transcript what is worth saying.
func (s *sink) end(exit proc.Exit, console Console) error {
	for i := range s.outputs {
		if err := s.noteConsole(proc.Stream(i), s.outputs[i].live.Close()); err != nil {
			return err
		}
	}
	console.EndAttempt()
	if s.cut > 0 {
		if err := s.notice("%d bytes of output beyond the limit of %d are not kept", s.cut, s.limit); err != nil {
			return err
		}
	}
	if exit.Cut && len(exit.Holders) == 0 {
		if err := s.notice("an output pipe was still open and was not waited for"); err != nil {
			return err
		}
	}
	for _, h := range exit.Holders {
		if err := s.notice("process %d (%s) still had an output pipe open and was not waited for", h.PID, h.Name); err != nil {
			return err
		}
	}
	if s.transcript.Written() == 0 && exit.Executed {
		return s.notice("the process ended without stdout or stderr output")
	}
	return nil
}

// redactions is how many values were masked.
func (s *sink) redactions() int64 {
	return s.outputs[proc.Stdout].masker.Count() + s.outputs[proc.Stderr].masker.Count()
}

func (s *sink) result() result.Result {
	return result.Judge(s.outputs[proc.Stdout].scanner.End(), s.outputs[proc.Stderr].scanner.End())
}

func (s *sink) seen() bool {
	return s.outputs[proc.Stdout].scanner.Seen() || s.outputs[proc.Stderr].scanner.Seen()
}
