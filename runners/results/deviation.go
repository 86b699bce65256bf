package results

import "fmt"

// Deviation is how far the scores of a task's ranking, computed in a narrower precision
// than float32, lie from those in float32: over a sample of its queries and of the
// documents that they ranked highest, on the scale of the scores.
type Deviation struct {
	Precision string  `json:"precision"`
	Task      string  `json:"task"`
	Queries   int     `json:"queries"`
	Pairs     int     `json:"pairs"` // of query and document
	Mean      float64 `json:"mean"`  // of the absolute differences
	Max       float64 `json:"max"`
}

// String is the deviation in a sentence.
func (d Deviation) String() string {
	return fmt.Sprintf("%s: scores in %s lie %.2g from those in float32 on average, at most %.2g (%d pairs of %d queries)", d.Task, d.Precision, d.Mean, d.Max, d.Pairs, d.Queries)
}
