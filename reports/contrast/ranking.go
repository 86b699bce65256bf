package contrast

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"infbench/internal/parallel"
	"infbench/internal/words"
	"infbench/metrics"
	"infbench/metrics/stats"
	"infbench/reports/scores"
)

// rankedAtMost limits the number of systems, the best of a column, that are tested against
// each other: 500 make 124,750 pairs. Systems beyond it have no rank.
const rankedAtMost = 500

// lettersAtMost is the largest number of systems for which letters are computed.
const lettersAtMost = 100

// Ranking holds the possible ranks of a board's systems in one column.
type Ranking struct {
	Standings []Standing // best mean first
	Pairs     int        // number of tested pairs, the family of Holm's correction
	Left      int        // number of systems with a value beyond the rankedAtMost best
	OneRun    bool       // some systems were trained once, so their ranks are about that run

	Column    scores.Number
	direction metrics.Direction
	runs      *Replication
	family    []float64           // p-values of all pairs
	adjusted  func() []float64    // corrected p-values, computed on first use
	differ    func(a, b int) bool // arguments are indexes of Standings
}

// Standing is the rank of one system.
type Standing struct {
	System    string
	Low, High int // range of possible ranks: Low−1 systems are significantly better, and all but High are significantly worse
	Mean      float64
	Groups    []int // groups of systems that do not differ, numbered from 0 for the best one's; nil if systems were trained once

	system *scores.System
}

// Rank tests all pairs of systems in a column. It returns nil if fewer than two systems
// have values that may be tested, or if the measure has no better direction.
func Rank(v *scores.Set, c scores.Number) *Ranking {
	r := &Ranking{Column: c, direction: c.Direction()}
	if r.direction == metrics.Neither {
		return nil
	}
	cells := v.Cells(c)
	for _, s := range v.Systems {
		if cell := cells(s); cell.State.Valued() && untestable(s, c) == "" {
			r.Standings = append(r.Standings, Standing{System: s.Label, Mean: cell.Value, system: s})
		}
	}
	if len(r.Standings) < 2 {
		return nil
	}
	oriented := func(s Standing) float64 { return r.direction.Oriented(s.Mean) }
	slices.SortStableFunc(r.Standings, func(a, b Standing) int { return stats.Compare(oriented(b), oriented(a)) })
	r.Left = max(0, len(r.Standings)-rankedAtMost)
	r.Standings = slices.Clip(r.Standings[:len(r.Standings)-r.Left])
	r.runs = ReplicationOf(v, c)
	for _, s := range r.Standings {
		r.OneRun = r.OneRun || r.runs.OneRun(s.system)
	}
	r.differ = r.testPairs(r.runs)
	r.place()
	return r
}

// place sets ranks and groups.
func (r *Ranking) place() {
	means := make([]float64, len(r.Standings))
	for i, s := range r.Standings {
		means[i] = r.direction.Oriented(s.Mean)
	}
	for i, found := range stats.Places(means, r.differ) {
		r.Standings[i].Low, r.Standings[i].High = found.Low, found.High
	}
	if r.OneRun || len(means) > lettersAtMost {
		return
	}
	for i, groups := range stats.Groups(means, r.differ) {
		r.Standings[i].Groups = groups
	}
}

// testPairs tests every pair of ranked systems as one family and returns which pairs
// differ. Pairs without a common query are not tested.
func (r *Ranking) testPairs(runs *Replication) (differ func(a, b int) bool) {
	n := len(r.Standings)
	p := make([]float64, n*n) // NaN: no test
	one := r.tester(runs)
	parallel.Each(n, func(a int) {
		var w stats.Workspace
		for b := a + 1; b < n; b++ {
			p[a*n+b] = one(&w, a, b)
		}
	})
	var family []float64
	for a := range n {
		for b := a + 1; b < n; b++ {
			if !math.IsNaN(p[a*n+b]) {
				family = append(family, p[a*n+b])
			}
		}
	}
	r.Pairs, r.family = len(family), family
	r.adjusted = sync.OnceValue(func() []float64 { return stats.Holm(family) })
	most := stats.HolmThreshold(family, Significant)
	shown := make([]bool, n*n) // an eighth of the memory of the p-values, which are then freed
	for i := range p {
		shown[i] = p[i] <= most
	}
	return func(a, b int) bool { return shown[min(a, b)*n+max(a, b)] }
}

// tester returns a function that tests a pair of ranked systems and returns NaN if there
// is no test. If all systems have the same queries, which is usual, they are aligned once.
func (r *Ranking) tester(runs *Replication) func(w *stats.Workspace, a, b int) (p float64) {
	var from []valuer
	for _, s := range r.Standings {
		from = append(from, s.system.PerQuery)
	}
	all, complete := align(from, r.Column)
	if !complete || slices.Max(all.lacking) > 0 {
		return func(_ *stats.Workspace, a, b int) float64 {
			c := Contrast{A: r.Standings[a].system, B: r.Standings[b].system, On: r.Column}
			if c.test(runs); c.Why != "" {
				return math.NaN()
			}
			return c.P
		}
	}
	return func(w *stats.Workspace, a, b int) float64 {
		e, ok := all.ContrastIn(w, runs.term(r.Standings[a].system, -1, all.values[a]), runs.term(r.Standings[b].system, 1, all.values[b]))
		if !ok {
			return math.NaN()
		}
		return e.P()
	}
}

// Ranks formats the range of possible ranks: "2–4".
func (s Standing) Ranks() string {
	if s.Low == s.High {
		return fmt.Sprint(s.Low)
	}
	return fmt.Sprintf("%d–%d", s.Low, s.High)
}

// Of returns the standing of a system, nil if it has none.
//
//plain:ok the name of the method
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

// note describes the tests of a ranking.
func (r *Ranking) note() string {
	parts := fmt.Sprintf("%s of %s, %s, corrected by Holm over those pairs.",
		words.Plural(r.Pairs, "pair", "pairs"), words.Plural(len(r.Standings), "system", "systems"), Method)
	if r.OneRun {
		parts += " Ranks of systems trained once are for " + ThisRun + " only, so no letters are shown."
	}
	if r.Left > 0 {
		_, behind := Sides(r.direction)
		parts += fmt.Sprintf(" Not tested and not ranked: %s %s the %d %s.", words.Plural(r.Left, "system", "systems"), behind, rankedAtMost, r.Column.Heading().Best.Word())
	}
	return parts
}

// RankingNotes describes the tests of all columns, once if they are alike.
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
		columns[r.note()] = append(columns[r.note()], r.Column.Label())
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
