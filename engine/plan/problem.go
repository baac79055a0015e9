package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Problem is one thing that is wrong with a plan, or one finding of a lint.
// See docs/plan-format.md, "Errors" and "Lint".
type Problem struct {
	Code    string // of a Rule
	Line    int    // 1-based; 0 when the problem has no position
	Col     int    // 1-based, in characters, a BOM not counted; 0 with Line 0
	Message string // one line, without position and without a full stop
	Fix     string // what to do, one or more lines; may be empty
}

// Finding is a Problem that does not keep a plan from running.
type Finding = Problem

// Error holds every problem of one plan, in order of position. It is the only
// type of error that Read and Parse return; the command line ends with exit
// code 5. See docs/plan-format.md, "Errors".
type Error struct {
	Path     string // as given to Read or Parse
	Problems []Problem

	doc   *document // nil when the text could not be parsed
	cause error     // of the operating system, when reading failed
}

// maxPrinted bounds the problems that Error prints, so that the first ones stay
// in sight.
const maxPrinted = 50

// Error returns a line "file:line:col: message" for each problem, followed by
// its fix on indented lines. Behind the first 50 it only counts.
func (e *Error) Error() string {
	var b strings.Builder
	for i, p := range e.Problems[:min(len(e.Problems), maxPrinted)] {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(e.Path)
		if p.Line > 0 {
			fmt.Fprintf(&b, ":%d:%d", p.Line, p.Col)
		}
		b.WriteString(": " + p.Message)
		if p.Fix != "" {
			b.WriteString("\n    " + strings.ReplaceAll(p.Fix, "\n", "\n    "))
		}
	}
	if more := len(e.Problems) - maxPrinted; more > 0 {
		fmt.Fprintf(&b, "\nand %d more", more)
	}
	return b.String()
}

// Unwrap returns the error of the operating system when the plan could not be
// read, so that errors.Is(err, fs.ErrNotExist) holds for a missing plan.
func (e *Error) Unwrap() error { return e.cause }

// Lint returns what can be found in a plan that has errors, as Snapshot.Lint
// does for one without. There is nothing when the plan could not be read as
// text.
func (e *Error) Lint(strict bool) []Finding {
	if e.doc == nil {
		return nil
	}
	return e.doc.lint(strict)
}

// problem is at the byte at offset.
func (d *document) problem(code string, offset int, message, fix string) Problem {
	return Problem{code, d.lines.number(offset), d.lines.column(offset), message, fix}
}

// problemAt is at the first character of a line that is no white space.
func (d *document) problemAt(code string, line int, message, fix string) Problem {
	text := d.lines.text(line)
	skip := len(text) - len(strings.TrimLeft(string(text), " \t"))
	return d.problem(code, d.lines.start(line)+skip, message, fix)
}

func sortProblems(problems []Problem) {
	slices.SortStableFunc(problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col), strings.Compare(a.Code, b.Code))
	})
}

// maxQuoted is how many characters of the source a message repeats.
const maxQuoted = 72

// quote makes source text fit for a message: one line, no control characters,
// not too long.
func quote[T string | []byte](text T) string {
	s := strings.TrimSpace(string(text))
	if len(s) > maxQuoted {
		if r := []rune(s[:min(len(s), 4*maxQuoted+4)]); len(r) > maxQuoted {
			s = string(r[:maxQuoted]) + "…"
		}
	}
	return strings.ReplaceAll(strconv.Quote(s), `\"`, `"`)
}

// maxDigits is how many digits of a phase number a message repeats.
const maxDigits = 40

// brief returns a phase number for a message.
func brief(number string) string {
	if len(number) <= maxDigits {
		return number
	}
	return number[:maxDigits] + "…"
}

// maxListed bounds the lines that one message names.
const maxListed = 50

// lineList returns "line 3", or "lines 3, 9 and 12".
func lineList(numbers []int) string {
	if len(numbers) == 1 {
		return "line " + strconv.Itoa(numbers[0])
	}
	shown := make([]string, 0, min(len(numbers), maxListed))
	for _, n := range numbers[:cap(shown)] {
		shown = append(shown, strconv.Itoa(n))
	}
	if more := len(numbers) - len(shown); more > 0 {
		return fmt.Sprintf("lines %s and %d more", strings.Join(shown, ", "), more)
	}
	last := len(shown) - 1
	return "lines " + strings.Join(shown[:last], ", ") + " and " + shown[last]
}

// phaseList returns "phase 3 (line 9)", or "phases 1–3 and 7 (lines 3, 9, 12
// and 30)".
func phaseList(sections []section) string {
	numbers := make([]int, 0, len(sections))
	for _, s := range sections {
		numbers = append(numbers, s.Line)
	}
	ranges := numberRanges(sections)
	name := "phases "
	if len(sections) == 1 {
		name = "phase "
	}
	return fmt.Sprintf("%s%s (%s)", name, strings.Join(ranges, ", "), lineList(numbers))
}

func numberRanges(sections []section) []string {
	var ranges []string
	for i := 0; i < len(sections); i++ {
		first := i
		for i+1 < len(sections) && sections[i+1].Number == successor(sections[i].Number) {
			i++
		}
		if len(ranges) == maxListed {
			return append(ranges, "…")
		}
		if first == i {
			ranges = append(ranges, brief(sections[i].Number))
		} else {
			ranges = append(ranges, brief(sections[first].Number)+"–"+brief(sections[i].Number))
		}
	}
	return ranges
}

// many returns "1 line" or "3 lines".
func many(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
