package contrast

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"infbench/metrics"
	"infbench/metrics/stats"
	"infbench/reports/scores"
	"infbench/reports/words"
)

// rankedAtMost is the number of systems, the best of a column, that are tested
// against each other: 100 make 4,950 pairs. Those behind have no rank.
const rankedAtMost = 100

// Ranking says where the systems of a board may stand in one column.
type Ranking struct {
	Standings []Standing // best mean first
	Pairs     int        // tested, the family that Holm's correction runs over
	Method    string     // of the tests, in words
	Left      int        // systems with a value beyond the rankedAtMost best

	Column    scores.Number
	direction metrics.Direction
}

// Standing is the place of one system.
type Standing struct {
	System    string
	Rank      int // 1 + systems that are significantly better, so that systems which do not differ may share one
	Low, High int // ends of the 95% bootstrap interval of the place among all ranked systems
	Mean      float64
	Groups    []int // groups of systems that do not differ, from 0 for that of the best

	system *scores.System
}

// Rank tests all pairs of systems in a column and resamples its queries. It
// returns nil where fewer than two systems have values, and where neither direction
// of the measure is better.
func Rank(v *scores.Set, c scores.Number, o Options) (*Ranking, error) {
	r := &Ranking{Column: c, direction: c.Direction()}
	if r.direction == metrics.Neither {
		return nil, nil
	}
	for _, s := range v.Systems {
		if cell := v.Cell(s, c); cell.State.Valued() && !cell.Aggregate {
			r.Standings = append(r.Standings, Standing{System: s.Label, Mean: cell.Value, system: s})
		}
	}
	if len(r.Standings) < 2 {
		return nil, nil
	}
	oriented := func(s Standing) float64 { return r.direction.Oriented(s.Mean) }
	slices.SortStableFunc(r.Standings, func(a, b Standing) int { return cmp.Compare(oriented(b), oriented(a)) })
	r.Left = max(0, len(r.Standings)-rankedAtMost)
	r.Standings = slices.Clip(r.Standings[:len(r.Standings)-r.Left])
	differ, err := r.testPairs(o)
	if err != nil {
		return nil, err
	}
	means := make([]float64, len(r.Standings))
	for i, s := range r.Standings {
		means[i] = oriented(s)
	}
	for i, found := range stats.Ranks(means, differ) {
		r.Standings[i].Rank, r.Standings[i].Groups = found.Low, found.Groups
	}
	r.bootstrap(o)
	return r, nil
}

// testPairs tests every pair of ranked systems as one family and returns which
// differ. Pairs without a common query cannot.
func (r *Ranking) testPairs(o Options) (differ func(a, b int) bool, err error) {
	var f Family
	at := map[[2]int]*Contrast{}
	for a := range r.Standings {
		for b := a + 1; b < len(r.Standings); b++ {
			c := &Contrast{A: r.Standings[a].system, B: r.Standings[b].system, On: r.Column}
			f.Contrasts, at[[2]int{a, b}] = append(f.Contrasts, c), c
		}
	}
	how := o.PairedTest(len(f.Contrasts))
	how.Interval = nil
	if err := f.Test(how); err != nil {
		return nil, fmt.Errorf("rank systems: %w", err)
	}
	r.Method, r.Pairs = f.Method, f.Tested()
	return func(a, b int) bool {
		return at[[2]int{min(a, b), max(a, b)}].Verdict(r.direction).Shown()
	}, nil
}

// bootstrap resamples the queries, within each task, for all systems alike, and
// notes between which places each system moves.
func (r *Ranking) bootstrap(o Options) {
	tasks := r.matrix()
	k := len(r.Standings)
	places := make([][]int, k)
	random := rand.New(rand.NewPCG(o.Seed, 1))
	means, order := make([]float64, k), make([]int, k)
	for range o.Resamples {
		clear(means)
		for _, t := range tasks {
			t.resample(random, means)
		}
		for i, m := range means {
			means[i] = r.direction.Oriented(m)
		}
		for i, place := range competition(means, order) {
			places[i] = append(places[i], place)
		}
	}
	for i := range r.Standings {
		slices.Sort(places[i])
		n := len(places[i])
		tail := int(float64(n) * (1 - Level) / 2)
		r.Standings[i].Low, r.Standings[i].High = places[i][tail], places[i][n-1-tail]
	}
}

