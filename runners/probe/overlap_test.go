package probe

import (
	"math"
	"strings"
	"testing"

	"infbench/metrics/trec"
)

func ranked(docs string) trec.Ranking {
	var r trec.Ranking
	for i, d := range strings.Fields(docs) {
		r = append(r, trec.Scored{Doc: d, Score: float64(-i)})
	}
	return r
}

// Computed by hand from equation 32 with p = .9. "a b" against "b a": X is 0, 2, so
// (.1/.9)(0·.9 + 1·.81) + 1·.81 = .9. "a" against "a b c": X_s = 1, X = 1, 1, 1, so
// (.1/.9)[(1·.9 + ½·.81 + ⅓·.729) + (½·.81 + ⅔·.729)] + (0 + 1)·.729 = 1.
func TestOverlap(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want float64
	}{
		{"a b c", "a b c", 1},
		{"", "", 1},
		{"a b c", "", 0},
		{"a b", "c d", 0},
		{"a b", "b a", .9},
		{"a", "a b c", 1},
		{"a b c", "c b a", .1/.9*(0+.5*.81+1*.729) + .729},
		{"a b c d", "a b d c", .1/.9*(.9+.81+2./3*.729+.6561) + .6561},
	} {
		for _, got := range []float64{Overlap(ranked(c.a), ranked(c.b)), Overlap(ranked(c.b), ranked(c.a))} {
			if math.Abs(got-c.want) > 1e-12 {
				t.Errorf("Overlap(%q, %q) = %v, want %v", c.a, c.b, got, c.want)
			}
		}
	}
}

// High ranks weigh more than low ranks.
func TestOverlapIsTopWeighted(t *testing.T) {
	top, low := Overlap(ranked("a b c d e f"), ranked("b a c d e f")), Overlap(ranked("a b c d e f"), ranked("a b c d f e"))
	if top >= low || low >= 1 {
		t.Errorf("a swap at the top leaves %v, one below %v", top, low)
	}
}
