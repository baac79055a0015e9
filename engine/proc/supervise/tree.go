package supervise

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ai-session-handler/ai-session-handler/engine/fsx"
	"github.com/ai-session-handler/ai-session-handler/engine/proc/procfs"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// sweepBound is how long the kernel may take to deliver SIGKILL to everything.
const sweepBound = 5 * time.Second

// tree is everything below this process but the leader. As a subreaper this
// process becomes the parent of whatever its descendants abandon, so a PID in
// the tree can't be reused while it is listed: nobody else reaps it.
type tree struct {
	leader int
	asked  map[int]bool // got SIGTERM on its own account
	left   []record.Leftover
	seam   fsx.Seam
}

// members lists the tree, zombies left out.
func (t *tree) members() []procfs.Stat {
	var live []procfs.Stat
	for _, pid := range procfs.Descendants(os.Getpid()) {
		if pid == t.leader {
			continue
		}
		if s, err := procfs.ReadStat(pid); err == nil && !s.Zombie() {
			live = append(live, s)
		}
	}
	return live
}

// ask sends SIGTERM, once, to every member: provider programs put commands into
// sessions of their own, which a signal to the group does not reach. SIGCONT
// wakes what is stopped.
func (t *tree) ask() (anyone bool) {
	for _, m := range t.members() {
		anyone = true
		if t.asked[m.PID] {
			continue
		}
		t.asked[m.PID] = true
		t.left = append(t.left, record.Leftover{PID: m.PID, Name: m.Name})
		_ = unix.Kill(m.PID, unix.SIGTERM)
		_ = unix.Kill(m.PID, unix.SIGCONT)
	}
	return anyone
}

// reapAdopted reaps what ended in the tree and is a child of this process, so
// that a long phase does not collect zombies. The leader is left alone.
func (t *tree) reapAdopted() {
	for _, pid := range procfs.Children(os.Getpid()) {
		if pid != t.leader {
			_, _ = unix.Wait4(pid, nil, unix.WNOHANG, nil)
		}
	}
}

// destroy kills until the kernel says that no descendant is left. What is
// still there after the bound is returned.
func (t *tree) destroy() []record.Leftover {
	for end := time.Now().Add(sweepBound); ; {
		if t.killOnce() {
			return []record.Leftover{}
		}
		if time.Now().After(end) {
			return t.survivors()
		}
		time.Sleep(time.Millisecond) // the kernel needs a moment to end them
	}
}

// killOnce reports whether nothing is left.
func (t *tree) killOnce() (gone bool) {
	for _, m := range t.members() {
		t.note(m)
		_ = t.seam.Do("kill", "descendant", func() error { return unix.Kill(m.PID, unix.SIGKILL) })
	}
	for {
		pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil)
		if errors.Is(err, unix.ECHILD) {
			return true
		}
		if err == unix.EINTR || pid > 0 {
			continue
		}
		return false
	}
}

// maxNoted bounds the list of what was swept: a fork bomb has no end of names.
const maxNoted = 100

func (t *tree) note(m procfs.Stat) {
	if t.asked[m.PID] || len(t.left) >= maxNoted {
		return
	}
	t.asked[m.PID] = true
	t.left = append(t.left, record.Leftover{PID: m.PID, Name: m.Name})
}

func (t *tree) survivors() []record.Leftover {
	rest := []record.Leftover{}
	for _, m := range t.members() {
		rest = append(rest, record.Leftover{PID: m.PID, Name: m.Name})
	}
	return rest
}
