package results

import (
	"fmt"
	"math"
	"strconv"
)

// Differ says in sentences which values that were made again are not those that are
// saved, bit for bit. A ranking of nothing is saved as none, so whether one was found
// is not compared.
func Differ(saved, again []Result) (differ []string) {
	left := map[Result]*float64{}
	for _, r := range saved {
		value := r.Value
		r.Value, r.Unranked = nil, false
		left[r] = value
	}
	for _, r := range again {
		value := r.Value
		r.Value, r.Unranked = nil, false
		was, ok := left[r]
		delete(left, r)
		place := fmt.Sprintf("%s %s on %s/%s, query %s", r.Measure, r.Side, r.Benchmark, r.Task, r.Query)
		switch {
		case !ok:
			differ = append(differ, place+": no value is saved")
		case (was == nil) != (value == nil) || was != nil && math.Float64bits(*was) != math.Float64bits(*value):
			differ = append(differ, fmt.Sprintf("%s: saved %s, the ranking gives %s", place, digits(was), digits(value)))
		}
	}
	if len(left) > 0 {
		differ = append(differ, fmt.Sprintf("%d saved values are of queries that the data have not", len(left)))
	}
	return differ
}

// digits prints a value in full.
func digits(v *float64) string {
	if v == nil {
		return "undefined"
	}
	return strconv.FormatFloat(*v, 'g', -1, 64)
}
