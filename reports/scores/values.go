package scores

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Values holds the values of one trial and slot by ascending query ID; NaN is
// an undefined value.
type Values struct {
	Queries   []string
	Values    []float64
	Aggregate bool // the one value is a mean whose queries are not known
}

// Mean averages the defined values and counts them.
func (s Values) Mean() (mean float64, defined int) {
	sum, defined := s.sum()
	return sum / float64(max(defined, 1)), defined
}

// sum adds up the defined values and counts them.
func (s Values) sum() (sum float64, defined int) {
	for _, v := range s.Values {
		if !math.IsNaN(v) {
			sum += v
			defined++
		}
	}
	return sum, defined
}

// Defined lists the defined values with their queries: the lists of all where all are.
// Neither may be changed.
func (s Values) Defined() (queries []string, values []float64) {
	if !slices.ContainsFunc(s.Values, math.IsNaN) {
		return s.Queries, s.Values
	}
	for i, v := range s.Values {
		if !math.IsNaN(v) {
			queries, values = append(queries, s.Queries[i]), append(values, v)
		}
	}
	return queries, values
}

// sort orders the values by query, so that sums do not depend on the order of
// a file; a query with two values is an error.
func (s Values) sort() error {
	if ascending(s.Queries) {
		return nil
	}
	order := make([]int, len(s.Queries))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(s.Queries[i], s.Queries[j]) })
	queries, values := slices.Clone(s.Queries), slices.Clone(s.Values)
	for to, from := range order {
		s.Queries[to], s.Values[to] = queries[from], values[from]
		if to > 0 && s.Queries[to] == s.Queries[to-1] {
			return fmt.Errorf("query %q has two values", s.Queries[to])
		}
	}
	return nil
}

// ascending reports whether each text is above the one before it.
func ascending(texts []string) bool {
	for i := 1; i < len(texts); i++ {
		if texts[i] <= texts[i-1] {
			return false
		}
	}
	return true
}
