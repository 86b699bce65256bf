package diversity_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"infbench/metrics/diversity"
	"infbench/metrics/stats"
)

// zipf returns n texts of 5 to 24 words out of 500; word w has probability proportional to
// (5+w)^-1.2.
func zipf(n int, r *rand.Rand) [][]string {
	z := rand.NewZipf(r, 1.2, 5, 500)
	texts := make([][]string, n)
	for i := range texts {
		for range 5 + r.IntN(20) {
			texts[i] = append(texts[i], fmt.Sprint(z.Uint64()))
		}
	}
	return texts
}

func measured(texts [][]string, v diversity.Variant, orders int) []diversity.Measured {
	var t diversity.Texts
	for _, tokens := range texts {
		t.AddTokens(tokens)
	}
	return t.Measure(v, orders, 0.95)
}

// Texts, which counts tokens as numbers, gives exactly the values of n-grams counted as text,
// for every variant and order.
func TestMeasureIsExact(t *testing.T) {
	texts := zipf(300, rand.New(rand.NewPCG(1, 1)))
	texts = append(texts, nil, []string{"one"}, []string{"one", "two"})
	for _, v := range diversity.Variants {
		for i, m := range measured(texts, v, 5)[:5] {
			g := count(i+1, texts)
			if m.Value != v.Value(g) || m.N != g.Total() {
				t.Errorf("%s: %v of %d, want %v of %d", m.Measure, m.Value.Format(17), m.N, v.Value(g).Format(17), g.Total())
			}
		}
	}
	last := measured(texts, diversity.Variants[0], 2)
	if got, want := last[len(last)-1].Value, diversity.SelfBLEU(texts, 4); got != want {
		t.Errorf("self-BLEU %v, want %v", got, want)
	}
}

// The interval is that of the delete-a-group jackknife by its definition: Student's quantile
// for 49 degrees of freedom is 2.009575234489209 (R's qt(.975, 49)).
func TestIntervalByDefinition(t *testing.T) {
	texts := zipf(430, rand.New(rand.NewPCG(2, 1)))
	for _, v := range diversity.Variants {
		for i, m := range measured(texts, v, 3)[:3] {
			var without []float64
			for group := range diversity.Groups {
				var rest [][]string
				for at, text := range texts {
					if at%diversity.Groups != group {
						rest = append(rest, text)
					}
				}
				value, _ := v.Value(count(i+1, rest)).Get()
				without = append(without, value)
			}
			mean, squares := 0.0, 0.0
			for _, value := range without {
				mean += value / diversity.Groups
			}
			for _, value := range without {
				squares += (value - mean) * (value - mean)
			}
			value, _ := m.Value.Get()
			half := 2.009575234489209 * math.Sqrt(squares*(diversity.Groups-1)/diversity.Groups)
			near(t, m.Measure+" low", stats.Defined(m.Interval.Low), max(0, value-half), 1e-9*value)
			near(t, m.Measure+" high", stats.Defined(m.Interval.High), min(value+half, highest(v)), 1e-9*value)
		}
	}
}

// highest returns the upper bound of a variant: two are shares.
func highest(v diversity.Variant) float64 {
	if v.Name == "simpson" || v.Name == "distinct_ratio" {
		return 1
	}
	return math.Inf(1)
}

// A 95 % interval covers the mean value of sets of that size in about 95 % of samples: in 92
// to 99 % of 400 (Monte Carlo error 1.1).
func TestIntervalCoverage(t *testing.T) {
	const samples, size = 400, 200
	r := rand.New(rand.NewPCG(3, 1))
	for _, v := range diversity.Variants {
		values, ends := make([][]float64, 3), make([][]stats.Interval, 3)
		for range samples {
			for i, m := range measured(zipf(size, r), v, 3)[:3] {
				value, _ := m.Value.Get()
				values[i], ends[i] = append(values[i], value), append(ends[i], m.Interval)
			}
		}
		for i := range values {
			mean := 0.0
			for _, value := range values[i] {
				mean += value / samples
			}
			held := len(slices.DeleteFunc(ends[i], func(e stats.Interval) bool { return !e.Contains(mean) }))
			share := float64(held) / samples
			t.Logf("%s of %d-grams: %.3f", v.Name, i+1, share)
			if share < 0.92 || share > 0.99 {
				t.Errorf("%s of %d-grams: intervals hold the mean in %.3f of samples", v.Name, i+1, share)
			}
		}
	}
}
