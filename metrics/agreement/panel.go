package agreement

import "infbench/metrics/stats"

// Pair is Cohen's kappa of two raters, with A before B in the order of raters.
type Pair struct {
	A, B int
	Agreement
}

// Pairwise returns Cohen's kappa of every two raters, over the items that both rated, ordered
// by A, then B. Labels have their positions among all labels of r, so a label that two raters
// never use still separates its neighbours.
func Pairwise(r *Ratings, w Weights, level float64) []Pair {
	var pairs []Pair
	for a := range r.Raters {
		for b := a + 1; b < len(r.Raters); b++ {
			pairs = append(pairs, Pair{A: a, B: b, Agreement: kappa(r.Items, [2]int{a, b}, len(r.Labels), w, level)})
		}
	}
	return pairs
}

// Mean is the mean of Cohen's kappas over pairs of raters. Observed, Expected and Value are
// means over the pairs, undefined if any pair's is; N is the smallest number of items of a
// pair.
type Mean struct {
	Rater int // the model that is compared with the humans; HumanPairs for the humans among themselves
	Pairs int
	Agreement
}

// HumanPairs is the Rater of the mean over the pairs of humans.
const HumanPairs = -1

// AgainstHumans returns the means of figure 4 of the paper: first that of the humans among
// themselves, then that of each model against each human. Raters that are not models are
// humans. Intervals are percentile bootstraps over items, with the same items for all pairs
// of a mean.
func AgainstHumans(r *Ratings, models []int, w Weights, b stats.Bootstrap) []Mean {
	isModel := make([]bool, len(r.Raters))
	for _, m := range models {
		isModel[m] = true
	}
	var humans []int
	for rater := range r.Raters {
		if !isModel[rater] {
			humans = append(humans, rater)
		}
	}
	var among [][2]int
	for i, a := range humans {
		for _, b := range humans[i+1:] {
			among = append(among, [2]int{a, b})
		}
	}
	means := []Mean{meanKappa(r, HumanPairs, among, w, b)}
	for _, m := range models {
		var against [][2]int
		for _, h := range humans {
			against = append(against, [2]int{m, h})
		}
		means = append(means, meanKappa(r, m, against, w, b))
	}
	return means
}

// meanKappa averages the kappas of some pairs of raters.
func meanKappa(r *Ratings, rater int, pairs [][2]int, w Weights, b stats.Bootstrap) Mean {
	m := Mean{Rater: rater, Pairs: len(pairs)}
	if len(pairs) == 0 {
		return m
	}
	of := func(items [][]int) Agreement { return average(items, pairs, len(r.Labels), w) }
	m.Agreement = of(r.Items)
	m.Interval = bootstrapped(m.Agreement, r.Items, b, of)
	return m
}

// average returns the mean of the kappas of pairs over items, without an interval.
func average(items [][]int, pairs [][2]int, labels int, w Weights) Agreement {
	var all Agreement
	var observed, expected, value []stats.Number
	for i, p := range pairs {
		k := kappa(items, p, labels, w, 0)
		observed, expected, value = append(observed, k.Observed), append(expected, k.Expected), append(value, k.Value)
		if i == 0 || k.N < all.N {
			all.N = k.N
		}
	}
	all.Observed, all.Expected, all.Value = meanNumber(observed), meanNumber(expected), meanNumber(value)
	return all
}

// meanNumber returns the mean, which is undefined if any number is.
func meanNumber(numbers []stats.Number) stats.Number {
	var sum float64
	for _, n := range numbers {
		v, ok := n.Get()
		if !ok {
			return stats.Number{}
		}
		sum += v
	}
	return stats.Defined(sum / float64(len(numbers)))
}

// kappa returns Cohen's kappa of two raters; level 0 omits the interval.
func kappa(items [][]int, pair [2]int, labels int, w Weights, level float64) Agreement {
	t := NewTable(labels)
	for _, item := range items {
		t.Add(item[pair[0]], item[pair[1]])
	}
	return t.Kappa(w, level)
}
