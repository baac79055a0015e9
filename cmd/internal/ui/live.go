package ui

import (
	"math"
	"time"
)

const (
	// redrawEvery is the shortest time between two drawings of a block.
	redrawEvery = 100 * time.Millisecond

	// tickEvery is how often a block is drawn when nothing else happens.
	tickEvery = time.Second

	// maxWaiting is how much output waits for the next drawing. With more of it
	// there would soon be no room for what comes; it goes out at once, and for so
	// long there is no block.
	maxWaiting = queueSize / 2

	// restRows is what a block leaves of a terminal's height: the row that the
	// cursor is in, and one of the output.
	restRows = 2

	never = time.Duration(math.MaxInt64)
)

// live is a terminal with a block below the output. A Writer's mutex guards
// it. Nothing is ever queued for a block: it is drawn with what is next to go
// out, or with nothing.
type live struct {
	place  func() place
	screen screen
	alarm  *time.Timer // lets the Writer look whether it is time

	rows    func(columns int) []string // of the block; nil: none is wanted
	began   time.Time                  // when it was first wanted, from where its seconds count
	drawnAt time.Time                  // when it was last due
	stale   bool                       // output went out without a block since
	fits    bool                       // there was room for it then
	owed    int64                      // 1: a block is to be erased, which counts as a byte
}

// set makes rows the block, or removes it, and returns how many bytes that
// counts as.
func (l *live) set(rows func(columns int) []string) int64 {
	l.rows, l.began, l.stale, l.fits = rows, time.Now(), true, false
	if rows != nil || l.owed > 0 || l.screen.settled() {
		return 0
	}
	l.owed = 1
	return l.owed
}

// wait returns how long there is nothing to write, with so many bytes queued.
// Urgent, because somebody waits for them to be out, they are written at once.
func (l *live) wait(queued int, urgent bool) time.Duration {
	switch {
	case l.owed > 0, queued > 0 && (urgent || l.rows == nil || queued > maxWaiting):
		return 0
	case l.rows == nil:
		return never
	case queued > 0 || l.stale:
		return time.Until(l.drawnAt.Add(redrawEvery))
	}
	// The next whole second of the block.
	seconds := l.drawnAt.Sub(l.began)/tickEvery + 1
	return time.Until(l.began.Add(seconds * tickEvery))
}

// frame returns what shows text on the terminal, and the block if it is due.
// It is valid until the next one.
func (l *live) frame(text []byte) []byte {
	l.owed = 0
	at := l.place()
	if at.background {
		l.screen.forget()
	}
	fits := l.rows != nil && !at.background && at.columns >= minColumns && at.rows > restRows
	var rows []string
	if now := time.Now(); l.rows != nil && now.Sub(l.drawnAt) >= redrawEvery {
		l.drawnAt, l.stale, l.fits = now, false, fits
		if fits {
			rows = l.rows(at.columns)
			rows = rows[:min(len(rows), at.rows-restRows)]
		}
	} else {
		l.stale = true
	}
	return l.screen.frame(text, rows, at.columns, fits)
}
