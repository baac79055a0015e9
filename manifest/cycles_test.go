package manifest

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestCycles(t *testing.T) {
	for _, test := range []struct {
		edges map[string]string // to each letter of the value
		want  []string
	}{
		{map[string]string{"a": "b", "b": "c"}, nil},
		{map[string]string{"a": "a"}, []string{"a"}},
		{map[string]string{"a": "b", "b": "c", "c": "a"}, []string{"abc"}},
		{map[string]string{"a": "b", "b": "c", "c": "b"}, []string{"bc"}},
		{map[string]string{"a": "b", "b": "a", "c": "d", "d": "c"}, []string{"ab", "cd"}},
		{map[string]string{"a": "bc", "b": "d", "c": "d"}, nil},
		{map[string]string{"a": "b", "b": "ac", "c": "a"}, []string{"ab"}},
		{map[string]string{"a": "bc", "b": "b", "c": "ca"}, []string{"b", "c"}},
	} {
		var got []string
		for _, cycle := range cycles([]string{"a", "b", "c", "d"}, func(n string) []string { return split(test.edges[n]) }) {
			got = append(got, strings.Join(cycle, ""))
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%v:\n%s", test.edges, diff)
		}
	}
}

func split(letters string) []string {
	if letters == "" {
		return nil
	}
	return strings.Split(letters, "")
}

// TestCyclesOfAnyGraph holds what is found against a search that is simple and
// slow: each is a cycle, no two share a node, and none is found only where there
// is none.
func TestCyclesOfAnyGraph(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		count := rapid.IntRange(1, 8).Draw(t, "nodes")
		node := rapid.IntRange(0, count-1)
		edges := make([][]int, count)
		nodes := make([]int, count)
		for i := range nodes {
			nodes[i], edges[i] = i, rapid.SliceOfN(node, 0, 3).Draw(t, "edges")
		}
		found := cycles(nodes, func(n int) []int { return edges[n] })
		seen := map[int]bool{}
		for _, cycle := range found {
			for i, n := range cycle {
				if seen[n] || !slices.Contains(edges[n], cycle[(i+1)%len(cycle)]) {
					t.Fatalf("%v: %v", edges, found)
				}
				seen[n] = true
			}
		}
		if (len(found) > 0) != isCyclic(edges) {
			t.Fatalf("%v: %v", edges, found)
		}
	})
}

// isCyclic takes away nodes that lead nowhere until there are none.
func isCyclic(edges [][]int) bool {
	gone := make([]bool, len(edges))
	for range edges {
		for n, to := range edges {
			gone[n] = !slices.ContainsFunc(to, func(m int) bool { return !gone[m] })
		}
	}
	return slices.Contains(gone, false)
}

func TestLongCyclesAreCut(t *testing.T) {
	names := make([]string, 40)
	for i := range names {
		names[i] = "x"
	}
	if got := cyclePath(names); !strings.HasSuffix(got, " → (8 more) → x") || strings.Count(got, "→") != 33 {
		t.Error(got)
	}
}
