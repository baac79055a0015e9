//go:build linux

package main

import (
	"fmt"
	"maps"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A step is one parsed argument.
type step struct {
	text  string // as written, for messages
	phase string // the only phase it is for, "" for all
	value string // unescaped
	do    action
}

// An action does a step. The value has already been unescaped.
type action func(a *agent, value string) error

// A verb is what a step's name stands for.
type verb struct {
	do    action
	value need
}

// need says whether a verb takes a value.
type need int

const (
	required need = iota
	optional
	none
)

// A usageError is a step that can't be understood.
type usageError struct{ step, why string }

func (e *usageError) Error() string { return fmt.Sprintf("step %q: %s", e.step, e.why) }

var phasePrefix = regexp.MustCompile(`^phase-[0-9]+:`)

// verbs returns the table of all verbs. It is a function because include, which
// the table leads to, parses again.
func verbs() map[string]verb {
	table := map[string]verb{}
	for _, part := range []map[string]verb{
		outputVerbs(), fileVerbs(), observeVerbs(), signalVerbs(), processVerbs(),
	} {
		maps.Copy(table, part)
	}
	return table
}

// parse turns arguments into steps. It checks all of them before it returns, so
// that a mistyped step does nothing instead of half.
func parse(args []string) ([]step, error) {
	table := verbs()
	program := make([]step, 0, len(args))
	for _, arg := range args {
		s, err := parseStep(table, arg)
		if err != nil {
			return nil, err
		}
		program = append(program, s)
	}
	return program, nil
}

func parseStep(table map[string]verb, arg string) (step, error) {
	phase, rest := cutPhase(arg)
	if file, ok := strings.CutPrefix(rest, "@"); ok {
		return step{text: arg, phase: phase, value: file, do: (*agent).include}, nil
	}
	name, raw, given := strings.Cut(rest, "=")
	v, known := table[name]
	switch {
	case !known:
		return step{}, &usageError{arg, "no such verb"}
	case given && v.value == none:
		return step{}, &usageError{arg, "takes no value"}
	case !given && v.value == required:
		return step{}, &usageError{arg, "needs a value"}
	}
	value, err := unescape(raw)
	if err != nil {
		return step{}, &usageError{arg, err.Error()}
	}
	return step{text: arg, phase: phase, value: value, do: v.do}, nil
}

// cutPhase splits `phase-2:rest`; phase is "" where there is no such prefix.
func cutPhase(arg string) (phase, rest string) {
	prefix := phasePrefix.FindString(arg)
	return strings.TrimSuffix(prefix, ":"), arg[len(prefix):]
}

// unescape resolves Go's escapes and leaves every other byte as it is.
func unescape(s string) (string, error) {
	var b []byte
	for len(s) > 0 {
		if s[0] != '\\' {
			b, s = append(b, s[0]), s[1:]
			continue
		}
		r, multibyte, tail, err := strconv.UnquoteChar(s, 0)
		if err != nil {
			return "", fmt.Errorf("unknown escape at %q", s)
		}
		if multibyte {
			b = utf8.AppendRune(b, r)
		} else {
			b = append(b, byte(r))
		}
		s = tail
	}
	return string(b), nil
}

// parseSize reads a number of bytes, with an optional K, M or G (powers of 1024).
func parseSize(s string) (int64, error) {
	digits, shift := s, 0
	for i, unit := range []string{"K", "M", "G"} {
		if d, ok := strings.CutSuffix(s, unit); ok {
			digits, shift = d, 10*(i+1)
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 || n > (1<<62)>>shift {
		return 0, fmt.Errorf("%q is not a size", s)
	}
	return n << shift, nil
}
