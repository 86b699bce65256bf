package diversity

import (
	"strings"

	"infbench/metrics/stats"
)

// NGrams counts the n-grams of one order over texts as text, which is slow and plain:
// Texts is held to it. None crosses from one text to the next.
type NGrams struct {
	order  int
	total  int
	counts map[string]int
}

// NewNGrams counts n-grams of that order, 1 or more.
func NewNGrams(order int) *NGrams {
	return &NGrams{order: order, counts: make(map[string]int)}
}

// Add counts the n-grams of one text's tokens.
func (g *NGrams) Add(tokens []string) {
	for gram := range grams(tokens, g.order) {
		g.counts[gram]++
		g.total++
	}
}

// Order is n.
func (g *NGrams) Order() int { return g.order }

// Total is the number of n-grams, Types of distinct ones.
func (g *NGrams) Total() int { return g.total }

// Types is the number of distinct n-grams.
func (g *NGrams) Types() int { return len(g.counts) }

func (g *NGrams) frequencies() *frequencies {
	f := &frequencies{byCount: make(map[int]int)}
	for _, c := range g.counts {
		f.add(c)
	}
	return f
}

// grams yields the n-grams of tokens as text, tokens holding no space.
func grams(tokens []string, order int) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for i := 0; i+order <= len(tokens); i++ {
			if !yield(strings.Join(tokens[i:i+order], " ")) {
				return
			}
		}
	}
}

// Of returns the value for the counted n-grams; it is undefined where there are
// none, or the formula divides by zero.
func (v Variant) Of(g *NGrams) stats.Number { return v.ofFrequencies(g.frequencies()) }
