// Package procfs reads what /proc says about processes: who they are, whose
// children, and what they hold open. It never signals one. A process that ends
// while it is read is simply not there.
package procfs

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// Stat is the part of /proc/PID/stat that identifies a process.
type Stat struct {
	PID       int
	Name      string // at most 15 bytes, chosen by the process
	State     byte   // R, S, D, Z, …
	PPID      int
	PGID      int
	Threads   int
	StartTime uint64 // clock ticks since boot
}

// Ended reports whether the whole process has ended and waits for its parent.
// A process whose first thread has ended while others run looks like a zombie
// and is none.
func (s Stat) Ended() bool { return (s.State == 'Z' || s.State == 'X') && s.Threads <= 1 }

// ReadStat reads the stat of a process. The error wraps fs.ErrNotExist when
// there is no such process.
func ReadStat(pid int) (Stat, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if errors.Is(err, unix.ESRCH) {
		err = fs.ErrNotExist
	}
	if err != nil {
		return Stat{}, err
	}
	return parseStat(data)
}

// parseStat counts from the last parenthesis: the name before it may hold any
// character, parentheses and spaces included.
func parseStat(data []byte) (Stat, error) {
	opening, closing := bytes.IndexByte(data, '('), bytes.LastIndexByte(data, ')')
	if opening < 1 || closing < opening {
		return Stat{}, fmt.Errorf("unexpected stat %q", data)
	}
	fields := strings.Fields(string(data[closing+1:]))
	if len(fields) < 20 {
		return Stat{}, fmt.Errorf("unexpected stat %q", data)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data[:opening])))
	s := Stat{PID: pid, Name: string(data[opening+1 : closing]), State: fields[0][0]}
	for _, err2 := range []error{err, number(fields[1], &s.PPID), number(fields[2], &s.PGID), number(fields[17], &s.Threads), ticks(fields[19], &s.StartTime)} {
		if err2 != nil {
			return Stat{}, fmt.Errorf("unexpected stat %q: %w", data, err2)
		}
	}
	return s, nil
}

func number(text string, to *int) (err error) {
	*to, err = strconv.Atoi(text)
	return err
}

func ticks(text string, to *uint64) (err error) {
	*to, err = strconv.ParseUint(text, 10, 64)
	return err
}

// Children lists the children of a process: those of these threads of it, of
// all where none is named. A kernel without the children file costs a walk over
// all processes. With an error some may be missing.
//
// Each file is opened by its name. A pattern would make the kernel set up every
// file of every thread, only to take it all away when the process ends.
func Children(pid int, threads ...int) ([]int, error) {
	var err error
	if len(threads) == 0 {
		threads, err = threadsOf(pid)
	}
	var children []int
	seen := false
	for _, thread := range threads {
		data, readErr := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, thread))
		err, seen = cmp.Or(err, unlessHidden(readErr)), seen || readErr == nil
		for _, field := range strings.Fields(string(data)) {
			if child, err := strconv.Atoi(field); err == nil {
				children = append(children, child)
			}
		}
	}
	if !seen && err == nil {
		return childrenByParent(pid)
	}
	return children, err
}

func threadsOf(pid int) ([]int, error) { return numbers(fmt.Sprintf("/proc/%d/task", pid)) }

func childrenByParent(pid int) ([]int, error) {
	all, err := numbers("/proc")
	var children []int
	for _, other := range all {
		if s, err := ReadStat(other); err == nil && s.PPID == pid {
			children = append(children, other)
		}
	}
	return children, err
}

// numbers lists the entries of a directory that are numbers. One that is not
// there has none.
func numbers(dir string) ([]int, error) {
	entries, err := os.ReadDir(dir)
	var list []int
	for _, e := range entries {
		if n, err := strconv.Atoi(e.Name()); err == nil {
			list = append(list, n)
		}
	}
	return list, unlessHidden(err)
}

// unlessHidden drops the error of reading what has ended or belongs to another
// user. Every other one means that something may have been overlooked.
func unlessHidden(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, unix.ESRCH) {
		return nil
	}
	return err
}

