package claims

import (
	"strings"
	"testing"

	"infbench/reports/contrast"
	"infbench/reports/scores"
)

// Next to boards, a claim on two systems shows the interval and p of the pair there. Its verdict is
// corrected over the claims of the file, with a remark if the pair's test differs.
func TestPairOfBoard(t *testing.T) {
	found := newWorld(1).losses("b", map[string]float64{"uni(P)": .2, "uni(I)": .5, "multi(P)": .5}, "uni(P)", "uni(I)", "multi(P)").found(t)
	on := scores.Number{Benchmark: "bench", Measure: "p-MRR", Tasks: []string{"headline"}}
	for _, c := range []struct {
		claim, verdict string
		shown, p       bool // the board's interval and p
	}{
		{claim: "test: better, system: {loss: uni(I)}, against: {loss: uni(P)}", verdict: "holds", shown: true, p: true},
		{claim: "test: worse, system: {loss: uni(P)}, against: {loss: uni(I)}", verdict: "holds", shown: true, p: true},
		{claim: "test: no worse, margin: 5, system: {loss: uni(I)}, against: {loss: uni(P)}", verdict: "holds", shown: true},
		{claim: "test: better, system: {form: uni}, against: {model: untrained}", verdict: "holds"},
	} {
		text := "  - {id: a, says: s, on: bench, measure: p-MRR, " + c.claim + "}\n"
		alone := judged(t, text, found)["a"].row()
		beside := found
		f := contrast.Compare(found.Set, "bench", []scores.Number{on}, "uni(P)")
		beside.Pair = contrast.Pairs{Planned: []*contrast.Family{f}}.Of
		j := judged(t, text, beside)["a"]
		row := j.row()
		if got := row.Entries[2].Text; got != c.verdict {
			t.Errorf("%s: %q, want %q", c.claim, got, c.verdict)
		}
		if shown := j.pair != nil; shown != c.shown || shown == (row.Entries[3].Text == alone.Entries[3].Text) {
			t.Errorf("%s: %s, alone %s", c.claim, row.Entries[3].Text, alone.Entries[3].Text)
		}
		if c.p && *row.Entries[4].Sort != j.pair.Adjusted || !c.p && *row.Entries[4].Sort != *alone.Entries[4].Sort {
			t.Errorf("%s: p %s, alone %s", c.claim, row.Entries[4].Text, alone.Entries[4].Text)
		}
		if c.shown {
			j.pair.Adjusted = 1
			if got := j.Words(); c.p != strings.Contains(got, overFile) {
				t.Errorf("%s: %q where the pair shows nothing", c.claim, got)
			}
		}
	}
}
