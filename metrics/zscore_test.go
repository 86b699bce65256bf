package metrics

import (
	"strings"
	"testing"
)

// TestZScores checks deviations from the mean, by hand, and trec_eval's value for a missing
// distribution.
func TestZScores(t *testing.T) {
	z, err := ReadZScores(strings.NewReader("1 map 0.5 0.25\n1 P_5 0.2 0\n"), "z")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		query, measure string
		value, want    float64
	}{
		{"1", "map", 1, 2}, {"1", "map", 0.25, -1}, {"1", "P_5", 0.2, 0}, {"1", "P_5", 0.3, noZScore}, {"1", "bpref", 1, noZScore}, {"2", "map", 1, noZScore},
	} {
		if got := z.Standardise(c.query, c.measure, c.value); got != c.want {
			t.Errorf("z score of %v on %s, %s = %v, want %v", c.value, c.query, c.measure, got, c.want)
		}
	}
	for text, want := range map[string]string{"": "no distributions", "1 map 1\n": "z:1: want four", "1 map x 1\n": "z:1: ", "1 map 0 -1\n": "z:1: ", "1 m 0 1\n1 m 0 1\n": "z:2: "} {
		if _, err := ReadZScores(strings.NewReader(text), "z"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want an error with %q", text, err, want)
		}
	}
}
