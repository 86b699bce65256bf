package stats

import (
	"math"
	"slices"
)

// Moved returns the indices of up to n items in which a and b differ, the largest difference
// first, with equal ones in order. The slices have the same length.
func Moved(a, b []float64, n int) []int {
	var moved []int
	for i := range a {
		if Compare(a[i], b[i]) != 0 {
			moved = append(moved, i)
		}
	}
	slices.SortStableFunc(moved, func(x, y int) int { return Compare(math.Abs(b[y]-a[y]), math.Abs(b[x]-a[x])) })
	return moved[:min(n, len(moved))]
}
