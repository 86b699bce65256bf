package output

import (
	"infbench/internal/words"
	"infbench/metrics"
)

// ScaleNote says how tables have values of measures.
const ScaleNote = "values are times 100, counts as they are"

// Mean is a mean of a measure as tables have it: times 100 with the digits that trec_eval
// prints, p-MRR with its sign; what counts as it is.
func Mean(measure string, v float64) string {
	text := words.Fixed(v*metrics.Scale(measure), 2)
	if metrics.IsShift(measure) && v > 0 && text != "0.00" {
		return "+" + text
	}
	return text
}
