package stats_test

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"infbench/metrics/stats"
)

// cells lists the simulated experiments: the kinds that boards, comparisons and controls
// print.
func cells() []cell {
	var out []cell
	populations := []population{normal, sparse, skewed(.6)}
	for _, p := range populations {
		for _, n := range []int{20, 52, 80} {
			out = append(append(out, single(p, n)...), others(p, n))
		}
		out = append(out, overTasks(p)...)
	}
	for _, n := range []int{20, 52, 80} {
		for _, s := range []int{2, 3, 5} {
			out = append(out, pair(true, .05, design{of: alike, sizes: []int{n}, runs: []int{s, s}, by: components{seedDeviation, interactionDeviation}}))
		}
	}
	out = append(out, unlike()...)
	out = append(out, families(populations)...)
	out = append(out, margins(append(populations, mirrored(skewed(.6))))...)
	return append(out, controls(populations)...)
}

// single compares two systems on one task.
func single(p population, n int) []cell {
	at := func(quick bool, by components, runs ...int) cell {
		return pair(quick, 1, design{of: p, sizes: []int{n}, runs: runs, by: by})
	}
	out := []cell{
		at(true, components{}, 1, 1),
	}
	for _, by := range []components{measured, weak, strong} {
		out = append(out, at(by == measured, by, 1, 3), at(by == measured, by, 2, 5))
		for _, s := range []int{2, 3, 5} {
			eleven := slices.Repeat([]int{s}, 11)
			out = append(out, at(true, by, s, s), at(n == 52, by, 0, s), at(n == 52 && by == measured, by, eleven...))
		}
	}
	return out
}

// overTasks compares two systems on the mean of three tasks.
func overTasks(p population) []cell {
	sizes := []int{52, 32, 20}
	out := []cell{pair(true, 1, design{of: p, sizes: sizes, runs: []int{1, 1}})}
	for _, s := range []int{2, 3, 5} {
		for _, by := range []components{measured, weak, strong} {
			out = append(out, pair(by == measured, 1, design{of: p, sizes: sizes, runs: []int{s, s}, by: by}))
		}
	}
	return out
}

// unlike returns pairs of systems with different run variances; the second system varies
// three times as much.
func unlike() []cell {
	var out []cell
	for _, s := range []int{2, 3, 5} {
		for _, systems := range []int{2, 11} {
			times := slices.Repeat([]float64{1}, systems)
			times[1] = 3
			d := design{of: normal, sizes: []int{52}, runs: slices.Repeat([]int{s}, systems), by: measured, times: times}
			out = append(out, pair(systems == 2 && s == 3, 1, d))
			d.by = strong
			out = append(out, pair(false, 1, d))
		}
	}
	return out
}

// pair compares the second system with the first: its interval, its test of no difference,
// and that of equivalence at either edge of a band.
func pair(quick bool, band float64, d design) cell {
	return cell{
		design: d.String(), quick: quick,
		checks: []check{{what: "interval"}, {what: "test", size: true}, {what: "equivalence", size: true}},
		once: func(r *rand.Rand) []bool {
			o := d.draw(r)
			e, truth := o.over(0, 1)
			return []bool{
				e.Interval(.95).Contains(truth),
				off(e, -truth).P() <= .05,
				edge(r, e, truth, band) <= .05,
			}
		},
	}
}

// edge returns the p-value of equivalence when the true value is on a random edge of ±band.
func edge(r *rand.Rand, e stats.Estimate, truth, band float64) float64 {
	if r.Uint64()&1 == 0 {
		return off(e, band-truth).Within(band)
	}
	return off(e, -band-truth).Within(band)
}

// String describes the design: "sparse skewed, n 20, runs 2 5, seeds ±0.14 ±1.00".
func (d design) String() string {
	text := fmt.Sprintf("%s, n %s, runs %s", d.of.name, list(d.sizes), list(d.runs))
	if d.by != (components{}) {
		text += fmt.Sprintf(", seeds ±%.2g, by item ±%.2g", d.by.seed, d.by.interaction)
	}
	if d.times != nil {
		text += ", one of them three times as much"
	}
	return text
}

// list prints numbers, with repeated ones written once: "52 32 20", "11 of 3".
func list(numbers []int) string {
	if len(numbers) > 2 && slices.Min(numbers) == slices.Max(numbers) {
		return fmt.Sprintf("%d of %d", len(numbers), numbers[0])
	}
	text := fmt.Sprint(numbers)
	return text[1 : len(text)-1]
}

// families are ten systems against a reference, all pairs of eleven, and a mean of four
// systems against that of four others.
func families(populations []population) []cell {
	var out []cell
	for _, p := range populations {
		for _, n := range []int{20, 52, 80} {
			d := design{of: p, sizes: []int{n}, runs: slices.Repeat([]int{3}, 11), by: measured}
			out = append(out, family(n == 52, d), factor(n == 52, d))
			one := design{of: p, sizes: []int{n}, runs: slices.Repeat([]int{1}, 11)}
			out = append(out, family(false, one))
			if p.mean == 0 {
				out = append(out, ranks(n == 52, d), ranks(false, one))
			}
		}
	}
	return out
}

