// Package argv turns a command template into the argument vector of a worker.
// A template is split into words first, then placeholders are replaced inside
// each word, so a value with spaces stays one argument. No shell is ever
// involved. See the README.
package argv

import (
	"errors"
	"fmt"
	"strings"
)

// ErrEmpty means a template without a single word.
var ErrEmpty = errors.New("the command template is empty")

// Values are what the placeholders of a template stand for in one attempt.
type Values struct {
	PromptFile     string
	Workspace      string
	RunID          string
	TranscriptFile string
	StateFile      string
}

func (v Values) byName(name string) (string, bool) {
	switch name {
	case "prompt_file":
		return v.PromptFile, true
	case "workspace":
		return v.Workspace, true
	case "run_id":
		return v.RunID, true
	case "transcript_file":
		return v.TranscriptFile, true
	case "state_file":
		return v.StateFile, true
	}
	return "", false
}

// placeholders lists the supported names for messages.
const placeholders = "{prompt_file}, {workspace}, {run_id}, {transcript_file}, {state_file}"

// Parse splits a template and checks every word, so that a template which
// parses also renders. Errors say which part of the template is wrong.
func Parse(template string) ([]string, error) {
	words, err := split(template)
	if err != nil {
		return nil, err
	}
	return words, Check(words)
}

// Check checks the words of a command, so that those it accepts also render.
// The error is [ErrEmpty] where there is no program.
func Check(words []string) error {
	if len(words) == 0 || words[0] == "" {
		return ErrEmpty
	}
	for _, word := range words {
		if strings.ContainsRune(word, 0) {
			return fmt.Errorf("%q has a NUL in it, which no argument can hold", word)
		}
		if _, err := expand(word, Values{}); err != nil {
			return err
		}
	}
	return nil
}

// Render replaces the placeholders in words that [Check] accepted.
func Render(words []string, values Values) ([]string, error) {
	argv := make([]string, len(words))
	for i, word := range words {
		rendered, err := expand(word, values)
		if err != nil {
			return nil, err
		}
		argv[i] = rendered
	}
	return argv, nil
}

// expand replaces {name} and turns {{ and }} into literal braces.
func expand(word string, values Values) (string, error) {
	var out strings.Builder
	for rest := word; rest != ""; {
		brace := strings.IndexAny(rest, "{}")
		if brace < 0 {
			out.WriteString(rest)
			break
		}
		out.WriteString(rest[:brace])
		rest = rest[brace:]
		if strings.HasPrefix(rest, "{{") || strings.HasPrefix(rest, "}}") {
			out.WriteByte(rest[0])
			rest = rest[2:]
			continue
		}
		value, length, err := placeholder(rest, values)
		if err != nil {
			return "", fmt.Errorf("in %q: %w", word, err)
		}
		out.WriteString(value)
		rest = rest[length:]
	}
	return out.String(), nil
}

func placeholder(text string, values Values) (value string, length int, err error) {
	if text[0] == '}' {
		return "", 0, errors.New("a single '}'; write '}}' for a literal brace")
	}
	end := strings.IndexAny(text[1:], "{}")
	if end < 0 || text[1+end] == '{' {
		return "", 0, errors.New("a '{' that is not closed; write '{{' for a literal brace")
	}
	name := text[1 : 1+end]
	value, ok := values.byName(name)
	if !ok {
		return "", 0, unsupported(name)
	}
	return value, len(name) + 2, nil
}

func unsupported(name string) error {
	why := "is not a placeholder"
	switch {
	case name == "" || strings.Trim(name, "0123456789") == "":
		why = "is positional, which is not allowed"
	case strings.Contains(name, "!"):
		why = "has a conversion, which is not allowed"
	case strings.Contains(name, ":"):
		why = "has a format specification, which is not allowed"
	case strings.ContainsAny(name, ".["):
		why = "has attribute or index access, which is not allowed"
	}
	return fmt.Errorf("{%s} %s; supported are %s, and '{{' for a literal brace", name, why, placeholders)
}
