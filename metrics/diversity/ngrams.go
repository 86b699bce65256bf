package diversity

import (
	"math"
	"strings"

	"infbench/metrics/nearest"
	"infbench/metrics/stats"
)

// NGrams counts the n-grams of one order over texts; none crosses from one text
// to the next. Its memory is the distinct n-grams.
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

// Variant is one definition of inter-sample n-gram frequency. The paper gives no
// formula and the public ones contradict each other, so values of two variants
// must never be compared, nor values of sets of different size.
type Variant struct {
	Name   string
	Higher bool // whether higher means more diverse
	About  string
	most   float64                      // that it can be
	of     func(f *frequencies) float64 // NaN where undefined; f holds at least one n-gram
}

// Of returns the value for the counted n-grams; it is undefined where there are
// none, or the formula divides by zero.
func (v Variant) Of(g *NGrams) stats.Number { return v.ofFrequencies(g.frequencies()) }

func (v Variant) ofFrequencies(f *frequencies) stats.Number {
	if f.total == 0 {
		return stats.Number{}
	}
	return stats.Defined(v.of(f))
}

// Variants are the known ones, the default first.
var Variants = []Variant{
	{"dqi_t1", true, "distinct n-grams / standard deviation of their counts (DQI's second component, term 1)", math.Inf(1), dqiT1},
	{"mean_freq", false, "n-grams / distinct n-grams", math.Inf(1), func(f *frequencies) float64 { return float64(f.total) / float64(f.types) }},
	{"simpson", false, "chance that two n-grams drawn with replacement are equal", 1, simpson},
	{"distinct_ratio", true, "distinct n-grams / n-grams (distinct-n of Li et al. 2016)", 1, func(f *frequencies) float64 { return float64(f.types) / float64(f.total) }},
}

// VariantNames lists the names of Variants, in order.
func VariantNames() []string {
	var names []string
	for _, v := range Variants {
		names = append(names, v.Name)
	}
	return names
}

// ParseVariant returns the variant of that name.
func ParseVariant(name string) (Variant, error) {
	for _, v := range Variants {
		if v.Name == name {
			return v, nil
		}
	}
	return Variant{}, nearest.Unknown("INGF variant", name, VariantNames())
}
