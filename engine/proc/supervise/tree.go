package supervise

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ai-session-handler/ai-session-handler/engine/fsx"
	"github.com/ai-session-handler/ai-session-handler/engine/proc/cgroup"
	"github.com/ai-session-handler/ai-session-handler/engine/proc/procfs"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// sweepBound is how long the kernel may take to deliver SIGKILL to everything.
const sweepBound = 5 * time.Second

// tree is everything below this process but the leader. As a subreaper this
// process becomes the parent of whatever its descendants abandon.
type tree struct {
	leader int
	// threads of this process that have children: the one that forks, and the
	// first one, to which the kernel gives what is adopted. To look at another
	// one would make its end, and with it that of this process, slow: whoever
	// reaps this process spins until the kernel has forgotten the thread. Empty
	// stands for all, which is what counts once these are found not to be enough.
	threads []int
	asked   map[member]bool // got SIGTERM on its own account, or is past that
	left    []record.Leftover
	group   *cgroup.Group // nil without limits
	seam    fsx.Seam
}

// newTree is called on the thread that forks.
func newTree(leader int, group *cgroup.Group, seam fsx.Seam) *tree {
	return &tree{leader: leader, threads: forkers(), asked: map[member]bool{}, group: group, seam: seam}
}

func forkers() []int {
	if first, forks := os.Getpid(), unix.Gettid(); first != forks {
		return []int{first, forks}
	}
	return []int{os.Getpid()}
}

// member is a process of the tree, told from a later one with its PID.
type member struct {
	pid   int
	start uint64
}

// members lists the tree without what has ended.
func (t *tree) members() []procfs.Stat {
	var live []procfs.Stat
	for _, s := range procfs.Descendants(os.Getpid(), t.threads...) {
		if s.PID != t.leader && !s.Ended() {
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
		if t.note(m) {
			_ = procfs.Signal(m, unix.SIGTERM)
			_ = procfs.Signal(m, unix.SIGCONT)
		}
	}
	return anyone
}

// maxNoted bounds the list of what was swept: a fork bomb has no end of names.
const maxNoted = 100

// note remembers a member that outlived the leader; it reports whether it is
// new.
func (t *tree) note(s procfs.Stat) bool {
	m := member{s.PID, s.StartTime}
	if t.asked[m] {
		return false
	}
	t.asked[m] = true
	if len(t.left) < maxNoted {
		t.left = append(t.left, record.Leftover{PID: s.PID, Name: s.Name})
	}
	return true
}

// reapAdopted reaps what ended in the tree and is a child of this process, so
// that a long phase does not collect zombies. The leader is left alone.
func (t *tree) reapAdopted() {
	children, _ := procfs.Children(os.Getpid(), t.threads...)
	for _, pid := range children {
		if pid != t.leader {
			_, _ = unix.Wait4(pid, nil, unix.WNOHANG, nil)
		}
	}
}

// destroy kills until the kernel says that no child is left. What is still
// there after the bound is returned; the list is empty only with that proof.
func (t *tree) destroy() []record.Leftover {
	for end := time.Now().Add(sweepBound); ; {
		if t.killOnce() {
			return []record.Leftover{}
		}
		if time.Now().After(end) {
			return t.survivors()
		}
		_ = t.group.Kill()           // at once what is faster than a look at it
		time.Sleep(time.Millisecond) // the kernel needs a moment to end them
	}
}

// killOnce reports whether nothing is left.
func (t *tree) killOnce() (gone bool) {
	members := t.members()
	for _, m := range members {
		t.note(m)
		_ = t.seam.Do("kill", "descendant", func() error { return procfs.Signal(m, unix.SIGKILL) })
	}
	for {
		pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil)
		if errors.Is(err, unix.ECHILD) {
			return true
		}
		if err == unix.EINTR || pid > 0 {
			continue
		}
		if len(members) == 0 {
			t.threads = nil // there is a child, and these threads do not have it
		}
		return false
	}
}

// survivors names what is left, whatever its state: it could not be reaped.
func (t *tree) survivors() []record.Leftover {
	rest := []record.Leftover{}
	for _, s := range procfs.Descendants(os.Getpid()) {
		if len(rest) < maxNoted {
			rest = append(rest, record.Leftover{PID: s.PID, Name: s.Name})
		}
	}
	if len(rest) == 0 {
		rest = append(rest, record.Leftover{Name: "a process that can't be seen"})
	}
	return rest
}
