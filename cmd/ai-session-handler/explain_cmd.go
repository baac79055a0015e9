package main

import (
	"fmt"
	"strings"

	"github.com/ai-session-handler/ai-session-handler/engine/plan"
	"github.com/ai-session-handler/ai-session-handler/schema/codes"
	"github.com/ai-session-handler/ai-session-handler/schema/suggest"
)

type explainCmd struct {
	readFlags

	Code string `arg:"" help:"A code, for example E304 of a manifest or P603 of a plan."`
}

// Help is the long help of the command.
func (*explainCmd) Help() string {
	return `Says what a code of validate or plan lint means and what to do about it. All of
them are in docs/errors.md and docs/plan-format.md.

EXIT STATUS
  0    explained
  5    there is no such code`
}

// explanation is what explain prints as JSON.
type explanation struct {
	Format      string `json:"format"`
	Code        string `json:"code"`
	Level       string `json:"level"`
	Title       string `json:"title"`
	Explanation string `json:"explanation"`
	Wrong       string `json:"wrong"` // a manifest with the mistake, empty where none can show it
	Right       string `json:"right"`
}

// Run runs the command.
func (c *explainCmd) Run(a *app) error {
	e, ok := explainCode(strings.ToUpper(strings.TrimSpace(c.Code)))
	if !ok {
		return unknownCode(c.Code)
	}
	if a.json {
		return a.JSON(e)
	}
	a.Result(e.text())
	return nil
}

func explainCode(id string) (e explanation, ok bool) {
	e = explanation{Format: "ai-session-handler/explain/1", Code: id}
	if known, ok := codes.Lookup(id); ok {
		e.Level, e.Title, e.Explanation = known.Level.String(), known.Title, known.Explanation
		e.Wrong, e.Right = known.Wrong, known.Right
		return e, true
	}
	for _, rule := range plan.Rules() {
		if rule.Code == id {
			e.Level, e.Title, e.Explanation = "plan", rule.Title, rule.Explanation
			return e, true
		}
	}
	return e, false
}

// allCodes are those of manifests, then those of plans.
func allCodes() (all []string) {
	for _, known := range codes.All() {
		all = append(all, known.ID)
	}
	for _, rule := range plan.Rules() {
		all = append(all, rule.Code)
	}
	return all
}

func unknownCode(given string) error {
	next := "codes look like E304, W601 or P603"
	if close, ok := suggest.Closest(given, allCodes()); ok {
		next = "did you mean " + close + "?"
	}
	return inputErrorf("there is no code %q\n  next: %s", given, next)
}

// indentedBlock leaves empty lines empty.
func indentedBlock(text string) (block string) {
	for line := range strings.Lines(strings.TrimRight(text, "\n") + "\n") {
		if line != "\n" {
			line = "    " + line
		}
		block += line
	}
	return block
}

func (e explanation) text() string {
	text := fmt.Sprintf("%s: %s (%s)\n\n%s\n", e.Code, e.Title, e.Level, e.Explanation)
	for _, example := range []struct{ name, text string }{{"wrong", e.Wrong}, {"right", e.Right}} {
		if example.text != "" {
			text += "\n" + example.name + ":\n\n" + indentedBlock(example.text)
		}
	}
	return text
}
