package proc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"

	"github.com/ai-session-handler/ai-session-handler/engine/proc/procfs"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// EnvAttemptID is the environment variable by which every process of an
// attempt can be found, unless it gave its environment up.
const EnvAttemptID = "AI_SESSION_HANDLER_ATTEMPT_ID"

// Liveness says whether a process that was written down is still the process
// that has its PID now.
type Liveness struct {
	State LivenessState
	Why   string // for Unknown: what could not be seen
}

// LivenessState is the verdict of a [Liveness].
type LivenessState int

// The verdicts. Unknown is neither: nobody is signalled or refused for it, but
// it is said.
const (
	Dead LivenessState = iota
	Alive
	Unknown
)

// WorkerAlive tells whether the worker with this identity lives. A reused PID,
// a zombie, and a process of an earlier boot are dead.
func WorkerAlive(p record.Process) Liveness {
	l := alive(p.PID, p.StartTime, p.BootID, p.PidNS)
	if l.State == Alive && p.PidfdInode != 0 && !sameInode(p.PID, p.PidfdInode) {
		return Liveness{State: Dead}
	}
	return l
}

// InvocationAlive tells whether the handler that wrote this down lives.
func InvocationAlive(i record.Invocation) Liveness {
	return alive(i.PID, i.StartTime, i.BootID, i.PidNS)
}

func alive(pid int, start uint64, bootID string, pidNS uint64) Liveness {
	switch boot := procfs.BootID(); {
	case boot == "" || bootID == "":
		return Liveness{Unknown, "the boot id can't be read"}
	case boot != bootID:
		return Liveness{State: Dead}
	}
	if ns := procfs.PidNS(); ns != pidNS {
		return Liveness{Unknown, "it belongs to another PID namespace"}
	}
	s, err := procfs.ReadStat(pid)
	switch {
	case errors.Is(err, fs.ErrNotExist) && unix.Kill(pid, 0) == unix.ESRCH:
		return Liveness{State: Dead}
	case err != nil:
		return Liveness{Unknown, fmt.Sprintf("/proc can't be read: %v", err)}
	case s.StartTime != start || s.Ended():
		return Liveness{State: Dead}
	}
	return Liveness{State: Alive}
}

// sameInode holds when the process behind pid has this pidfd inode, or when
// this kernel can't tell.
func sameInode(pid int, inode uint64) bool {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return !errors.Is(err, unix.ESRCH)
	}
	defer func() { _ = unix.Close(fd) }()
	now := procfs.PidfdInode(fd)
	return now == 0 || now == inode
}

// Remaining lists the live processes that carry an attempt's id in their
// environment. It finds what outlived handler and supervisor together. With an
// error some may be missing.
func Remaining(attemptID string) ([]record.Leftover, error) {
	found, err := procfs.WithEnviron(EnvAttemptID, attemptID)
	var list []record.Leftover
	for _, s := range found {
		list = append(list, record.Leftover{PID: s.PID, Name: s.Name})
	}
	return list, err
}

// Self identifies this process as an invocation.
func Self() (record.Invocation, error) {
	s, err := procfs.ReadStat(os.Getpid())
	if err != nil {
		return record.Invocation{}, fmt.Errorf("identify this process: %w", err)
	}
	return record.Invocation{PID: s.PID, StartTime: s.StartTime, BootID: procfs.BootID(), PidNS: procfs.PidNS()}, nil
}
