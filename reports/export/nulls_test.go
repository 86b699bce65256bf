package export

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/reports"
	"infbench/runners/results"
)

// nullRows makes a random and a constant row on one paired task. p-MRR of the constant is shift;
// nDCG of the two differs by lift.
func nullRows(shift, lift float64) []results.Trial {
	random := rand.New(rand.NewPCG(3, 3))
	var a, b []reportstest.Value
	for q := range 50 {
		id, base := fmt.Sprintf("%02d", q), .3+.1*random.NormFloat64()
		a = append(a, reportstest.At("B", "x", "", "p-MRR", id, .2*random.NormFloat64()), reportstest.At("B", "x", "original", "nDCG@5", id, base))
		b = append(b, reportstest.At("B", "x", "", "p-MRR", id, shift), reportstest.At("B", "x", "original", "nDCG@5", id, base+lift+.1*random.NormFloat64()))
	}
	return []results.Trial{reportstest.TrialOf("r", map[string]string{"model": "random"}, a...), reportstest.TrialOf("c", map[string]string{"model": "constant"}, b...)}
}

// TestNullRows checks that valid null rows pass. A null row that follows instructions or finds more
// than chance is named in a warning at the start of every format.
func TestNullRows(t *testing.T) {
	for name, c := range map[string]struct {
		shift, lift float64
		want        string
	}{
		"sound":         {0, 0, ""},
		"follows":       {.001, 0, "constant, which does not look at the query, differs by +0.1 from its expected score in p-MRR"},
		"finds":         {0, .2, "in nDCG@5 original on B/x"},
		"finds nothing": {0, -.2, "in nDCG@5 original on B/x"},
	} {
		r := build(t, reports.Options{}, &results.Experiment{Name: "e", Trials: nullRows(c.shift, c.lift)})
		warnings := strings.Join(r.Warnings, "\n")
		if (c.want == "") != (warnings == "") || !strings.Contains(warnings, c.want) {
			t.Errorf("%s: warnings %q, want %q", name, warnings, c.want)
		}
		for _, format := range []string{"terminal", "markdown", "html"} {
			if warned := strings.Contains(written(t, r, format), "does not look at the query, differs"); warned != (c.want != "") {
				t.Errorf("%s: %s warns: %v", name, format, warned)
			}
		}
	}
}
