package manifest

import (
	"fmt"
	"strings"

	"github.com/ai-session-handler/ai-session-handler/manifest/problem"
)

// cycles returns cycles of a graph, each beginning with the node at which a walk
// in the order of nodes and edges enters it. They share no nodes, so all of them
// together are no longer than the graph; of cycles that do it finds at least one,
// so that mending what was reported gets on.
func cycles[N comparable](nodes []N, edges func(N) []N) [][]N {
	w := &walk[N]{edges: edges, state: make(map[N]visit, len(nodes)), place: map[N]int{}}
	for _, start := range nodes {
		if w.state[start] == unseen {
			w.from(start)
		}
	}
	return w.found
}

type visit int

const (
	unseen visit = iota
	open         // on the path
	done
)

// walk keeps its path in a list of its own: a recursion could be as deep as a
// hostile manifest is long.
type walk[N comparable] struct {
	edges func(N) []N
	state map[N]visit
	place map[N]int // of the open nodes on the path
	path  []step[N]
	found [][]N
}

type step[N comparable] struct {
	node  N
	left  []N // edges not yet followed
	taken int // how much of the path ends with a node of a cycle that was found
}

func (w *walk[N]) from(start N) {
	w.enter(start)
	for len(w.path) > 0 {
		top := &w.path[len(w.path)-1]
		if len(top.left) == 0 {
			w.state[top.node] = done
			w.path = w.path[:len(w.path)-1]
			continue
		}
		to := top.left[0]
		top.left = top.left[1:]
		switch w.state[to] {
		case open:
			w.close(w.place[to])
		case unseen:
			w.enter(to)
		}
	}
}

func (w *walk[N]) enter(node N) {
	taken := 0
	if len(w.path) > 0 {
		taken = w.path[len(w.path)-1].taken
	}
	w.state[node], w.place[node] = open, len(w.path)
	w.path = append(w.path, step[N]{node, w.edges(node), taken})
}

// close notes the end of the path as a cycle, unless it has nodes of another.
func (w *walk[N]) close(first int) {
	if w.path[len(w.path)-1].taken > first {
		return
	}
	var cycle []N
	for i := first; i < len(w.path); i++ {
		cycle = append(cycle, w.path[i].node)
		w.path[i].taken = i + 1
	}
	w.found = append(w.found, cycle)
}

// maxCycle bounds how many members of a cycle are named.
const maxCycle = 32

// reportCycle reports a cycle at the place where its first member names the next
// one. what says it of one member and of several.
func (b *builder) reportCycle(code, hint string, what []string, names []string, at func(member int) problem.Range) {
	p := problem.New(code, at(0), hint, "%s: %s", what[min(len(names), 2)-1], cyclePath(names))
	for i := 1; i < min(len(names), maxCycle); i++ {
		next := names[(i+1)%len(names)]
		p.Related = append(p.Related, problem.Related{Range: at(i), Message: names[i] + " → " + next})
	}
	b.problems = append(b.problems, p)
}

// cyclePath shows a cycle, of which the end is left out where it is long.
func cyclePath(names []string) string {
	if more := len(names) - maxCycle; more > 0 {
		names = append(names[:maxCycle:maxCycle], fmt.Sprintf("(%d more)", more))
	}
	return strings.Join(append(names[:len(names):len(names)], names[0]), " → ")
}
