package metrics

import (
	"math"
	"strings"
	"testing"
)

// A value outside a measure's range is an error with a clear message; an empty want means no error.
func TestCheckRange(t *testing.T) {
	tests := []struct {
		measure string
		v       float64
		want    string
	}{
		{"nDCG@10", 0, ""},
		{"nDCG@10", 1 + 1e-9, ""},
		{"nDCG@10", 58.3, "nDCG@10 is 58.3, outside its range [0,1]; it looks like percent"},
		{"nDCG@10", 583, "nDCG@10 is 583, outside its range [0,1]"},
		{"nDCG@10", -.1, "nDCG@10 is -0.1, outside its range [0,1]"},
		{"nDCG@10", math.NaN(), "nDCG@10 is NaN, which is not a number"},
		{"nDCG@10", math.Inf(1), "outside its range"},
		{"p-MRR", -.9, ""},
		{"p-MRR", 5.3, "p-MRR is 5.3, outside its range (-1,1); it looks like percent"},
		{"p-MRR(ties='insertion')", -5.3, "looks like percent"},
		{"GMAP", 0, ""}, // as trec_eval prints it
		{"GMAP", 1.1, "outside its range [1e-5,1]"},
		{"Success@5", .25, ""}, // a mean
		{"NumRet", 1000, ""},
		{"NumRet", -1, "outside its range 0, 1, ..."},
		{"Utility", -1000, ""},
		{"nAUC(measure=nDCG@10,confidence='max')", -7, ""},
		{"FollowIR(measure=AP@1000,qrels='original')", .5, ""},
		{"somebody's own", 58.3, ""},
		{"somebody's own", math.NaN(), "is not a number"},
	}
	for _, tt := range tests {
		err := CheckRange(tt.measure, tt.v)
		if got := ""; err != nil {
			got = err.Error()
			if tt.want == "" || !strings.Contains(got, tt.want) {
				t.Errorf("%s %v: %s, want %q", tt.measure, tt.v, got, tt.want)
			}
		} else if tt.want != "" {
			t.Errorf("%s %v is in range, want %q", tt.measure, tt.v, tt.want)
		}
	}
	// The range of every family is parsed; all but one have known ends.
	for _, f := range Families() {
		if low, high := f.bounds(); f.Range != "that of the measure" && !f.Count && (high != 1 || low > 0) {
			t.Errorf("%s of range %s is read as %v to %v", f.Name, f.Range, low, high)
		}
	}
}

// Expected values by hand, from the ranges of the families.
func TestInside(t *testing.T) {
	for _, c := range []struct {
		name      string
		low, high float64
		want      [2]float64
	}{
		{"nDCG@10", -.01, .41, [2]float64{0, .41}}, {"nDCG@10", .7, 1.2, [2]float64{.7, 1}}, {"p-MRR", -.3, 1.2, [2]float64{-.3, 1}},
		{"NumRet", -3, 40, [2]float64{0, 40}}, {"another's", -1, 2, [2]float64{-1, 2}},
	} {
		if low, high := Inside(c.name, c.low, c.high); low != c.want[0] || high != c.want[1] {
			t.Errorf("%s: [%v, %v], want %v", c.name, low, high, c.want)
		}
	}
}
