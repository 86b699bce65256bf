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

// Push is what a commit measured, to be recorded.
type Push struct {
	Commit, Date string
	Results      []*results.Experiment
	Before       []*results.Experiment // of the commit before; nil where they are not known
	Marks        []Mark                // what a gate says of it
	Next         string                // the commit of the history that came after it; "" of the last
}

// Mark is a number that got worse, or is gone.
type Mark struct {
	Number    string `json:"number"`              // with its system; "" of a rule that finds none
	Reason    string `json:"reason"`              // a sentence
	Accepted  bool   `json:"accepted,omitempty"`  // Reason says by whom, until when and why
	Undecided bool   `json:"undecided,omitempty"` // nothing tells yet whether by chance
}

// alike reports whether two marks say the same of a number, for whatever reason.
func (m Mark) alike(o Mark) bool {
	return m.Number == o.Number && m.Accepted == o.Accepted && m.Undecided == o.Undecided
}

// Record adds what a commit measured at the end of a history, or in its old place where
// the history has the commit already, so that doing it twice changes nothing: what was
// said of how it differs from the commit before stays. One that came before another which
// was measured first goes there.
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
		return nil, fmt.Errorf("the history has no commit %s, which %s would go before", words.Clean(p.Next), p.Commit)
	}
	return slices.Insert(out, i, c), nil
}

// measure fills in the numbers of the leaderboards.
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

// tasks fills in the single tasks of what was run once.
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

// short keeps five digits of what is an estimate anyway, for lines that stay short.
func short(v float64) float64 {
	out, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 5, 64), 64) // what was just printed
	return out
}

// keep takes over what was said of a commit that is measured again.
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

// causesKept is how many causes a commit keeps.
const causesKept = 4

// compare fills in how a commit differs from the one before.
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

// systemsOf lists the systems of some shifts, those that a set still has with the
// number that they lack.
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

// sample fills in what queries bring into the change of each number.
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
