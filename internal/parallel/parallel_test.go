package parallel

import "testing"

// TestRanges: every number occurs once, and ranges have the right size.
func TestRanges(t *testing.T) {
	for _, n := range []int{0, 1, 127, 128, 129, 1000} {
		for _, grain := range []int{1, 7, 128} {
			seen := make([]int, n)
			Ranges(n, grain, func(from, to int) {
				if from%grain != 0 || to != min(from+grain, n) {
					t.Errorf("%d by %d: range %d to %d", n, grain, from, to)
				}
				for i := from; i < to; i++ {
					seen[i]++
				}
			})
			for i, times := range seen {
				if times != 1 {
					t.Fatalf("%d by %d: %d came %d times", n, grain, i, times)
				}
			}
		}
	}
}
