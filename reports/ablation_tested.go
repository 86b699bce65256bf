package reports

import "infbench/metrics/stats"

// tested is a contrast with what was found about it.
type tested struct {
	contrast contrast
	test     stats.Test // over queries, of means over seeds
	interval stats.Interval
	holm     float64 // P corrected over the family
}

// known says whether anything was compared.
func (t *tested) known() bool { return len(t.contrast.values) > 0 }

// testAll tests the contrasts that compare anything, and counts them.
func testAll(all []*tested, o Options) (int, error) {
	n := 0
	for _, t := range all {
		if t.known() {
			n++
		}
	}
	return n, inParallel(len(all), func(i int) (err error) {
		t := all[i]
		if !t.known() {
			return nil
		}
		t.interval = t.contrast.interval(o)
		t.test, err = t.contrast.test(o)
		return err
	})
}

// correctAll fills in Holm's adjusted p-values over the contrasts that were tested.
func correctAll(all []*tested) {
	var ps []float64
	var known []*tested
	for _, t := range all {
		if t.known() {
			ps, known = append(ps, t.test.P), append(known, t)
		}
	}
	for i, p := range stats.Holm(ps) {
		known[i].holm = p
	}
}

// direction is 1 or -1 where the corrected test calls the mean higher or lower than
// zero, else 0.
func (t *tested) direction() int {
	switch {
	case t.holm > significant || t.test.MeanDifference == 0:
		return 0
	case t.test.MeanDifference > 0:
		return 1
	}
	return -1
}

// entry prints the difference with its interval; a degree sign says that no
// difference is shown.
func (t *tested) entry() Entry {
	if !t.known() {
		return Entry{Text: missingMark, Tone: Absent}
	}
	e := number(signed(t.test.MeanDifference)+" "+interval(t.interval), t.test.MeanDifference)
	switch t.direction() {
	case 1:
		e.Tone = Better
	case -1:
		e.Tone = Worse
	default:
		e.Text += "°"
	}
	return e
}
