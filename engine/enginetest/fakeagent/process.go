//go:build linux

package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// rolePrefix starts the first argument of the program run as one of its own
// children. No step starts like this.
const rolePrefix = "fakeagent-role:"

const (
	roleIdle     = rolePrefix + "idle"     // live
	roleSession  = rolePrefix + "session"  // TERMFILE: live until SIGTERM
	roleFork     = rolePrefix + "fork"     // start a daemon and exit
	roleDaemon   = rolePrefix + "daemon"   // live, whatever comes
	roleHop      = rolePrefix + "hop"      // PIDFILE: start a successor and exit
	roleBeheaded = rolePrefix + "beheaded" // live without a first thread, whatever comes
)

// readyFD is where a child says that it is ready, by one byte: from then on it
// has its signal dispositions, and its pid may be told.
const readyFD = 3

// daemonName is what a daemon calls itself: like a thread of the kernel.
const daemonName = "kworker/u8:3"

func processVerbs() map[string]verb {
	return map[string]verb{
		"child":    {do: startChild},
		"forks":    {do: startForks},
		"session":  {do: startSession},
		"daemon":   {do: startDaemon},
		"hopper":   {do: startHopper},
		"beheaded": {do: startBeheaded},
	}
}

func startChild(_ *agent, pidfile string) error {
	pid, err := spawn{stdio: [3]*os.File{os.Stdin, os.Stdout, os.Stderr}}.start(roleIdle)
	if err != nil {
		return err
	}
	return putPid(pidfile, pid)
}

func startForks(_ *agent, value string) error {
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 {
		return fmt.Errorf("%q is not a number of processes", value)
	}
	for range n {
		if _, err := (spawn{}).start(roleIdle); err != nil {
			return err
		}
	}
	return nil
}

func startSession(_ *agent, value string) error {
	pidfile, termfile, cut := strings.Cut(value, ",")
	if !cut {
		return errors.New("needs PIDFILE,TERMFILE")
	}
	termfile, err := filepath.Abs(termfile)
	if err != nil {
		return err
	}
	pid, err := spawn{setsid: true}.start(roleSession, termfile)
	if err != nil {
		return err
	}
	return putPid(pidfile, pid)
}

// startDaemon starts a process that starts the daemon and exits. The process in
// between leads the new session, the daemon does not, as the custom is; it
// writes the daemon's pid, so that nothing of ours shows in the daemon's argv.
func startDaemon(_ *agent, value string) error {
	pidfile, option, cut := strings.Cut(value, ",")
	if cut && option != "hold" {
		return fmt.Errorf("%q is no option of a daemon", option)
	}
	pidfile, err := filepath.Abs(pidfile)
	if err != nil {
		return err
	}
	s := spawn{setsid: true}
	if cut {
		s.stdio = [3]*os.File{1: os.Stdout, 2: os.Stderr}
	}
	between, err := s.start(roleFork, pidfile)
	if err != nil {
		return err
	}
	_, err = unix.Wait4(between, nil, 0, nil)
	return err
}

func startHopper(_ *agent, pidfile string) error {
	pidfile, err := filepath.Abs(pidfile)
	if err != nil {
		return err
	}
	_, err = spawn{setsid: true}.start(roleHop, pidfile)
	return err
}

// init keeps the first goroutine of a beheaded process on its first thread,
// which is the one to end.
func init() {
	if len(os.Args) > 1 && os.Args[1] == roleBeheaded {
		runtime.LockOSThread()
	}
}

func startBeheaded(_ *agent, pidfile string) error {
	pid, err := spawn{setsid: true}.start(roleBeheaded)
	if err != nil {
		return err
	}
	return putPid(pidfile, pid)
}

// behead ends the first thread alone. What is left of the process runs on, and
// looks like a zombie to whoever asks only for its state.
func behead(ready func() error) error {
	signal.Ignore(unix.SIGTERM, unix.SIGHUP)
	if err := ready(); err != nil {
		return err
	}
	go forever()
	_, _, errno := unix.Syscall(unix.SYS_EXIT, 0, 0, 0)
	return errno
}

func putPid(path string, pid int) error { return putWhole(path, strconv.Itoa(pid)+"\n") }

// play is main of a child. It says that it is ready once it may be signalled.
func play(role string, args []string) error {
	ready := func() error {
		f := os.NewFile(readyFD, "ready")
		_, err := f.Write([]byte{1})
		return errors.Join(err, f.Close())
	}
	switch {
	case role == roleIdle && len(args) == 0:
		return thenForever(ready())
	case role == roleSession && len(args) == 1:
		noteTerm(args[0], func() { os.Exit(0) })
		return thenForever(ready())
	case role == roleFork && len(args) == 1:
		return errors.Join(forkDaemon(args[0]), ready())
	case role == roleDaemon && len(args) == 0:
		signal.Ignore(unix.SIGTERM, unix.SIGHUP)
		return thenForever(errors.Join(rename(daemonName), ready()))
	case role == roleBeheaded && len(args) == 0:
		return behead(ready)
	case role == roleHop && len(args) == 1:
		return hop(args[0], ready)
	}
	return &usageError{role, "no such role"}
}

func thenForever(err error) error {
	if err == nil {
		forever()
	}
	return err
}

func forkDaemon(pidfile string) error {
	pid, err := spawn{
		stdio: [3]*os.File{os.Stdin, os.Stdout, os.Stderr},
		env:   []string{},
		argv0: "[" + daemonName + "]",
		dir:   "/",
	}.start(roleDaemon)
	if err != nil {
		return err
	}
	return putPid(pidfile, pid)
}

// rename changes the name that ps shows for the main thread.
func rename(name string) error { return put("/proc/self/comm", name, 0) }

// hop is one life of the hopper. It names itself in the pid file before it starts
// a successor and waits until that one has done the same, so that no two write
// the file at once. That its predecessor may have been killed meanwhile, and
// nobody waits for ready, must not stop it.
func hop(pidfile string, ready func() error) error {
	if err := putPid(pidfile, os.Getpid()); err != nil {
		return err
	}
	_ = ready()
	_, err := spawn{setsid: true}.start(roleHop, pidfile)
	return err
}

// A spawn is how a child is started. The zero value is a child in the same group
// with the same environment and name, and stdio on /dev/null.
type spawn struct {
	stdio  [3]*os.File // nil for /dev/null
	env    []string    // nil for ours
	argv0  string
	dir    string
	setsid bool
}

// start runs this program again in a role and returns once the child is ready.
func (s spawn) start(role string, args ...string) (pid int, err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	defer func() { _ = r.Close() }()
	pid, err = s.exec(w, role, args)
	if err := errors.Join(err, w.Close()); err != nil {
		return 0, err
	}
	if n, err := r.Read(make([]byte, 1)); n != 1 {
		return 0, fmt.Errorf("%s ended before it was ready: %w", role, err)
	}
	return pid, nil
}

func (s spawn) exec(ready *os.File, role string, args []string) (int, error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return 0, err
	}
	defer func() { _ = null.Close() }()
	files := []*os.File{null, null, null, readyFD: ready}
	for fd, f := range s.stdio {
		if f != nil {
			files[fd] = f
		}
	}
	argv := append([]string{cmp.Or(s.argv0, os.Args[0]), role}, args...)
	p, err := os.StartProcess("/proc/self/exe", argv, &os.ProcAttr{
		Dir:   s.dir,
		Env:   s.env,
		Files: files,
		Sys:   &unix.SysProcAttr{Setsid: s.setsid},
	})
	if err != nil {
		return 0, err
	}
	pid := p.Pid
	return pid, p.Release()
}
