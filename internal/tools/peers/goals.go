package main

import "fmt"

// goals are the largest ratios of our time to the peer's that we want, by row.
var goals = map[string]float64{
	"encode":       0.7,
	"encode-bf16":  1.0,
	"abstracts":    0.8,
	"train":        0.8,
	"train-small":  0.8,
	"chunked":      1.25,
	"search/faiss": 0.3,
	"score":        0.12,
	"bm25/search":  0.3,
	"bm25s/search": 0.3,
	"parquet":      1.5,
}

// missed lists the rows whose ratio is above the goal. Tiny inputs miss nothing.
func (r *record) missed() (rows []string) {
	for _, l := range r.Lines {
		if l.Goal > 0 && l.Ratio != nil && l.Ratio.Median > l.Goal && !r.Small {
			rows = append(rows, fmt.Sprintf("%s: %.2f of the time of %s, the goal is %.2f", l.Row, l.Ratio.Median, l.Theirs.name(), l.Goal))
		}
	}
	return rows
}
