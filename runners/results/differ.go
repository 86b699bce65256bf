package results

import (
	"fmt"
	"math"
	"strconv"
)

// Differ lists, in sentences, the values computed again that are not equal to the saved ones,
// bit for bit. An empty ranking is not in a saved run, so Differ does not compare whether there
// was one.
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
		differ = append(differ, fmt.Sprintf("%d saved values belong to queries that are not in the data", len(left)))
	}
	return differ
}

// digits prints a value with all digits.
func digits(v *float64) string {
	if v == nil {
		return "undefined"
	}
	return strconv.FormatFloat(*v, 'g', -1, 64)
}
