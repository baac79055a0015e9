package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"time"

	"github.com/ai-session-handler/ai-session-handler/engine/argv"
	"github.com/ai-session-handler/ai-session-handler/engine/match"
	"github.com/ai-session-handler/ai-session-handler/engine/workspace"
	"github.com/ai-session-handler/ai-session-handler/schema/record"
)

// maxConfig bounds config.json in bytes.
const maxConfig = 1 << 20

// config is .ai-session-handler/config.json of a plan workspace. A key that is
// not there, or null, leaves the default; a timeout of null means none.
type config struct {
	AgentCmd       *string         `json:"agent_cmd,omitempty"`
	MaxPhases      *int            `json:"max_phases,omitempty"`
	TimeoutSeconds json.RawMessage `json:"timeout_seconds,omitempty"`
	StopOnRegex    []string        `json:"stop_on_regex,omitempty"`
}

// settings are a checked config.
type settings struct {
	path       string   // of the file, whether it exists or not
	command    []string // words of agent_cmd, nil where there is none
	maxPhases  int      // 0: no cap
	timeout    time.Duration
	hasTimeout bool     // timeout is of the file, and 0 means none
	stopOn     []string // stop rules
}

// readConfig reads the config of a plan workspace, which need not exist. All
// its problems are in one error.
func readConfig(root string) (settings, error) {
	s := settings{path: filepath.Join(root, workspace.DirName, workspace.ConfigFile)}
	dir, err := workspace.OpenHandlerDir(root, false, testOnlySeam)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	defer func() { _ = dir.Close() }()
	data, err := dir.ReadFile(workspace.ConfigFile, maxConfig)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	return s, s.apply(data)
}

func (s *settings) apply(data []byte) error {
	var c config
	var problems []record.KeyProblem
	var faults *record.DecodeError
	if err := record.Decode(data, &c); errors.As(err, &faults) {
		problems = faults.Problems
	}
	// An unknown key says nothing against the others, which are checked too.
	if json.Unmarshal(data, &c) == nil {
		problems = append(problems, s.take(c)...)
	}
	if len(problems) == 0 {
		return nil
	}
	errs := make([]error, len(problems))
	for i, p := range problems {
		errs[i] = fmt.Errorf("%s: %s", s.path, p)
	}
	return &inputError{errors.Join(errs...).Error()}
}

func (s *settings) take(c config) (problems []record.KeyProblem) {
	problem := func(key, message string) { problems = append(problems, record.KeyProblem{Key: key, Message: message}) }
	if c.AgentCmd != nil && *c.AgentCmd != "" {
		words, err := argv.Parse(*c.AgentCmd)
		if err != nil {
			problem("agent_cmd", err.Error())
		}
		s.command = words
	}
	if c.MaxPhases != nil {
		if s.maxPhases = *c.MaxPhases; s.maxPhases < 1 {
			problem("max_phases", "must be at least 1, or null to run to the end")
		}
	}
	if c.TimeoutSeconds != nil {
		limit, err := timeoutOf(c.TimeoutSeconds)
		if err != nil {
			problem("timeout_seconds", err.Error())
		}
		s.timeout, s.hasTimeout = limit, true
	}
	s.stopOn = c.StopOnRegex
	if _, err := match.Compile(c.StopOnRegex); err != nil {
		problem("stop_on_regex", err.Error())
	}
	return problems
}

func timeoutOf(raw json.RawMessage) (time.Duration, error) {
	if string(raw) == "null" {
		return 0, nil
	}
	seconds, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		return 0, fmt.Errorf("expected a number of seconds or null, got %s", raw)
	}
	limit, err := secondsLimit(seconds)
	if err != nil {
		return 0, fmt.Errorf("%w; null switches it off", err)
	}
	return limit, nil
}
