//go:build linux

package enginetest

import (
	"fmt"
	"slices"
	"strings"
)

// Disk is what may be on a disk when the power fails, by the weakest reading of
// POSIX: fsync is the only promise.
//
//   - A file keeps what it held at its last fsync. What was written since is
//     there, or missing, or half there, or there as zeros.
//   - A directory keeps the entries it had at its last fsync, whatever became of
//     the files behind them. Each creation, removal and rename since then is
//     there or not, in any combination: a later one without an earlier one, a
//     new name without the data. One rename is atomic, as with any journal.
//   - A file's fsync says nothing about its entry, that of a directory nothing
//     about its own entry in its parent or about the content of its files.
//
// Real file systems promise more. The journals of ext4 and XFS keep the order of
// changes to directories, and an fsync of a new file happens to take its entry
// along; but ext4 with delayed allocation and XFS do leave a renamed file empty
// or zeroed whose data was not synced. What survives here survives there.
type Disk struct {
	root    *object
	inodes  map[uint64]*object
	pending []pending // in order of their happening
	changes int       // so far
}

// object is a file or a directory, whatever its names.
type object struct {
	dir         bool
	now, synced string             // content of a file
	live        map[string]*object // entries of a directory
	durable     map[string]*object
}

func newDir() *object {
	return &object{dir: true, live: map[string]*object{}, durable: map[string]*object{}}
}

// pending is what a power loss may undo: edits of a directory that come and go
// together, or else what was written to a file.
type pending struct {
	text  string
	in    *object
	edits []edit
	file  *object
}

func (p pending) apply(entries map[string]*object) {
	for _, e := range p.edits {
		e.apply(entries)
	}
}

// edit sets an entry of a directory, or removes it when there is no object.
type edit struct {
	name string
	to   *object
}

func (e edit) apply(entries map[string]*object) {
	if e.to == nil {
		delete(entries, e.name)
	} else {
		entries[e.name] = e.to
	}
}

// NewDisk returns a disk on which the root is an empty directory.
func NewDisk() *Disk {
	return &Disk{root: newDir(), inodes: map[uint64]*object{}}
}

// Apply replays a step. An error means that the recording is not of this disk.
func (d *Disk) Apply(s Step) error {
	if s.Mark != "" {
		return nil
	}
	parent, name, err := d.find(s.Path)
	if err != nil {
		return fmt.Errorf("%s: %w", s, err)
	}
	at := parent.live[name]
	if name == "." {
		at = parent
	}
	switch {
	case s.IsSync() && (at == nil || at.dir != s.Dir):
		return fmt.Errorf("%s: was never made", s)
	case s.Op == "syncdir":
		d.syncDir(at)
	case s.Op == "sync":
		d.syncFile(at, string(s.Content))
	case s.Inode == 0:
		d.edit(s, parent, edit{name, nil})
	default:
		return d.appear(s, parent, name, at)
	}
	return nil
}

// find returns the directory that a path lies in, and its name there; the root
// is "." in itself.
func (d *Disk) find(path string) (parent *object, name string, err error) {
	parent = d.root
	parts := strings.Split(path, "/")
	for _, part := range parts[:len(parts)-1] {
		if parent = parent.live[part]; parent == nil || !parent.dir {
			return nil, "", fmt.Errorf("no directory %s was made", part)
		}
	}
	return parent, parts[len(parts)-1], nil
}

// appear notes what stands at a place now: something new, something that had
// another name, or what was there with other content.
func (d *Disk) appear(s Step, parent *object, name string, before *object) error {
	known := d.inodes[s.Inode]
	switch {
	case known == nil || s.Op == "create" || s.Op == "mkdir" || s.Op == "append" && before == nil: // numbers of inodes are used again
		known = &object{}
		if s.Dir {
			known = newDir()
		}
		d.inodes[s.Inode] = known
		d.edit(s, parent, edit{name, known})
	case known != before:
		from, ok := nameOf(known, parent.live)
		if !ok {
			return fmt.Errorf("%s: comes from another directory, which this model does not have", s)
		}
		d.edit(s, parent, edit{from, nil}, edit{name, known})
	}
	if !known.dir && known.now != string(s.Content) {
		known.now = string(s.Content)
		d.drop(func(p pending) bool { return p.file == known }) // only the last of a file's data counts
		d.add(pending{text: "data of " + anonymous(s.Path), file: known})
	}
	return nil
}

func nameOf(what *object, entries map[string]*object) (string, bool) {
	for name, o := range entries {
		if o == what {
			return name, true
		}
	}
	return "", false
}

func (d *Disk) edit(s Step, in *object, edits ...edit) {
	for _, e := range edits {
		e.apply(in.live)
	}
	d.add(pending{text: s.String(), in: in, edits: edits})
}

func (d *Disk) add(p pending) {
	d.pending = append(d.pending, p)
	d.changes++
}

func (d *Disk) drop(dropped func(pending) bool) {
	before := len(d.pending)
	d.pending = slices.DeleteFunc(d.pending, dropped)
	if len(d.pending) != before {
		d.changes++
	}
}

func (d *Disk) syncFile(file *object, content string) {
	file.now, file.synced = content, content
	d.drop(func(p pending) bool { return p.file == file })
}

func (d *Disk) syncDir(dir *object) {
	for _, p := range d.pending {
		if p.in == dir {
			p.apply(dir.durable)
		}
	}
	d.drop(func(p pending) bool { return p.in == dir })
}

// Changes counts what changed, on the disk or in what a power loss may leave.
func (d *Disk) Changes() int { return d.changes }
