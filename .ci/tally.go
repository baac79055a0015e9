// Command tally runs a command that runs `go test -json` somewhere inside, shows
// what a person wants to see of it, and ends with one line that counts the tests:
//
//	812 passed, 0 failed, 3 skipped
//
// Lines that aren't test events (make, linters, the compiler) are shown as they
// come. Of the events it shows the verdict of each package, the whole output of
// failed tests, and the reasons of skipped ones. Subtests count as tests; a
// package that fails without a failing test counts as one failure, and so does a
// command that fails though every test passed.
//
// It exits 1 when anything failed.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: tally COMMAND [ARGUMENT…]")
		os.Exit(2)
	}
	t := newTally(os.Stdout)
	if err := t.run(os.Args[1], os.Args[2:]...); err != nil {
		fmt.Fprintf(t.out, "tally: %s: %v\n", strings.Join(os.Args[1:], " "), err)
		// Where a test failed, that is why. Otherwise something else was: a linter.
		t.failed = max(t.failed, 1)
	}
	fmt.Fprintln(t.out, t)
	if t.failed > 0 {
		os.Exit(1)
	}
}

// An event is a line of `go test -json`, as `go doc test2json` describes it.
type event struct {
	Action     string
	Package    string
	ImportPath string // of a build
	Test       string // empty for the package as a whole
	Output     string
}

type testName struct{ pkg, test string }

type tally struct {
	out                     io.Writer
	passed, failed, skipped int
	output                  map[testName]*bytes.Buffer // of tests that still run
	failedIn                map[string]int             // failed tests by package
}

func newTally(out io.Writer) *tally {
	return &tally{out: out, output: map[testName]*bytes.Buffer{}, failedIn: map[string]int{}}
}

func (t *tally) String() string {
	s := fmt.Sprintf("%d passed, %d failed", t.passed, t.failed)
	if t.skipped > 0 {
		s += fmt.Sprintf(", %d skipped", t.skipped)
	}
	return s
}

// run counts what the command prints, both streams as one.
func (t *tally) run(name string, args ...string) error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	cmd := exec.Command(name, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, w, w
	err = errors.Join(cmd.Start(), w.Close())
	if err != nil {
		return err
	}
	return errors.Join(t.read(r), cmd.Wait())
}

func (t *tally) read(r io.Reader) error {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF && len(line) > 0 {
			line = append(line, '\n') // or our last line wouldn't be one
		}
		t.line(line)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (t *tally) line(line []byte) {
	var e event
	if !bytes.HasPrefix(line, []byte(`{"`)) || json.Unmarshal(line, &e) != nil || e.Action == "" {
		_, _ = t.out.Write(line)
		return
	}
	switch {
	case e.Test != "":
		t.test(e)
	case e.Action == "output", e.Action == "build-output":
		t.packageOutput(e)
	case e.Action == "fail":
		if t.failedIn[e.Package] == 0 {
			t.failed++
		}
		t.flush(e.Package)
	}
}

// packageOutput shows what belongs to no test: "ok …", "FAIL …", compile errors.
func (t *tally) packageOutput(e event) {
	if e.Output != "PASS\n" && e.Output != "FAIL\n" {
		fmt.Fprint(t.out, e.Output)
	}
}

func (t *tally) test(e event) {
	name := testName{e.Package, e.Test}
	out := t.output[name]
	if out == nil {
		out = &bytes.Buffer{}
		t.output[name] = out
	}
	switch e.Action {
	case "output":
		if !strings.HasPrefix(e.Output, "=== ") {
			out.WriteString(e.Output)
		}
		return
	case "pass":
		t.passed++
	case "fail":
		t.failed++
		t.failedIn[e.Package]++
		_, _ = t.out.Write(out.Bytes())
	case "skip":
		t.skipped++
		_, _ = t.out.Write(out.Bytes())
	default: // run, pause, cont
		return
	}
	delete(t.output, name)
}

// flush shows the output of the tests that a failed package never finished.
func (t *tally) flush(pkg string) {
	for name, out := range t.output {
		if name.pkg == pkg {
			_, _ = t.out.Write(out.Bytes())
			delete(t.output, name)
		}
	}
}
