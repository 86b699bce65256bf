package contrast

import (
	"infbench/metrics/stats"
)

// Tested is a contrast with what was found about it.
type Tested struct {
	Contrast contrast
	Test     stats.Test // over queries, of means over seeds
	Interval stats.Interval
	Holm     float64 // P corrected over the family
}

// Known says whether anything was compared.
func (t *Tested) Known() bool { return len(t.Contrast.Values) > 0 }

// TestAll tests the contrasts that compare anything, and counts them.
func TestAll(all []*Tested, o Options) (int, error) {
	n := 0
	for _, t := range all {
		if t.Known() {
			n++
		}
	}
	return n, InParallel(len(all), func(i int) (err error) {
		t := all[i]
		if !t.Known() {
			return nil
		}
		t.Interval = t.Contrast.interval(o)
		t.Test, err = t.Contrast.test(o)
		return err
	})
}

// CorrectAll fills in Holm's adjusted p-values over the contrasts that were tested.
func CorrectAll(all []*Tested) {
	var ps []float64
	var known []*Tested
	for _, t := range all {
		if t.Known() {
			ps, known = append(ps, t.Test.P), append(known, t)
		}
	}
	for i, p := range stats.Holm(ps) {
		known[i].Holm = p
	}
}

// Direction is 1 or -1 where the corrected test calls the mean higher or lower than
// zero, else 0.
func (t *Tested) Direction() int {
	switch {
	case t.Holm > Significant || t.Test.MeanDifference == 0:
		return 0
	case t.Test.MeanDifference > 0:
		return 1
	}
	return -1
}
