package approximate

import (
	"testing"

	"infbench/metrics/trec"
)

// TestRecallOfTies, by hand: b and c are tied at the end of the best two, so either of them
// counts.
func TestRecallOfTies(t *testing.T) {
	best := trec.Ranking{{Doc: "a", Score: 3}, {Doc: "c", Score: 2}, {Doc: "b", Score: 2}, {Doc: "d", Score: 1}}
	for docs, want := range map[string]float64{"ab": 1, "ac": 1, "bc": 1, "ad": 0.5, "d": 0, "dab": 0.5, "": 0} {
		ranking := trec.Ranking{}
		for i, doc := range docs {
			ranking = append(ranking, trec.Scored{Doc: string(doc), Score: -float64(i)})
		}
		if got := foundOf(best, ranking, 2); got != want {
			t.Errorf("of %q: %v, want %v", docs, got, want)
		}
	}
	if got := foundOf(nil, trec.Ranking{{Doc: "a"}}, 2); got != 1 {
		t.Errorf("of nothing: %v", got)
	}
}
