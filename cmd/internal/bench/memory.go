package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/ai-session-handler/ai-session-handler/engine/plan"
	"github.com/ai-session-handler/ai-session-handler/engine/proc/procfs"
)

const (
	memoryTarget = 40 << 10 // KiB
	pollEvery    = 5 * time.Millisecond
	// linger is how long a worker stays after its output, so that what the
	// output took can still be seen.
	linger = 300 * time.Millisecond
)

// measureMemory measures the most that handler and supervisor ever take while
// a worker prints 1 GB, in lines and in one line.
func measureMemory(l *lab) ([]line, error) {
	var lines []line
	for _, kind := range []struct{ flag, name string }{{"-lines", "in lines"}, {"-one-line", "in one line"}} {
		handler, supervisor, err := l.peaks(fmt.Sprintf("%s %d -linger %s", kind.flag, outputSize, linger))
		if err != nil {
			return nil, err
		}
		lines = append(lines, memoryLine("handler, 1 GB "+kind.name, handler), memoryLine("supervisor, 1 GB "+kind.name, supervisor))
	}
	return lines, nil
}

func memoryLine(what string, peak int) line {
	return line{
		what: "memory of the " + what, figure: fmt.Sprintf("%.1f MiB", float64(peak)/1024),
		target: fmt.Sprintf("≤ %d MiB", memoryTarget>>10), verdict: judge(peak > 0 && peak <= memoryTarget, false),
	}
}

// peaks runs a plan of one phase and returns the peak memory of both, in KiB.
func (l *lab) peaks(agentArgs string) (handler, supervisor int, err error) {
	dir, err := l.workspace(plan.Template("Benchmark", 1))
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	cmd := exec.Command(l.handler, "run", "--plan", "p.md", "--agent-cmd", l.agent+" "+agentArgs)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		return 0, 0, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case err := <-ended:
			if err != nil {
				err = fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, &stderr)
			}
			return handler, supervisor, err
		case <-time.After(pollEvery):
			handler = max(handler, peakOf(cmd.Process.Pid))
			children, _ := procfs.Children(cmd.Process.Pid) // those that are left out now are seen next time
			for _, child := range children {
				supervisor = max(supervisor, peakOf(child))
			}
		}
	}
}

// peakOf is the most memory that a process has had so far, in KiB; 0 when it is
// gone.
func peakOf(pid int) int {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	kib, _ := strconv.Atoi(fields[0])
	return kib
}
