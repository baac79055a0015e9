package ui

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ai-session-handler/ai-session-handler/cmd/internal/termtest"
)

// window is a terminal in memory whose size and foreground a test changes.
type window struct {
	mu    sync.Mutex
	term  *termtest.Terminal
	at    place
	times []time.Time // when a block was drawn
}

func newWindow(columns, rows int) *window {
	return &window{term: termtest.New(columns, rows), at: place{columns: columns, rows: rows}}
}

func (w *window) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	before := w.term.Draws()
	n, err := w.term.Write(p)
	if w.term.Draws() > before {
		w.times = append(w.times, time.Now())
	}
	return n, err
}

func (w *window) place() place {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.at
}

// becomes changes what the window is, and nothing of what it shows.
func (w *window) becomes(at place) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at = at
}

func (w *window) resize(columns, rows int) {
	w.becomes(place{columns: columns, rows: rows})
	w.mu.Lock()
	defer w.mu.Unlock()
	w.term.Resize(columns, rows, true)
}

func (w *window) writer() *Writer { return newTerminalWriter(w, Patience, true, w.place) }

// drawn returns when a block was drawn.
func (w *window) drawn() []time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.times)
}

// lines returns everything that was shown, with its colours.
func (w *window) lines() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.term.Lines(true)
}

// screen returns the rows that can be seen.
func (w *window) screen() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.term.Screen()
}

// shows compares what can be seen, rows joined by |.
func (w *window) shows(t *testing.T, want string) {
	t.Helper()
	if got := strings.Join(w.screen(), "|"); got != want {
		t.Errorf("the screen shows %q, want %q", got, want)
	}
	if err := w.term.Err(); err != nil {
		t.Error(err)
	}
}

// stopwatch is a block that shows its age.
func stopwatch() func(int) []string {
	start := time.Now()
	return func(int) []string { return []string{"block", fmt.Sprint(time.Since(start).Truncate(time.Second))} }
}

func TestBlockTicks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		win := newWindow(80, 24)
		w := win.writer()
		write(t, w, "before\n")
		time.Sleep(700 * time.Millisecond)
		w.setBlock(stopwatch())
		for _, age := range []string{"0s", "1s", "2s", "3s"} {
			synctest.Wait()
			win.shows(t, "before||block|"+age)
			time.Sleep(time.Second)
		}
		synctest.Wait()
		if times := win.drawn(); len(times) != 5 {
			t.Errorf("drawn %d times in 4 seconds: %v", len(times), times)
		}
		finish(t, w)
		win.shows(t, "before")
	})
}

// TestOutputWaitsForTheBlock has lines come faster than blocks are drawn.
func TestOutputWaitsForTheBlock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		win := newWindow(80, 24)
		w := win.writer()
		w.setBlock(stopwatch())
		synctest.Wait()
		time.Sleep(redrawEvery / 2)
		write(t, w, "one\n")
		synctest.Wait()
		win.shows(t, "|block|0s")
		time.Sleep(redrawEvery / 4)
		write(t, w, "two\n")
		synctest.Wait()
		win.shows(t, "|block|0s")
		time.Sleep(redrawEvery / 4)
		synctest.Wait()
		win.shows(t, "one|two||block|0s")

		// What would soon leave no room for more does not wait.
		write(t, w, strings.Repeat("x\n", maxWaiting/2-1))
		synctest.Wait()
		win.shows(t, "one|two||block|0s")
		write(t, w, "y\n\n")
		synctest.Wait()
		if last := win.screen(); last[len(last)-1] != "y" {
			t.Errorf("the screen shows %q", last)
		}
		time.Sleep(redrawEvery)
		synctest.Wait()
		if last := win.screen(); last[len(last)-2] != "block" {
			t.Errorf("the screen shows %q", last)
		}
		finish(t, w)
	})
}

// TestOutputNeedNotWait has a line come when the block is due.
func TestOutputNeedNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		win := newWindow(80, 24)
		w := win.writer()
		w.setBlock(stopwatch())
		synctest.Wait()
		time.Sleep(redrawEvery)
		write(t, w, "three\n")
		synctest.Wait()
		win.shows(t, "three||block|0s")
		finish(t, w)
	})
}

func TestFlushDoesNotWaitForTheBlock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		win := newWindow(80, 24)
		w := win.writer()
		w.setBlock(stopwatch())
		synctest.Wait()
		start := time.Now()
		write(t, w, "text\n")
		synctest.Wait() // until it waits
		if err := w.Flush(Patience); err != nil {
			t.Error(err)
		}
		win.shows(t, "text")
		w.setBlock(nil)
		if err := w.Flush(Patience); err != nil {
			t.Error(err)
		}
		if waited := time.Since(start); waited != 0 {
			t.Errorf("waited %v", waited)
		}
		finish(t, w)
	})
}

