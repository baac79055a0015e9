package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/ai-session-handler/ai-session-handler/engine/enginetest"
	"github.com/ai-session-handler/ai-session-handler/engine/workspace"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// quick is an agent that ends at once, reads all and prints once, so that every
// run passes the same points.
var quick = []string{"ledger=ledger", "read-stdin", "out=working\\n<phase-complete>done</phase-complete>\\n"}

// numbers are the errors that each operation fails with in turn: a full disk, a
// broken one, no descriptor left, no process left.
var numbers = []syscall.Errno{syscall.ENOSPC, syscall.EIO, syscall.EMFILE, syscall.EAGAIN}

// fault is what one run meets at one point.
type fault struct {
	env   string // whose point it is
	point enginetest.NamedPoint
	kind  string // fail, fail-from or short
	errno syscall.Errno
}

func (f fault) op() string   { return strings.Fields(f.point.Text)[1] }
func (f fault) name() string { return strings.SplitN(f.point.Text, " ", 3)[2] }

func (f fault) String() string { return fmt.Sprintf("%s %s with %d", f.kind, f.point.Text, f.errno) }

func (f fault) spec() string {
	if f.errno == 0 {
		return f.kind + "=" + f.point.ID
	}
	return fmt.Sprintf("%s=%s:%d", f.kind, f.point.ID, f.errno)
}

// faultsAt lists what is done to a point. That it failed is all that counts of an
// operation that has taken place; one that only reads never has.
func faultsAt(env string, point enginetest.NamedPoint) []fault {
	one := func(kind string, errno syscall.Errno) fault { return fault{env, point, kind, errno} }
	op, handler := one("", 0).op(), env == enginetest.FaultEnv
	switch reads := enginetest.OnFiles(op) && !enginetest.Writes(op); {
	case strings.HasPrefix(point.Text, "after ") && reads:
		return nil
	case strings.HasPrefix(point.Text, "after "):
		return []fault{one("fail", syscall.EIO)}
	}
	var list []fault
	for _, errno := range numbers {
		list = append(list, one("fail", errno))
	}
	if op == "write" {
		list = append(list, one("short", 0), one("short", syscall.ENOSPC))
	}
	if handler && enginetest.Writes(op) {
		list = append(list, one("fail-from", syscall.ENOSPC))
	}
	if handler && enginetest.OnFiles(op) {
		list = append(list, one("fail-from", syscall.EIO))
	}
	return list
}

// matrix runs a command once for each fault at each of its points.
type matrix struct {
	prepare func(*testing.T) *repo           // makes what the command meets
	flags   []string                         // of the run
	env     []string                         // of the run, beside the fault
	points  func(enginetest.NamedPoint) bool // those that count, nil for all
	check   func(*repo, fault, ended)        // more to check of what is left, or nil
	goOn    func(*repo)                      // how it goes on from there
	left    *sync.Map                        // what runs have left so far
}

// TestEveryOperationFails makes each operation of a run of one phase fail, once
// or for good, with every number: in the handler, the supervisor and the
// trampoline.
func TestEveryOperationFails(t *testing.T) {
	t.Parallel()
	m := matrix{prepare: onePhase, goOn: toTheEnd}
	m.run(t, enginetest.FaultEnv, enginetest.SupervisorFaultEnv, enginetest.TrampolineFaultEnv)
}

func onePhase(t *testing.T) *repo { return newPlainRepo(t, 1) }

func toTheEnd(r *repo) { r.goOn(quick) }

func (m matrix) run(t *testing.T, envs ...string) {
	t.Helper()
	m.left = &sync.Map{}
	var runs atomic.Int64
	met := 0
	for _, env := range envs {
		for i, point := range m.log(t, env) {
			counts := m.points == nil || m.points(point)
			list := faultsAt(env, point)
			if !counts || len(list) == 0 {
				continue
			}
			met++
			t.Run(fmt.Sprintf("%s %03d %s", strings.ToLower(strings.TrimSuffix(env, "_TEST_FAULT")), i+1, point.Text), func(t *testing.T) {
				t.Parallel()
				for _, f := range list {
					runs.Add(1)
					m.one(t, f)
				}
			})
		}
	}
	if met == 0 {
		t.Error("no points")
	}
	t.Cleanup(func() {
		kinds := 0
		m.left.Range(func(any, any) bool { kinds++; return true })
		t.Logf("%d points, %d runs, which left %d different histories", met, runs.Load(), kinds)
	})
}

// log records the points of a run without a fault.
func (m matrix) log(t *testing.T, env string) []enginetest.NamedPoint {
	t.Helper()
	_, _, points := m.exec(t, env, "")
	if len(points) == 0 {
		t.Fatal("no points")
	}
	return points
}

func (m matrix) exec(t *testing.T, env, spec string) (*repo, ended, []enginetest.NamedPoint) {
	t.Helper()
	r := m.prepare(t)
	log := filepath.Join(t.TempDir(), "log")
	e := r.exec(append([]string{fmt.Sprintf("%s=log=%s %s", env, log, spec)}, m.env...), r.runArgs(quick, m.flags...)...)
	r.settled()
	points, err := enginetest.PointsOf(log)
	if err != nil {
		t.Fatal(err)
	}
	return r, e, points
}

