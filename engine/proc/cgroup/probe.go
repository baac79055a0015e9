package cgroup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/ai-session-handler/ai-session-handler/engine/fsx"
	"github.com/ai-session-handler/ai-session-handler/engine/proc/procfs"
)

// LeafName is the cgroup, below its own, that a handler moves into.
const LeafName = "ai-session-handler"

// groupPrefix begins the name of the cgroup of an attempt.
const groupPrefix = "ai-session-handler-"

// Unsupported says which limits can't be enforced here, one reason for each.
type Unsupported struct{ Reasons []Reason }

// Reason is why a limit can't be enforced, and what would help.
type Reason struct {
	Limit Limit
	Why   string
}

func (u *Unsupported) Error() string {
	var lines []string
	for _, r := range u.Reasons {
		lines = append(lines, fmt.Sprintf("%s can't be enforced here: %s", r.Limit, r.Why))
	}
	return strings.Join(lines, "; ")
}

// Parent is the cgroup below which those of attempts are made.
type Parent struct {
	dir  string
	root bool // of the whole hierarchy, which may have processes and children
	old  map[string]bool
	seam fsx.Seam
}

// Dir is the absolute path of the cgroup.
func (p *Parent) Dir() string { return p.dir }

// Probe tells whether this process may make cgroups that enforce these limits,
// and changes nothing. The error is an *[Unsupported] with a reason for each
// limit that can't be enforced; limits that are not set need no controller. The answer
// holds for the cgroup that this process is in: another terminal, service or
// container may give another one.
func Probe(seam fsx.Seam, limits Limits) (*Parent, error) {
	return probe("/", seam, limits)
}

// probe looks for proc and mounts below root.
func probe(root string, seam fsx.Seam, limits Limits) (*Parent, error) {
	p, err := find(root, seam)
	if err == nil {
		err = p.usable()
	}
	var reasons []Reason
	for _, d := range limits.demands() {
		if why := p.refuses(d, err); why != "" {
			reasons = append(reasons, Reason{d.limit, why})
		}
	}
	if len(reasons) > 0 {
		return nil, &Unsupported{reasons}
	}
	return p, err
}

// find returns the cgroup that this process is in, or was in before it moved
// into its leaf.
func find(root string, seam fsx.Seam) (*Parent, error) {
	p := &Parent{seam: seam}
	self, err := read(seam, filepath.Join(root, "proc/self/cgroup"))
	if err != nil {
		return p, err
	}
	mountinfo, err := read(seam, filepath.Join(root, "proc/self/mountinfo"))
	if err != nil {
		return p, err
	}
	member := parseMembership(self)
	p.old = member.old
	dir, err := member.directory(parseMounts(mountinfo))
	if err != nil {
		return p, err
	}
	if filepath.Base(dir) == LeafName {
		dir = filepath.Dir(dir)
	}
	p.dir = filepath.Join(root, dir)
	_, err = read(seam, p.file("cgroup.events"))
	p.root = errors.Is(err, fs.ErrNotExist)
	return p, nil
}

func (p *Parent) file(name string) string { return filepath.Join(p.dir, name) }

// usable says what speaks against making any cgroup here.
func (p *Parent) usable() error {
	for _, file := range []string{"", "cgroup.procs", "cgroup.subtree_control"} {
		if err := p.writable(p.file(file)); err != nil {
			return err
		}
	}
	if p.root {
		return nil
	}
	kind, err := read(p.seam, p.file("cgroup.type"))
	if err != nil {
		return err
	}
	if kind = strings.TrimSpace(kind); kind != "domain" {
		return fmt.Errorf("%s is of type %q, which has no limits of its own: %s", p.dir, kind, delegate())
	}
	_, err = p.ours()
	return err
}

func (p *Parent) writable(file string) error {
	err := p.seam.Do("cgroup-access", filepath.Base(file), func() error {
		return unix.Faccessat(unix.AT_FDCWD, file, unix.W_OK, unix.AT_EACCESS)
	})
	switch {
	case errors.Is(err, unix.EROFS):
		return fmt.Errorf("%s is mounted read-only: a container needs it writable", file)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s is not writable by this user: %s", file, delegate())
	case err != nil:
		return fmt.Errorf("%s can't be used: %w", file, err)
	}
	return nil
}

// delegate is how to get a cgroup that may be used.
func delegate() string {
	if os.Geteuid() == 0 {
		return "start the handler with systemd-run --scope -p Delegate=yes"
	}
	return "start the handler with systemd-run --user --scope -p Delegate=yes"
}

// ours lists the processes in the cgroup, which must be this one and its
// descendants: others can't be moved away, and would be in the way.
func (p *Parent) ours() ([]int, error) {
	pids, err := processes(p.seam, p.dir)
	if err != nil {
		return nil, err
	}
	known := []int{os.Getpid()}
	if len(pids) > 1 {
		for _, s := range procfs.Descendants(os.Getpid()) {
			known = append(known, s.PID)
		}
	}
	for _, pid := range pids {
		if !slices.Contains(known, pid) {
			return nil, fmt.Errorf("other processes live in the cgroup %s, for example %d: %s", p.dir, pid, delegate())
		}
	}
	return pids, nil
}

// processes lists who is in a cgroup; 0 stands for those of other PID namespaces.
func processes(seam fsx.Seam, dir string) (pids []int, err error) {
	text, err := read(seam, filepath.Join(dir, "cgroup.procs"))
	for _, field := range strings.Fields(text) {
		if pid, err := strconv.Atoi(field); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids, err
}

// refuses is why the limit can't be enforced, empty when it can. unusable is why
// none can.
func (p *Parent) refuses(d demand, unusable error) string {
	if d.wrong != "" {
		return d.wrong
	}
	if p.dir == "" {
		return unusable.Error()
	}
	available, err := read(p.seam, p.file("cgroup.controllers"))
	switch {
	case err != nil:
		return fmt.Sprintf("the controllers can't be read: %v", err)
	case slices.Contains(strings.Fields(available), d.controller):
	case p.old[d.controller]:
		return fmt.Sprintf("the %s controller is not available in cgroup v2 here: it is mounted as version 1; boot with systemd.unified_cgroup_hierarchy=1", d.controller)
	default:
		return fmt.Sprintf("the %s controller is not among those of %s (%q): %s", d.controller, p.dir, strings.TrimSpace(available), delegate())
	}
	if unusable != nil {
		return unusable.Error()
	}
	return ""
}
