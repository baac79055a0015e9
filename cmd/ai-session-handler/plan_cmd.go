package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ai-session-handler/ai-session-handler/engine/plan"
	"github.com/ai-session-handler/ai-session-handler/engine/workspace"
)

type planCmd struct {
	Lint planLintCmd `cmd:"" help:"Report errors and likely mistakes in plans."`
	Show planShowCmd `cmd:"" help:"Show what a plan is parsed into."`
	New  planNewCmd  `cmd:"" help:"Write a new plan from the template."`
}

type planLintCmd struct {
	readFlags

	Paths []string `arg:"" name:"path" help:"The plans."`
}

// Help is the long help of the command.
func (*planLintCmd) Help() string {
	return `An error keeps a plan from running; a warning is likely a mistake that would go
unnoticed, such as text behind the last phase that becomes part of it.

EXIT STATUS
  0    no errors, perhaps warnings
  5    a plan has errors or can't be read`
}

// lintResult is what plan lint prints as JSON.
type lintResult struct {
	Format string       `json:"format"`
	Plans  []lintedPlan `json:"plans"`
}

type lintedPlan struct {
	Path     string        `json:"path"`
	Errors   []lintFinding `json:"errors"`
	Warnings []lintFinding `json:"warnings"`
}

type lintFinding struct {
	Code    string `json:"code"`
	Line    int    `json:"line"`
	Col     int    `json:"col"`
	Message string `json:"message"`
	Fix     string `json:"fix"`
}

// Run runs the command.
func (c *planLintCmd) Run(a *app, code *int) error {
	result := lintResult{Format: "ai-session-handler/plan-lint/1"}
	for _, path := range c.Paths {
		linted := lint(a.path(path))
		result.Plans = append(result.Plans, linted)
		if len(linted.Errors) > 0 {
			*code = exitInvalid
		}
	}
	if a.json {
		return a.JSON(result)
	}
	for _, p := range result.Plans {
		a.Result(p.text())
	}
	return nil
}

func lint(path string) lintedPlan {
	linted := lintedPlan{Path: path, Errors: []lintFinding{}, Warnings: []lintFinding{}}
	canonical, err := canonicalPlan(path)
	if err == nil {
		var s *plan.Snapshot
		if s, err = plan.Read(canonical); err == nil {
			linted.Warnings = findings(s.Lint(true))
			return linted
		}
	}
	var broken *plan.Error
	if !errors.As(err, &broken) {
		linted.Errors = []lintFinding{{Message: err.Error()}}
		return linted
	}
	linted.Errors, linted.Warnings = findings(broken.Problems), findings(broken.Lint(true))
	return linted
}

func canonicalPlan(path string) (string, error) {
	located, err := workspace.Locate(path)
	return located.Path, err
}

func findings(list []plan.Finding) []lintFinding {
	out := []lintFinding{}
	for _, f := range list {
		out = append(out, lintFinding{f.Code, f.Line, f.Col, f.Message, f.Fix})
	}
	return out
}

func (p lintedPlan) text() string {
	var lines []string
	for _, f := range p.Errors {
		lines = append(lines, "error["+f.Code+"]: "+f.text(p.Path))
	}
	for _, f := range p.Warnings {
		lines = append(lines, "warning["+f.Code+"]: "+f.text(p.Path))
	}
	if len(lines) == 0 {
		return p.Path + ": ok"
	}
	return strings.Join(lines, "\n")
}

func (f lintFinding) text(path string) string {
	text := path
	if f.Line > 0 {
		text = fmt.Sprintf("%s:%d:%d", path, f.Line, f.Col)
	}
	text += ": " + f.Message
	if f.Fix != "" {
		text += "\n  fix: " + f.Fix
	}
	return text
}

// formatFinding is a finding in one line.
func formatFinding(path string, f plan.Finding) string {
	return strings.ReplaceAll(lintFinding{f.Code, f.Line, f.Col, f.Message, f.Fix}.text(path), "\n ", ";")
}

type planShowCmd struct {
	readFlags

	Path  string `arg:"" help:"The plan."`
	Phase string `placeholder:"N" help:"Print the body of this phase only; with --json every byte of it."`
}

// Help is the long help of the command.
func (*planShowCmd) Help() string {
	return `EXIT STATUS
  0    the plan was shown
  5    the plan has errors or can't be read, or there is no such phase`
}

