package supervise

import (
	"os"
	"os/exec"
	"runtime"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestAChildOfAnotherThreadIsFoundAndKilled has a child that none of the usual
// threads has. The kernel knows of it all the same.
func TestAChildOfAnotherThreadIsFoundAndKilled(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	tree := newTree(0, nil, nil)
	pid, release := childOfAnotherThread(t, tree.threads)
	defer release()
	if len(tree.members()) != 0 {
		t.Fatal("the child is found at once, which proves nothing")
	}
	for end := time.Now().Add(10 * time.Second); !tree.killOnce(); {
		if time.Now().After(end) {
			t.Fatalf("survivors: %v", tree.survivors())
		}
	}
	if len(tree.left) != 1 || tree.left[0].PID != pid {
		t.Errorf("noted %+v, want process %d", tree.left, pid)
	}
}

// childOfAnotherThread starts a child from a thread that is none of these and
// stays until release.
func childOfAnotherThread(t *testing.T, threads []int) (pid int, release func()) {
	t.Helper()
	pids, done := make(chan int), make(chan struct{})
	start := func() {
		runtime.LockOSThread() // for good: the thread ends with the goroutine
		pid := 0
		if !slices.Contains(threads, unix.Gettid()) {
			cmd := exec.Command("sleep", "1000")
			if err := cmd.Start(); err != nil {
				t.Error(err)
			} else {
				pid = cmd.Process.Pid
			}
		}
		pids <- pid
		<-done
	}
	for range 2 { // the first one may be on a thread of the list
		go start()
		if pid = <-pids; pid != 0 {
			return pid, func() { close(done) }
		}
	}
	close(done)
	t.Fatalf("no thread besides %v of process %d", threads, os.Getpid())
	return 0, nil
}
