// Package suggest finds what somebody who misspelled a name may have meant. It
// owns the one measure of "close" that every "did you mean" goes by, and knows
// nothing of what the names are.
package suggest

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
)

// maxLength bounds names that are looked at, in bytes: the work for a pair grows
// with the product of their lengths, and nobody means a name that long.
const maxLength = 128

// Closest returns the name of among that is closest to name. Letter case does
// not count. Close are names that differ in at most two characters, or in a
// third of name's, and that have something in common. Of several that are
// equally close the first in the order of bytes is returned, whatever the order
// of among. The work is that of a comparison for each name of among whose length
// is close.
func Closest(name string, among []string) (string, bool) {
	if all := All(name, among); len(all) > 0 {
		return all[0], true
	}
	return "", false
}

// All returns, sorted, every name of among that is as close to name as Closest's.
func All(name string, among []string) []string {
	if len(name) > maxLength {
		return nil
	}
	var all []string
	distance := limit(name)
	for _, known := range among {
		d := distanceBelow(name, known, distance+1)
		if d < distance {
			all, distance = nil, d
		}
		if d == distance {
			all = append(all, known)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// limit is how many characters a name may differ from name in.
func limit(name string) int { return max(2, utf8.RuneCountInString(name)/3) }

// distanceBelow returns the distance of two names, or bound where it is not
// below bound or the names have nothing in common.
func distanceBelow(name, known string, bound int) int {
	short, long := utf8.RuneCountInString(name), utf8.RuneCountInString(known)
	if short > long {
		short, long = long, short
	}
	if short == 0 || len(known) > maxLength || long-short >= bound {
		return bound
	}
	if d := levenshtein.ComputeDistance(strings.ToLower(name), strings.ToLower(known)); d < long {
		return min(d, bound)
	}
	return bound
}
