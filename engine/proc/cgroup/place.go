package cgroup

import (
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"
)

// mount is one line of mountinfo.
type mount struct{ root, point, kind string }

// parseMounts skips lines that it can't read: they are mounts of no use here.
func parseMounts(mountinfo string) (list []mount) {
	for line := range strings.Lines(mountinfo) {
		before, after, _ := strings.Cut(line, " - ")
		at, what := strings.Fields(before), strings.Fields(after)
		if len(at) >= 6 && len(what) >= 1 {
			list = append(list, mount{root: unescape(at[3]), point: unescape(at[4]), kind: what[0]})
		}
	}
	return list
}

// unescape turns \040 and the like, which stand for blanks, into what they mean.
func unescape(field string) string {
	var b strings.Builder
	for i := 0; i < len(field); i++ {
		if field[i] == '\\' && i+4 <= len(field) {
			if n, err := strconv.ParseUint(field[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(field[i])
	}
	return b.String()
}

// membership is where a process is, from its cgroup file.
type membership struct {
	path string          // in the hierarchy of version 2; empty: in none
	old  map[string]bool // controllers in hierarchies of version 1
}

func parseMembership(cgroup string) membership {
	m := membership{old: map[string]bool{}}
	for line := range strings.Lines(cgroup) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		switch {
		case len(fields) != 3:
		case fields[0] == "0" && fields[1] == "":
			m.path = fields[2]
		default:
			for controller := range strings.SplitSeq(fields[1], ",") {
				m.old[controller] = true
			}
		}
	}
	return m
}

// directory is where the cgroup can be found among the mounts. Of several the
// last one counts, which may hide those before.
func (m membership) directory(mounts []mount) (string, error) {
	seen, found := false, ""
	for _, each := range mounts {
		if each.kind != "cgroup2" {
			continue
		}
		seen = true
		if below, ok := within(m.path, each.root); ok {
			found = path.Join(each.point, below)
		}
	}
	switch {
	case !seen:
		return "", errors.New("cgroup v2 is not mounted here, or this machine only has version 1: mount it, or boot with systemd.unified_cgroup_hierarchy=1")
	case m.path == "":
		return "", errors.New("/proc/self/cgroup names no cgroup of version 2")
	case strings.HasSuffix(m.path, " (deleted)"):
		return "", fmt.Errorf("the cgroup of this process was removed (%s): start the handler anew", m.path)
	case found == "":
		return "", fmt.Errorf("the cgroup of this process, %s, is not below any mount of cgroup2 here: mount it in this namespace", m.path)
	}
	return found, nil
}

// within takes off a root that a path is at or below. What is outside of the
// cgroup namespace is written with .. and has no name here.
func within(p, root string) (below string, ok bool) {
	if strings.HasPrefix(p, "/..") || strings.HasPrefix(root, "/..") || p == "" {
		return "", false
	}
	below, ok = strings.CutPrefix(p, strings.TrimSuffix(root, "/"))
	return below, ok && (below == "" || below[0] == '/')
}