// one makes a run with one fault and checks what it leaves. Which bytes a read
// of a pipe gets, and so how often one is tried, is up to the kernel.
func (m matrix) one(t *testing.T, f fault) {
	t.Helper()
	for range 10 {
		r, e, passed := m.exec(t, f.env, f.spec())
		if !slices.Contains(passed, f.point) {
			continue
		}
		if e.signal == 0 { // and not killed to see what its supervisor does
			r.checkFailed(f, e)
		}
		r.checkLeft()
		if m.check != nil {
			m.check(r, f, e)
		}
		// What goes on sees only what is left, whichever error left it.
		if _, known := m.left.LoadOrStore(r.left(), true); !known {
			m.goOn(r)
		}
		if t.Failed() {
			t.Fatalf("%v:\n%s%s", f, e.out, e.err)
		}
		return
	}
	t.Fatalf("%v: it never came to that", f)
}

// left is what a run left on disk, without what differs from run to run.
func (r *repo) left() string {
	r.t.Helper()
	list := []string{fmt.Sprint(r.ledger())}
	for path := range r.files() {
		list = append(list, path)
	}
	slices.Sort(list)
	for _, name := range []string{workspace.StateFile, "exits/*"} {
		paths, _ := filepath.Glob(r.path(filepath.Join(workspace.DirName, workspace.PlansDir, "*", name)))
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				r.t.Fatal(err)
			}
			list = append(list, string(data))
		}
	}
	text := enginetest.Stable(strings.Join(list, "\n"), r.ws)
	for _, errno := range numbers {
		text = strings.ReplaceAll(text, errno.Error(), "an error")
	}
	return varying.ReplaceAllString(text, "*")
}

// varying are times and numbers of more than one digit.
var varying = regexp.MustCompile(`[0-9]+-[0-9:.T-]+Z|[0-9]{2,}`)

// checkFailed checks what a run says and leaves that met a fault.
func (r *repo) checkFailed(f fault, e ended) {
	r.t.Helper()
	st := r.state()
	for phase, n := range r.ledger() {
		completed := slices.ContainsFunc(st.CommittedOutcomes, func(c record.CommittedOutcome) bool {
			return c.PhaseID == phase && c.Status == record.PhaseComplete
		})
		if n != 1 || !completed && st.CurrentPhase == nil {
			r.t.Errorf("%s ran %d times, and the state is %+v", phase, n, st)
		}
	}
	r.checkNoPanic(e)
	switch completed := len(st.CompletedPhaseIDs); {
	case e.code == exitOK && (!dispensable.MatchString(f.point.Text) || completed != r.phases || len(r.ledger()) != r.phases):
		r.t.Errorf("a false success: %+v", st)
	case e.code == exitOK:
		return
	case e.code != exitFailed && e.code != exitInvalid:
		r.t.Errorf("exit code %d", e.code)
	case e.code == exitInvalid && len(r.ledger()) != completed:
		r.t.Errorf("it says that nothing was launched: %v", r.ledger())
	}
	r.checkTold(f, e, st)
}

// dispensable are the steps without which a run is a success all the same: what
// comes after the end of an attempt is on disk, or shows on another way too.
var dispensable = regexp.MustCompile(`^(before|after) (let-go supervisor|pidfd worker|send committed|send executed|send exited|signal .*|open exits/.*|(append|write|close) events\.jsonl)$|^after send ended$`)

func (r *repo) checkNoPanic(e ended) {
	r.t.Helper()
	if text := e.out + e.err; strings.Contains(text, "goroutine ") || strings.Contains(text, "panic") {
		r.t.Error("it panicked")
	}
}

// checkTold checks that a message names what failed, on which path, why, and what
// to do next, and that it is right about an attempt that is left.
func (r *repo) checkTold(f fault, e ended, st record.State) {
	r.t.Helper()
	next := regexp.MustCompile(`(?m)^ *next: .*`).FindString(e.err)
	if next == "" {
		r.t.Error("it does not say what to do next")
	}
	told := strings.Contains(e.err, "unresolved attempt: ")
	switch left := st.ActiveAttempt != nil; {
	case left && !told && !regexp.MustCompile(`--retry-stopped|--fresh|repeat`).MatchString(next):
		r.t.Errorf("an unresolved attempt is not told of: %+v", st.ActiveAttempt)
	case told && !left && f.kind != "fail-from": // that which failed for good may be on disk all the same
		r.t.Error("an unresolved attempt is told of that there is not")
	}
	if what, why := f.says(); !regexp.MustCompile(what + `.*: ` + why).MatchString(enginetest.Stable(e.err, r.ws)) {
		r.t.Errorf("it does not say %q and %q", what, why)
	}
}

// says is how a message names a fault: what was done to which file, and why it
// failed.
func (f fault) says() (what, why string) {
	why = f.errno.Error()
	if f.errno == 0 {
		why = "short write"
	}
	switch op := f.op(); {
	case op == "exec":
		return "could not launch agent command", why // which names the program
	case f.point.Text == "before send ended":
		return "interrupted", "the supervisor of the worker was killed" // all that the handler can know
	case strings.HasPrefix(f.name(), "exits/") && f.kind == "fail-from":
		return "", why // it is not what the run fails of
	case f.name() == "stdin" && f.kind == "fail-from":
		return "", why // the output can't be kept either, and which of the two is noticed first is open
	case op == "syncdir":
		what = "sync"
	default:
		what = op
	}
	if enginetest.OnFiles(f.op()) && f.name() != "." {
		what += " .*" + regexp.QuoteMeta(f.name())
	}
	return what, why
}
