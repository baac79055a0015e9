package proc

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ai-session-handler/ai-session-handler/engine/proc/procfs"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// orphanBound is how long the kernel may take to end the orphans.
const orphanBound = 5 * time.Second

// maxOrphans bounds the lists of what was found.
const maxOrphans = 100

// sweepOrphans ends what a killed supervisor left to this process as the next
// subreaper, until none of it is left. It returns the leader's signal.
func (l *Launcher) sweepOrphans(w *Worker) (signal *string, swept, survivors []record.Leftover) {
	named := map[int]bool{w.identity.PID: true}
	swept = []record.Leftover{}
	for end := time.Now().Add(orphanBound); ; time.Sleep(time.Millisecond) {
		orphans, err := l.orphans(w)
		survivors = []record.Leftover{}
		for _, o := range orphans {
			left := record.Leftover{PID: o.PID, Name: o.Name}
			if !named[o.PID] && len(swept) < maxOrphans {
				named[o.PID] = true
				swept = append(swept, left)
			}
			if len(survivors) < maxOrphans {
				survivors = append(survivors, left)
			}
			if s := killAndReap(o.PID); o.PID == w.identity.PID && s != nil {
				signal = s
			}
		}
		if err != nil {
			survivors = append(survivors, record.Leftover{Name: "whatever can't be seen: " + err.Error()})
		}
		if len(survivors) == 0 || time.Now().After(end) {
			return signal, swept, survivors
		}
	}
}

// orphans lists our children that the attempt left: those that are no
// supervisors and began no earlier than its own did. Their PIDs can't be reused
// while we do not reap them. Where orphans of others come to this process too,
// only what can be told to be of the attempt counts. With an error some may be
// missing.
func (l *Launcher) orphans(w *Worker) (list []procfs.Stat, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	children, err := procfs.Children(os.Getpid())
	for _, pid := range children {
		s, ours, oneErr := l.orphan(w, pid)
		if ours {
			list = append(list, s)
		}
		err = cmp.Or(err, oneErr)
	}
	return list, err
}

func (l *Launcher) orphan(w *Worker, pid int) (s procfs.Stat, ours bool, err error) {
	s, err = procfs.ReadStat(pid)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s, false, nil
	case err != nil || l.supervisors[pid] || s.StartTime < w.began:
		return s, false, err
	case !l.shared || s.PGID == w.identity.PGID:
		return s, true, nil
	}
	ours, err = procfs.HasEnviron(pid, EnvAttemptID, w.spec.AttemptID)
	return s, ours, err
}

// killAndReap ends a child of ours; it returns the signal that ended it once
// it is reaped. Its own children become ours for the next round.
func killAndReap(pid int) *string {
	_ = unix.Kill(pid, unix.SIGKILL)
	var status unix.WaitStatus
	if got, _ := unix.Wait4(pid, &status, unix.WNOHANG, nil); got == pid && status.Signaled() {
		name := status.Signal().String()
		return &name
	}
	return nil
}
