package ui

import (
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"github.com/ai-session-handler/ai-session-handler/engine/termtext"
)

// Console is standard output and standard error of one invocation. It is safe
// for concurrent use. Nothing it does fails visibly or waits longer than
// [Patience] for a destination that takes nothing.
type Console struct {
	quiet    bool
	patience time.Duration

	out, err             *Writer // the same one where both are one file
	workerOut, workerErr *stream
	activity             *activity // of the worker
}

// Options are what the command line and the environment say about a Console.
type Options struct {
	Quiet bool     // nothing of the worker and no progress
	Color Color    // zero: ColorAuto
	Env   []string // as of os.Environ; read for TERM, NO_COLOR and CLICOLOR_FORCE
}

// NewConsole returns a Console of two open files, which may be one and the
// same: then what goes to either comes out in the order of the calls. It leaves
// their modes alone and never closes them. The caller has to Close it, which
// also leaves a terminal as it was.
func NewConsole(stdout, stderr *os.File, o Options) *Console {
	return newConsole(stdout, stderr, o, Patience)
}

func newConsole(stdout, stderr *os.File, o Options, patience time.Duration) *Console {
	c := &Console{quiet: o.Quiet, patience: patience, activity: &activity{clock: bootTime}}
	c.err = newErrWriter(stdout, stderr, o, patience)
	c.out = c.err
	if !sameOutput(stdout, stderr) {
		c.out = newWriter(stdout, patience, o.Color.On(stdout, o.Env))
	}
	c.workerOut, c.workerErr = newStream(c.out, c.activity), newStream(c.err, c.activity)
	return c
}

// newErrWriter returns the Writer to stderr, which has a place for a block on a
// terminal that is read by a person. Where stdout is a pipe, what reads it
// commonly writes on the same terminal, as tee and less do, and would write into
// the block.
func newErrWriter(stdout, stderr *os.File, o Options, patience time.Duration) *Writer {
	colour := o.Color.On(stderr, o.Env)
	if o.Quiet || !isTerminal(stderr) || !capable(o.Env) || isPipe(stdout) {
		return newWriter(stderr, patience, colour)
	}
	return newTerminalWriter(stderr, patience, colour, func() place { return placeOf(stderr) })
}

// Stdout returns where the worker's standard output goes, the same for all
// attempts. Its Write takes everything and keeps nothing; an error wraps
// [ErrNotTaken] and means that some of it is not shown. Colours remain where
// Options.Color has them.
func (c *Console) Stdout() io.Writer { return c.worker(c.workerOut) }

// Stderr is [Console.Stdout] for the worker's standard error.
func (c *Console) Stderr() io.Writer { return c.worker(c.workerErr) }

func (c *Console) worker(s *stream) io.Writer {
	if c.quiet {
		return io.Discard
	}
	return s
}

// EndAttempt ends both streams of a worker: what was held back of them is
// shown, colours are turned off, and an unfinished line is ended. The next
// attempt begins afresh.
func (c *Console) EndAttempt() {
	c.workerOut.end()
	c.workerErr.end()
	for _, w := range c.writers() {
		w.endLine()
	}
}

// Line shows one line about the run on standard error, unless quiet. Text may
// hold anything and ends up in that line.
func (c *Console) Line(text string) { c.safeLine(termtext.Line(text)) }

// safeLine is Line for text that is safe, and may have colours of ours.
func (c *Console) safeLine(text string) {
	if !c.quiet {
		c.err.own(text + "\n")
	}
}

// Lines shows several lines about the run on standard error, unless quiet.
func (c *Console) Lines(text string) {
	if !c.quiet {
		c.err.own(termtext.Paragraph(text))
	}
}

// showBlock keeps b below the output of the terminal that stderr is, if it is
// one, until hideBlock or Close.
func (c *Console) showBlock(b *block) {
	c.err.setBlock(func(columns int) []string {
		rows := b.rows(columns)
		rows[0] = c.palette().bold(rows[0])
		return rows
	})
}

func (c *Console) hideBlock() { c.err.setBlock(nil) }

// palette is that of standard error.
func (c *Console) palette() palette { return palette(c.err.colour) }

// Result shows the end of a run, of one or several lines, on standard output.
func (c *Console) Result(text string) { c.out.own(termtext.Paragraph(text)) }

// Error shows an error, of one or several lines, on standard error.
func (c *Console) Error(text string) { c.err.own(termtext.Paragraph(text)) }

// Flush waits until everything so far has gone out, but gives a destination up
// that has taken nothing for the time of [Patience]. An error wraps
// [ErrNotTaken].
func (c *Console) Flush() error { return errors.Join(c.flush()...) }

// flush flushes all destinations at once: one that is stuck must not take the
// time of the other.
func (c *Console) flush() []error {
	writers := c.writers()
	errs := make([]error, len(writers))
	var all sync.WaitGroup
	for i, w := range writers {
		all.Go(func() { errs[i] = w.Flush(c.patience) })
	}
	all.Wait()
	return errs
}

// Close ends the attempt, if there is one, and is a last Flush. The error tells
// of what will not go out any more; nothing is shown after Close. A destination
// that is stuck delays it by [Patience] once, one that is slow by what it needs.
func (c *Console) Close() error {
	c.hideBlock()
	// The worker's last bytes find room now or never: what is stuck now would
	// make them wait again.
	stuck := c.flush()
	for _, w := range c.writers() {
		w.stopWaiting()
	}
	c.EndAttempt()
	errs := make([]error, len(stuck))
	for i, w := range c.writers() {
		patience := c.patience
		if stuck[i] != nil {
			patience = 0
		}
		errs[i] = w.Close(patience)
	}
	return errors.Join(errs...)
}

func (c *Console) writers() []*Writer {
	if c.err == c.out {
		return []*Writer{c.out}
	}
	return []*Writer{c.out, c.err}
}
