package fsx

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

func open(t *testing.T, seam Seam) (*Dir, string) {
	t.Helper()
	path := t.TempDir()
	d, err := OpenDir(path, seam)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d, path
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestReplaceKeepsModeAndLeavesNothingBehind(t *testing.T) {
	d, path := open(t, nil)
	for _, content := range []string{"one", "two"} {
		if err := d.Replace("state.json", []byte(content)); err != nil {
			t.Fatal(err)
		}
		if got := read(t, filepath.Join(path, "state.json")); got != content {
			t.Fatalf("got %q, want %q", got, content)
		}
	}
	info, _ := os.Stat(filepath.Join(path, "state.json"))
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	if names, _ := d.List(); len(names) != 1 {
		t.Errorf("left behind: %v", names)
	}
}

// faulty opens a directory whose seam is asked only from now on, with the number
// of the point, counted from 0.
func faulty(t *testing.T, fail func(n int, p Point) error) (*Dir, string) {
	t.Helper()
	n, armed := 0, false
	d, path := open(t, func(p Point) error {
		if !armed {
			return nil
		}
		n++
		return fail(n-1, p)
	})
	armed = true
	return d, path
}

// TestFailingEveryPoint fails each point of a replacement in turn: the old or
// the new content is there, an error before the rename means the old one, and
// every error names the operation and the whole path.
func TestFailingEveryPoint(t *testing.T) {
	var points []Point
	d, _ := faulty(t, func(_ int, p Point) error { points = append(points, p); return nil })
	if err := d.Replace("f", []byte("new")); err != nil {
		t.Fatal(err)
	}
	if len(points) != 14 { // create, write, stat, sync, close, rename, syncdir
		t.Fatalf("points: %v", points)
	}
	for i := range points {
		d, path := faulty(t, func(n int, _ Point) error {
			if n == i {
				return syscall.EIO
			}
			return nil
		})
		if err := os.WriteFile(filepath.Join(path, "f"), []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		err := d.Replace("f", []byte("new"))
		if !errors.Is(err, syscall.EIO) || !strings.Contains(err.Error(), strings.TrimSuffix(points[i].Op, "dir")+" "+path) {
			t.Errorf("%v: error %v", points[i], err)
		}
		var inPlace *InPlaceError
		if errors.As(err, &inPlace) != (i >= 10) {
			t.Errorf("%v: in place: %v", points[i], i < 10)
		}
		got := read(t, filepath.Join(path, "f"))
		renamed := i >= 11
		if renamed != (got == "new") {
			t.Errorf("%v: content %q", points[i], got)
		}
	}
}

// TestAShortWriteIsNoticed lets half of a write through, with a reason and
// without one.
func TestAShortWriteIsNoticed(t *testing.T) {
	for want, short := range map[error]*ShortWrite{
		io.ErrShortWrite: {},
		syscall.ENOSPC:   {Err: syscall.ENOSPC},
	} {
		d, path := faulty(t, func(_ int, p Point) error {
			if p.Op == "write" && !p.After {
				return short
			}
			return nil
		})
		if err := os.WriteFile(filepath.Join(path, "f"), []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := d.Replace("f", []byte("new")); !errors.Is(err, want) || !strings.Contains(err.Error(), path) {
			t.Errorf("want %v: %v", want, err)
		}
		if err := d.WriteNew("g", []byte("half")); !errors.Is(err, want) {
			t.Errorf("want %v: %v", want, err)
		}
		if f, g := read(t, filepath.Join(path, "f")), read(t, filepath.Join(path, "g")); f != "old" || g != "ha" {
			t.Errorf("contents %q and %q", f, g)
		}
	}
}

func TestCreateRefusesWhateverIsThere(t *testing.T) {
	d, path := open(t, nil)
	outside := filepath.Join(t.TempDir(), "outside")
	for name, plant := range map[string]func(string) error{
		"file":     func(p string) error { return os.WriteFile(p, nil, 0o600) },
		"link":     func(p string) error { return os.Symlink(outside, p) },
		"fifo":     func(p string) error { return syscall.Mkfifo(p, 0o600) },
		"dir":      func(p string) error { return os.Mkdir(p, 0o700) },
		"dangling": func(p string) error { return os.Symlink("nowhere", p) },
	} {
		if err := plant(filepath.Join(path, name)); err != nil {
			t.Fatal(err)
		}
		if err := d.WriteNew(name, []byte("x")); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if _, err := os.Stat(outside); err == nil {
		t.Error("a link was followed")
	}
}

func TestReadRefusesLinksAndDevicesWithoutBlocking(t *testing.T) {
	d, path := open(t, nil)
	_ = os.WriteFile(filepath.Join(path, "real"), []byte("x"), 0o600)
	_ = os.Symlink("real", filepath.Join(path, "link"))
	_ = os.Symlink("/etc/passwd", filepath.Join(path, "out"))
	_ = syscall.Mkfifo(filepath.Join(path, "fifo"), 0o600)
	for _, name := range []string{"link", "out", "fifo", "."} {
		done := make(chan error, 1)
		go func() { _, err := d.ReadFile(name, 10); done <- err }()
		select {
		case err := <-done:
			if err == nil {
				t.Errorf("%s was read", name)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("%s blocks", name)
		}
	}
	if _, err := d.ReadFile("real", 0); err == nil {
		t.Error("limit not enforced")
	}
}

func TestNamesCannotLeadOut(t *testing.T) {
	d, path := open(t, nil)
	_ = os.Symlink(t.TempDir(), filepath.Join(path, "away"))
	for _, name := range []string{"../x", "away/x", "/tmp/x"} {
		if err := d.WriteNew(name, nil); err == nil {
			t.Errorf("%s was written", name)
		}
	}
	if _, err := d.Sub("away"); err == nil {
		t.Error("a linked directory was opened")
	}
	_ = os.Mkdir(filepath.Join(path, "real"), 0o700)
	_ = os.Symlink("real", filepath.Join(path, "near"))
	_ = os.Mkdir(filepath.Join(path, "real/deep"), 0o700)
	if _, err := d.Sub("near/deep"); err == nil {
		t.Error("a directory behind a link was opened")
	}
	if err := d.MkdirAll("near/sub"); err == nil {
		t.Error("a linked directory was written through")
	}
}

func TestADirStaysTheSameWhenRenamed(t *testing.T) {
	d, path := open(t, nil)
	sub := filepath.Join(path, "sub")
	if err := d.MkdirAll("sub"); err != nil {
		t.Fatal(err)
	}
	s, err := d.Sub("sub")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(sub, sub+"2"); err != nil {
		t.Fatal(err)
	}
	if err := s.WriteNew("f", []byte("x")); err != nil {
		t.Fatal(err)
	}
	if got := read(t, sub+"2/f"); got != "x" {
		t.Errorf("got %q", got)
	}
}

func TestNewDirectoriesAreSyncedInTheirParents(t *testing.T) {
	synced := map[string]bool{}
	d, _ := open(t, func(p Point) error {
		if p.Op == "syncdir" && p.After {
			synced[p.Name] = true
		}
		return nil
	})
	if err := d.MkdirAll("a/b/c"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{".", "a", "a/b"} {
		if !synced[name] {
			t.Errorf("%s not synced", name)
		}
	}
}

func TestDirectoriesThatAreThereAreSyncedToo(t *testing.T) {
	d, path := open(t, nil)
	if err := os.MkdirAll(filepath.Join(path, "a/b"), 0o700); err != nil {
		t.Fatal(err)
	}
	var synced []string
	d, err := OpenDir(path, func(p Point) error {
		if p.Op == "syncdir" && p.After {
			synced = append(synced, p.Name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	if err := d.MkdirAll("a/b", "a/c"); err != nil {
		t.Fatal(err)
	}
	if want := []string{".", "a"}; !slices.Equal(synced, want) {
		t.Errorf("synced %v, want %v", synced, want)
	}
}

func TestPointsTellTheirDirectory(t *testing.T) {
	var got []string
	d, root := open(t, func(p Point) error {
		if p.Op == "create" && !p.After {
			got = append(got, p.Dir+": "+p.Name)
		}
		return nil
	})
	if err := d.MkdirAll("a/b"); err != nil {
		t.Fatal(err)
	}
	sub, err := d.Sub("a")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = sub.Close() }()
	deep, err := sub.Sub("b")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = deep.Close() }()
	for dir, name := range map[*Dir]string{d: "f", sub: "b/g", deep: "h"} {
		if err := dir.WriteNew(name, nil); err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(got)
	want := []string{root + "/a/b: h", root + "/a: b/g", root + ": f"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestModesDoNotDependOnTheUmask(t *testing.T) {
	old := syscall.Umask(0o777)
	defer syscall.Umask(old)
	d, path := open(t, nil)
	if err := errors.Join(d.MkdirAll("a/b"), d.WriteNew("a/b/f", []byte("x")), d.Replace("a/g", []byte("y"))); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]os.FileMode{"a": 0o700, "a/b": 0o700, "a/b/f": 0o600, "a/g": 0o600} {
		info, err := os.Stat(filepath.Join(path, name))
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}

func TestAFileThatFailedIsNotTrustedAgain(t *testing.T) {
	fail := true
	d, _ := open(t, func(p Point) error {
		if p.Op == "sync" && fail {
			return syscall.EIO
		}
		return nil
	})
	f, err := d.Create("f")
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Sync(); !errors.Is(err, syscall.EIO) {
		t.Fatal(err)
	}
	fail = false
	if err := f.Sync(); !errors.Is(err, syscall.EIO) {
		t.Errorf("second sync: %v", err)
	}
	if _, err := f.Write([]byte("x")); !errors.Is(err, syscall.EIO) {
		t.Errorf("write after a failed sync: %v", err)
	}
}

func TestAppendAddsToRegularFilesOnly(t *testing.T) {
	path := t.TempDir()
	d, err := OpenDir(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for _, step := range []struct {
		add   string
		whole bool
	}{{"one\n", true}, {"torn", true}, {"\ntwo\n", false}} {
		f, whole, err := d.Append("log")
		if err != nil || whole != step.whole {
			t.Fatalf("%q: whole %v, %v", step.add, whole, err)
		}
		if _, err := f.Write([]byte(step.add)); err != nil {
			t.Fatal(err)
		}
		_ = f.Close()
	}
	if data, _ := os.ReadFile(filepath.Join(path, "log")); string(data) != "one\ntorn\ntwo\n" {
		t.Errorf("%q", data)
	}
	if info, _ := os.Stat(filepath.Join(path, "log")); info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	if err := os.Symlink("victim", filepath.Join(path, "link")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(path, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"link", "fifo"} {
		if _, _, err := d.Append(name); err == nil {
			t.Errorf("%s was opened", name)
		}
	}
	if _, err := os.Lstat(filepath.Join(path, "victim")); err == nil {
		t.Error("a link was followed")
	}
}

// TestReadingWhatIsReplacedMeanwhile is status during a run.
func TestReadingWhatIsReplacedMeanwhile(t *testing.T) {
	d, _ := open(t, nil)
	if err := d.Replace("f", []byte("x")); err != nil {
		t.Fatal(err)
	}
	done, stopped := make(chan struct{}), make(chan error, 1)
	go func() {
		for {
			select {
			case <-done:
				stopped <- nil
				return
			default:
			}
			if err := d.Replace("f", []byte("x")); err != nil {
				stopped <- err
				return
			}
		}
	}()
	for range 20_000 {
		if data, err := d.ReadFile("f", 10); err != nil || string(data) != "x" {
			t.Errorf("%q, %v", data, err)
			break
		}
	}
	close(done)
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}
