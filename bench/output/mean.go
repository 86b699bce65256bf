package output

import (
	"infbench/internal/words"
	"infbench/metrics"
)

// ScaleNote explains the scale of measures in tables.
const ScaleNote = "values are times 100, counts as they are"

// Mean formats a mean of a measure for tables: times 100 with the digits of trec_eval, p-MRR
// with its sign, counts unchanged.
func Mean(measure string, v float64) string {
	text := words.Fixed(v*metrics.Scale(measure), 2)
	if metrics.IsShift(measure) && v > 0 && text != "0.00" {
		return "+" + text
	}
	return text
}
