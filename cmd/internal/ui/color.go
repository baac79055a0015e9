package ui

import (
	"os"
	"strings"

	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// Color says who decides on colours (the README, "What you see").
type Color string

// The values of a Color. The zero value is ColorAuto.
const (
	ColorAuto   Color = "auto"   // the environment, else whether it is a terminal
	ColorAlways Color = "always" // also where it is none
	ColorNever  Color = "never"
)

// On reports whether what goes to f may have colours. Env is as of os.Environ;
// a Color other than ColorAuto wins over it, and NO_COLOR over CLICOLOR_FORCE.
func (c Color) On(f *os.File, env []string) bool {
	switch {
	case c == ColorAlways:
		return true
	case c == ColorNever, has(env, "NO_COLOR", ""): // no-color.org
		return false
	case has(env, "CLICOLOR_FORCE", "0"): // bixense.com/clicolors
		return true
	}
	return isTerminal(f) && capable(env)
}

// capable reports whether the environment names a terminal that understands
// more than lines. Of one without a name nothing is known.
func capable(env []string) bool { return has(env, "TERM", "dumb") }

// has reports whether a variable is set to a value that is neither empty nor
// none.
func has(env []string, name, none string) bool {
	for _, entry := range env {
		if value, ok := strings.CutPrefix(entry, name+"="); ok && value != "" && value != none {
			return true
		}
	}
	return false
}

// palette colours the handler's own words, or leaves them as they are where it
// is false. A colour never says what the word does not.
type palette bool

// status colours how a phase ended: green where it is done, yellow where a
// person decides how to go on, red where something failed.
func (p palette) status(s record.Status, word string) string {
	switch s {
	case record.PhaseComplete:
		return p.sgr("32", word)
	case record.Blocked, record.NeedsClarification, record.Interrupted:
		return p.sgr("33", word)
	}
	return p.sgr("31", word)
}

func (p palette) bold(text string) string { return p.sgr("1", text) }

func (p palette) sgr(parameters, text string) string {
	if !p {
		return text
	}
	return "\x1b[" + parameters + "m" + text + colourOff
}
