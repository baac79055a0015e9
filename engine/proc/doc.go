// Package proc is the handler's side of a worker process: it starts the
// supervisor and the held worker, reads both output streams, keeps the
// deadlines, and learns how the worker's tree ended. It decides nothing about
// results and keeps no state. See docs/state-and-recovery.md.
package proc
