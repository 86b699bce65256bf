package diversity

import (
	"strings"

	"infbench/metrics/stats"
)

// NGrams counts the n-grams of one order over texts as text: the slow and simple reference
// for Texts. No n-gram spans two texts.
type NGrams struct {
	order  int
	total  int
	counts map[string]int
}

// NewNGrams counts n-grams of this order, 1 or more.
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

// Order returns n.
func (g *NGrams) Order() int { return g.order }

// Total returns the number of n-grams.
func (g *NGrams) Total() int { return g.total }

// Types returns the number of distinct n-grams.
func (g *NGrams) Types() int { return len(g.counts) }

func (g *NGrams) frequencies() *frequencies {
	f := &frequencies{byCount: make(map[int]int)}
	for _, c := range g.counts {
		f.add(c)
	}
	return f
}

// grams yields the n-grams of tokens as text; tokens contain no space.
func grams(tokens []string, order int) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for i := 0; i+order <= len(tokens); i++ {
			if !yield(strings.Join(tokens[i:i+order], " ")) {
				return
			}
		}
	}
}

// Value returns the value for the counted n-grams; it is undefined if there are none or the
// formula divides by zero.
func (v Variant) Value(g *NGrams) stats.Number { return v.ofFrequencies(g.frequencies()) }
