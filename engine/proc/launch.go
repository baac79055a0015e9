package proc

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ai-session-handler/ai-session-handler/engine/fsx"
	"github.com/ai-session-handler/ai-session-handler/engine/proc/cgroup"
	"github.com/ai-session-handler/ai-session-handler/engine/proc/procfs"
	"github.com/ai-session-handler/ai-session-handler/engine/proc/supervise"
	"github.com/ai-session-handler/ai-session-handler/engine/proc/wire"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// Spec is what one worker needs to be started.
type Spec struct {
	AttemptID string
	Argv      []string // rendered; the program is looked up as [LookPath] says
	Env       []string // the worker's whole environment
	Workspace string   // canonical path of WorkDir
	Prompt    []byte   // for the worker's stdin
	WorkDir   *os.File // the directory the worker starts in
	PlanDir   *os.File // where the supervisor may leave an exit record
	Locks     []*os.File
	Tree      cgroup.Limits // of the worker and all it starts; see [cgroup.Probe]
	Grace     time.Duration
	Backstop  time.Duration // see wire.Start
}

// LaunchError means that a worker's program could not be started. Nothing of
// the agent has run.
type LaunchError struct {
	Program string
	Op      string
	Err     error
}

func (e *LaunchError) Error() string {
	return fmt.Sprintf("could not launch agent command: %s: %v%s", e.Program, e.Err, e.hint())
}

func (e *LaunchError) Unwrap() error { return e.Err }

// opExec is the Op of an error that the program itself is to blame for.
const opExec = "exec"

func (e *LaunchError) hint() string {
	switch {
	case errors.Is(e.Err, unix.E2BIG):
		return " (arguments and environment are too large together)"
	case e.Op != opExec:
		return ""
	case errors.Is(e.Err, unix.ENOEXEC):
		return " (a script needs a first line such as #!/bin/sh)"
	case errors.Is(e.Err, unix.EACCES):
		return " (is it executable?)"
	case errors.Is(e.Err, unix.ENOENT) && strings.Contains(e.Program, "/"):
		return " (or the interpreter it names is missing)"
	}
	return ""
}

// Launcher starts workers. It makes the process a subreaper, so that the tree
// of a supervisor that was killed can still be found and ended.
type Launcher struct {
	seam        fsx.Seam
	mu          sync.Mutex
	supervisors map[int]bool // PIDs of those alive
	shared      bool         // orphans of others may become our children too
}

// NewLauncher returns a launcher whose process-related steps pass seam. It
// hardens the process: no other process of the same user may trace it, or take
// its descriptors and with them its locks, and none of its descriptors, those
// leaked into it included, reaches a child that was not given it.
func NewLauncher(seam fsx.Seam) (*Launcher, error) {
	shared := os.Getpid() == 1 || mayHaveChildren()
	if err := seam.Do("harden", "handler", harden); err != nil {
		return nil, fmt.Errorf("prepare the process to run workers: %w", err)
	}
	return &Launcher{seam: seam, supervisors: map[int]bool{}, shared: shared}, nil
}

func harden() error {
	for _, set := range [][2]int{{unix.PR_SET_CHILD_SUBREAPER, 1}, {unix.PR_SET_DUMPABLE, 0}} {
		if err := unix.Prctl(set[0], uintptr(set[1]), 0, 0, 0); err != nil {
			return err
		}
	}
	return unix.CloseRange(3, 1<<32-1, unix.CLOSE_RANGE_CLOEXEC)
}

// mayHaveChildren reports whether somebody else's children are ours already, as
// those of a shell are that replaced itself by this program, or that can't be
// ruled out.
func mayHaveChildren() bool {
	children, err := procfs.Children(os.Getpid())
	for _, pid := range children {
		if s, statErr := procfs.ReadStat(pid); statErr != nil || !s.Ended() {
			return true
		}
	}
	return err != nil
}

// Worker is a started worker: held until Run lets it go.
type Worker struct {
	launcher   *Launcher
	spec       Spec
	conn       *wire.Conn[wire.Order, wire.Report]
	supervisor *os.Process
	began      uint64        // start time of the supervisor in clock ticks
	group      *cgroup.Group // of the worker, nil without limits on its tree
	identity   record.Process
	leader     *os.File // a pidfd of the worker, nil when there is none
	guarded    bool     // the supervisor stays, to keep the locks from survivors
	stdin      *os.File
	stdout     *os.File
	stderr     *os.File
	reports    <-chan wire.Report // closed when the supervisor is gone
}

