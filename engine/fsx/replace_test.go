package fsx

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestRewriteKeepsPermissions, and at no failure leaves anything else behind.
func TestRewriteKeepsPermissions(t *testing.T) {
	var points int
	d, path := faulty(t, func(n int, _ Point) error { points = n + 1; return nil })
	file := filepath.Join(path, "f")
	put := func(file string) {
		t.Helper()
		if err := os.WriteFile(file, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, 0o640); err != nil {
			t.Fatal(err)
		}
	}
	put(file)
	if err := d.Rewrite("f", []byte("new")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode() != 0o640 || read(t, file) != "new" {
		t.Errorf("%v, %v, %q", info.Mode(), err, read(t, file))
	}
	for i := range points {
		d, path := faulty(t, func(n int, _ Point) error {
			if n == i {
				return syscall.EIO
			}
			return nil
		})
		file := filepath.Join(path, "f")
		put(file)
		err := d.Rewrite("f", []byte("new"))
		info, _ := os.Stat(file)
		if got := read(t, file); !errors.Is(err, syscall.EIO) || info.Mode() != 0o640 || got != "old" && got != "new" {
			t.Errorf("point %d: %v, %v, %q", i, err, info.Mode(), got)
		}
	}
}

func TestRewriteNeedsAFile(t *testing.T) {
	d, path := faulty(t, func(int, Point) error { return nil })
	if err := d.Rewrite("f", nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	if err := os.Symlink("nowhere", filepath.Join(path, "link")); err != nil {
		t.Fatal(err)
	}
	if err := d.Rewrite("link", []byte("x")); err == nil {
		t.Error("a link was followed or replaced")
	}
	if _, err := os.Lstat(filepath.Join(path, "nowhere")); err == nil {
		t.Error("a link was followed")
	}
}
