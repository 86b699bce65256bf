package diversity

import (
	"maps"
	"math"
	"slices"
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
	of     func(g *NGrams) float64 // NaN where undefined; g holds at least one n-gram
}

// Of returns the value for the counted n-grams; it is undefined where there are
// none, or the formula divides by zero.
func (v Variant) Of(g *NGrams) stats.Number {
	if g.total == 0 {
		return stats.Number{}
	}
	return stats.Defined(v.of(g))
}

// Variants are the known ones, the default first.
var Variants = []Variant{
	{"dqi_t1", true, "distinct n-grams / standard deviation of their counts (DQI's second component, term 1)", dqiT1},
	{"mean_freq", false, "n-grams / distinct n-grams", func(g *NGrams) float64 { return float64(g.total) / float64(len(g.counts)) }},
	{"simpson", false, "chance that two n-grams drawn with replacement are equal", simpson},
	{"distinct_ratio", true, "distinct n-grams / n-grams (distinct-n of Li et al. 2016)", func(g *NGrams) float64 { return float64(len(g.counts)) / float64(g.total) }},
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

// byCount returns how many n-grams have each count, in ascending order of
// count, so that sums over them do not depend on the order of a map.
func (g *NGrams) byCount() (counts []int, types map[int]int) {
	types = make(map[int]int)
	for _, c := range g.counts {
		types[c]++
	}
	return slices.Sorted(maps.Keys(types)), types
}

// dqiT1 divides by the population deviation, as VAIDA's published tables fit;
// it is NaN where all counts are equal.
func dqiT1(g *NGrams) float64 {
	counts, types := g.byCount()
	if len(counts) == 1 {
		return math.NaN()
	}
	n := float64(len(g.counts))
	mean, squares := float64(g.total)/n, 0.0
	for _, c := range counts {
		squares += float64(types[c]) * (float64(c) - mean) * (float64(c) - mean)
	}
	return n / math.Sqrt(squares/n)
}

func simpson(g *NGrams) float64 {
	var sum float64
	counts, types := g.byCount()
	for _, c := range counts {
		share := float64(c) / float64(g.total)
		sum += float64(types[c]) * share * share
	}
	return sum
}
