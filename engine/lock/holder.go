package lock

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/ai-session-handler/ai-session-handler/engine/proc/procfs"
)

// gone reports whether there is no such process, or only what its parent has
// not taken notice of.
func gone(pid int) bool {
	s, err := procfs.ReadStat(pid)
	return errors.Is(err, fs.ErrNotExist) && unix.Kill(pid, 0) == unix.ESRCH || err == nil && s.Ended()
}

// holder is the PID of the process that took the lock, from /proc/locks, or 0.
// The kernel names the taker, which may be dead while a child keeps the lock.
func holder(id identity) int {
	f, err := os.Open("/proc/locks")
	if err != nil {
		return 0
	}
	defer func() { _ = f.Close() }()
	want := fmt.Sprintf("%02x:%02x:%d", unix.Major(id.dev), unix.Minor(id.dev), id.ino)
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		// 1: FLOCK  ADVISORY  WRITE 1234 fe:00:5678 0 EOF
		fields := strings.Fields(lines.Text())
		if len(fields) < 6 || fields[1] != "FLOCK" || fields[5] != want {
			continue
		}
		if pid, err := strconv.Atoi(fields[4]); err == nil && pid > 0 {
			return pid
		}
	}
	return 0
}
