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
)

// Create makes the cgroup of an attempt with its limits, with nobody in it.
// Before, this process and its descendants move into a cgroup of their own below
// the parent, since the kernel lets no cgroup have both processes and limited
// children, and empty cgroups of attempts that nobody ended are removed. An error
// names the file and the limit; the new cgroup is gone then.
func (p *Parent) Create(attemptID string, limits Limits) (*Group, error) {
	p.removeAbandoned()
	if err := p.prepare(limits.demands()); err != nil {
		return nil, err
	}
	g := Open(p.file(groupPrefix+attemptID), p.seam)
	if err := p.fill(g, limits.demands()); err != nil {
		if !errors.Is(err, fs.ErrExist) { // that one is somebody else's
			_, _ = g.End()
		}
		return nil, err
	}
	return g, nil
}

func (p *Parent) fill(g *Group, demands []demand) error {
	if err := p.mkdir(g.dir); err != nil {
		return fmt.Errorf("make the cgroup of the attempt: %w", err)
	}
	if err := g.hold(); err != nil {
		return fmt.Errorf("hold the cgroup of the attempt: %w", err)
	}
	return g.limit(demands)
}

func (p *Parent) mkdir(dir string) error {
	return p.seam.Do("cgroup-mkdir", filepath.Base(dir), func() error { return os.Mkdir(dir, 0o755) })
}

// prepare has the parent give its children the controllers.
func (p *Parent) prepare(demands []demand) error {
	enabled, err := read(p.seam, p.file("cgroup.subtree_control"))
	if err != nil {
		return err
	}
	has := strings.Fields(enabled)
	demands = slices.DeleteFunc(slices.Clone(demands), func(d demand) bool { return slices.Contains(has, d.controller) })
	if len(demands) == 0 {
		return nil
	}
	if err := p.vacate(); err != nil {
		return err
	}
	for _, d := range demands {
		if err := write(p.seam, p.file("cgroup.subtree_control"), "+"+d.controller); err != nil {
			return fmt.Errorf("enable the %s controller for %s: %w", d.controller, d.limit, err)
		}
	}
	return nil
}

// maxRounds bounds how often what was started meanwhile is moved too.
const maxRounds = 100

// vacate moves our processes out of the parent. What they start in the meantime
// is found in another round.
func (p *Parent) vacate() error {
	if p.root {
		return nil
	}
	for range maxRounds {
		pids, err := p.ours()
		if err != nil || len(pids) == 0 {
			return err
		}
		if err := p.intoLeaf(pids); err != nil {
			return fmt.Errorf("move this process into a cgroup of its own: %w", err)
		}
	}
	return fmt.Errorf("processes of this one begin in %s faster than they can be moved", p.dir)
}

func (p *Parent) intoLeaf(pids []int) error {
	if err := p.mkdir(p.file(LeafName)); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	for _, pid := range pids {
		err := write(p.seam, p.file(LeafName+"/cgroup.procs"), strconv.Itoa(pid))
		if err != nil && !errors.Is(err, unix.ESRCH) {
			return err
		}
	}
	return nil
}

// removeAbandoned removes the empty cgroups that a handler and a supervisor left
// that were killed together. One that a living handler holds is left alone, and
// so is one with processes: they may be work that a person has to look at. What
// can't be removed does no harm.
func (p *Parent) removeAbandoned() {
	var entries []os.DirEntry
	_ = p.seam.Do("cgroup-list", filepath.Base(p.dir), func() (err error) {
		entries, err = os.ReadDir(p.dir)
		return err
	})
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), groupPrefix) {
			continue
		}
		g := Open(p.file(e.Name()), p.seam)
		if populated, err := g.Populated(); err == nil && !populated && g.seize() == nil {
			_ = g.remove()
		}
		g.Close()
	}
}
