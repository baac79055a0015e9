// Package ui is what a person or a pipe sees of a run: the worker's output as
// it comes, progress, errors, and the result (the README, "What you see").
//
// A [Writer] stands before each destination, so that a run is never stopped,
// and delayed by two seconds at most, by a console that is gone or that nobody
// reads. A [Console] makes the worker's streams and the handler's own text fit
// to be shown and keeps them apart: what the handler says starts at the start
// of a line. [Progress] puts the events of an invocation into lines and, on a
// terminal, the phase in progress into a block below the output, which the
// Writer keeps there.
//
// Everything that others wrote passes package termtext here, whether or not
// its source has done so already.
//
// The package never decides what happens in a run, sets no mode of a
// descriptor it was given, asks a terminal nothing, and handles no signal:
// SIGPIPE belongs to the caller.
package ui