// competition returns the place of each mean, from 1 for the highest; equal means share the
// higher place. order is room to work in.
func competition(means []float64, order []int) []int {
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(means[b], means[a]) })
	places := make([]int, len(means))
	for at, i := range order {
		places[i] = at + 1
		if at > 0 && means[i] == means[order[at-1]] {
			places[i] = places[order[at-1]]
		}
	}
	return places
}

// sampledTask holds the values of one task: by query, then system; NaN where a
// system has none.
type sampledTask struct {
	values [][]float64
	weight float64 // 1/tasks: a column is the unweighted mean over its tasks
	sum    []float64
	count  []int
}

// matrix lays the values of the ranked systems out for resampling.
func (r *Ranking) matrix() []*sampledTask {
	var out []*sampledTask
	slots := r.Column.Slots()
	k := len(r.Standings)
	for _, at := range slots {
		rows := map[string][]float64{}
		for i, s := range r.Standings {
			queries, values := s.system.PerQuery(at)
			for j, q := range queries {
				if rows[q] == nil {
					rows[q] = slices.Repeat([]float64{math.NaN()}, k)
				}
				rows[q][i] = values[j]
			}
		}
		t := &sampledTask{weight: 1 / float64(len(slots)), sum: make([]float64, k), count: make([]int, k)}
		for _, q := range words.SortedKeys(rows) {
			t.values = append(t.values, rows[q])
		}
		out = append(out, t)
	}
	return out
}

// resample draws as many queries as the task has and adds each system's mean
// over those it has values for.
func (t *sampledTask) resample(random *rand.Rand, means []float64) {
	clear(t.sum)
	clear(t.count)
	for range t.values {
		for i, v := range t.values[random.IntN(len(t.values))] {
			if !math.IsNaN(v) {
				t.sum[i] += v
				t.count[i]++
			}
		}
	}
	for i, n := range t.count {
		if n > 0 {
			means[i] += t.weight * t.sum[i] / float64(n)
		}
	}
}

// Places prints the interval of places: "2–4".
func (s Standing) Places() string {
	if s.Low == s.High {
		return fmt.Sprint(s.Low)
	}
	return fmt.Sprintf("%d–%d", s.Low, s.High)
}

// Of finds the standing of a system, nil where it has none.
func (r *Ranking) Of(s *scores.System) *Standing {
	if r == nil {
		return nil
	}
	for i := range r.Standings {
		if r.Standings[i].system == s {
			return &r.Standings[i]
		}
	}
	return nil
}

// note states the planned comparisons of a ranking.
func (r *Ranking) note() string {
	parts := fmt.Sprintf("%s of %s, %s, corrected by Holm over those pairs.",
		words.Plural(r.Pairs, "pair", "pairs"), words.Plural(len(r.Standings), "system", "systems"), r.Method)
	if r.Left > 0 {
		_, behind := Sides(r.direction)
		parts += fmt.Sprintf(" %s %s the %d %s had no test and no rank.", words.Plural(r.Left, "system", "systems"), behind, rankedAtMost, r.Column.Heading().Best.Word())
	}
	return parts
}

// RankingNotes states the planned comparisons of all columns, once where they
// are alike.
func RankingNotes(rankings []*Ranking) []string {
	columns := map[string][]string{}
	var order []string
	for _, r := range rankings {
		if r == nil {
			continue
		}
		if columns[r.note()] == nil {
			order = append(order, r.note())
		}
		columns[r.note()] = append(columns[r.note()], r.Column.Scoring()+" on "+r.Column.Test())
	}
	if len(order) == 1 {
		return []string{"In each column: " + order[0]}
	}
	var notes []string
	for _, note := range order {
		notes = append(notes, strings.Join(columns[note], ", ")+": "+note)
	}
	return notes
}
