package stats

import (
	"slices"
)

// Rank is the range of places that a system may have if differences that are not significant
// count as ties.
type Rank struct {
	Low    int   `json:"low"`    // 1 is best: Low−1 systems are significantly better
	High   int   `json:"high"`   // the number of systems minus those that are significantly worse
	Groups []int `json:"groups"` // the groups of ties that it belongs to, from 0, ascending
}

// Ranks orders systems by mean, where higher is better, and groups those that do not differ
// significantly (see Places and Groups). differ must be symmetric; means must not be NaN. The
// result has the order of means.
func Ranks(means []float64, differ func(a, b int) bool) []Rank {
	ranks := Places(means, differ)
	for i, groups := range Groups(means, differ) {
		ranks[i].Groups = groups
	}
	return ranks
}

// Places is Ranks without groups.
func Places(means []float64, differ func(a, b int) bool) []Rank {
	ranks := make([]Rank, len(means))
	for i := range ranks {
		ranks[i] = Rank{Low: 1, High: len(means)}
		for j := range means {
			switch {
			case i == j || !differ(i, j):
			case Compare(means[j], means[i]) > 0:
				ranks[i].Low++
			case Compare(means[j], means[i]) < 0:
				ranks[i].High--
			}
		}
	}
	return ranks
}

// Groups returns, for each system, the groups of ties that it belongs to: two systems share a
// group if and only if differ is false for them. Groups are as large as possible and numbered
// from the best member down (the compact letter display of Piepho 2004).
func Groups(means []float64, differ func(a, b int) bool) [][]int {
	order := make([]int, len(means))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return Compare(means[b], means[a]) })
	groups := make([][]int, len(means))
	for g, group := range tieGroups(order, differ) {
		for _, place := range group {
			groups[order[place]] = append(groups[order[place]], g)
		}
	}
	return groups
}

// tieGroups returns the maximal sets of places in order whose systems pairwise do not differ,
// each ascending and all in ascending order. It starts with one group of all systems and
// splits groups that contain a differing pair.
func tieGroups(order []int, differ func(a, b int) bool) [][]int {
	all := make([]int, len(order))
	for i := range all {
		all[i] = i
	}
	groups := [][]int{all}
	for i := range order {
		for j := i + 1; j < len(order); j++ {
			if differ(order[i], order[j]) {
				groups = split(groups, i, j)
			}
		}
	}
	slices.SortFunc(groups, slices.Compare[[]int])
	return groups
}

// split replaces each group that contains both a and b by one without a and one without b,
// and drops groups that are subsets of another.
func split(groups [][]int, a, b int) [][]int {
	var next [][]int
	for _, g := range groups {
		if slices.Contains(g, a) && slices.Contains(g, b) {
			next = append(next, without(g, a), without(g, b))
		} else {
			next = append(next, g)
		}
	}
	var kept [][]int
	for i, g := range next {
		absorbed := slices.ContainsFunc(kept, func(other []int) bool { return subset(g, other) }) ||
			slices.ContainsFunc(next[i+1:], func(other []int) bool { return len(other) > len(g) && subset(g, other) })
		if !absorbed {
			kept = append(kept, g)
		}
	}
	return kept
}

func without(group []int, item int) []int {
	return slices.DeleteFunc(slices.Clone(group), func(v int) bool { return v == item })
}

func subset(small, large []int) bool {
	return !slices.ContainsFunc(small, func(v int) bool { return !slices.Contains(large, v) })
}
