package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"infbench/metrics/stats"
)

// A test finds the smallest value with the stated probability, also with more runs than the
// components were measured with.
func TestSmallest(t *testing.T) {
	d := design{of: alike, sizes: []int{40, 40}, runs: []int{3, 3, 3, 3, 3, 3}, by: components{.3, 1}}
	r := rand.New(rand.NewPCG(18, 1))
	estimate := func(d design, runs int) (estimated float64) {
		const draws = 200
		for range draws {
			o := d.draw(r)
			minus := o.terms[0]
			minus.Coefficient = -1
			one, ok := o.layout.Smallest(runs, .8, .01, minus, o.terms[1]).Get()
			if !ok {
				t.Fatal("undefined")
			}
			estimated += one / draws
		}
		return estimated
	}
	for _, runs := range []int{0, 3, 8} {
		estimated, at := estimate(d, runs), d
		if runs > 0 {
			at.runs = []int{runs, runs, runs, runs, runs, runs}
		}
		found, n := 0, 2000
		for range n {
			e, _ := at.draw(r).over(0, 1)
			if off(e, estimated).P() <= .01 {
				found++
			}
		}
		t.Logf("%d runs: %.3f is found in %.1f %%", runs, estimated, 100*float64(found)/float64(n))
		if share := float64(found) / float64(n); math.Abs(share-.8) > .06 {
			t.Errorf("%d runs: %.3f is found in %.1f %%, want 80", runs, estimated, 100*share)
		}
	}
	same := d.draw(r)
	has, _ := same.layout.Smallest(0, .8, .01, same.terms[:2]...).Get()
	if would, _ := same.layout.Smallest(3, .8, .01, same.terms[:2]...).Get(); math.Abs(has-would) > 1e-9 {
		t.Errorf("with the runs that there are %v, with as many %v", has, would)
	}
	o := design{of: normal, sizes: []int{40}, runs: []int{1, 1}}.draw(r)
	if found := o.layout.Smallest(3, .8, .05, o.terms[0], o.terms[1]); found != (stats.Number{}) {
		t.Errorf("of single runs: %v", found)
	}
}
