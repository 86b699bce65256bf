package claims

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/reports/published"
)

// What the paper prints says of its claims what ../shared/published/paper/claims.csv
// found by hand: the printed gains follow from its tables, +1.36 from a base whose parts
// give another.
func TestPrinted(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "bench", "claims", "inf-ir.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := Parse("inf-ir.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	paper, err := published.Paper()
	if err != nil {
		t.Fatal(err)
	}
	all, err := OnPrinted(f, paper)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]*Arithmetic{}
	for _, a := range all {
		got[a.ID] = a
	}
	for id, want := range map[string]struct {
		verdict    Verdict
		difference float64 // by hand from tables 2, 3 and 4, in points
		size, note string
	}{
		"+9.0-embedding-models": {Holds, 5.1 + 3.9, "reproduces +9.0", ""},
		"+4.2-auto-regressive":  {Holds, 3.8 + .4, "reproduces +4.2", ""},
		"+8.2-e5":               {Holds, (9 + 7.3) / 2, "reproduces +8.2", ""},
		"+14.3-e5":              {Holds, ((47.5+35.5+32.9+49.8+78.9)/5 - (40.3+31.5+32.7+29.4+61.5)/5 + (54.0 - 35.2)) / 2, "reproduces +14.3", ""},
		"+1.36-modernbert":      {Holds, 1.1 + .3, "reproduces +1.36", "its parts give -2.433"},
		"best-loss":             {Holds, math.NaN(), "", "table 6, Llama-3.2-1B/multi:I+IQ, p-MRR"},
		"shared-encoder":        {Holds, 2.27 - .26, "", ""},
		"last-pooling":          {Holds, 2.27 + .39, "", ""},
		"two-epochs":            {Holds, 2.27 + .06, "", ""},
		"larger-over-smaller":   {Holds, ((6.2 - 5.1) + (3.0 - 3.2) + (2.9 - 2.8)) / 3, "", ""},
		"filtering":             {NotPrinted, math.NaN(), "", "not printed: data=inf-ir"},
		"o3-mini-kappa":         {NotPrinted, math.NaN(), "", ""},
	} {
		a := got[id]
		if a.Verdict != want.verdict || a.Size != want.size || !strings.Contains(strings.Join(a.Notes, "; "), want.note) {
			t.Errorf("%s: %s %q %q", id, a.Verdict, a.Size, a.Notes)
		}
		if !math.IsNaN(want.difference) && (a.Difference == nil || math.Abs(100**a.Difference-want.difference) > .02) {
			t.Errorf("%s: %v, want %.2f", id, a.Difference, want.difference)
		}
	}
}
