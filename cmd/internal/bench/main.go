// Command bench measures how fast ai-session-handler is, next to what the same
// machine needs at the same time for the work that can't be avoided.
//
//	go run ./cmd/internal/bench [-row ROW] [-runs N] [-dir DIR]
//
// It builds everything it measures, works in a directory that it removes, and
// prints a table; progress goes to standard error. docs/performance.md explains
// the rows. A missed target is no failure of the command: no test depends on the
// speed of a machine.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
)

// A row measures one thing and gives one or more lines of the table.
type row struct {
	name    string
	measure func(*lab) ([]line, error)
}

func rows() []row {
	return []row{
		{"start", measureStart},
		{"phase", measurePhases},
		{"transcript", measureTranscript},
		{"stop", measureStop},
		{"secret", measureSecret},
		{"memory", measureMemory},
		{"parse", measureParse},
		{"manifest", measureManifest},
	}
}

func main() {
	names := flag.String("row", "", "the rows to measure, separated by commas: "+strings.Join(rowNames(), ", ")+"; default: all")
	runs := flag.Int("runs", 5, "how often each command with a lot of output is measured; quick ones eight times as often")
	dir := flag.String("dir", os.TempDir(), "where to work: the disk that is measured")
	flag.Parse()
	if err := run(*names, *runs, *dir); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func rowNames() []string {
	var names []string
	for _, r := range rows() {
		names = append(names, r.name)
	}
	return names
}

func run(names string, runs int, dir string) (err error) {
	chosen, err := choose(names)
	if err != nil {
		return err
	}
	l, err := newLab(dir, runs)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.close()) }()
	fmt.Println(machine(l.dir))
	t := newTable()
	for _, r := range chosen {
		progress("measuring %s", r.name)
		lines, err := r.measure(l)
		if err != nil {
			return fmt.Errorf("row %s: %w", r.name, err)
		}
		t.add(lines...)
	}
	fmt.Print(t)
	fmt.Println(load())
	return nil
}

func choose(names string) ([]row, error) {
	if names == "" {
		return rows(), nil
	}
	var chosen []row
	for _, name := range strings.Split(names, ",") {
		i := slices.Index(rowNames(), name)
		if i < 0 {
			return nil, fmt.Errorf("no row %q; there are %s", name, strings.Join(rowNames(), ", "))
		}
		chosen = append(chosen, rows()[i])
	}
	return chosen, nil
}

func progress(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+" …\n", args...)
}
