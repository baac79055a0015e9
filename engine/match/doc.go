// Package match searches a worker's output for stop rules while it arrives:
// regular expressions in RE2 syntax, each of which ends an attempt when it
// matches.
//
// A rule means what it means to package regexp. The history is all bytes
// written so far; a [Matcher] hits at the end of the first Write at which
// regexp.MustCompile(expr).Match(history) holds for some rule. So an expression
// may match across any number of Writes, as (?s)A.*B does, and the end of each
// Write counts as the end of the text, so that "Password: $" is seen when the
// worker then falls silent. Inside what one Write brings, $ and \z match
// nothing; a match that does not depend on the end can't be undone by what
// follows, so it counts wherever it lies.
//
// Every byte that is no UTF-8 counts as U+FFFD. So do the bytes of a character
// that the end of a Write cuts, but only for the question asked there: the next
// Write joins them again.
//
// # How
//
// Each rule becomes a deterministic automaton whose states are made when the
// text first needs them (a lazy DFA), over classes of characters that the rule
// does not tell apart, so that a byte costs one table look-up however large the
// Unicode classes are. While nothing of a rule has been seen and all its matches
// begin with the same literal, only that literal is searched for.
//
// Some rules need more states than there is room for. A full cache is emptied;
// when it fills up again within few bytes, the rule is simulated thread by
// thread for a while, which takes time in proportion to its instructions, but
// never a new state. Time is linear in the volume in every case.
//
// # Memory
//
// What a Matcher holds does not depend on the volume: the states of all rules
// fill at most 8 MiB, those of one at most 1 MiB (and up to half as much again,
// which slices hold in reserve), and simulating takes about 40 bytes for each
// instruction of a rule. In the steady state a Write allocates nothing.
//
// The package never decides what a hit means, and keeps no text.
package match
