package metrics

import (
	"fmt"
	"testing"

	"infbench/metrics/trec"
)

// TestBprefSum checks the order of summation: it decides rounding where the value is between two
// printed ones. The values are those that trec_eval 10.0 prints. The letters are the relevant and
// the other judged documents by rank; relevant and other are their numbers in the judgments.
func TestBprefSum(t *testing.T) {
	for _, c := range []struct {
		ranks           string
		relevant, other int
		want            string
	}{
		{"nrnr", 60, 24, "0.0312"}, {"rnnrrr", 40, 24, "0.0937"}, {"nnrrrnnrrn", 40, 59, "0.1162"},
		{"nnrrrrrrnnnrr", 64, 5, "0.0563"}, {"nnrrrnnnnrnnrn", 32, 25, "0.1313"}, {"rnrrnnrnnrrrrrr", 32, 5, "0.0938"},
	} {
		judged := map[string]int{}
		for i := range c.relevant {
			judged[fmt.Sprint("r", i)] = 1
		}
		for i := range c.other {
			judged[fmt.Sprint("n", i)] = 0
		}
		var ranking trec.Ranking
		met := map[rune]int{}
		for i, kind := range c.ranks {
			ranking = append(ranking, trec.Scored{Doc: fmt.Sprint(string(kind), met[kind]), Score: float64(-i)})
			met[kind]++
		}
		value, _ := Bpref{}.Score(&Case{Judgments: judged, Ranking: ranking})
		if got := fmt.Sprintf("%6.4f", value); got != c.want {
			t.Errorf("%s of %d and %d: %s, want %s", c.ranks, c.relevant, c.other, got, c.want)
		}
	}
}
