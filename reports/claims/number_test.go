package claims

import (
	"fmt"
	"strings"
	"testing"

	"infbench/runners/results"
)

// A claim that names a revision is decided by results on that revision, not by those on others.
func TestClaimOnARevision(t *testing.T) {
	ran := func(worlds ...int) Found {
		w := newWorld(5)
		for _, number := range worlds {
			first := len(w.experiment.Trials)
			w.losses(fmt.Sprintf("a%d", number), map[string]float64{"uni(P)": .1, "multi(P,I)": .2}, "uni(P)", "multi(P,I)")
			for i := range w.experiment.Trials[first:] {
				trial := &w.experiment.Trials[first+i]
				trial.Config["world"] = fmt.Sprint(number)
				trial.Provenance.Benchmarks = []results.Benchmark{{Name: "bench", Revision: fmt.Sprintf("mini-2 world=%d sha256:0a%d", number, number)}}
			}
		}
		return w.found(t)
	}
	claim := func(on string, world int) string {
		return fmt.Sprintf("  - {id: c, says: so, test: better, measure: p-MRR, on: '%s', among: {kind: trained, world: %d}, system: {loss: 'multi(P,I)'}, against: {loss: 'uni(P)'}}\n", on, world)
	}
	for _, c := range []struct {
		worlds  []int
		on      string
		verdict Verdict
	}{
		{[]int{201}, "bench", Holds},
		{[]int{201}, "bench @mini-2 world=201", Holds},
		{[]int{201, 202}, "bench @mini-2 world=201", Holds},
		{[]int{201, 302}, "bench @mini-2 world=201", Holds}, // reports call it bench @mini-2 world=2
		{[]int{201, 202}, "bench", NotRun},
		{[]int{201, 202}, "bench @mini-2", NotRun},
		{[]int{202}, "bench @mini-2 world=201", NotRun},
		{[]int{201}, "bench @mini-2 world=20", NotRun},
		{[]int{201}, "bench @mini-1 world=201", NotRun},
		{[]int{201}, "bench @", NotRun},
	} {
		if got := judged(t, claim(c.on, 201), ran(c.worlds...))["c"]; got.Verdict != c.verdict {
			t.Errorf("%s of worlds %v: %s, want %s: %s", c.on, c.worlds, got.Verdict, c.verdict, strings.Join(got.Missing, "; "))
		}
	}
	if !pinned("nevir @0123456789ab", "nevir", "0123456789abcdef") || pinned("nevir @main", "nevir", "mainline") {
		t.Error("the beginning of a hash is enough, but not that of a word")
	}
}