// family compares ten systems with one: p corrected by Holm if all are equally good, and
// simultaneous intervals.
func family(quick bool, d design) cell {
	return cell{
		design: d.String() + ", ten against one", quick: quick,
		checks: []check{{what: "all intervals together"}, {what: "any test, by Holm", size: true}},
		once: func(r *rand.Rand) []bool {
			o := d.draw(r)
			m := len(o.terms) - 1
			together := true
			var ps []float64
			for b := 1; b <= m; b++ {
				e, truth := o.over(0, b)
				together = together && e.Simultaneous(.95, m).Contains(truth)
				ps = append(ps, off(e, -truth).P())
			}
			return []bool{together, slices.Min(stats.Holm(ps)) <= .05}
		},
	}
}

// ranks tests all pairs of equally good systems, corrected by Holm: every system's rank
// covers all places unless a pair differs significantly.
func ranks(quick bool, d design) cell {
	return cell{
		design: d.String() + ", all pairs", quick: quick,
		checks: []check{{what: "any rank", size: true}},
		once: func(r *rand.Rand) []bool {
			o := d.draw(r)
			k := len(o.terms)
			var ps, values []float64
			at := map[[2]int]int{}
			for a := range k {
				values = append(values, o.layout.Mean(o.terms[a].Values)-o.truth[a])
				for b := a + 1; b < k; b++ {
					e, truth := o.over(a, b)
					at[[2]int{a, b}], ps = len(ps), append(ps, off(e, -truth).P())
				}
			}
			ps = stats.Holm(ps)
			found := stats.Ranks(values, func(a, b int) bool { return ps[at[[2]int{min(a, b), max(a, b)}]] <= .05 })
			return []bool{slices.ContainsFunc(found, func(r stats.Rank) bool { return r.Low > 1 || r.High < k })}
		},
	}
}

// factor compares the mean of four systems with that of four others.
func factor(quick bool, d design) cell {
	return cell{
		design: d.String() + ", four against four", quick: quick,
		checks: []check{{what: "interval"}, {what: "test", size: true}},
		once: func(r *rand.Rand) []bool {
			o := d.draw(r)
			var terms []stats.Term
			truth := 0.0
			for i := 1; i <= 8; i++ {
				t := o.terms[i]
				t.Coefficient = .25
				if i > 4 {
					t.Coefficient = -.25
				}
				truth += t.Coefficient * o.truth[i]
				terms = append(terms, t)
			}
			e, _ := o.layout.Contrast(terms...)
			return []bool{e.Interval(.95).Contains(truth), off(e, -truth).P() <= .05}
		},
	}
}

// others are further results for one sample: the randomization test with the values that it
// accepts, which compare prints, and the BCa bootstrap, which has no limit.
func others(p population, n int) cell {
	return cell{
		design: fmt.Sprintf("%s, n %d", p.name, n), quick: n == 20,
		checks: []check{{what: "randomization accepts"}, {what: "BCa", free: true}},
		once: func(r *rand.Rand) []bool {
			values, moved := p.sample(r, n), make([]float64, n)
			for i, v := range values {
				moved[i] = v - p.mean
			}
			flips, err := stats.Randomization(make([]float64, n), moved, 1000, r.Uint64())
			bca := full() && stats.BootstrapMean(values, .95, 1000, r.Uint64()).Contains(p.mean)
			return []bool{err == nil && flips.P > .05, bca}
		},
	}
}

// controls are sixteen systems with one run, whose values on a slice should be 0; and
// Bartlett's test.
func controls(populations []population) []cell {
	var out []cell
	for _, p := range populations {
		for _, n := range []int{20, 52, 80} {
			out = append(out, null(n == 52, p, n))
		}
	}
	for _, s := range []int{2, 3, 5} {
		for _, systems := range []int{2, 11} {
			out = append(out, homogeneity(design{of: normal, sizes: []int{52}, runs: slices.Repeat([]int{s}, systems), by: measured}))
		}
	}
	return out
}

func null(quick bool, p population, n int) cell {
	layout := stats.OneStratum(n)
	return cell{
		design: fmt.Sprintf("%s, n %d, sixteen means", p.name, n), quick: quick,
		checks: []check{{what: "any is not 0, by Holm", size: true}},
		once: func(r *rand.Rand) []bool {
			var ps []float64
			for range 16 {
				e, _ := layout.Contrast(stats.Term{Coefficient: 1, Values: p.sample(r, n)})
				ps = append(ps, off(e, -p.mean).P())
			}
			return []bool{slices.Min(stats.Holm(ps)) <= .05}
		},
	}
}

func homogeneity(d design) cell {
	return cell{
		design: d.String() + ", Bartlett", quick: true,
		checks: []check{{what: "runs vary differently", size: true}},
		once: func(r *rand.Rand) []bool {
			p, _ := d.draw(r).alike.Get()
			return []bool{p <= .05}
		},
	}
}
