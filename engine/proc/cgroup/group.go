package cgroup

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ai-session-handler/ai-session-handler/engine/fsx"
	"github.com/ai-session-handler/ai-session-handler/engine/proc/procfs"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// Group is the cgroup of an attempt. A nil Group stands for no limits: it has
// nobody, and nothing to end.
type Group struct {
	dir  string
	held *os.File // locked while its maker lives, so that no other removes it
	seam fsx.Seam
}

// Open returns the cgroup that another process made at this absolute path. It
// looks at nothing.
func Open(dir string, seam fsx.Seam) *Group { return &Group{dir: dir, seam: seam} }

// Dir is the absolute path of the cgroup, empty for none.
func (g *Group) Dir() string {
	if g == nil {
		return ""
	}
	return g.dir
}

func (g *Group) file(name string) string { return filepath.Join(g.dir, name) }

// hold tells other handlers that this cgroup is in use though it may be empty.
func (g *Group) hold() error { return g.lock(unix.LOCK_SH) }

// seize fails when another handler holds the cgroup.
func (g *Group) seize() error { return g.lock(unix.LOCK_EX) }

func (g *Group) lock(how int) error {
	return g.seam.Do("cgroup-lock", filepath.Base(g.dir), func() (err error) {
		if g.held, err = os.Open(g.dir); err != nil {
			return err
		}
		return unix.Flock(int(g.held.Fd()), how|unix.LOCK_NB)
	})
}

// Close lets others remove the cgroup when it is empty. It ends nothing.
func (g *Group) Close() {
	if g != nil && g.held != nil {
		_ = g.held.Close()
	}
}

func (g *Group) limit(demands []demand) error {
	for _, d := range demands {
		for _, s := range d.settings {
			err := write(g.seam, g.file(s.file), s.value)
			if err != nil && !(s.optional && errors.Is(err, fs.ErrNotExist)) {
				return fmt.Errorf("set %s to %s for %s: %w", s.file, s.value, d.limit, err)
			}
		}
	}
	return nil
}

// Add puts a process into the cgroup, and with it all that it will start.
func (g *Group) Add(pid int) error {
	if g == nil {
		return nil
	}
	return write(g.seam, g.file("cgroup.procs"), strconv.Itoa(pid))
}

// Kill kills everything in the cgroup and below, at once. Kernels before 5.14
// can't and say so by an error that wraps fs.ErrNotExist.
func (g *Group) Kill() error {
	if g == nil {
		return nil
	}
	return write(g.seam, g.file("cgroup.kill"), "1")
}

// Populated reports whether any process lives in the cgroup or below. One that is
// gone has none.
func (g *Group) Populated() (bool, error) {
	if g == nil {
		return false, nil
	}
	text, err := read(g.seam, g.file("cgroup.events"))
	if gone(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("see whether something lives in %s: %w", g.dir, err)
	}
	populated, told := parseKeyed(text)["populated"]
	if !told {
		return false, fmt.Errorf("%s does not tell whether something lives there", g.file("cgroup.events"))
	}
	return populated != 0, nil
}

// gone holds for the errors of a cgroup that was removed, before its file was
// opened or after.
func gone(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENODEV) }

// endBound is how long the kernel may take to end what was killed.
const endBound = 2 * time.Second

// End kills what is left, says what the limits have seen, and removes the cgroup.
// It returns what lives on. A cgroup that can't be removed is left to the
// next [Parent.Create].
func (g *Group) End() (Facts, []record.Leftover) {
	if g == nil {
		return Facts{}, nil
	}
	defer g.Close()
	left := g.clear()
	facts := g.facts()
	if len(left) == 0 {
		_ = g.remove()
	}
	return facts, left
}

func (g *Group) clear() []record.Leftover {
	for end := time.Now().Add(endBound); ; time.Sleep(time.Millisecond) {
		populated, err := g.Populated()
		if err == nil && !populated {
			return nil
		}
		_ = g.Kill()
		if time.Now().After(end) {
			return g.living()
		}
	}
}

// maxLiving bounds the list of what lives on.
const maxLiving = 100

// living never is empty: what can't be seen is named by its cgroup.
func (g *Group) living() (list []record.Leftover) {
	pids, _ := processes(g.seam, g.dir)
	for _, pid := range pids[:min(len(pids), maxLiving)] {
		if s, err := procfs.ReadStat(pid); err == nil {
			list = append(list, record.Leftover{PID: pid, Name: s.Name})
		}
	}
	if len(list) == 0 {
		list = append(list, record.Leftover{Name: "whatever lives in " + g.dir})
	}
	return list
}

// remove takes what a worker has made inside with it. The kernel may need a
// moment to see that nobody is there.
func (g *Group) remove() error {
	return g.seam.Do("cgroup-rmdir", filepath.Base(g.dir), func() error {
		for end := time.Now().Add(endBound); ; time.Sleep(time.Millisecond) {
			err := removeTree(g.dir)
			if !errors.Is(err, unix.EBUSY) || time.Now().After(end) {
				return err
			}
		}
	})
}

func removeTree(dir string) error {
	entries, err := os.ReadDir(dir)
	if gone(err) {
		return nil
	}
	for _, e := range entries {
		if e.IsDir() {
			err = cmp.Or(err, removeTree(filepath.Join(dir, e.Name())))
		}
	}
	if err != nil {
		return err
	}
	if err := unix.Rmdir(dir); err != nil && !gone(err) {
		return &fs.PathError{Op: "rmdir", Path: dir, Err: err}
	}
	return nil
}
