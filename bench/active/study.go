// Package active runs a sweep in rounds. After each round it picks the next cells, those that
// are expected to tell most about the claims of a file, and it ends when more cells would tell
// nothing more. It logs its decisions, with their reasons, in the run folder. Each line of the
// log has the hash of the previous line, so an interrupted sweep continues with the same
// decisions.
//
// Package metrics/adaptive picks cells by how much they reduce the variances of the contrasts
// in the claims. It decides the contrasts with one error rate over all of them and all rounds,
// whenever the sweep ends. Its theory does not cover two facts: variances are estimated, and
// settled questions influence which cells are run. Simulated sweeps check that the error rate
// is kept all the same (TestFalseVerdicts). Do no other test on such a sweep while it is
// incomplete, since its own data decided where it ended.
package active

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"infbench/metrics/adaptive"
	"infbench/metrics/stats"
)

// Question is a contrast to settle: whether a weighted sum of systems is above 0.
type Question struct {
	Claim        string    // claim that asks it; a claim holds if all its questions are above 0
	Against      string    // distinguishes it from other questions of the claim
	Number       int       // index of the number that it is about
	Coefficients []float64 // one for each system
}

// Study is the design of an active sweep: its cells, its questions and its settings.
type Study struct {
	Levels    [][]string // for each system its level of each factor
	Cells     []int      // for each cell its system
	Questions []Question
	Alpha     float64 // chance that any verdict is false
	Budget    int     // maximum number of cells
	Round     int     // cells in a round
	Start     int     // cells in the first round, which is random
	Seed      uint64  // seed of the random first round and of the order of equally good cells
}

// Measured has the values of one number in the finished cells.
type Measured struct {
	Layout stats.Layout
	Values [][]float64 // by finished cell, by item
}

// Decision is the decision after a round.
type Decision struct {
	Cells   []adaptive.Choice // cells of the next round; none if the sweep ends
	Stop    string            // why it ends; "" if it continues
	Sides   []adaptive.Side   // by question
	Chances []float64         // estimated chance that the complete sweep would show it; 1 before the first estimate
}

// remote is the chance of being shown by the complete sweep below which a question is
// abandoned.
const remote = 0.05

// Deciding is the state of a study in progress.
type Deciding struct {
	Study
	design *adaptive.Design
	family *adaptive.Family
	order  []int // a random order of cells
}

// New begins a study.
func New(s Study) (*Deciding, error) {
	var contrasts [][]float64
	for _, q := range s.Questions {
		contrasts = append(contrasts, q.Coefficients)
	}
	design, err := adaptive.NewDesign(s.Levels, s.Cells, contrasts)
	if err != nil {
		return nil, err
	}
	return &Deciding{
		Study: s, design: design,
		family: adaptive.NewFamily(weights(s.Questions), s.Alpha, adaptive.OBrienFleming),
		order:  Order(s.Cells, s.Seed),
	}, nil
}

// weights are the shares of alpha of the questions. Each claim has the same share, however many
// questions it asks: "best of eleven" takes no more from the other claims than "better than
// one".
func weights(questions []Question) []float64 {
	of := map[string]float64{}
	for _, q := range questions {
		of[q.Claim]++
	}
	out := make([]float64, len(questions))
	for i, q := range questions {
		out[i] = 1 / of[q.Claim]
	}
	return out
}

// Order returns a random order of cells, given the system of each cell. The first cells of the
// order are the first round. It keeps two runs of a system together, since only replicates show
// how runs vary.
func Order(systems []int, seed uint64) (order []int) {
	drawn := rand.New(rand.NewPCG(seed, 0)).Perm(len(systems))
	taken := make([]bool, len(systems))
	for i, cell := range drawn {
		if taken[cell] {
			continue
		}
		order = append(order, cell)
		for _, other := range drawn[i+1:] {
			if !taken[other] && systems[other] == systems[cell] {
				order, taken[other] = append(order, other), true
				break
			}
		}
	}
	return order
}

// Decide chooses the next round from the finished cells; found has the values of each number in
// them. Cells in failed are not run again. Call it once after every round.
func (d *Deciding) Decide(done, failed []int, found []Measured) Decision {
	var available []int
	for _, c := range d.order {
		if !slices.Contains(done, c) && !slices.Contains(failed, c) {
			available = append(available, c)
		}
	}
	left := min(d.Budget-len(done)-len(failed), len(available))
	sights, evidence, chances := d.see(done, available, found)
	d.family.Look(evidence, left <= 0)
	out := Decision{Sides: d.family.Sides()}
	for i := range d.Questions {
		out.Chances = append(out.Chances, chances[i](d.family.Level(i)))
	}
	asked := d.asked(out)
	switch {
	case !slices.Contains(asked, true):
		out.Stop = fmt.Sprintf("every claim is settled, or would be by all cells with a chance below %.0f %%", 100*remote)
	case len(available) == 0:
		out.Stop = "no cell is left"
	case left <= 0:
		out.Stop = fmt.Sprintf("the budget of %d cells is spent", d.Budget)
	}
	if out.Stop != "" {
		return out
	}
	for k := range sights {
		sights[k].Asked = make([]bool, len(asked))
		for i, q := range d.Questions {
			sights[k].Asked[i] = asked[i] && q.Number == k
		}
	}
	out.Cells = adaptive.Choose(sights, available, min(d.Round, left))
	if len(out.Cells) == 0 {
		out.Stop = "no cell would tell anything more"
	}
	return out
}

