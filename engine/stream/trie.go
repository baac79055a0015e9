package stream

// root is the node of the empty text, which is where a trie begins. No node has
// it as a child, so it stands for "none" too.
const root = 0

// maxWindow is how many bytes at the beginning of a value are looked at to find
// where one may begin. More make a longer step, and more bytes behind the last
// step that are looked at one by one.
const maxWindow = 32

// trie is the automaton of Aho and Corasick: a tree in which each text that is
// the beginning of a value is a node, with a link from each node to that of the
// longest shorter text that its own ends with.
type trie struct {
	nodes  []node
	first  [256]int32 // the children of the root by their byte
	window int        // in bytes: the shortest value, up to maxWindow
	// steps has for the last two bytes of a window, the first of them in the upper
	// half, how far on the next one is that may be the beginning of a value.
	steps [1 << 16]uint8
}

// node is a text that is the beginning of at least one value.
type node struct {
	fail    int32 // the node of the longest proper suffix that has one
	match   int32 // the node of the longest value that this text ends with
	child   int32
	sibling int32
	depth   int32 // the length of the text in bytes
	value   int32 // index of the value that is this text, else of the first that begins so
	last    byte  // of the text
}

// newTrie returns the trie of values, which are different, have at least two
// bytes each, and fewer together than an int32 can count.
func newTrie(values []value) *trie {
	size := 1
	for _, v := range values {
		size += len(v.text)
	}
	t := &trie{nodes: make([]node, 1, size), window: maxWindow}
	for i, v := range values {
		t.insert(v.text, int32(i))
		t.window = min(t.window, len(v.text))
	}
	t.link()
	t.measure(values)
	return t
}

func (t *trie) insert(text []byte, index int32) {
	at := int32(root)
	for _, c := range text {
		next := t.child(at, c)
		if next == root {
			next = t.add(at, c, index)
		}
		at = next
	}
	t.nodes[at].match, t.nodes[at].value = at, index
}

func (t *trie) add(parent int32, c byte, index int32) int32 {
	n := int32(len(t.nodes))
	up := &t.nodes[parent]
	added := node{sibling: up.child, depth: up.depth + 1, value: index, last: c}
	up.child = n
	if parent == root {
		t.first[c] = n
	}
	t.nodes = append(t.nodes, added)
	return n
}

// child returns the node of the text of a node and c, root if there is none.
func (t *trie) child(at int32, c byte) int32 {
	if at == root {
		return t.first[c]
	}
	next := t.nodes[at].child
	for next != root && t.nodes[next].last != c {
		next = t.nodes[next].sibling
	}
	return next
}

// follow returns the node of the longest text that the text of a node and c
// end with.
func (t *trie) follow(at int32, c byte) int32 {
	next := t.child(at, c)
	for next == root && at != root {
		at = t.nodes[at].fail
		next = t.child(at, c)
	}
	return next
}

// link sets the links of all nodes, those of shorter texts first.
func (t *trie) link() {
	queue := make([]int32, 1, len(t.nodes))
	queue[0] = root
	for i := 0; i < len(queue); i++ {
		at := queue[i]
		for n := t.nodes[at].child; n != root; n = t.nodes[n].sibling {
			next := &t.nodes[n]
			if at != root {
				next.fail = t.follow(t.nodes[at].fail, next.last)
			}
			if next.match == root {
				next.match = t.nodes[next.fail].match
			}
			queue = append(queue, n)
		}
	}
}

// measure sets the steps.
func (t *trie) measure(values []value) {
	for i := range t.steps {
		t.steps[i] = uint8(t.window - 1)
	}
	for _, v := range values {
		for end := 2; end <= t.window; end++ {
			step := &t.steps[pair(v.text, end)]
			*step = min(*step, uint8(t.window-end))
		}
	}
}

// pair is the index in steps of the two bytes before end.
func pair(text []byte, end int) int { return int(text[end-2])<<8 | int(text[end-1]) }

// skip returns the first index from i on where a value may begin in p, len(p) if
// there is none.
func (t *trie) skip(p []byte, i int) int {
	for i < len(p) {
		step := 0
		if end := i + t.window; end <= len(p) {
			step = int(t.steps[pair(p, end)])
		}
		if step == 0 {
			if t.first[p[i]] != root {
				break
			}
			step = 1
		}
		i += step
	}
	return i
}
