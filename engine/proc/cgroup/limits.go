package cgroup

import (
	"fmt"
	"strconv"
)

// Limits bound all processes of a worker together. Zero is no limit.
type Limits struct {
	MemoryMax int64 // bytes, swap included; the kernel rounds down to whole pages
	PidsMax   int64 // processes and threads, at least [MinPids]
	CPUMilli  int64 // thousandths of a processor, from [MinCPUMilli] to [MaxCPUMilli]
}

// Bounds of limits. The process that waits to become the worker has some threads
// until then; the kernel wants at least a millisecond of each period.
const (
	MinPids     = 16
	MinCPUMilli = 10
	MaxCPUMilli = 100_000_000
)

// Any reports whether there is a limit at all.
func (l Limits) Any() bool { return l != Limits{} }

// Without returns the limits that u does not name: those that can be enforced.
func (l Limits) Without(u *Unsupported) Limits {
	for _, r := range u.Reasons {
		switch r.Limit {
		case MemoryMax:
			l.MemoryMax = 0
		case PidsMax:
			l.PidsMax = 0
		case CPUMax:
			l.CPUMilli = 0
		}
	}
	return l
}

// Limit is the name of a limit, as users write it.
type Limit string

// The limits.
const (
	MemoryMax Limit = "memory_max"
	PidsMax   Limit = "pids_max"
	CPUMax    Limit = "cpu_max"
)

// demand is one limit that is set, with what it takes.
type demand struct {
	limit      Limit
	controller string
	settings   []setting
	wrong      string // why no machine can enforce it, empty for most
}

// setting is a file of a cgroup and what is written there.
type setting struct {
	file, value string
	optional    bool // older kernels, and those without swap, do not have the file
}

// cpuPeriod is over what the kernel measures, in microseconds.
const cpuPeriod = 100_000

func (l Limits) demands() (list []demand) {
	if l.MemoryMax != 0 {
		list = append(list, l.memory())
	}
	if l.PidsMax != 0 {
		list = append(list, l.pids())
	}
	if l.CPUMilli != 0 {
		list = append(list, l.cpu())
	}
	return list
}

// memory has the kernel end the whole tree when its memory is used up: half a
// tree would only fail later, and nobody could say why.
func (l Limits) memory() demand {
	d := demand{limit: MemoryMax, controller: "memory", settings: []setting{
		{file: "memory.max", value: strconv.FormatInt(l.MemoryMax, 10)},
		{file: "memory.swap.max", value: "0", optional: true},
		{file: "memory.oom.group", value: "1", optional: true},
	}}
	if l.MemoryMax < 0 {
		d.wrong = fmt.Sprintf("%d bytes are no amount of memory", l.MemoryMax)
	}
	return d
}

func (l Limits) pids() demand {
	d := demand{limit: PidsMax, controller: "pids", settings: []setting{
		{file: "pids.max", value: strconv.FormatInt(l.PidsMax, 10)},
	}}
	if l.PidsMax < MinPids {
		d.wrong = fmt.Sprintf("%d is too few for a worker to start: set at least %d", l.PidsMax, MinPids)
	}
	return d
}

func (l Limits) cpu() demand {
	d := demand{limit: CPUMax, controller: "cpu"}
	if l.CPUMilli < MinCPUMilli || l.CPUMilli > MaxCPUMilli {
		d.wrong = fmt.Sprintf("%d thousandths of a processor are not from %d to %d", l.CPUMilli, MinCPUMilli, MaxCPUMilli)
		return d
	}
	d.settings = []setting{{file: "cpu.max", value: fmt.Sprintf("%d %d", l.CPUMilli*cpuPeriod/1000, cpuPeriod)}}
	return d
}