// TestFloodIsNotSlowed has a terminal that takes 1.6 MB a second.
func TestFloodIsNotSlowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const each = 10 * time.Millisecond
		win := newWindow(80, 24)
		w := newTerminalWriter(slowly{win, each}, Patience, true, win.place)
		w.setBlock(stopwatch())
		const chunks = 100
		start := time.Now()
		for range chunks {
			write(t, w, strings.Repeat("a line of 32 bytes, with newline\n", chunkSize/33))
		}
		if err := w.Flush(Patience); err != nil {
			t.Error(err)
		}
		if took := time.Since(start); took > chunks*each*11/10 {
			t.Errorf("took %v", took)
		}
		times := win.drawn()
		if len(times) < 5 {
			t.Errorf("drawn %d times", len(times))
		}
		for i := 1; i < len(times); i++ {
			if apart := times[i].Sub(times[i-1]); apart < redrawEvery {
				t.Fatalf("drawn twice within %v", apart)
			}
		}
		time.Sleep(redrawEvery)
		synctest.Wait()
		if last := win.screen(); last[len(last)-2] != "block" {
			t.Errorf("no block after the flood: %q", last)
		}
		finish(t, w)
	})
}

// TestStalledTerminal is Ctrl-S: ticks pile up nothing, and a run waits no
// longer for a block than it would without.
func TestStalledTerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		w := newTerminalWriter(g, Patience, false, func() place { return place{columns: 80, rows: 24} })
		var asked atomic.Int32
		w.setBlock(func(int) []string { asked.Add(1); return []string{"block"} })
		time.Sleep(time.Hour)
		if n := asked.Load(); n != 1 {
			t.Errorf("asked %d times for what nobody takes", n)
		}
		taken, waited := fill(t, w, strings.Repeat("0123456789abcde\n", 2<<10))
		if waited != Patience || len(taken) > bufferSize {
			t.Errorf("waited %v, %d bytes held", waited, len(taken))
		}
		start := time.Now()
		if err := w.Close(Patience); err == nil {
			t.Error("no error")
		}
		if waited := time.Since(start); waited != Patience {
			t.Errorf("Close waited %v", waited)
		}
		close(g.open)
	})
}

// TestStalledTerminalGoesOn is Ctrl-Q, much later.
func TestStalledTerminalGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		win := newWindow(80, 24)
		open := make(chan struct{})
		w := newTerminalWriter(gated{win, open}, Patience, false, win.place)
		w.setBlock(stopwatch())
		synctest.Wait()
		taken, _ := fill(t, w, strings.Repeat("0123456789abcde\n", 2<<10))
		time.Sleep(time.Hour)
		close(open)
		time.Sleep(time.Second)
		synctest.Wait()
		want := taken + "[output dropped: 32768 bytes]\n"
		if got := strings.Join(win.lines(), "\n"); got != want+"\nblock\n1h0m3s" {
			t.Errorf("…%q", tail(got))
		}
		finish(t, w)
	})
}

type gated struct {
	*window
	open chan struct{}
}

func (g gated) Write(p []byte) (int, error) {
	<-g.open
	return g.window.Write(p)
}

func TestUnfinishedLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		win := newWindow(30, 24)
		w := win.writer()
		w.setBlock(func(int) []string { return []string{"block"} })
		for _, step := range []struct{ text, want string }{
			{"\x1b[31mcount", "count|block"},
			{"ing 1 2 3 4 5 6 7\t8 9 10", "counting 1 2 3 4 5 6 7 8 9 10|block"},
			{" 11 12", "…g 1 2 3 4 5 6 7 8 9 10 11 12|block"},
			{" 漢字👩‍🚀e\u0301", "… 6 7 8 9 10 11 12 漢字👩\ufffd🚀e\u0301|block"},
			{"\nshort", "counting 1 2 3 4 5 6 7  8 9 10| 11 12 漢字👩‍🚀e\u0301|short|block"},
		} {
			write(t, w, step.text)
			time.Sleep(redrawEvery)
			synctest.Wait()
			win.shows(t, step.want)
		}
		finish(t, w)
		if got := win.lines(); got[1] != "\x1b[0;31mshort" {
			t.Errorf("ends in %q", got)
		}
	})
}

