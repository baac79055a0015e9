package cgroup

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Facts are what the kernel counted about an attempt.
type Facts struct {
	MemoryLimit bool   `json:"memory_limit"`      // processes were killed because memory_max was used up
	PidsRefused int64  `json:"pids_refused"`      // processes and threads that pids_max did not let begin
	MemoryPeak  int64  `json:"memory_peak"`       // bytes of the whole tree, 0 where the kernel does not tell
	Unknown     string `json:"unknown,omitempty"` // why the others may be wrong, else empty
}

// facts leaves at zero what the cgroup has no file for: it was not limited.
func (g *Group) facts() (f Facts) {
	killed, err1 := g.counters("memory.events")
	reached, err2 := g.counters("memory.events.local", "memory.events")
	pids, err3 := g.counters("pids.events.local", "pids.events")
	peak, err4 := g.first("memory.peak")
	// A kill counts when this limit was reached, not one of the machine, of a cgroup
	// above, or of one that the worker made below.
	f.MemoryLimit = reached["oom"] > 0 && killed["oom_kill"] > 0
	f.PidsRefused = pids["max"]
	f.MemoryPeak, _ = strconv.ParseInt(strings.TrimSpace(peak), 10, 64)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		f.Unknown = fmt.Sprintf("whether a limit was reached can't be told: %v", err)
	}
	return f
}

func (g *Group) counters(files ...string) (map[string]int64, error) {
	text, err := g.first(files...)
	return parseKeyed(text), err
}

// first reads the first of these files that the kernel has.
func (g *Group) first(files ...string) (string, error) {
	for _, file := range files {
		if text, err := read(g.seam, g.file(file)); !gone(err) {
			return text, err
		}
	}
	return "", nil
}

// parseKeyed reads lines of a key and a number.
func parseKeyed(text string) map[string]int64 {
	values := map[string]int64{}
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if n, err := strconv.ParseInt(value, 10, 64); err == nil {
			values[key] = n
		}
	}
	return values
}
