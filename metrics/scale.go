package metrics

import "infbench/internal/words"

// Scale returns the factor by which tables and pages multiply values of a measure, by its name as
// results carry it, options included: 100 for shares, the custom in the field's tables, and 1 for
// counts and sums of them. Unknown measures of other programs are treated as shares. Files for
// other programs (CSV, JSON, trec_eval's format) hold unscaled values. P-values, correlations and
// kappas are not measures and are never scaled.
func Scale(name string) float64 {
	if f := familyNamed(name); f != nil && f.Count {
		return 1
	}
	return 100
}

// Percent prints a measure's value times 100 with one decimal, the custom in the field's tables; a
// shift always has its sign.
func Percent(name string, v float64) string {
	if IsShift(name) {
		return words.Signed(v)
	}
	return words.Fixed(100*v, 1)
}
