// Package cgroup bounds all processes of one worker together, by a cgroup of
// version 2 of its own: it says whether this process may make one ([Probe]),
// makes it, puts a process into it, and says at the end which limit was reached.
// It never mounts anything, and never touches a cgroup that is not below the one
// of this process. See docs/state-and-recovery.md.
package cgroup
