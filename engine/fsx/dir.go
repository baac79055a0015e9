package fsx

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"syscall"
)

const (
	dirMode  = 0o700
	fileMode = 0o600
)

// Dir is an open directory. Names are slash-separated and relative to it; they
// cannot lead out of it, through a symbolic link or otherwise. A Dir stays
// valid, and stays the same directory, when its path is renamed.
type Dir struct {
	root *os.Root
	seam Seam
}

// OpenDir opens an existing directory.
func OpenDir(dir string, seam Seam) (*Dir, error) {
	return openDir(dir, dir, seam, func() (*os.Root, error) { return os.OpenRoot(dir) })
}

func openDir(path, name string, seam Seam, open func() (*os.Root, error)) (*Dir, error) {
	var root *os.Root
	err := seam.Do("open", name, func() (err error) {
		root, err = open()
		return err
	})
	if err == nil {
		return &Dir{root, seam.below(path)}, nil
	}
	if root != nil {
		_ = root.Close()
	}
	return nil, located("open", path, err)
}

// OpenDirFile opens the directory behind a descriptor, which may since have
// been renamed.
func OpenDirFile(f *os.File, seam Seam) (*Dir, error) {
	return OpenDir(fmt.Sprintf("/proc/self/fd/%d", f.Fd()), seam)
}

// do runs an operation on a name between its points; an error of the system is
// a located one.
func (d *Dir) do(op, name string, operation func() error) error {
	return located(op, d.Path(name), d.seam.Do(op, name, operation))
}

// located puts operation and whole path into an error of the system: os.Root
// knows only the part below the root, and a seam nothing. Other errors name
// what they are about themselves.
func located(op, path string, err error) error {
	var errno syscall.Errno
	if !errors.As(err, &errno) {
		return err
	}
	return &fs.PathError{Op: op, Path: path, Err: errno}
}

// Sub opens a directory below d. A symbolic link on the way is refused.
func (d *Dir) Sub(name string) (*Dir, error) {
	return openDir(d.Path(name), name, d.seam, func() (*os.Root, error) {
		root, err := d.root.OpenRoot(name)
		for _, part := range ancestors(name) {
			err = cmp.Or(d.notLinked(part), err)
		}
		return root, err
	})
}

// ancestors lists the directories that lead to a name, and the name itself:
// a, a/b and a/b/c for a/b/c.
func ancestors(name string) []string {
	var list []string
	for i, c := range path.Clean(name) {
		if c == '/' {
			list = append(list, path.Clean(name)[:i])
		}
	}
	return append(list, path.Clean(name))
}

func (d *Dir) notLinked(name string) error {
	info, err := d.root.Lstat(name)
	if err != nil {
		return err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		return fmt.Errorf("%s: is a symbolic link, which is never followed here; put a real directory in its place", d.Path(name))
	}
	return nil
}

// Path is the path of a name in d for messages, as it was when d was opened.
func (d *Dir) Path(name string) string { return path.Join(d.root.Name(), name) }

// File opens the directory itself, to hand its descriptor to another process.
func (d *Dir) File() (f *os.File, err error) {
	err = d.do("open", ".", func() (err error) {
		f, err = d.root.Open(".")
		return err
	})
	return f, err
}

// Close releases the directory.
func (d *Dir) Close() error { return d.root.Close() }

