package tokenizer

import (
	"bytes"
	"maps"
	"slices"
)

// trie finds the pieces at the start of a text, byte by byte. Nodes are numbered level by level, so
// that the children of a node are neighbours and nine bytes a node are enough. A lookup of every
// prefix in a Go map took three times as long.
type trie struct {
	first []int32    // the children of node n are first[n] to first[n+1]
	label []byte     // of node n: the byte that leads to it
	token []int32    // of node n: the piece that ends there, -1: none
	roots [256]int32 // the children of node 0 by byte
}

// newTrie returns a trie of the pieces with their ids.
func newTrie(pieces map[string]int32) *trie {
	sorted := slices.Sorted(maps.Keys(pieces))
	type node struct{ lo, hi, depth int } // range of the pieces through this node
	nodes := []node{{0, len(sorted), 0}}
	t := &trie{label: []byte{0}}
	for at := 0; at < len(nodes); at++ {
		n, token := nodes[at], int32(-1)
		if n.lo < n.hi && len(sorted[n.lo]) == n.depth {
			token = pieces[sorted[n.lo]]
			n.lo++
		}
		t.first, t.token = append(t.first, int32(len(nodes))), append(t.token, token)
		for n.lo < n.hi {
			label, end := sorted[n.lo][n.depth], n.lo+1
			for end < n.hi && sorted[end][n.depth] == label {
				end++
			}
			nodes = append(nodes, node{n.lo, end, n.depth + 1})
			t.label = append(t.label, label)
			n.lo = end
		}
	}
	t.first = append(t.first, int32(len(nodes)))
	for label := range t.roots {
		t.roots[label] = t.search(0, byte(label))
	}
	return t
}

// child returns the node that follows a node by a byte, -1: none. The root is node 0.
func (t *trie) child(node int32, label byte) int32 {
	if node == 0 {
		return t.roots[label]
	}
	return t.search(node, label)
}

// search is child without the table of the root.
func (t *trie) search(node int32, label byte) int32 {
	lo, hi := t.first[node], t.first[node+1]
	if hi-lo > 8 { // for fewer a call takes longer than the loop
		if at := bytes.IndexByte(t.label[lo:hi], label); at >= 0 {
			return lo + int32(at)
		}
		return -1
	}
	for at, l := range t.label[lo:hi] {
		if l == label {
			return lo + int32(at)
		}
	}
	return -1
}

// longest returns the id and byte length of the longest piece at the start of text; length 0 if
// there is none.
func (t *trie) longest(text string) (id int32, n int) {
	for at, node := 0, int32(0); at < len(text); {
		if node = t.child(node, text[at]); node < 0 {
			break
		}
		at++
		if t.token[node] >= 0 {
			id, n = t.token[node], at
		}
	}
	return id, n
}
