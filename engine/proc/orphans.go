package proc

import (
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ai-session-handler/ai-session-handler/engine/proc/procfs"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// orphanBound is how long the kernel may take to end the orphans.
const orphanBound = 5 * time.Second

// sweepOrphans ends what a killed supervisor left to this process as the next
// subreaper: all our children that are no supervisors and began no earlier
// than it did, until none is left. Their PIDs can't be reused while we do not
// reap them. It returns the leader's signal.
func (l *Launcher) sweepOrphans(leader int, since uint64) (signal *string, swept, survivors []record.Leftover) {
	named := map[int]bool{}
	swept = []record.Leftover{}
	for end := time.Now().Add(orphanBound); ; time.Sleep(time.Millisecond) {
		orphans := l.orphans(since)
		survivors = []record.Leftover{}
		for _, o := range orphans {
			left := record.Leftover{PID: o.PID, Name: o.Name}
			if o.PID != leader && !named[o.PID] && !o.Zombie() {
				named[o.PID] = true
				swept = append(swept, left)
			}
			if !o.Zombie() {
				survivors = append(survivors, left)
			}
			if s := killAndReap(o.PID); o.PID == leader && s != nil {
				signal = s
			}
		}
		if len(orphans) == 0 || time.Now().After(end) {
			return signal, swept, survivors
		}
	}
}

func (l *Launcher) orphans(since uint64) []procfs.Stat {
	var list []procfs.Stat
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, pid := range procfs.Children(os.Getpid()) {
		s, err := procfs.ReadStat(pid)
		if err == nil && !l.supervisors[pid] && s.StartTime >= since {
			list = append(list, s)
		}
	}
	return list
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
