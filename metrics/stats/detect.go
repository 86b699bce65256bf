package stats

// Smallest returns the smallest true value of a contrast of terms that is found with
// probability power at level alpha, if each term with run variance had this number of runs
// (0: its present number). It is computed from the present variances of items and runs. More
// runs reduce the variance that runs add to the items, which exists even if the present runs
// happen not to differ, and increase the degrees of freedom for runs. It is undefined if no
// term has run variance.
func (l Layout) Smallest(runs int, power, alpha float64, terms ...Term) Number {
	e, ok := l.Contrast(terms...)
	if !ok {
		return Number{}
	}
	items, _ := l.ofMean(e.Values)
	var planned []share
	now, then := 0.0, 0.0
	for _, t := range terms {
		if t.Runs > 0 && t.Seeds != nil {
			share := t.Coefficient * t.Coefficient * t.Seeds.Interaction
			now += share / float64(t.Runs)
			if runs > 0 {
				seeds := *t.Seeds
				seeds.Freedom = max(seeds.Freedom, float64(seeds.Systems*(runs-1)))
				t.Runs, t.Seeds = runs, &seeds
			}
			then += share / float64(t.Runs)
			planned = t.addTo(planned)
		}
	}
	if len(planned) == 0 {
		return Number{}
	}
	items.variance = max(0, items.variance-now) + then
	if items.freedom == 0 { // nothing varies by item now
		items.freedom = float64(max(1, l.Items()-len(l.Sizes)))
	}
	e.StandardError, e.Freedom = items.withRuns(planned)
	return e.Smallest(power, alpha)
}
