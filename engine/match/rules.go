package match

import (
	"errors"
	"fmt"
)

const (
	// MaxRules is how many rules there may be.
	MaxRules = 16
	// MaxInstructions is how large the program of a rule may be, as package
	// regexp/syntax compiles it: about one for each character or class of the
	// expression, times its repetitions.
	MaxInstructions = 2000
)

// Rules are compiled stop rules, in the order in which they were given. They
// don't change, and are safe for concurrent use. A nil *Rules never matches.
type Rules struct {
	programs []*program
}

// A RuleError is what is wrong with one rule.
type RuleError struct {
	Rule   int    // its place in the list, from 0
	Expr   string // as it was given
	Reason string // a clause in plain words, with what to write instead where that is known
}

// Error names the rule by its place counted from 1.
func (e *RuleError) Error() string {
	return fmt.Sprintf("stop rule %d, %s: %s", e.Rule+1, quote(e.Expr), e.Reason)
}

// Compile compiles exprs, which are in the syntax of package regexp. No
// expression at all gives Rules that never match.
//
// The error joins everything that is wrong: more than [MaxRules] rules, and for
// each bad rule a [RuleError]. A rule is bad when regexp refuses it, when it is
// larger than [MaxInstructions], or when it matches the empty text, because
// then it would stop every attempt before anything is printed.
func Compile(exprs []string) (*Rules, error) {
	var problems []error
	if len(exprs) > MaxRules {
		problems = append(problems, fmt.Errorf("%d stop rules, of which there may be at most %d: join some with |", len(exprs), MaxRules))
	}
	rules := &Rules{}
	for i, expr := range exprs {
		p, err := newProgram(expr)
		if err != nil {
			problems = append(problems, &RuleError{Rule: i, Expr: expr, Reason: err.Error()})
			continue
		}
		rules.programs = append(rules.programs, p)
	}
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	return rules, nil
}

// Len returns the number of rules.
func (r *Rules) Len() int { return len(r.list()) }

func (r *Rules) list() []*program {
	if r == nil {
		return nil
	}
	return r.programs
}
