package scores

import (
	"fmt"
	"testing"

	"infbench/internal/testkit/reportstest"
)

// TestColumns checks which numbers make a leaderboard.
func TestColumns(t *testing.T) {
	v := viewOf(t, reportstest.TrialOf("a", map[string]string{"model": "a"},
		reportstest.At("followir", "robust04", "original", "AP@1000", "1", .1), reportstest.At("followir", "robust04", "", "p-MRR", "1", .1),
		reportstest.At("followir", "news21", "original", "nDCG@5", "1", .1), reportstest.At("followir", "news21", "", "p-MRR", "1", .1),
		reportstest.At("followir", "news21", "changed", "nDCG@5", "1", .1),
		reportstest.At("bright", "biology", "", "nDCG@10", "1", .1), reportstest.At("bright", "biology", "", "AP", "1", .1), reportstest.At("bright", "pony", "", "nDCG@10", "1", .1)))
	for name, want := range map[string]string{
		"followir": "[AP@1000 original on followir/robust04 p-MRR on followir (mean of 2 tasks) nDCG@5 original on followir/news21]",
		"bright":   "[nDCG@10 on bright (mean of 2 tasks)]",
	} {
		var got []string
		for _, c := range v.Columns(name).Main() {
			got = append(got, c.Label())
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%s shows %v, want %s", name, got, want)
		}
	}
}
