package diversity

import (
	"math"

	"infbench/internal/nearest"
	"infbench/metrics/stats"
)

// Variant is one definition of inter-sample n-gram frequency. The paper gives no formula and
// the public ones contradict each other. Never compare values of two variants, or values of
// sets of different size.
type Variant struct {
	Name   string
	Higher bool // whether higher means more diverse
	About  string
	most   float64                      // upper bound of the value
	of     func(f *frequencies) float64 // NaN where undefined; f holds at least one n-gram
}

// ofFrequencies returns the value for counted n-grams; it is undefined if there are none or
// the formula divides by zero.
func (v Variant) ofFrequencies(f *frequencies) stats.Number {
	if f.total == 0 {
		return stats.Number{}
	}
	return stats.Defined(v.of(f))
}

// Variants are the known variants; the first is the default.
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
