package scores

import (
	"slices"

	"infbench/internal/words"
	"infbench/reports/table"
)

// Cell is the mean for one combination of row and column, with its counts. Averaging goes
// over queries, then over tasks, then over trials. Each step is unweighted, unless the
// number weighs tasks by queries.
type Cell struct {
	State     CellState `json:"state"`
	Value     float64   `json:"-"` // native range; valid only if State.Valued
	Queries   int       `json:"queries"`
	Undefined int       `json:"undefined"` // queries whose value is undefined in some trial
	Tests     int       `json:"tests"`     // tasks averaged
	Trials    int       `json:"trials"`    // trials averaged
	Planned   int       `json:"planned"`   // trials that should have contributed
	Absent    []string  `json:"absent,omitempty"`
	Lacking   []string  `json:"lacking,omitempty"`   // tasks that some trial lacks, so that it has no mean
	Aggregate bool      `json:"aggregate,omitempty"` // includes a mean without per-query values; its queries are not counted
	Measure   string    `json:"measure"`

	From *table.Link `json:"-"`
	best table.Best
	many bool // a mean over several tasks
}

// CellState is the state of a cell.
type CellState string

// The states of a cell. Unplanned cells are combinations that no experiment asked for.
const (
	Whole     CellState = "whole"
	Partial   CellState = "partial" // a mean over less than was planned
	Undefined CellState = "undefined"
	Missing   CellState = "missing"
	Unplanned CellState = "unplanned"
)

// Valued reports whether a cell has a mean.
func (s CellState) Valued() bool { return s == Whole || s == Partial }

// gathered holds the records of one cell and the number that they are averaged to.
type gathered struct {
	records []Record
	on      Number // for a projection, only its strata are set
	slots   []Slot // slots of the records of a projection, each once
}

// Gathered returns the records of a system for a column, including planned trials without
// values.
func (v *Set) Gathered(s *System, c Number) *gathered {
	slots := c.Slots()
	g := &gathered{on: c, records: make([]Record, 0, len(s.Trials)*len(slots))}
	for _, t := range s.Trials {
		for _, at := range slots {
			if t.Expects(at) {
				g.records = append(g.records, Record{view: v, system: s, trial: t, slot: at})
			}
		}
	}
	return g
}

// Cell returns the value of a system in a column.
func (v *Set) Cell(s *System, c Number) Cell {
	g := v.Gathered(s, c)
	if len(g.records) == 0 {
		return Cell{State: Unplanned}
	}
	return g.cell()
}

// cellsKey is the key of a number's cells in a set.
type cellsKey string

// Cells returns the cells of the systems in a column. They are computed once, because
// boards, ranks and charts all use them.
func (v *Set) Cells(c Number) func(s *System) Cell {
	all := v.Keep(cellsKey(c.Key()), func() any {
		made := make(map[*System]Cell, len(v.Systems))
		for _, s := range v.Systems {
			made[s] = v.Cell(s, c)
		}
		return made
	}).(map[*System]Cell)
	return func(s *System) Cell {
		if cell, ok := all[s]; ok {
			return cell
		}
		return v.Cell(s, c)
	}
}

// project sets the number of a cell of a projection: the mean over the slots of its
// records, with splits of a task together. It reuses the number of other if that has the
// same slots.
func (g *gathered) project(other *gathered) {
	first := g.records[0]
	if first.number != nil {
		g.on = *first.number
		return
	}
	for _, r := range g.records {
		if !slices.Contains(g.slots, r.slot) {
			g.slots = append(g.slots, r.slot)
		}
	}
	if other != nil && slices.Equal(g.slots, other.slots) {
		g.on, g.slots = other.on, other.slots
		return
	}
	g.on = first.slot.Column().over(first.view.Benchmarks.strata(g.slots))
}

// trials lists the trials of a cell.
func (g *gathered) trials() []*Trial {
	var out []*Trial
	for _, r := range g.records {
		if len(out) == 0 || out[len(out)-1] != r.trial && !slices.Contains(out, r.trial) {
			out = append(out, r.trial)
		}
	}
	return out
}

