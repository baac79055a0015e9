package procfs

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"testing"
)

func TestParseStatCountsFromTheLastParenthesis(t *testing.T) {
	line := "42 (evil) Z 1 (x) S 7 9 9 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 3 0 12345 0 0\n"
	got, err := parseStat([]byte(line))
	want := Stat{PID: 42, Name: "evil) Z 1 (x", State: 'S', PPID: 7, PGID: 9, Threads: 3, StartTime: 12345}
	if err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
	for _, bad := range []string{"", "42", "42 (x) S 1", "x (x) S 7 9 9 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 12345"} {
		if _, err := parseStat([]byte(bad)); err == nil {
			t.Errorf("%q accepted", bad)
		}
	}
}

func TestAChildIsFoundByItsParentAndItsEnvironment(t *testing.T) {
	cmd := exec.Command("sleep", "1000")
	cmd.Env = []string{"A=1", "PROCFS_TEST=yes", "B=2"}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	pid := cmd.Process.Pid
	for _, list := range []func(int) ([]int, error){func(pid int) ([]int, error) { return Children(pid) }, childrenByParent} {
		if children, err := list(os.Getpid()); err != nil || !slices.Contains(children, pid) {
			t.Errorf("not among the children: %v, %v", children, err)
		}
	}
	found, err := WithEnviron("PROCFS_TEST", "yes")
	if err != nil || len(found) != 1 || found[0].PID != pid {
		t.Errorf("found %+v, %v", found, err)
	}
	if found, err := WithEnviron("PROCFS_TEST", "ye"); err != nil || len(found) != 0 {
		t.Errorf("a prefix of the value matches: %+v, %v", found, err)
	}
}

// TestAProcessThatCantBeReadIsNotTakenForMissing leaves no descriptor to read
// /proc with.
func TestAProcessThatCantBeReadIsNotTakenForMissing(t *testing.T) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit) }()
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Max: limit.Max}); err != nil {
		t.Fatal(err)
	}
	if found, err := WithEnviron("PROCFS_TEST", "yes"); !errors.Is(err, syscall.EMFILE) {
		t.Errorf("found %v, %v", found, err)
	}
	if children, err := Children(os.Getpid()); !errors.Is(err, syscall.EMFILE) {
		t.Errorf("children %v, %v", children, err)
	}
	if has, err := HasEnviron(os.Getpid(), "PROCFS_TEST", "yes"); !errors.Is(err, syscall.EMFILE) {
		t.Errorf("has %v, %v", has, err)
	}
}

func TestAMissingProcessIsNotThere(t *testing.T) {
	if _, err := ReadStat(1 << 30); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestAPipesHolderIsFound(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	cmd := exec.Command("sleep", "1000")
	cmd.ExtraFiles = []*os.File{w}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	_ = w.Close()
	info, _ := r.Stat()
	holders := Holding(inode(info))
	if len(holders) != 1 || holders[0].PID != cmd.Process.Pid {
		t.Errorf("holders %+v", holders)
	}
}

func inode(info fs.FileInfo) uint64 { return info.Sys().(*syscall.Stat_t).Ino }
