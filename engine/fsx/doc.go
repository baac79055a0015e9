// Package fsx is the only way the handler writes to disk. It owns how a file
// becomes durable: exclusive creation, replacement as a whole, directories
// whose entries are synced. It never decides what is written.
//
// Everything happens below a directory that is held open, so that a directory
// renamed or replaced in the middle of a run does not lead elsewhere, and no
// symbolic link leads out of it. Directories are created with mode 0700, files
// with 0600. See docs/state-and-recovery.md.
package fsx