// cell averages the records: per trial over its strata's query means, then over the
// trials.
func (g *gathered) cell() Cell {
	trials := g.trials()
	c := Cell{Measure: g.on.Measure, Planned: len(trials), best: g.on.Heading().Best, many: len(g.on.Strata()) > 1}
	short := false
	var counted []*Trial
	for _, t := range trials {
		m := g.Mean(t)
		switch {
		case m.present == 0:
			c.Absent = append(c.Absent, t.ID)
			continue
		case m.Tests == 0 && len(m.lacking) > 0:
			c.Absent = append(c.Absent, t.ID)
			for _, what := range m.lacking {
				c.Lacking = words.AddNew(c.Lacking, what)
			}
			continue
		case m.Tests == 0:
			c.Undefined = max(c.Undefined, m.undefined)
			short = true
			continue
		}
		short = short || c.Trials > 0 && c.Queries != m.queries || m.undefined > 0
		c.add(m)
		counted = append(counted, t)
	}
	if g.on.Name == "" {
		counted = trials
	}
	c.From = g.records[0].view.LinkTo(table.StatMean, counted, g.on)
	switch {
	case c.Trials > 0 && (short || c.Trials < c.Planned):
		c.State = Partial
	case c.Trials > 0:
		c.State = Whole
	case len(c.Absent) == c.Planned:
		c.State = Missing
	default:
		c.State = Undefined
	}
	return c
}

// Runs returns the means of a system's finished trials in a column, in their order.
func (v *Set) Runs(s *System, c Number) []float64 {
	g := v.Gathered(s, c)
	var out []float64
	for _, t := range g.trials() {
		if m := g.Mean(t); m.Tests > 0 {
			out = append(out, m.Mean)
		}
	}
	return out
}

// add includes the mean of one more trial.
func (c *Cell) add(m trialMean) {
	c.Queries = max(c.Queries, m.queries)
	c.Undefined = max(c.Undefined, m.undefined)
	c.Tests = max(c.Tests, m.Tests)
	c.Aggregate = c.Aggregate || m.aggregate
	c.Trials++
	c.Value += (m.Mean - c.Value) / float64(c.Trials)
}

// trialMean is the mean of one trial over the strata of a cell. Tests is their number. It
// is 0 if a stratum has no value: a mean over fewer tasks is a different number.
type trialMean struct {
	Mean                               float64
	present, Tests, queries, undefined int
	aggregate                          bool
	lacking                            []string // tasks without a value, so that there is no mean
}

// Mean averages one trial.
func (g *gathered) Mean(t *Trial) trialMean {
	var m trialMean
	var means []float64
	var sizes []int
	strata := g.on.Strata()
	for _, s := range strata {
		p := t.pool(s)
		m.count(p)
		if p.defined > 0 {
			means, sizes = append(means, p.mean), append(sizes, p.defined)
		}
		switch {
		case p.aggregate && (g.on.ByQuery || len(s.Slots) > 1):
			m.lacking = append(m.lacking, "the number of queries of "+s.number().Called())
		case p.lacks:
			m.lacking = append(m.lacking, s.number().Called())
		}
	}
	if len(m.lacking) > 0 || len(means) < len(strata) {
		return m
	}
	m.Tests = len(means)
	for i, weight := range g.on.Weights(sizes) {
		m.Mean += weight * means[i]
	}
	return m
}

// count adds the counts of a stratum.
func (m *trialMean) count(p pooled) {
	m.present += p.present
	m.undefined += p.undefined
	m.aggregate = m.aggregate || p.aggregate
	if !p.aggregate {
		m.queries += p.defined
	}
}

// pooled is one stratum of one trial.
type pooled struct {
	mean                        float64
	present, defined, undefined int  // present counts slots, the others values
	lacks                       bool // lacks a slot
	aggregate                   bool
}

// pool averages the defined values of a stratum, with equal weight in all of its slots.
// Means without per-query values cannot be pooled: their sizes are not known.
func (t *Trial) pool(s Stratum) pooled {
	var p pooled
	for _, at := range s.Slots {
		have, ok := t.Scores[at]
		if !ok {
			p.lacks = true
			continue
		}
		sum, defined := have.sum()
		p.mean += sum
		p.present++
		p.defined += defined
		p.undefined += len(have.Values) - defined
		p.aggregate = p.aggregate || have.Aggregate
	}
	if p.mean /= float64(max(p.defined, 1)); p.aggregate && len(s.Slots) > 1 {
		p.defined, p.lacks = 0, true
	}
	return p
}
