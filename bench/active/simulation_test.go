package active

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"testing"

	"infbench/internal/testkit"
	"infbench/metrics/adaptive"
	"infbench/metrics/stats"
)

// world is a simulated sweep: losses × backbones, three seeds each, with queries.
type world struct {
	losses, backbones, queries int
	loss                       []float64 // effect of each
	wild                       float64   // how much more runs vary on the first backbone; 0: as much as on the others
	system, query, run, noise  float64   // standard deviation of a system's own effect, of a query of a system, of a run, of a query of a run
}

// measured has the components of p-MRR in the generated world, as in docs/findings/coverage.md.
var measured = world{losses: 5, backbones: 3, queries: 40, query: .145, run: .020, noise: .065}

// study asks whether each loss except the first is better than the first, and whether the last
// loss is the best.
func (w world) study(seed uint64) Study {
	s := Study{Alpha: .05, Round: 4, Start: 9, Seed: seed}
	for l := range w.losses {
		for b := range w.backbones {
			s.Levels = append(s.Levels, []string{fmt.Sprint("loss ", l), fmt.Sprint("backbone ", b)})
			for range 3 {
				s.Cells = append(s.Cells, len(s.Levels)-1)
			}
		}
	}
	ask := func(claim, against string, above, below int) {
		q := Question{Claim: claim, Against: against, Coefficients: make([]float64, len(s.Levels))}
		for b := range w.backbones {
			q.Coefficients[above*w.backbones+b] += 1 / float64(w.backbones)
			q.Coefficients[below*w.backbones+b] -= 1 / float64(w.backbones)
		}
		s.Questions = append(s.Questions, q)
	}
	for l := 1; l < w.losses; l++ {
		ask(fmt.Sprint("loss ", l), "", l, 0)
	}
	for l := range w.losses - 1 {
		ask("best", fmt.Sprint("loss ", l), w.losses-1, l)
	}
	s.Budget = len(s.Cells) * 6 / 10
	return s
}

// draw simulates the values of all cells and the true value of every question. The systems' own
// effects sum to zero within a loss.
func (w world) draw(r *rand.Rand, s Study) (values [][]float64, truth []float64) {
	means := make([]float64, len(s.Levels))
	for l := range w.losses {
		mean := 0.0
		for b := range w.backbones {
			means[l*w.backbones+b] = w.system * r.NormFloat64()
			mean += means[l*w.backbones+b] / float64(w.backbones)
		}
		for b := range w.backbones {
			means[l*w.backbones+b] += float64(b)*.1 - mean
			if w.loss != nil {
				means[l*w.backbones+b] += w.loss[l]
			}
		}
	}
	of := make([][]float64, len(means))
	for i := range of {
		of[i] = make([]float64, w.queries)
		for q := range of[i] {
			of[i][q] = means[i] + w.query*r.NormFloat64()
		}
	}
	for _, system := range s.Cells {
		run, cell := w.run*r.NormFloat64(), make([]float64, w.queries)
		if w.wild > 0 && system%w.backbones == 0 {
			run *= w.wild
		}
		for q := range cell {
			cell[q] = of[system][q] + run + w.noise*r.NormFloat64()
		}
		values = append(values, cell)
	}
	for _, q := range s.Questions {
		sum := 0.0
		for i, c := range q.Coefficients {
			sum += c * means[i]
		}
		if math.Abs(sum) < 1e-12 {
			sum = 0
		}
		truth = append(truth, sum)
	}
	return values, truth
}

// finish runs a study to its end on given values and returns the number of cells that it took.
func finish(t testing.TB, s Study, layout stats.Layout, values [][][]float64) (Decision, int) {
	t.Helper()
	d, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	done := Order(s.Cells, s.Seed)[:s.Start]
	for {
		found := make([]Measured, len(values))
		for k := range values {
			found[k].Layout = layout
			for _, c := range done {
				found[k].Values = append(found[k].Values, values[k][c])
			}
		}
		next := d.Decide(done, nil, found)
		if next.Stop != "" {
			return next, len(done)
		}
		for _, c := range next.Cells {
			done = append(done, c.Cell)
		}
	}
}

// TestFalseVerdicts checks that at most 5 % of 1,000 simulated sweeps end with any false
// verdict: with equal losses, with losses that are equal only on average over backbones, with
// runs that vary much or unequally, and with some different losses. Different losses must be
// found. Unless INFBENCH_COVERAGE is 1 (make coverage) it simulates 100 sweeps and allows a few
// more errors.
func TestFalseVerdicts(t *testing.T) {
	testkit.Deep(t)
	sweeps, most := 100, 10 // 5 % and 2.6 standard errors
	if os.Getenv("INFBENCH_COVERAGE") == "1" {
		sweeps, most = 1000, 50
	}
	equal, own, strong, wild, some := measured, measured, measured, measured, measured
	own.system = .06
	strong.system, strong.run = .15, .06
	wild.run, wild.wild = .03, 4
	some.loss = []float64{0, 0, .15, -.2, 0}
	for _, c := range []struct {
		name  string
		world world
	}{{"equal losses", equal}, {"equal losses, whose backbones differ", own}, {"equal losses, whose backbones and seeds differ much", strong}, {"equal losses, runs of one backbone vary four times as much", wild}, {"two of five losses differ", some}} {
		var mutex sync.Mutex
		wrong, cells, shown, different := 0, 0, 0, 0
		var workers sync.WaitGroup
		for w := range runtime.NumCPU() {
			workers.Go(func() {
				for i := w; i < sweeps; i += runtime.NumCPU() {
					r := rand.New(rand.NewPCG(uint64(i), 22))
					s := c.world.study(uint64(i) + 1)
					values, truth := c.world.draw(r, s)
					end, n := finish(t, s, stats.OneStratum(c.world.queries), [][][]float64{values})
					mutex.Lock()
					cells += n
					bad := 0
					for k, side := range end.Sides {
						switch {
						case side == adaptive.Above && truth[k] <= 0, side == adaptive.Below && truth[k] >= 0:
							bad = 1
						case side != adaptive.Open:
							shown++
						}
						if truth[k] != 0 {
							different++
						}
					}
					wrong += bad
					mutex.Unlock()
				}
			})
		}
		workers.Wait()
		t.Logf("%s: %d of %d sweeps end with a false verdict; %d of %d differences shown; %.1f cells of 45", c.name, wrong, sweeps, shown, different, float64(cells)/float64(sweeps))
		if wrong > most {
			t.Errorf("%s: %d of %d sweeps end with a false verdict", c.name, wrong, sweeps)
		}
		if different > 0 && shown == 0 {
			t.Errorf("%s: none of %d differences is shown", c.name, different)
		}
	}
}