// Start starts a supervisor and the worker, held: not one instruction of the
// agent runs before [Worker.Run]. An error is a *LaunchError when the program
// or the process is to blame; nothing is left running then.
func (l *Launcher) Start(spec Spec) (*Worker, error) {
	path, err := LookPath(spec.Argv[0], spec.Workspace, spec.Env)
	if err != nil {
		return nil, &LaunchError{spec.Argv[0], "look up", err}
	}
	w := &Worker{launcher: l, spec: spec}
	if w.group, err = l.confine(spec); err != nil {
		return nil, &LaunchError{spec.Argv[0], "limit", err}
	}
	if err := w.begin(path); err != nil {
		w.abort()
		return nil, err
	}
	return w, nil
}

func (w *Worker) begin(path string) error {
	if err := w.startSupervisor(); err != nil {
		return &LaunchError{w.spec.Argv[0], "start", err}
	}
	return w.hold(path)
}

// abort undoes a start that failed half-way: the supervisor ends when its
// control socket does, and ends what it has started. What one that was killed
// has left is swept.
func (w *Worker) abort() {
	defer w.group.End()
	if w.conn != nil {
		_ = w.conn.Close()
	}
	closeAll(w.stdin, w.stdout, w.stderr, w.leader)
	if w.supervisor == nil {
		return
	}
	s, err := procfs.ReadStat(w.supervisor.Pid)
	w.reapSupervisor()
	if err == nil {
		w.began = s.StartTime
		_, _, _ = w.launcher.sweepOrphans(w)
	}
}

func (w *Worker) reapSupervisor() {
	_, _ = w.supervisor.Wait()
	w.launcher.mu.Lock()
	delete(w.launcher.supervisors, w.supervisor.Pid)
	w.launcher.mu.Unlock()
}

// Identity tells the worker from every other process, past and future.
func (w *Worker) Identity() record.Process { return w.identity }

// startSupervisor leaves it to [Worker.abort] to undo a start that failed
// half-way.
func (w *Worker) startSupervisor() error {
	in, inErr := w.launcher.open("stdin", inputPipe)
	out, outErr := w.launcher.open("stdout", outputPipe)
	errs, errsErr := w.launcher.open("stderr", outputPipe)
	control, controlErr := w.launcher.open("control", controlSocket)
	w.stdin, w.stdout, w.stderr = in.ours, out.ours, errs.ours
	theirs := []*os.File{in.theirs, out.theirs, errs.theirs, control.theirs}
	err := cmp.Or(inErr, outErr, errsErr, controlErr)
	if err == nil {
		err = w.launcher.seam.Do("start", "supervisor", func() error { return w.fork(theirs) })
	}
	closeAll(theirs...)
	if err == nil {
		err = w.launcher.seam.Do("connect", "supervisor", func() (err error) {
			w.conn, err = wire.NewConn[wire.Order, wire.Report](control.ours)
			return err
		})
	}
	if err != nil {
		closeAll(control.ours)
	}
	return err
}

