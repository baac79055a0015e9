package lock

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// TestMain doubles as a process that holds a lock until its stdin closes.
func TestMain(m *testing.M) {
	if dir := os.Getenv("LOCK_TEST_HOLD"); dir != "" {
		l, _, err := Acquire(context.Background(), dir)
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		if os.Getenv("LOCK_TEST_LEAVE") != "" {
			leaveTo(l)
		}
		fmt.Println("held")
		_, _ = bufio.NewReader(os.Stdin).ReadByte()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// leaveTo ends the process and leaves its lock to a child.
func leaveTo(l *Lock) {
	child := exec.Command("sleep", "1000")
	child.ExtraFiles = []*os.File{l.File()}
	if err := child.Start(); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Printf("held by %d\n", child.Process.Pid)
	os.Exit(0)
}

func acquire(t *testing.T, dir string) (*Lock, context.Context) {
	t.Helper()
	l, ctx, err := Acquire(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l, ctx
}

func TestASecondHolderIsRefusedAndTheFirstNamed(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), "LOCK_TEST_HOLD="+dir)
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, _ := bufio.NewReader(out).ReadString('\n'); line != "held\n" {
		t.Fatalf("holder says %q", line)
	}
	_, _, err := Acquire(context.Background(), dir)
	var held *HeldError
	if !errors.As(err, &held) || held.PID != cmd.Process.Pid {
		t.Errorf("got %v, want one naming pid %d", err, cmd.Process.Pid)
	}
	_ = in.Close()
	_ = cmd.Wait()
	acquire(t, dir)
}

func TestALockEndsItsContextAndFreesTheDirectory(t *testing.T) {
	dir := t.TempDir()
	l, ctx := acquire(t, dir)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if ctx.Err() == nil {
		t.Error("the context outlives the lock")
	}
	acquire(t, dir)
}

func TestALockLivesOnInADuplicate(t *testing.T) {
	dir := t.TempDir()
	l, _ := acquire(t, dir)
	inherited := exec.Command("sleep", "1000")
	inherited.ExtraFiles = []*os.File{l.File()}
	if err := inherited.Start(); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	var held *HeldError
	if _, _, err := Acquire(context.Background(), dir); !errors.As(err, &held) {
		t.Errorf("the child's lock is gone: %v", err)
	}
	_ = inherited.Process.Kill()
	_ = inherited.Wait()
	acquire(t, dir)
}

// TestALockWhoseTakerIsDeadNamesWhatHoldsIt has a child keep it, as a supervisor
// does while it ends its worker.
func TestALockWhoseTakerIsDeadNamesWhatHoldsIt(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), "LOCK_TEST_HOLD="+dir, "LOCK_TEST_LEAVE=1")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var child int
	if _, err := fmt.Sscanf(string(out), "held by %d\n", &child); err != nil {
		t.Fatalf("%q: %v", out, err)
	}
	t.Cleanup(func() { _ = syscall.Kill(child, syscall.SIGKILL) })
	_, _, err = Acquire(context.Background(), dir)
	want := fmt.Sprintf("%s is in use by the supervisor of handler %d, which is still ending its worker; wait some seconds and repeat this command, nothing was changed", dir, cmd.Process.Pid)
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestCoversKnowsADirectoryByItsInode(t *testing.T) {
	dir := t.TempDir()
	l, _ := acquire(t, dir)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{link: true, t.TempDir(): false} {
		if got, err := l.Covers(path); err != nil || got != want {
			t.Errorf("%s: %v, %v", path, got, err)
		}
	}
	if _, err := l.Covers(filepath.Join(dir, "gone")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a path that leads nowhere: %v", err)
	}
}

func TestADirectoryReplacedBeforeTheLockIsNoticed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "d")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if err := os.Rename(dir, dir+".old"); err != nil {
		t.Fatal(err)
	}
	if _, err := lockFile(f, dir); err == nil {
		t.Error("a directory that is gone was locked")
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := lockFile(f, dir); err == nil {
		t.Error("a replaced directory was locked")
	}
}
