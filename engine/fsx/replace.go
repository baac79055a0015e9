package fsx

import (
	"os"
	"path"

	"github.com/google/uuid"
)

// InPlaceError is an error of [Dir.Replace] after which the new content may be in
// place, though perhaps not for good.
type InPlaceError struct{ Err error }

func (e *InPlaceError) Error() string { return e.Err.Error() }

func (e *InPlaceError) Unwrap() error { return e.Err }

// Replace puts data in the place of name as a whole: after a crash or an error
// the old content or the new one is there, never a mixture. It returns when
// the new content is durable. After an error the old content is there, unless
// it is an *InPlaceError.
func (d *Dir) Replace(name string, data []byte) error { return d.replace(name, data, fileMode) }

// Rewrite is Replace for a file that people own: it keeps its permissions. One
// that is not there, or not a regular file, is an error.
func (d *Dir) Rewrite(name string, data []byte) error {
	f, err := d.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return d.replace(name, data, info.Mode().Perm())
}

func (d *Dir) replace(name string, data []byte, mode os.FileMode) error {
	tmp := path.Join(path.Dir(name), "."+path.Base(name)+"."+uuid.NewString()+".tmp")
	f, err := d.Create(tmp)
	if err != nil {
		return err
	}
	if mode != fileMode {
		err = d.do("chmod", tmp, func() error { return d.root.Chmod(tmp, mode) })
	}
	if err != nil {
		_ = f.Close()
		d.discard(tmp)
		return err
	}
	if err := f.writeAll(data); err != nil {
		d.discard(tmp)
		return err
	}
	if err := d.Rename(tmp, name); err != nil {
		d.discard(tmp)
		return &InPlaceError{err}
	}
	if err := d.Sync(path.Dir(name)); err != nil {
		return &InPlaceError{err}
	}
	return nil
}

// discard removes a temporary file; one that stays harms nobody.
func (d *Dir) discard(tmp string) {
	_ = d.do("remove", tmp, func() error { return d.root.Remove(tmp) })
}
