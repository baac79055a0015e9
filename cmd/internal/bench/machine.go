package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// machine describes what is measured on: figures of two machines can't be
// compared, their ratios can.
func machine(dir string) string {
	var uts unix.Utsname
	_ = unix.Uname(&uts)
	return fmt.Sprintf("%s, Linux %s, %d × %s, %s on %s\n%s\n", runtime.Version(), unix.ByteSliceToString(uts.Release[:]),
		runtime.NumCPU(), cpuModel(), dir, fileSystem(dir), load())
}

func cpuModel() string {
	info, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(info)) {
		if name, value, _ := strings.Cut(line, ":"); strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

// fileSystem is the type of the file system that a directory is on.
func fileSystem(dir string) string {
	mounts, _ := os.ReadFile("/proc/self/mounts")
	kind, longest := "an unknown file system", -1
	for line := range strings.Lines(string(mounts)) {
		fields := strings.Fields(line)
		if len(fields) < 3 || !within(dir, fields[1]) || len(fields[1]) < longest {
			continue
		}
		kind, longest = fields[2], len(fields[1])
	}
	return kind
}

func within(dir, mount string) bool {
	return strings.HasPrefix(dir+"/", strings.TrimSuffix(mount, "/")+"/")
}

// load warns of a machine that others use as well.
func load() string {
	text, _ := os.ReadFile("/proc/loadavg")
	fields := strings.Fields(string(text))
	if len(fields) == 0 {
		return "load unknown"
	}
	line := fmt.Sprintf("load average %s on %d processors", fields[0], runtime.NumCPU())
	if average, _ := strconv.ParseFloat(fields[0], 64); average > float64(runtime.NumCPU())+1 {
		line += ": others use this machine, so trust the ratios and the least figures"
	}
	return line
}