// TestLongUnfinishedLine has more of a line than is kept: it is shown as it
// comes, and there is no block until it ends.
func TestLongUnfinishedLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		win := newWindow(80, 24)
		w := win.writer()
		w.setBlock(func(int) []string { return []string{"block"} })
		line := ""
		step := func(text, below string) {
			t.Helper()
			line += text
			write(t, w, text)
			time.Sleep(time.Second)
			synctest.Wait()
			got := win.lines()
			if want := strings.Split(line+below, "\n"); !slices.Equal(got, want) {
				t.Fatalf("%d lines, the last …%q", len(got), tail(got[len(got)-1]))
			}
		}
		step("one\n"+strings.Repeat("x", maxHeld+1), "")
		step("y", "")
		step("zz", "")
		step("\nnext\n", "\nblock")
		finish(t, w)
	})
}

// TestNoPlaceForABlock has the output pass whole, as without a block.
func TestNoPlaceForABlock(t *testing.T) {
	for name, at := range map[string]place{
		"too narrow": {columns: minColumns - 1, rows: 24},
		"too low":    {columns: 80, rows: restRows},
		"size 0":     {},
		"background": {columns: 80, rows: 24, background: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				win := newWindow(80, 24)
				w := win.writer()
				w.setBlock(stopwatch())
				write(t, w, "one\ntwo")
				time.Sleep(redrawEvery)
				synctest.Wait()
				if !w.showsBlock() {
					t.Error("there is a block, and nobody says so")
				}
				win.shows(t, "one|two|block|0s")

				win.becomes(at)
				write(t, w, " and")
				time.Sleep(redrawEvery)
				synctest.Wait()
				if w.showsBlock() {
					t.Error("there is no block, and nobody says so")
				}
				want := "one|two and"
				if at.background { // what stands there is the shell's, not ours to erase
					want = "one|two and|block|0s"
				}
				win.shows(t, want)

				win.becomes(place{columns: 80, rows: 24})
				time.Sleep(time.Second)
				synctest.Wait()
				win.shows(t, want) // within a line nothing is drawn
				write(t, w, " three\n")
				time.Sleep(time.Second)
				synctest.Wait()
				win.shows(t, "one|two and three||block|2s")
				finish(t, w)
			})
		})
	}
}

// TestTypedTextIsErased has somebody type, which the terminal echoes where the
// cursor rests; Enter costs an empty line and no more.
func TestTypedTextIsErased(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		win := newWindow(80, 24)
		w := win.writer()
		write(t, w, "before\n")
		w.setBlock(func(int) []string { return []string{"block", "last"} })
		for _, typed := range []string{"q", "quit\n"} {
			synctest.Wait()
			win.shows(t, "before||block|last")
			_, _ = win.Write([]byte(typed))
			time.Sleep(time.Second)
		}
		write(t, w, "after\n")
		finish(t, w)
		win.shows(t, "before|quit|after")
	})
}

func TestLowWindowGetsTheFirstRows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		win := newWindow(80, 3)
		w := win.writer()
		write(t, w, "one\ntwo\nthree\n")
		w.setBlock(stopwatch())
		synctest.Wait()
		win.shows(t, "three||block")
		finish(t, w)
		win.shows(t, "three")
	})
}

// TestWhateverHappens does things at random to a Writer with a block and to one
// without: in the end both terminals show the same.
func TestWhateverHappens(t *testing.T) {
	for seed := range uint64(300) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 0))
			win, plain := newWindow(80, 24), newWindow(80, 24)
			w, p := win.writer(), newWriter(plain, Patience, true)
			both := func(do func(w *Writer)) { do(w); do(p) }
			for range 1 + random.IntN(60) {
				text := workerPieces[random.IntN(len(workerPieces))]
				switch random.IntN(8) {
				case 0:
					both(func(w *Writer) { w.own("a line of ours\n") })
				case 1:
					both(func(w *Writer) { w.endLine() })
				case 2:
					w.setBlock(stopwatch())
				case 3:
					w.setBlock(nil)
				case 4:
					time.Sleep(time.Duration(random.IntN(1500)) * time.Millisecond)
				case 5:
					synctest.Wait()
					win.resize(20+random.IntN(100), 24+random.IntN(20))
				default:
					both(func(w *Writer) { write(t, w, text) })
				}
			}
			both(func(w *Writer) { finish(t, w) })
			if got, want := win.lines(), plain.lines(); !slices.Equal(got, want) || win.term.Err() != nil {
				t.Fatalf("seed %d: terminal\n%.2000q\nwant\n%.2000q, %v", seed, got, want, win.term.Err())
			}
		})
	}
}