// Standings returns the present standing of each question.
func (d *Deciding) Standings() []adaptive.Standing { return d.family.Standings() }

// asked reports for each question whether further cells should answer it. They should not if it
// is settled, or if another question has settled its claim.
func (d *Deciding) asked(at Decision) []bool {
	out := make([]bool, len(at.Sides))
	over := map[string]bool{}
	for i, side := range at.Sides {
		given := side == adaptive.Open && at.Chances[i] < remote
		if out[i] = side == adaptive.Open && !given; given || side == adaptive.Below {
			over[d.Questions[i].Claim] = true
		}
	}
	for i, q := range d.Questions {
		out[i] = out[i] && !over[q.Claim]
	}
	return out
}

// see computes the evidence on every question, for its number, from the finished cells.
func (d *Deciding) see(done, available []int, found []Measured) (sights []adaptive.Sight, evidence []adaptive.Evidence, chances []func(level float64) float64) {
	evidence = make([]adaptive.Evidence, len(d.Questions))
	chances = make([]func(float64) float64, len(d.Questions))
	for k, m := range found {
		s := d.sight(done, available, m)
		stays := make([]float64, len(d.Questions))
		for i, q := range d.Questions {
			if q.Number != k {
				continue
			}
			var known bool
			evidence[i], stays[i], known = s.evidence(d.Cells, i)
			chances[i] = func(level float64) float64 {
				if !known {
					return 1
				}
				return chance(evidence[i], level)
			}
		}
		sights = append(sights, adaptive.Sight{Belief: s.belief, Stays: stays})
	}
	return sights, evidence, chances
}

// sight is one number in the finished cells, with its model.
type sight struct {
	Measured
	ways         [][]*stats.Seeds // estimates of how the runs of each system vary, pooled over all systems first; systems with the same pointer were pooled
	fit          adaptive.Fit
	belief, full *adaptive.Belief // after the finished cells, and after all cells
	done         []int
}

func (d *Deciding) sight(done, available []int, m Measured) *sight {
	s := &sight{Measured: m, done: done}
	runs := map[int][][]float64{}
	means := make([]float64, len(done))
	for i, cell := range done {
		means[i] = m.Layout.Mean(m.Values[i])
		runs[d.Cells[cell]] = append(runs[d.Cells[cell]], m.Values[i])
	}
	s.ways = d.seeds(m.Layout, runs)
	s.fit = d.design.Fit(runVariances(s.ways[0], means), done, means)
	s.belief = d.design.Prior(s.fit.Variances, true)
	for _, cell := range done {
		s.belief.Observe(cell)
	}
	s.full = s.belief.Clone()
	for _, cell := range available {
		s.full.Observe(cell)
	}
	return s
}

// evidence returns the evidence on a question, the weakest evidence over all estimates of how
// runs vary, and the variance that further runs do not remove. known is false before the first
// evidence.
func (s *sight) evidence(systems []int, question int) (e adaptive.Evidence, stays float64, known bool) {
	if s.ways[0][0].Freedom == 0 || !s.belief.Estimable(question) {
		return e, 0, false
	}
	weights := s.belief.Weights(question)
	now, all := s.belief.Variance(question), s.full.Variance(question)
	weakest := math.Inf(1)
	for i, seeds := range s.ways {
		var terms []stats.Term
		ofRuns, ofItems := 0.0, 0.0
		for k, cell := range s.done {
			w, of := weights[cell], seeds[systems[cell]]
			ofRuns += w * w * s.fit.Run[systems[cell]]
			ofItems += w * w * of.Interaction
			terms = append(terms, stats.Term{Coefficient: w, Values: s.Values[k], Runs: 1, Seeds: of})
		}
		sum, ok := s.Layout.Contrast(terms...)
		if !ok {
			return e, 0, false
		}
		one := adaptive.Evidence{Value: sum.Value}
		one.StandardError, one.Freedom = joined(sum, max(0, now-ofRuns), s.fit.Freedom)
		if i == 0 {
			items := sum.AtHand().StandardError
			stays = max(0, items*items-ofItems)
		}
		one.Share = (stays + all) / (stays + now)
		if one.Freedom < adaptive.LeastFreedom {
			return one, stays, false
		}
		if z := math.Abs(stats.NormalScore(one.Value/one.StandardError, one.Freedom)); z < weakest || i == 0 {
			e, weakest = one, z
		}
	}
	return e, stays, true
}

// joined adds an independent variance to an estimate. It returns the standard error of the sum
// and its degrees of freedom: the reciprocal is the mean of the parts' reciprocals, weighted by
// their variances.
func joined(sum stats.Estimate, spread, freedom float64) (se, together float64) {
	of := sum.StandardError * sum.StandardError
	total, inverse := of+spread, 0.0
	if total == 0 {
		return 0, 0
	}
	if of > 0 {
		inverse += of / sum.Freedom
	}
	if spread > rounding*total {
		inverse += spread / max(freedom, 1e-3)
	}
	return math.Sqrt(total), total / inverse
}

// rounding is the share of a variance that may be rounding error.
const rounding = 1e-9
