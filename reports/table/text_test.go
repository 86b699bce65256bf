package table

import (
	"testing"

	"infbench/internal/words"
	"infbench/metrics"
)

func TestNumbers(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{metrics.Percent("AP", 0.12345), "12.3"},
		{metrics.Percent("p-MRR", 0.12345), "+12.3"},
		{metrics.Percent("p-MRR", -0.12345), "-12.3"},
		{metrics.Percent("p-MRR", -0.0001), "0.0"},
		{words.Signed(0), "0.0"},
		{words.PValue(0.00001), "<0.0001"},
		{words.PValue(0.0001), "0.0001"},
		{words.Group(1234567), "1,234,567"},
		{words.Group(-1234), "-1,234"},
		{words.Group(100), "100"},
		{words.Clean("a\x1b[1m\tb\u202ec\xff"), "a\ufffd[1m b\ufffdc\ufffd"},
		{words.Minus("[-1.0, +2.0]"), "[−1.0, +2.0]"},
		{words.Minus("no-overlap"), "no-overlap"},
		{LatexText(`a_b & 50% \x`), `a\_b \& 50\% \textbackslash{}x`},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}
