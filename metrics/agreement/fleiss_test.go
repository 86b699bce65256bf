package agreement_test

import (
	"testing"

	"infbench/metrics/agreement"
)

// wikipedia is the worked example of Wikipedia's "Fleiss' kappa": 10 items, 14
// raters, 5 labels, as counts of each label.
var wikipedia = [][]int{
	{0, 0, 0, 0, 14}, {0, 2, 6, 4, 2}, {0, 0, 3, 5, 6}, {0, 3, 9, 2, 0}, {2, 2, 8, 1, 1},
	{7, 7, 0, 0, 0}, {3, 2, 6, 3, 0}, {2, 5, 3, 2, 2}, {6, 5, 2, 1, 0}, {0, 2, 2, 3, 7},
}

func wikipediaRatings() *agreement.Ratings {
	r := &agreement.Ratings{Raters: make([]string, 14), Labels: []string{"1", "2", "3", "4", "5"}}
	for _, counts := range wikipedia {
		var item []int
		for label, n := range counts {
			for range n {
				item = append(item, label)
			}
		}
		r.Items = append(r.Items, item)
	}
	return r
}

// Expected values from statsmodels 0.13.5 fleiss_kappa; observed and expected agreement from
// Wikipedia.
func TestFleiss(t *testing.T) {
	r := wikipediaRatings()
	got := agreement.Fleiss(r, boot)
	near(t, "kappa", got.Value, 0.20993070442195522, 1e-12)
	near(t, "observed", got.Observed, 0.378, 5e-4)
	near(t, "expected", got.Expected, 0.213, 5e-4)
	v, _ := got.Value.Get()
	if !got.Interval.Contains(v) || got.N != 10 {
		t.Errorf("n %d, interval %v around %v", got.N, got.Interval, v)
	}

	r.Items = append(r.Items, append([]int{agreement.Missing}, r.Items[0][1:]...))
	if again := agreement.Fleiss(r, boot); again != got {
		t.Errorf("an incomplete item changed %+v to %+v", got, again)
	}
}

func TestFleissUndefined(t *testing.T) {
	undefined(t, "one label", agreement.Fleiss(read(t, "a,b\nx,x\nx,x\n"), boot))
	undefined(t, "one rater", agreement.Fleiss(read(t, "a\nx\ny\n"), boot))
	undefined(t, "no complete item", agreement.Fleiss(read(t, "a,b\nx,\n,y\n"), boot))
}
