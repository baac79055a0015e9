package run

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ai-session-handler/ai-session-handler/engine/binding"
	"github.com/ai-session-handler/ai-session-handler/engine/fsx"
	"github.com/ai-session-handler/ai-session-handler/engine/proc"
	"github.com/ai-session-handler/ai-session-handler/engine/stream"
)

// shown is a console that keeps what it gets, and asks before it takes it.
type shown struct {
	strings.Builder
	before func()
}

func (s *shown) Write(p []byte) (int, error) {
	if s.before != nil {
		s.before()
	}
	return s.Builder.Write(p)
}

func (s *shown) Stdout() io.Writer { return s }
func (s *shown) Stderr() io.Writer { return s }
func (s *shown) EndAttempt()       {}

type sinkTest struct {
	*sink
	console *shown
	ctx     context.Context
	path    string
}

func newSinkTest(t *testing.T, limit int64, secret string, rules ...string) sinkTest {
	t.Helper()
	root := t.TempDir()
	dir, err := fsx.OpenDir(root, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = dir.Close() })
	if err := dir.MkdirAll("transcripts"); err != nil {
		t.Fatal(err)
	}
	transcript, err := stream.Create(dir, "a", []byte("---\n"), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	how := binding.Phase{Limits: binding.Limits{OutputMax: limit}, StopOn: rules}
	v := &invocation{job: Job{}}
	if v.rules, err = compileRules(binding.Binding{Default: how}); err != nil {
		t.Fatal(err)
	}
	if secret != "" {
		if v.job.Secrets, err = stream.NewSecrets([]stream.Secret{{Name: "S", Value: secret}}); err != nil {
			t.Fatal(err)
		}
	}
	console := &shown{}
	v.job.Console = console
	ctx, cancel := context.WithCancelCause(context.Background())
	t.Cleanup(func() { cancel(nil) })
	return sinkTest{v.newSink(&target{how: how}, transcript, cancel), console, ctx, filepath.Join(root, "transcripts/a.txt")}
}

func (s sinkTest) transcriptText(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile(s.path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimPrefix(string(data), "---\n")
}

// TestASlowConsoleDoesNotDelayAStopRule looks at the worker's context at the
// moment when the console gets the bytes.
func TestASlowConsoleDoesNotDelayAStopRule(t *testing.T) {
	s := newSinkTest(t, 0, "", "STOP")
	stopped := false
	s.console.before = func() { stopped = context.Cause(s.ctx) != nil }
	err := s.Chunk(proc.Stdout, []byte("please STOP"))
	var rule *stopRuleError
	if !errors.As(err, &rule) || !errors.As(context.Cause(s.ctx), &rule) || !stopped {
		t.Errorf("%v, stopped before the console: %v", err, stopped)
	}
	if s.console.String() != "please STOP" || s.transcriptText(t) != "please STOP" {
		t.Errorf("shown %q", s.console.String())
	}
}

// TestWhatIsHeldBackIsNotTheEnd holds back the beginning of a secret, so that
// what is passed on ends earlier than what was printed.
func TestWhatIsHeldBackIsNotTheEnd(t *testing.T) {
	s := newSinkTest(t, 0, "s3cr3t99", "error$")
	for _, part := range []string{"0 errors", " found\n"} {
		if err := s.Chunk(proc.Stdout, []byte(part)); err != nil {
			t.Errorf("%q: %v", part, err)
		}
	}
	s = newSinkTest(t, 0, "s3cr3t99", "errors$")
	if err := s.Chunk(proc.Stdout, []byte("0 errors")); err == nil {
		t.Error("what is held back was not looked at")
	}
}

func TestTheOutputLimitKeepsWhatFits(t *testing.T) {
	s := newSinkTest(t, 10, "s3cr3t99")
	if err := s.Chunk(proc.Stdout, []byte("0123456789")); err != nil {
		t.Errorf("as much as the limit: %v", err)
	}
	var limit *outputLimitError
	if err := s.Chunk(proc.Stderr, []byte("x")); !errors.As(err, &limit) || context.Cause(s.ctx) == nil {
		t.Errorf("one more: %v", err)
	}
	if got := s.transcriptText(t); got != "0123456789" || s.cut != 1 {
		t.Errorf("%q, cut %d", got, s.cut)
	}
}

// TestWhatTheMaskerHeldIsPassedOnAtTheEnd has a rule that only that matches.
func TestWhatTheMaskerHeldIsPassedOnAtTheEnd(t *testing.T) {
	s := newSinkTest(t, 0, "s3cr3t99")
	if err := s.Chunk(proc.Stdout, []byte("dogs")); err != nil || s.transcriptText(t) != "dog" {
		t.Fatalf("%v, %q", err, s.transcriptText(t))
	}
	exit := proc.Exit{}
	s.flush(&exit)
	if s.transcriptText(t) != "dogs" || exit.Reason != proc.Exited {
		t.Errorf("%q, %v", s.transcriptText(t), exit.Reason)
	}
}
