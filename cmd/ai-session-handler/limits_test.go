package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/ai-session-handler/ai-session-handler/engine/enginetest"
)

// TestFewDescriptors gives a handler no more than a number of descriptors: it
// fails with clear words where that is, and succeeds with enough. With next to
// none the Go runtime itself gives up, and not with an exit code of ours.
func TestFewDescriptors(t *testing.T) {
	t.Parallel()
	succeeded, left := 0, map[string]bool{}
	for n := 4; n <= 40; n++ {
		r := newPlainRepo(t, 1)
		e := r.limited("-n", n)
		r.settled()
		switch {
		case e.code == exitOK:
			succeeded++
		case n < 16 && e.signal == syscall.SIGABRT:
			if strings.Contains(e.out, "complete") || len(r.ledger()) != 0 {
				t.Errorf("%d: %+v", n, e)
			}
		default:
			r.checkLimited(e, "too many open files")
		}
		r.checkLeft()
		if what := r.left(); !left[what] {
			left[what] = true
			r.goOn(quick)
		}
		if t.Failed() {
			t.Fatalf("%d descriptors: %s%s", n, e.out, e.err)
		}
	}
	if succeeded < 5 {
		t.Errorf("%d runs succeeded; nothing is known about the last steps", succeeded)
	}
}

// TestFilesOfLimitedSize gives a handler files of no more than a number of bytes:
// that is a real write that fails half-way, in a short record as in a long
// transcript, and a signal that would end most programs.
func TestFilesOfLimitedSize(t *testing.T) {
	t.Parallel()
	const block = 512 // bytes of a unit of ulimit -f
	succeeded := 0
	for _, n := range []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 100} {
		r := newPlainRepo(t, 1)
		e := r.limited("-f", n, fmt.Sprintf("flood=%d", 60*block))
		if e.code == exitOK {
			succeeded++
		} else {
			r.settled()
			r.checkLimited(e, "file too large")
		}
		r.afterCrash(quick)
		if t.Failed() {
			t.Fatalf("%d blocks: %s%s", n, e.out, e.err)
		}
	}
	if succeeded != 1 {
		t.Errorf("%d runs succeeded", succeeded)
	}
}

// TestAReadOnlyHistory is about a file system that lets nobody write, from the
// start or for the second phase on.
func TestAReadOnlyHistory(t *testing.T) {
	t.Parallel()
	readOnly := fmt.Sprintf("%s=fail-at=^before_(create|mkdir|rename|remove)_:%d", enginetest.FaultEnv, syscall.EROFS)
	r := newPlainRepo(t, 2)
	for range r.phases {
		e := r.exec([]string{readOnly}, r.runArgs(quick)...)
		r.checkLimited(e, "read-only file system")
		if e := r.run(quick, "--max-phases", "1"); e.code != exitOK {
			t.Fatalf("%+v", e)
		}
	}
	r.checkEnd(r.state(), r.ledger())
}

// limited runs the plan under a limit of the shell, with more steps of the agent.
func (r *repo) limited(limit string, n int, steps ...string) ended {
	r.t.Helper()
	cmd := r.command(nil, r.runArgs(append(slices.Clone(steps), quick...))...)
	script := fmt.Sprintf(`ulimit %s %d && exec "$0" "$@"`, limit, n)
	cmd.Path, cmd.Args = "/bin/sh", append([]string{"sh", "-c", script}, cmd.Args...)
	return r.finish(cmd)
}

// checkLimited checks a run that met a limit.
func (r *repo) checkLimited(e ended, why string) {
	r.t.Helper()
	r.checkNoPanic(e)
	next := regexp.MustCompile(`next: |Settle that`) // a plan's errors have their own form
	if e.code != exitFailed && e.code != exitInvalid || !strings.Contains(e.err, why) || !next.MatchString(e.err) {
		r.t.Errorf("%+v", e)
	}
	if strings.Contains(e.out, "runner-complete") || len(r.state().CompletedPhaseIDs) != len(r.ledger()) && r.state().CurrentPhase == nil {
		r.t.Errorf("a false success: %+v, %+v", e, r.state())
	}
}
