package metrics

import (
	"strings"
	"testing"
)

// A measure with values of at most 1 is a share, shown times 100; a measure without that bound is a
// count.
func TestScale(t *testing.T) {
	for _, f := range Families() {
		bounded := strings.HasSuffix(f.Range, "1]") || strings.HasSuffix(f.Range, "1)") || strings.HasSuffix(f.Range, "1}") || f.Range == "that of the measure"
		if bounded == f.Count {
			t.Errorf("%s of range %s: count is %v", f.Name, f.Range, f.Count)
		}
	}
	for name, want := range map[string]float64{
		"nDCG@10": 100, "p-MRR": 100, "AP(rel=2)@1000": 100, "FollowIR(measure=AP@1000,qrels='original')": 100, "somebody's own": 100,
		"NumRet": 1, "num_rel": 1, "NumRelRet(rel=2)": 1, "Utility(a=2)": 1,
	} {
		for range 2 {
			if got := Scale(name); got != want {
				t.Errorf("Scale(%q) = %v, want %v", name, got, want)
			}
		}
	}
}
