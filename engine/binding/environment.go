package binding

import (
	"maps"
	"slices"
	"strings"
)

// Apply returns what of an environment a worker gets, and what else. The entries
// are NAME=value, as of os.Environ.
func (e Environment) Apply(environ []string) []string {
	var passed, set []string
	for _, entry := range environ {
		if e.passes(nameOf(entry)) {
			passed = append(passed, entry)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(e.Set)) {
		set = append(set, name+"="+e.Set[name])
	}
	return With(passed, set)
}

func (e Environment) passes(name string) bool {
	if matchesAny(e.Unset, name) {
		return false
	}
	return !e.Restrict || matchesAny(e.Pass, name) || slices.Contains(e.Secret, name)
}

// With returns an environment with entries on top; it takes out what they replace.
func With(environ, entries []string) []string {
	kept := slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		return slices.ContainsFunc(entries, func(other string) bool { return nameOf(other) == nameOf(entry) })
	})
	return append(kept, entries...)
}

// nameOf is the part of an environment entry before its first equals sign.
func nameOf(entry string) string {
	name, _, _ := strings.Cut(entry, "=")
	return name
}

func matchesAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool { return matches([]rune(pattern), []rune(name)) })
}

// matches holds when a pattern covers all of a name: * stands for any text, ?
// for one character, and everything else for itself. It goes back to the last *
// only, so it never takes longer than the product of the two lengths.
func matches(pattern, name []rune) bool {
	star, tried := -1, 0 // the last *, and how much of the name it stands for so far ends here
	p, n := 0, 0
	for n < len(name) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, tried = p, n
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == name[n]):
			p, n = p+1, n+1
		case star >= 0:
			tried++
			p, n = star+1, tried
		default:
			return false
		}
	}
	return strings.Trim(string(pattern[p:]), "*") == ""
}
