package active

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"infbench/internal/testkit"
	"infbench/reports/claims"
	"infbench/reports/contrast"
	"infbench/reports/scores"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// replayed is a complete sweep on disk with the claims about it.
type replayed struct {
	sweep  *Sweep
	set    *scores.Set
	study  Study
	values []Measured // all cells
	whole  map[string]string
}

// replay reads the run folder named by $INFBENCH_ABLATION, whose cells must all be finished.
func replay(t *testing.T, claimFile string) *replayed {
	t.Helper()
	dir := os.Getenv("INFBENCH_ABLATION")
	if dir == "" {
		t.Skip("INFBENCH_ABLATION does not name a run folder: make ablation-mini makes one")
	}
	folder := runs.At(dir)
	plan, err := folder.Plan()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(claimFile)
	if err != nil {
		t.Fatal(err)
	}
	file, err := claims.Parse(claimFile, text)
	if err != nil {
		t.Fatal(err)
	}
	exp, err := folder.Reader().Load()
	if err != nil {
		t.Fatal(err)
	}
	set, err := scores.New([]*results.Experiment{exp})
	if err != nil {
		t.Fatal(err)
	}
	r := &replayed{set: set}
	r.sweep = &Sweep{folder: folder, plan: plan, claims: file, log: &runs.Active{ActiveLog: results.ActiveLog{ActiveSettings: complete(results.ActiveSettings{Claims: claimFile, Round: 4}, len(plan.Trials))}}}
	if r.study, r.sweep.numbers, r.sweep.left, err = r.sweep.study(set); err != nil {
		t.Fatal(err)
	}
	trials := map[string]*scores.Trial{}
	for _, at := range set.Trials {
		trials[at.ID] = at
	}
	var all []*scores.Trial
	for i := range plan.Trials {
		all = append(all, trials[plan.Trials[i].ID])
	}
	for _, on := range r.sweep.numbers {
		layout, values, whole := contrast.AlignTrials(all, on)
		if !whole {
			t.Fatalf("not all cells of %s have values of %s", dir, numberWords(on))
		}
		r.values = append(r.values, Measured{layout, values})
	}
	r.whole = r.fromAll(t)
	for _, j := range claims.Judge(file, claims.Found{Set: set}).Judgements {
		if v := r.whole[j.Claim.ID]; v != "" && j.Of == "" && v != string(j.Verdict) {
			t.Logf("%s: %s from all cells; infbench claims, which pools only its own runs: %s", j.Claim.ID, v, j.Verdict)
		}
	}
	return r
}

// from replays the sweep from a random start. It returns the verdicts, the number of cells that
// they took, and the last decision.
func (r *replayed) from(t testing.TB, seed uint64) (verdicts map[string]string, cells int, end Decision) {
	s := r.study
	s.Seed = seed
	var values [][][]float64
	for _, m := range r.values {
		values = append(values, m.Values)
	}
	end, cells = finish(t, s, r.values[0].Layout, values)
	return verdictsOf(s, end), cells, end
}

// fromAll returns the verdicts of a single look at all cells with the same variance model. A
// sweep that ends early should reach the same verdicts.
func (r *replayed) fromAll(t testing.TB) map[string]string {
	t.Helper()
	s := r.study
	s.Budget = len(s.Cells)
	d, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	all := make([]int, len(s.Cells))
	for i := range all {
		all[i] = i
	}
	return verdictsOf(s, d.Decide(all, nil, r.values))
}

// verdictsOf returns the verdicts of a decision, by claim of the study.
func verdictsOf(s Study, at Decision) map[string]string {
	var last results.ActiveRound
	for i, side := range at.Sides {
		last.Standings = append(last.Standings, results.ActiveStanding{Claim: s.Questions[i].Claim, Side: string(side)})
	}
	_, verdicts := (&results.ActiveLog{Rounds: []results.ActiveRound{last}}).Verdicts()
	return verdicts
}

// TestReplay replays a complete ablation (make ablation-mini) from 100 random starts. In at
// least 95 of them the claims that it decides must get the same verdicts as from all cells,
// after at most 40 % of the cells.
func TestReplay(t *testing.T) {
	r := replay(t, "../claims/mini.yaml")
	starts := 100
	if !testkit.IsDeep() {
		starts = 6
	}
	var mutex sync.Mutex
	var workers sync.WaitGroup
	as, total, most := 0, 0, 0
	other := map[string]int{}
	stops := map[string]int{}
	for w := range runtime.NumCPU() {
		workers.Go(func() {
			for i := w; i < starts; i += runtime.NumCPU() {
				verdicts, cells, end := r.from(t, uint64(i)+1)
				mutex.Lock()
				total, most = total+cells, max(most, cells)
				stops[end.Stop]++
				same := true
				for id, v := range verdicts {
					if v != r.whole[id] {
						same = false
						other[fmt.Sprintf("%s: %s, from all cells %s", id, v, r.whole[id])]++
					}
				}
				if same {
					as++
				}
				mutex.Unlock()
			}
		})
	}
	workers.Wait()
	var found []string
	for text, n := range other {
		found = append(found, fmt.Sprintf("%d × %s", n, text))
	}
	slices.Sort(found)
	n := len(r.study.Cells)
	t.Logf("from all cells: %v", r.whole)
	t.Logf("as from all %d cells: %d of %d starts; %.0f cells on average, at most %d (%.0f %%); %v; %s", n, as, starts, float64(total)/float64(starts), most, 100*float64(most)/float64(n), stops, strings.Join(found, "; "))
	if as*100 < 95*starts || most*100 > 40*n {
		t.Errorf("%d of %d starts come out as from all cells, after at most %d of %d cells", as, starts, most, n)
	}
}