// shownPlan is what plan show prints as JSON.
type shownPlan struct {
	Format        string       `json:"format"`
	Path          string       `json:"path"`
	SHA256        string       `json:"sha256"`
	Bytes         int          `json:"bytes"`
	PreambleBytes int          `json:"preamble_bytes"`
	PlanWorkspace string       `json:"plan_workspace"`
	Phases        []shownPhase `json:"phases"`
}

type shownPhase struct {
	ID        string `json:"id"`
	Title     string `json:"title"`
	Line      int    `json:"line"`
	EndLine   int    `json:"end_line"`
	Bytes     int    `json:"bytes"`
	Workspace string `json:"workspace"`
	Body      string `json:"body,omitempty"`
}

// Run runs the command.
func (c *planShowCmd) Run(a *app) error {
	located, err := workspace.Locate(a.path(c.Path))
	if err != nil {
		return inputErrorf("%s: %v", c.Path, err)
	}
	s, err := plan.Read(located.Path)
	if err != nil {
		return err
	}
	phases := s.Phases
	if c.Phase != "" {
		p, ok := s.Phase("phase-" + strings.TrimPrefix(c.Phase, "phase-"))
		if !ok {
			return inputErrorf("%s has no phase %s\n  next: ai-session-handler plan show %s", located.Path, c.Phase, c.Path)
		}
		phases = []plan.Phase{p}
	}
	return c.show(a, located, s, phases)
}

func (c *planShowCmd) show(a *app, located workspace.Plan, s *plan.Snapshot, phases []plan.Phase) error {
	shown := shownPlan{
		Format: "ai-session-handler/plan-show/1", Path: s.Path, SHA256: s.SHA256, Bytes: len(s.Source),
		PreambleBytes: len(s.Preamble), PlanWorkspace: located.Root, Phases: []shownPhase{},
	}
	for _, p := range phases {
		sp := shownPhase{ID: p.ID, Title: p.Title, Line: p.Line, EndLine: p.EndLine, Bytes: len(p.Body), Workspace: p.Workspace}
		if c.Phase != "" {
			sp.Body = string(p.Body)
		}
		shown.Phases = append(shown.Phases, sp)
	}
	if a.json {
		return a.JSON(shown)
	}
	if c.Phase != "" {
		a.Result(string(phases[0].Body))
		return nil
	}
	a.Result(shown.text())
	return nil
}

func (p shownPlan) text() string {
	lines := []string{
		"plan:           " + p.Path,
		"plan workspace: " + p.PlanWorkspace,
		"sha256:         " + p.SHA256,
		fmt.Sprintf("bytes:          %d, %d of them preamble", p.Bytes, p.PreambleBytes),
		fmt.Sprintf("phases:         %d", len(p.Phases)),
	}
	for _, ph := range p.Phases {
		lines = append(lines, fmt.Sprintf("  %s  lines %d-%d, %d bytes, workspace %s  %s", ph.ID, ph.Line, ph.EndLine, ph.Bytes, ph.Workspace, ph.Title))
	}
	return strings.Join(lines, "\n")
}

type planNewCmd struct {
	Path   string `arg:"" help:"The file to write; it must not exist."`
	Title  string `default:"Plan" help:"The title of the plan."`
	Phases int    `default:"3" help:"How many phases to write, 1 to 1000."`
}

// Help is the long help of the command.
func (*planNewCmd) Help() string {
	return `EXIT STATUS
  0    the plan was written
  5    there is such a file already, or it can't be written`
}

// Run runs the command.
func (c *planNewCmd) Run(a *app) error {
	if c.Phases < 1 || c.Phases > 1000 {
		return inputErrorf("--phases %d: must be from 1 to 1000", c.Phases)
	}
	path := a.path(c.Path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return inputErrorf("%v", err)
	}
	_, err := writeNew(filepath.Dir(path), filepath.Base(path), plan.Template(c.Title, c.Phases))
	if errors.Is(err, fs.ErrExist) {
		return inputErrorf("%s exists already; nothing was written\n  next: choose another name, or look at it: ai-session-handler plan show %s", path, c.Path)
	}
	if err != nil {
		return err
	}
	a.Result("created " + path)
	a.Line("next: write down what each phase shall do, then: ai-session-handler plan lint " + c.Path)
	return nil
}
