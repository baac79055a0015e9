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
	if !slices.Contains(Children(os.Getpid()), pid) || !slices.Contains(childrenByParent(os.Getpid()), pid) {
		t.Error("not among the children")
	}
	found := WithEnviron("PROCFS_TEST", "yes")
	if len(found) != 1 || found[0].PID != pid {
		t.Errorf("found %+v", found)
	}
	if len(WithEnviron("PROCFS_TEST", "ye")) != 0 {
		t.Error("a prefix of the value matches")
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
