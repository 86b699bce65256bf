package site

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"infbench/internal/words"
	"infbench/reports/contrast"
	"infbench/reports/diff"
	"infbench/reports/gate"
	"infbench/reports/scores"
	"infbench/runners/results"
)

// Push is the results of a commit, to be recorded.
type Push struct {
	Commit, Date string
	Results      []*results.Experiment
	Before       []*results.Experiment // of the commit before; nil if unknown
	Marks        []Mark                // from a gate
	Next         string                // the next commit in the history; "" for the latest
}

// Mark is a number that got worse, or is missing.
type Mark struct {
	Number    string `json:"number"`              // with its system; "" for a rule that fits no number
	Reason    string `json:"reason"`              // a sentence
	Accepted  bool   `json:"accepted,omitempty"`  // Reason includes who accepted it, until when and why
	Undecided bool   `json:"undecided,omitempty"` // it may be by chance
}

// alike reports whether two marks are the same apart from their reasons.
func (m Mark) alike(o Mark) bool {
	return m.Number == o.Number && m.Accepted == o.Accepted && m.Undecided == o.Undecided
}

// Record adds the results of a commit to a history: at the end, or before the commit Next if that
// was measured first. If the history has the commit already, it replaces the values and keeps the
// recorded comparison with the commit before, so that recording twice changes nothing.
func Record(history []Commit, p Push) ([]Commit, error) {
	if err := CheckName(p.Commit); err != nil {
		return nil, err
	}
	v, err := scores.New(p.Results)
	if err != nil {
		return nil, err
	}
	c := Commit{Commit: p.Commit, Date: words.Clean(p.Date), Values: []CommitValue{}, Marks: p.Marks}
	c.measure(v)
	out := slices.Clone(history)
	if i := slices.IndexFunc(out, func(have Commit) bool { return have.Commit == p.Commit }); i >= 0 {
		c.keep(out[i])
		out[i] = c
		return out, nil
	}
	if p.Before != nil {
		if err := c.compare(v, p); err != nil {
			return nil, err
		}
	}
	if p.Next == "" {
		return append(out, c), nil
	}
	i := slices.IndexFunc(out, func(have Commit) bool { return have.Commit == p.Next })
	if i < 0 {
		return nil, fmt.Errorf("the history has no commit %s to put %s before", words.Clean(p.Next), p.Commit)
	}
	return slices.Insert(out, i, c), nil
}

// measure records the numbers of the leaderboards.
func (c *Commit) measure(v *scores.Set) {
	for _, s := range v.Systems {
		if seeds := gate.SeedsOf(s); seeds != "" {
			if c.Seeds == nil {
				c.Seeds = map[string]string{}
			}
			c.Seeds[s.Label] = seeds
		}
	}
	var columns []scores.Number
	for _, name := range v.BenchmarkNames() {
		columns = append(columns, v.Columns(name).Main()...)
	}
	means := contrast.Means(v, columns)
	for _, s := range v.Systems {
		for _, col := range columns {
			cell := v.Cell(s, col)
			if !cell.State.Valued() {
				continue
			}
			out := CommitValue{System: s.Label, Test: col.Test(), Scoring: col.Scoring(), Value: cell.Value, Queries: cell.Queries, Runs: cell.Trials}
			if m := means.Of(s, col); m != nil && m.Why == "" {
				out.Error = short(m.Estimate.StandardError)
			}
			if runs := v.Runs(s, col); len(runs) > 1 {
				out.Spread = short(stat.StdDev(runs, nil))
			}
			c.Values = append(c.Values, out)
		}
	}
	c.tasks(v, columns)
}

// tasks records the single tasks of systems that were run once.
func (c *Commit) tasks(v *scores.Set, columns []scores.Number) {
	for _, s := range v.Systems {
		if seeds := c.Seeds[s.Label]; seeds == "" || strings.Contains(seeds, ",") {
			continue
		}
		for _, at := range v.Slots {
			cell := v.Cell(s, at.Column())
			if cell.State.Valued() && !slices.ContainsFunc(columns, at.Column().Same) {
				c.Tasks = append(c.Tasks, CommitValue{System: s.Label, Test: at.Test(), Scoring: at.Scoring(), Value: cell.Value, Queries: cell.Queries, Runs: cell.Trials})
			}
		}
	}
}

// short rounds an estimate to five digits, to keep lines short.
func short(v float64) float64 {
	out, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 5, 64), 64) // the text was just formatted
	return out
}

// keep copies the comparison of an earlier record of the same commit.
func (c *Commit) keep(old Commit) {
	if c.Date == "" {
		c.Date = old.Date
	}
	c.Marks, c.Causes, c.Dropped, c.Lost = old.Marks, old.Causes, old.Dropped, old.Lost
	for i := range c.Values {
		for _, was := range old.Values {
			if v := &c.Values[i]; v.System == was.System && v.Test == was.Test && v.Scoring == was.Scoring {
				v.Moved = was.Moved
			}
		}
	}
}

// causesKept limits the recorded causes of a commit.
const causesKept = 4

// compare records the differences from the commit before.
func (c *Commit) compare(v *scores.Set, p Push) error {
	changes, err := diff.Compare(p.Before, p.Results, false)
	if err != nil {
		return err
	}
	c.Causes = changes.Brief(nil, causesKept)
	dropped, lost := changes.DroppedOrLost()
	c.Dropped, c.Lost = systemsOf(dropped, v), systemsOf(lost, nil)
	before, err := scores.New(p.Before)
	if err != nil {
		return err
	}
	c.sample(before, v)
	return nil
}

// systemsOf lists the systems of some shifts. A system that a set still has is listed with its
// missing number.
func systemsOf(shifts []*diff.Shift, v *scores.Set) []string {
	var out []string
	for _, s := range shifts {
		name := s.System
		if v == nil || slices.ContainsFunc(v.Systems, func(have *scores.System) bool { return have.Label == name }) {
			name = s.Place()
		}
		out = words.AddNew(out, name)
	}
	return out
}

// sample records how much queries add to the variance of each number's change.
func (c *Commit) sample(before, after *scores.Set) {
	i := 0
	for _, s := range after.Systems {
		at := slices.IndexFunc(before.Systems, func(was *scores.System) bool { return was.Label == s.Label && was.Kind == s.Kind })
		for _, name := range after.BenchmarkNames() {
			for _, col := range after.Columns(name).Main() {
				if !after.Cell(s, col).State.Valued() {
					continue
				}
				if at >= 0 {
					variance, _ := contrast.Sampled(before.Systems[at], s, col)
					c.Values[i].Moved = short(math.Sqrt(variance))
				}
				i++
			}
		}
	}
}
