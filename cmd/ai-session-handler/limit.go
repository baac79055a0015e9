package main

import (
	"errors"
	"fmt"
	"strconv"
	"time"
)

// limitFlag is a time limit on the command line: a Go duration, a bare number
// of seconds, or none.
type limitFlag struct {
	set   bool
	limit time.Duration // 0: none
}

// maxLimit is a bound no run reaches; it keeps durations from overflowing.
const maxLimit = 10 * 365 * 24 * time.Hour

var errLimit = errors.New("must be more than 0 and at most ten years")

// UnmarshalText implements the parsing of the flag.
func (l *limitFlag) UnmarshalText(text []byte) (err error) {
	l.set = true
	if string(text) == "none" {
		l.limit = 0
		return nil
	}
	l.limit, err = parseLimit(string(text))
	if errors.Is(err, errLimit) {
		return fmt.Errorf(`%w; "none" switches it off`, err)
	}
	return err
}

func parseLimit(s string) (time.Duration, error) {
	if isNumber(s) {
		seconds, _ := strconv.ParseFloat(s, 64)
		return secondsLimit(seconds)
	}
	limit, err := time.ParseDuration(s)
	if err != nil {
		return 0, fmt.Errorf(`%q is no duration; write for example 90m, 1h30m, a number of seconds, or "none"`, s)
	}
	return limit, checkLimit(limit)
}

func isNumber(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil || errors.Is(err, strconv.ErrRange)
}

func secondsLimit(seconds float64) (time.Duration, error) {
	if !(seconds > 0) || seconds > maxLimit.Seconds() {
		return 0, errLimit
	}
	limit := time.Duration(seconds * float64(time.Second))
	return limit, checkLimit(limit)
}

func checkLimit(limit time.Duration) error {
	if limit < time.Millisecond || limit > maxLimit {
		return errLimit
	}
	return nil
}