// fork starts the supervisor, which gets the streams and the socket as its
// first descriptors.
func (w *Worker) fork(streams []*os.File) error {
	files := append(slices.Clip(streams), w.spec.WorkDir, w.spec.PlanDir)
	process, err := os.StartProcess("/proc/self/exe", supervise.Args(w.spec.AttemptID), &os.ProcAttr{
		Dir:   "/",
		Env:   []string{}, // what it needs comes over the socket; /proc shows nobody a secret
		Files: append(files, w.spec.Locks...),
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return err
	}
	w.supervisor = process
	w.launcher.mu.Lock()
	w.launcher.supervisors[process.Pid] = true
	w.launcher.mu.Unlock()
	return nil
}

// hold sends the start message and waits until the worker exists and waits.
func (w *Worker) hold(path string) error {
	program := w.spec.Argv[0]
	seam := w.launcher.seam
	err := seam.Do("send", "start", func() error {
		return w.conn.SendStart(wire.Start{
			AttemptID: w.spec.AttemptID, Path: wire.Exact(path), Argv: wire.ExactAll(w.spec.Argv), Env: wire.ExactAll(w.spec.Env),
			Cgroup: wire.Exact(w.group.Dir()), Grace: w.spec.Grace, Backstop: w.spec.Backstop,
		})
	})
	if err != nil {
		return &LaunchError{program, "start", fmt.Errorf("the supervisor does not take its orders: %w", err)}
	}
	var report wire.Report
	err = seam.Do("receive", "held", func() (err error) {
		report, err = w.receiveHeld()
		return err
	})
	switch {
	case err != nil:
		return &LaunchError{program, "start", fmt.Errorf("the supervisor does not report a held worker: %w%s", err, w.lastWords())}
	case report.Failed != nil:
		return launchError(program, report.Failed)
	}
	w.identity, w.began = *report.Held, report.Held.SupervisorStartTime
	w.openLeader()
	w.reports = w.receive()
	return nil
}

// receiveHeld waits for the report that decides a start. A supervisor that ended
// the worker again says why.
func (w *Worker) receiveHeld() (wire.Report, error) {
	for {
		report, err := w.conn.Receive()
		switch {
		case err != nil:
			return report, fmt.Errorf("it is gone: %w", err)
		case report.Ended != nil:
			return report, errors.New(report.Ended.Cause)
		case report.Failed != nil || report.Held != nil:
			return report, nil
		}
	}
}

// openLeader opens a pidfd of the worker, so that its end is noticed even when a
// hostile worker has stopped its supervisor. Where that fails, nothing else
// does.
func (w *Worker) openLeader() {
	_ = w.launcher.seam.Do("pidfd", "worker", func() error {
		fd, err := unix.PidfdOpen(w.identity.PID, unix.PIDFD_NONBLOCK)
		if err == nil {
			w.leader = os.NewFile(uintptr(fd), "pidfd")
		}
		return err
	})
}

// leaderEnd is closed when the worker's leader has ended, and never where that
// can't be seen.
func (w *Worker) leaderEnd() <-chan struct{} {
	if w.leader == nil {
		return nil
	}
	conn, err := w.leader.SyscallConn()
	if err != nil {
		return nil
	}
	ended := make(chan struct{})
	go func() {
		err := conn.Read(func(fd uintptr) bool {
			n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
			return n > 0 || err != nil && err != unix.EINTR
		})
		if err == nil {
			close(ended)
		}
	}()
	return ended
}

// lastWords is ": " and what a supervisor said that failed before there was a
// worker, if it did.
func (w *Worker) lastWords() string {
	_ = w.stderr.SetReadDeadline(time.Now().Add(time.Second))
	buf := make([]byte, 4096)
	n, _ := w.stderr.Read(buf)
	if n == 0 {
		return ""
	}
	return ": " + string(bytes.TrimSpace(buf[:n]))
}

// launchError explains a failure; that of exec is one of the program's.
func launchError(program string, f *wire.Failure) *LaunchError {
	err := error(syscall.Errno(f.Errno))
	if f.Op != opExec {
		err = fmt.Errorf("%s: %w", f.Op, err)
	}
	return &LaunchError{program, f.Op, err}
}

func (w *Worker) receive() <-chan wire.Report {
	reports := make(chan wire.Report, 4) // no more come than four after Held
	go func() {
		defer close(reports)
		for {
			report, err := w.conn.Receive()
			if err != nil {
				return
			}
			reports <- report
		}
	}()
	return reports
}

// LookPath finds the program of a command: a name with a slash relative to the
// workspace, a bare name on the PATH the worker gets.
func LookPath(program, workspace string, env []string) (string, error) {
	if strings.Contains(program, "/") {
		if !filepath.IsAbs(program) {
			program = filepath.Join(workspace, program)
		}
		return program, nil
	}
	for _, dir := range filepath.SplitList(lookup(env, "PATH")) {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(workspace, dir)
		}
		path := filepath.Join(dir, program)
		info, err := os.Stat(path)
		if err == nil && info.Mode().IsRegular() && unix.Access(path, unix.X_OK) == nil {
			return path, nil
		}
	}
	return "", errors.New("not found on the PATH")
}

// lookup returns the last value of a name, the one that counts in a process.
func lookup(env []string, name string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(env[i], name+"="); ok {
			return value
		}
	}
	return ""
}
