package ui

import (
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// activity is when a worker was last heard of. It is safe for concurrent use.
type activity struct {
	clock func() time.Duration // since some fixed time
	at    atomic.Int64
}

// heard notes output that came so long ago.
func (a *activity) heard(ago time.Duration) {
	at := int64(a.clock() - ago)
	for {
		last := a.at.Load()
		if at <= last || a.at.CompareAndSwap(last, at) {
			return
		}
	}
}

// last is when there was output, 0 if there was none.
func (a *activity) last() time.Duration { return time.Duration(a.at.Load()) }

// bootTime is the time since boot. Like the limits of a phase it counts the
// time that the machine sleeps.
func bootTime() time.Duration {
	var ts unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts) != nil {
		return 0
	}
	return time.Duration(ts.Nano())
}
