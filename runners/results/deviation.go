package results

import "fmt"

// Deviation is the difference between the scores of a task's ranking in a narrower precision
// than float32 and in float32. It is measured on a sample of the queries and of their
// highest-ranked documents, on the scale of the scores.
type Deviation struct {
	Precision string  `json:"precision"`
	Task      string  `json:"task"`
	Queries   int     `json:"queries"`
	Pairs     int     `json:"pairs"` // of query and document
	Mean      float64 `json:"mean"`  // of the absolute differences
	Max       float64 `json:"max"`
}

// String describes the deviation in a sentence.
func (d Deviation) String() string {
	return fmt.Sprintf("%s: scores in %s lie %.2g from those in float32 on average, at most %.2g (%d pairs of %d queries)", d.Task, d.Precision, d.Mean, d.Max, d.Pairs, d.Queries)
}
