package main

import (
	"context"
	"os"
	"os/signal"

	"golang.org/x/sys/unix"

	"github.com/ai-session-handler/ai-session-handler/engine/run"
)

// stopSignals are those that end a command in order: not SIGHUP where it was
// ignored at the start, as by nohup.
func stopSignals() []os.Signal {
	watched := []os.Signal{unix.SIGINT, unix.SIGTERM, unix.SIGQUIT}
	if !signal.Ignored(unix.SIGHUP) {
		watched = append(watched, unix.SIGHUP)
	}
	return watched
}

// handleSignals turns the first signal into the end of the context, whose cause
// is a *run.InterruptedError, and each later one into a hurry.
func handleSignals(parent context.Context) (context.Context, <-chan struct{}, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, stopSignals()...)
	// Caught, so that a console that went away is an error of a write.
	signal.Notify(make(chan os.Signal, 1), unix.SIGPIPE)
	hurry, done := make(chan struct{}), make(chan struct{})
	go func() {
		for {
			select {
			case <-done:
				return
			case s := <-signals:
				if ctx.Err() == nil {
					cancel(&run.InterruptedError{Signal: s})
					continue
				}
				select {
				case hurry <- struct{}{}:
				case <-done:
					return
				}
			}
		}
	}()
	return ctx, hurry, func() { close(done); signal.Stop(signals); cancel(nil) }
}
