package metrics

import (
	"fmt"
	"testing"

	"infbench/metrics/trec"
)

// BenchmarkScoreAll scores 50 queries of 1,000 documents with trec_eval's standard
// measures.
func BenchmarkScoreAll(b *testing.B) {
	official, err := ParseTrec("official")
	if err != nil {
		b.Fatal(err)
	}
	var measures []Measure
	for _, m := range official {
		if m.Measure != nil {
			measures = append(measures, m.Measure)
		}
	}
	var cases []*Case
	for q := range 50 {
		c := &Case{Query: fmt.Sprint(q), Judgments: map[string]int{}}
		for i := range 1000 {
			c.Ranking = append(c.Ranking, trec.Scored{Doc: fmt.Sprintf("%07d", i*7919%5_000_000), Score: -float64(i)})
		}
		for i := range 50 {
			c.Judgments[fmt.Sprintf("%07d", i*i*7919%5_000_000)] = i % 4
		}
		cases = append(cases, c)
	}
	b.ReportAllocs()
	for b.Loop() {
		ScoreAll(measures, cases)
	}
}
