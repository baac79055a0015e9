//go:build linux

package enginetest

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Tree is what a power loss left: the content of each file by its path, and
// each directory as its path with a slash behind it, holding nothing.
type Tree map[string]string

// WriteTo makes the tree below dir, which must exist.
func (t Tree) WriteTo(dir string) error {
	for _, path := range slices.Sorted(maps.Keys(t)) {
		var err error
		if at := filepath.Join(dir, path); strings.HasSuffix(path, "/") {
			err = os.Mkdir(at, 0o700)
		} else {
			err = os.WriteFile(at, []byte(t[path]), 0o600)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Crash is one way in which the power may fail.
type Crash struct {
	Lost []string // what of the pending did not reach the disk
	Torn string   // what is there of data that did not: "nothing", "half", "zeros"
	Tree Tree
}

func (c Crash) String() string {
	if len(c.Lost) == 0 {
		return "nothing is lost"
	}
	return "lost: " + strings.Join(c.Lost, ", ") + "; of lost data there is " + c.Torn
}

// maxSubsets is up to how many pending changes all their subsets are tried. Of
// more, each one alone, all but each one, and every prefix in their order.
const maxSubsets = 6

// Crashes lists what a power loss at this moment may leave: at first the least,
// then the most, then what lies between.
func (d *Disk) Crashes(yield func(Crash) bool) {
	for _, kept := range subsets(len(d.pending)) {
		for _, torn := range tears {
			c, mattered := d.crash(kept, torn)
			if !yield(c) {
				return
			}
			if !mattered {
				break
			}
		}
	}
}

// subsets lists which of n changes reach the disk.
func subsets(n int) [][]bool {
	list := [][]bool{make([]bool, n), repeated(true, n)}
	if n <= maxSubsets {
		for mask := 1; mask < 1<<n-1; mask++ {
			kept := make([]bool, n)
			for i := range kept {
				kept[i] = mask>>i&1 == 1
			}
			list = append(list, kept)
		}
		return list
	}
	for i := range n {
		one, others, prefix := make([]bool, n), repeated(true, n), make([]bool, n)
		one[i], others[i] = true, false
		for j := range i {
			prefix[j] = true
		}
		list = append(list, one, others, prefix)
	}
	return list
}

func repeated(value bool, n int) []bool { return slices.Repeat([]bool{value}, n) }

// tear says what a file holds of which not all reached the disk.
type tear struct {
	name string
	of   func(synced, now string) string
}

var tears = []tear{
	{"nothing", func(synced, _ string) string { return synced }},
	{"half", func(synced, now string) string {
		added := strings.TrimPrefix(now, synced)
		return now[:len(now)-len(added)+len(added)/2]
	}},
	{"zeros", func(synced, now string) string {
		added := strings.TrimPrefix(now, synced)
		return now[:len(now)-len(added)] + strings.Repeat("\x00", len(added))
	}},
}

// crash builds one tree. mattered is false where no file of it is torn.
func (d *Disk) crash(kept []bool, torn tear) (c Crash, mattered bool) {
	c = Crash{Torn: torn.name, Tree: Tree{}}
	entries, whole := map[*object]map[string]*object{}, map[*object]bool{}
	for i, p := range d.pending {
		switch {
		case !kept[i]:
			c.Lost = append(c.Lost, p.text)
		case p.file != nil:
			whole[p.file] = true
		default:
			if entries[p.in] == nil {
				entries[p.in] = maps.Clone(p.in.durable)
			}
			p.apply(entries[p.in])
		}
	}
	var walk func(prefix string, dir *object)
	walk = func(prefix string, dir *object) {
		now := entries[dir]
		if now == nil {
			now = dir.durable
		}
		for name, o := range now {
			switch {
			case o.dir:
				c.Tree[prefix+name+"/"] = ""
				walk(prefix+name+"/", o)
			case o.now == o.synced || whole[o]:
				c.Tree[prefix+name] = o.now
			default:
				c.Tree[prefix+name], mattered = torn.of(o.synced, o.now), true
			}
		}
	}
	walk("", d.root)
	return c, mattered
}
