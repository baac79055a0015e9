package main

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// line is one line of the table; what is empty is not known or not asked for.
type line struct {
	what      string
	figure    string
	spread    string // of the figure, from the least to the most
	reference string // and what it is of
	ratio     string // of figure and reference
	target    string
	verdict   verdict
}

// verdict says whether a target is met; it is empty where there is none.
type verdict string

const (
	met     verdict = "met"
	inDoubt verdict = "in doubt" // on a machine that does nothing else it may be
	missed  verdict = "MISSED"
)

// judge takes whether the figure and whether the best of its runs meet a target.
func judge(figure, best bool) verdict {
	switch {
	case figure:
		return met
	case best:
		return inDoubt
	}
	return missed
}

type table struct {
	text strings.Builder
	tabs *tabwriter.Writer
}

func newTable() *table {
	t := &table{}
	t.tabs = tabwriter.NewWriter(&t.text, 0, 0, 2, ' ', 0)
	t.add(line{what: "what", figure: "figure", spread: "min–max", reference: "reference", ratio: "ratio", target: "target"})
	return t
}

func (t *table) add(lines ...line) {
	for _, l := range lines {
		cells := []string{l.what, l.figure, l.spread, l.reference, l.ratio, l.target, string(l.verdict)}
		fmt.Fprintln(t.tabs, strings.Join(cells, "\t"))
	}
}

func (t *table) String() string {
	_ = t.tabs.Flush() // to memory
	return t.text.String()
}