// Exists reports whether name exists, as anything, a dangling link included.
func (d *Dir) Exists(name string) (bool, error) {
	err := d.do("stat", name, func() error {
		_, err := d.root.Lstat(name)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// List names the entries of d, sorted.
func (d *Dir) List() ([]string, error) {
	var entries []fs.DirEntry
	err := d.do("list", ".", func() (err error) {
		entries, err = fs.ReadDir(d.root.FS(), ".")
		return err
	})
	if err != nil {
		return nil, err
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, nil
}

// MkdirAll creates directories, and those above them, that are missing. All
// their entries are durable then, also those of directories that were there: a
// crash may have come between the making and the syncing of one.
func (d *Dir) MkdirAll(names ...string) error {
	made, synced := map[string]bool{}, map[string]bool{}
	var parents []string
	for _, name := range names {
		for _, dir := range ancestors(name) {
			if made[dir] {
				continue
			}
			made[dir] = true
			if err := d.mkdir(dir); err != nil {
				return err
			}
			if parent := path.Dir(dir); !synced[parent] {
				synced[parent] = true
				parents = append(parents, parent)
			}
		}
	}
	for _, parent := range parents {
		if err := d.Sync(parent); err != nil {
			return err
		}
	}
	return nil
}

// mkdir makes a directory where nothing is; a directory that is there stays as
// it is.
func (d *Dir) mkdir(name string) error {
	err := d.do("stat", name, func() error { return d.notLinked(name) })
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	err = d.do("mkdir", name, func() error {
		if err := d.root.Mkdir(name, dirMode); err != nil {
			return err
		}
		return d.root.Chmod(name, dirMode) // whatever the umask
	})
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// Sync makes the entries of a directory durable.
func (d *Dir) Sync(name string) error {
	return located("sync", d.Path(name), d.seam.Do("syncdir", name, func() error {
		f, err := d.root.Open(name)
		if err != nil {
			return err
		}
		return errors.Join(f.Sync(), f.Close())
	}))
}

// ReadFile reads a regular file of at most limit bytes. Symbolic links and
// anything else that is not a regular file are refused, without blocking.
func (d *Dir) ReadFile(name string, limit int64) ([]byte, error) {
	f, err := d.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	var data []byte
	err = d.do("read", name, func() (err error) {
		data, err = io.ReadAll(io.LimitReader(f, limit+1))
		return err
	})
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("%s: larger than %d bytes", d.Path(name), limit)
	}
	return data, nil
}

// openTries bounds how often a file is opened that is replaced meanwhile.
const openTries = 100

var errReplaced = errors.New("it is replaced all the time")

// Open opens a regular file for reading, as [Dir.ReadFile] does. While another
// process replaces the file, it is one of its versions.
func (d *Dir) Open(name string) (f *os.File, err error) {
	for range openTries {
		if f, err = d.openOnce(name); !errors.Is(err, errReplaced) {
			break
		}
	}
	return f, err
}

func (d *Dir) openOnce(name string) (f *os.File, err error) {
	err = d.do("open", name, func() (err error) {
		f, err = d.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
		if err != nil {
			return cmp.Or(d.notLinked(name), err)
		}
		return d.isTheFile(name, f)
	})
	if err != nil {
		if f != nil {
			_ = f.Close()
		}
		return nil, err
	}
	return f, nil
}

// isTheFile holds when f is a regular file that stands under its name itself.
func (d *Dir) isTheFile(name string, f *os.File) error {
	opened, err := f.Stat()
	if err != nil {
		return err
	}
	entry, err := d.root.Lstat(name)
	if err != nil {
		return err
	}
	switch {
	case !opened.Mode().IsRegular() || !entry.Mode().IsRegular():
		return fmt.Errorf("%s: not a regular file (%s)", d.Path(name), entry.Mode().Type())
	case !os.SameFile(opened, entry):
		return fmt.Errorf("%s: %w", d.Path(name), errReplaced)
	}
	return nil
}

// Create creates a file that must not exist yet, as anything: what is there
// already, a link or a FIFO included, is an error wrapping fs.ErrExist. The
// new entry is durable only after a Sync of its directory.
func (d *Dir) Create(name string) (*File, error) {
	var f *os.File
	err := d.do("create", name, func() (err error) {
		f, err = d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
		if err != nil {
			return err
		}
		return f.Chmod(fileMode) // whatever the umask
	})
	if err != nil {
		if f != nil {
			_ = f.Close()
		}
		return nil, err
	}
	return &File{f: f, name: name, seam: d.seam}, nil
}

// Append opens a regular file to add to its end, and creates one that does not
// exist. whole is false when there is something and its last byte is not a
// newline.
func (d *Dir) Append(name string) (file *File, whole bool, err error) {
	var f *os.File
	err = d.do("append", name, func() (err error) {
		if err := d.notLinked(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		f, err = d.root.OpenFile(name, os.O_RDWR|os.O_APPEND|os.O_CREATE|syscall.O_NONBLOCK, fileMode)
		if err == nil {
			err = f.Chmod(fileMode) // whatever the umask
		}
		if err == nil {
			err = d.isTheFile(name, f)
		}
		if err == nil {
			whole, err = endsLine(f)
		}
		return err
	})
	if err != nil {
		if f != nil {
			_ = f.Close()
		}
		return nil, false, err
	}
	return &File{f: f, name: name, seam: d.seam}, whole, nil
}

func endsLine(f *os.File) (bool, error) {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return true, err
	}
	var last [1]byte
	_, err = f.ReadAt(last[:], info.Size()-1)
	return last[0] == '\n', err
}

// WriteNew creates a file with [Dir.Create], writes data, and returns when
// file and entry are durable. A file that could not be completed stays behind,
// since removing it could fail as well; nothing refers to it.
func (d *Dir) WriteNew(name string, data []byte) error {
	f, err := d.Create(name)
	if err != nil {
		return err
	}
	if err := f.writeAll(data); err != nil {
		return err
	}
	return d.Sync(path.Dir(name))
}

// Rename renames within d. It is durable only after a Sync of both directories.
func (d *Dir) Rename(from, to string) error {
	return d.do("rename", to, func() error { return d.root.Rename(from, to) })
}
