package metrics

import "infbench/internal/words"

// Scale is by what tables and pages multiply values of a measure, by its name as results
// carry it, options included: 100 for shares, as the tables of the field do, 1 for counts
// and sums of them. A measure of another program's is taken for a share. Files for other
// programs (CSV, JSON, trec_eval's format) hold values as they are; p-values, correlations
// and kappas are no measures and are shown as they are everywhere.
func Scale(name string) float64 {
	if f := familyNamed(name); f != nil && f.Count {
		return 1
	}
	return 100
}

// Percent prints a measure's value times 100 with one decimal, as the tables of the field
// do; that of a shift always with its sign.
func Percent(name string, v float64) string {
	if IsShift(name) {
		return words.Signed(v)
	}
	return words.Fixed(100*v, 1)
}
