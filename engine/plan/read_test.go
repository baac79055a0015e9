package plan

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plan.md")
	source := Template("Plan", 2)
	if err := os.WriteFile(path, source, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if s.Path != path || string(s.Source) != string(source) || len(s.Phases) != 2 {
		t.Errorf("snapshot of %s with %d phases", s.Path, len(s.Phases))
	}
}

// Every kind of file that is no plan is refused at once; a FIFO without a
// writer would otherwise block for ever.
func TestReadRefuses(t *testing.T) {
	t.Chdir(t.TempDir()) // the path of a socket must be short
	for _, test := range []struct {
		path   string
		create func(path string) error
		want   string
	}{
		{"dir", func(path string) error { return os.Mkdir(path, 0o700) }, "a directory"},
		{"fifo", func(path string) error { return syscall.Mkfifo(path, 0o600) }, "a FIFO"},
		{"link", func(path string) error { return os.Symlink("/etc/passwd", path) }, "a symbolic link"},
		{"socket", socket, "a socket"},
		{"sparse", sparse, "larger than 1 GiB"},
		{"missing", nil, "no such file"},
		{"/dev/null", nil, "a device"},
		{"/proc/self/mem", nil, "can't be read"},
	} {
		if test.create != nil {
			if err := test.create(test.path); err != nil {
				t.Fatalf("%s: %v", test.path, err)
			}
		}
		checkRefused(t, test.path, test.want)
	}
}

func checkRefused(t *testing.T, path, want string) {
	t.Helper()
	s, err := Read(path)
	var e *Error
	if s != nil || !errors.As(err, &e) {
		t.Errorf("Read(%s) = %v, %v", path, s, err)
		return
	}
	if len(e.Problems) != 1 || e.Problems[0].Code != codeUnreadable || !strings.Contains(err.Error(), want) ||
		!strings.HasPrefix(err.Error(), path+": ") {
		t.Errorf("Read(%s): %v; want %q", path, err, want)
	}
	if found := e.Lint(true); found != nil {
		t.Errorf("Lint of %s: %v", path, found)
	}
}

func socket(path string) error {
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	defer syscall.Close(fd)
	return syscall.Bind(fd, &syscall.SockaddrUnix{Name: path})
}

func sparse(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Truncate(1 << 40)
}

func TestReadMissingIsNotExist(t *testing.T) {
	_, err := Read(filepath.Join(t.TempDir(), "no.md"))
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Read: %v", err)
	}
}

func TestRereadParsesOnlyWhatChanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.md")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("## Phase 1: A\n\n### Workspace\n\n.\n")
	first, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := first.Reread(); err != nil || again != first {
		t.Errorf("unchanged: %p, want %p, %v", again, first, err)
	}
	write("## Phase 1: B\n\n### Workspace\n\n.\n")
	if again, err := first.Reread(); err != nil || again.Phases[0].Title != "B" {
		t.Errorf("changed: %+v, %v", again, err)
	}
	write("")
	if _, err := first.Reread(); err == nil {
		t.Error("a plan without phases was read")
	}
}

func TestOnlyTheFirstProblemsArePrinted(t *testing.T) {
	_, err := Parse("p.md", []byte(strings.Repeat("## Phase 0: A\n\n### Workspace\n\n.\n\n", 60)))
	if err == nil || strings.Count(err.Error(), "p.md:") != 50 || !strings.HasSuffix(err.Error(), "and 10 more") {
		t.Errorf("got %v", err)
	}
}