// Descendants lists everything below a process that adopts what its descendants
// leave behind, parents before their children. What took the PID of a
// descendant in the meantime has another parent and is left out, like what can't
// be read: that nothing is left, only wait proves. Where threads are named, only
// their children are looked for, and what is below them.
func Descendants(adopter int, threads ...int) []Stat {
	all := childrenOf(adopter, adopter, threads...)
	for i := 0; i < len(all); i++ {
		all = append(all, childrenOf(all[i].PID, adopter)...)
	}
	return all
}

func childrenOf(parent, adopter int, threads ...int) []Stat {
	var list []Stat
	children, _ := Children(parent, threads...)
	for _, pid := range children {
		if s, err := ReadStat(pid); err == nil && (s.PPID == parent || s.PPID == adopter) {
			list = append(list, s)
		}
	}
	return list
}

// Signal signals the process that s is of and no other, even when it has ended
// and its PID was given to another process since.
func Signal(s Stat, sig unix.Signal) error {
	fd, err := unix.PidfdOpen(s.PID, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	now, err := ReadStat(s.PID)
	if err != nil {
		return err
	}
	if now.StartTime != s.StartTime {
		return unix.ESRCH
	}
	return unix.PidfdSendSignal(fd, sig, nil, 0)
}

// PIDs lists the processes that can be seen.
func PIDs() []int {
	pids, _ := numbers("/proc")
	return pids
}

// WithEnviron lists the live processes whose environment, as it was when they
// began to execute, has this entry. Those of other users can't be read and are
// left out. With an error some may be missing.
func WithEnviron(name, value string) ([]Stat, error) {
	pids, err := numbers("/proc")
	var found []Stat
	for _, pid := range pids {
		s, carries, oneErr := withEnviron(pid, name, value)
		if carries {
			found = append(found, s)
		}
		err = cmp.Or(err, oneErr)
	}
	return found, err
}

func withEnviron(pid int, name, value string) (s Stat, carries bool, err error) {
	if has, err := HasEnviron(pid, name, value); !has {
		return s, false, err
	}
	s, err = ReadStat(pid)
	return s, err == nil && !s.Ended(), unlessHidden(err)
}

// HasEnviron reports whether a process has this entry in its environment. With
// an error that is not known.
func HasEnviron(pid int, name, value string) (bool, error) {
	data, err := environ(pid)
	entry := []byte("\x00" + name + "=" + value + "\x00")
	return bytes.Contains(append([]byte{0}, data...), entry), err
}

// environ is read from another thread where the first one has ended.
func environ(pid int) ([]byte, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if len(data) > 0 || unlessHidden(err) != nil {
		return data, err
	}
	threads, err := threadsOf(pid)
	for _, thread := range threads {
		data, readErr := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/environ", pid, thread))
		if len(data) > 0 || unlessHidden(readErr) != nil {
			return data, readErr
		}
	}
	return nil, err
}

// Holding lists the processes, other than the caller, that have the pipe with
// this inode open.
func Holding(pipe uint64) []Stat {
	target := fmt.Sprintf("pipe:[%d]", pipe)
	var found []Stat
	for _, pid := range PIDs() {
		if pid == os.Getpid() || !holds(pid, target) {
			continue
		}
		if s, err := ReadStat(pid); err == nil {
			found = append(found, s)
		}
	}
	return found
}

func holds(pid int, target string) bool {
	links, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	for _, link := range links {
		if to, err := os.Readlink(link); err == nil && to == target {
			return true
		}
	}
	return false
}

// BootID tells one boot of the machine from another; empty when unknown.
var BootID = sync.OnceValue(func() string {
	data, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(data))
})

// PidNS is the inode of the caller's PID namespace, in which alone PIDs mean
// something; 0 when unknown.
var PidNS = sync.OnceValue(func() uint64 {
	var st unix.Stat_t
	if unix.Stat("/proc/self/ns/pid", &st) != nil {
		return 0
	}
	return st.Ino
})

// PidfdInode is the inode behind a pidfd, unique to one process since boot; 0
// on kernels where all pidfds share one.
func PidfdInode(pidfd int) uint64 {
	var fsinfo unix.Statfs_t
	if unix.Fstatfs(pidfd, &fsinfo) != nil || fsinfo.Type != unix.PID_FS_MAGIC {
		return 0
	}
	var st unix.Stat_t
	if unix.Fstat(pidfd, &st) != nil {
		return 0
	}
	return st.Ino
}
