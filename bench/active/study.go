// Package active runs a sweep in rounds: after each round it picks the next cells, those
// that are expected to tell most about the claims of a file, and it ends when nothing
// more can be told. Its decisions, with their reasons, are a log in the run folder, each
// line with the hash of the line before, so that a killed sweep goes on with the same
// decisions.
//
// Package metrics/adaptive picks cells by how much they reduce the variances of the
// contrasts in the claims, and decides the contrasts with one error rate over all of them
// and all rounds, whenever the sweep ends. Two things are beyond its theory: variances
// are estimated, and what is settled influences what is run. Simulated sweeps check that
// the error rate is kept all the same (TestFalseVerdicts). No other test may be made of
// such a sweep while it is incomplete, since its own data decided where it ended.
package active

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"infbench/metrics/adaptive"
	"infbench/metrics/stats"
)

// Question is a contrast that is to be settled: whether a sum of systems lies above 0.
type Question struct {
	Claim        string    // that asks it; of several questions of one claim all must lie above
	Against      string    // what tells it apart from others of its claim
	Number       int       // that it is about
	Coefficients []float64 // of every system
}

// Study is what may be run, what is asked, and how.
type Study struct {
	Levels    [][]string // of every system its level of each factor
	Cells     []int      // of every cell its system
	Questions []Question
	Alpha     float64 // chance that any verdict is false
	Budget    int     // cells at most
	Round     int     // cells of a round
	Start     int     // cells of the first one, which is drawn
	Seed      uint64  // of what is drawn: the first round, and the order of equal cells
}

// Measured is one number of the cells that are done.
type Measured struct {
	Layout stats.Layout
	Values [][]float64 // by cell that is done, by item
}

// Decision is what follows from the cells that are done.
type Decision struct {
	Cells   []adaptive.Choice // of the next round; none where the sweep ends
	Stop    string            // why it ends; "" where it goes on
	Sides   []adaptive.Side   // by question
	Chances []float64         // that the whole sweep would show it, as far as can be told; 1 while nothing can
}

// remote is the chance of being shown by the whole sweep below which a question is left as
// it is.
const remote = 0.05

// Deciding is a study under way.
type Deciding struct {
	Study
	design *adaptive.Design
	family *adaptive.Family
	order  []int // of cells, drawn
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

// weights are those of questions in alpha: claims weigh alike, however many questions one
// asks. That something is the best of eleven takes no more from the others than that it is
// better than one.
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

// Order is a drawn order of cells, of each of which the system is given: the first ones are
// the first round. Two runs of a system stand together, since only such tell how runs vary.
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

// Decide looks at the cells that are done, of which found has each number, and says what
// is next. Cells in failed are not run again. It is to be called once after every round.
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

// Standings are how the questions stand.
func (d *Deciding) Standings() []adaptive.Standing { return d.family.Standings() }

// asked says of each question whether further cells are to answer it: not where it is
// settled, or where its claim is, by another question of it.
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

// see works out what the cells that are done tell of every question, on its number.
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
			evidence[i], stays[i], known = s.of(d.Cells, i)
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

// sight is one number of the cells that are done, with the model of it.
type sight struct {
	Measured
	ways         [][]*stats.Seeds // that runs of each system may vary in, all alike first; those that share a value vary alike
	fit          adaptive.Fit
	belief, full *adaptive.Belief // after the cells that are done, and after all
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

// of is what is known of a question: the evidence, by the way in which runs may vary that
// makes it weakest, and the variance that further runs do not take off. known is false
// where nothing can be said yet.
func (s *sight) of(systems []int, question int) (e adaptive.Evidence, stays float64, known bool) {
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

// joined is the standard error of an estimate with a variance beside it, and the degrees
// of freedom of both: one over them is the mean of those of the parts, by their variances.
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

// rounding is what is left of a variance by rounding alone.
const rounding = 1e-9
