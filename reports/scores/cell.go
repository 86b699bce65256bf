package scores

import (
	"maps"
	"slices"

	"infbench/reports/table"
)

// Cell is the mean of one combination of row and column, with what it is a mean
// of. Averaging goes from the inside out: over queries, then over tasks, then
// over trials, each step unweighted.
type Cell struct {
	State     CellState `json:"state"`
	Value     float64   `json:"-"` // native range; means nothing unless State.Valued
	Queries   int       `json:"queries"`
	Undefined int       `json:"undefined"` // queries whose value is undefined in some trial
	Tests     int       `json:"tests"`     // tasks averaged
	Trials    int       `json:"trials"`    // trials averaged
	Planned   int       `json:"planned"`   // trials that should have contributed
	Absent    []string  `json:"absent,omitempty"`
	Aggregate bool      `json:"aggregate,omitempty"` // holds a mean taken over without its queries, which do not count
	Measure   string    `json:"measure"`

	From *table.Link `json:"-"`
}

// CellState says what a cell holds.
type CellState string

// The states of a cell. Unplanned cells are combinations nobody asked for.
const (
	Whole     CellState = "whole"
	Partial   CellState = "partial" // a mean over less than was planned
	Undefined CellState = "undefined"
	Missing   CellState = "missing"
	Unplanned CellState = "unplanned"
)

// Valued reports whether a cell has a mean.
func (s CellState) Valued() bool { return s == Whole || s == Partial }

// gathered is what one cell was given.
type gathered struct{ records []Record }

// cell averages what was gathered: per trial over its slots' query means, then
// over the trials.
func (g *gathered) cell() Cell {
	c := Cell{Measure: g.records[0].slot.Measure}
	var trials []*Trial
	slots := map[Slot]bool{}
	for _, r := range g.records {
		slots[r.slot] = true
		if !slices.Contains(trials, r.trial) {
			trials = append(trials, r.trial)
		}
	}
	c.Planned = len(trials)
	c.From = g.records[0].view.Link(table.StatMean, trials, slices.Collect(maps.Keys(slots)))
	short := false
	for _, t := range trials {
		m := g.Of(t)
		switch {
		case m.present == 0:
			c.Absent = append(c.Absent, t.ID)
			continue
		case m.Tests == 0:
			c.Undefined = max(c.Undefined, m.undefined)
			short = true
			continue
		}
		if c.Trials > 0 && c.Queries != m.queries {
			short = true
		}
		c.Queries = max(c.Queries, m.queries)
		c.Undefined = max(c.Undefined, m.undefined)
		c.Tests = max(c.Tests, m.Tests)
		c.Aggregate = c.Aggregate || m.aggregate
		short = short || m.Tests < len(slots) || m.undefined > 0
		c.Trials++
		c.Value += (m.Mean - c.Value) / float64(c.Trials)
	}
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

// trialMean is the mean of one trial over the slots of a cell.
type trialMean struct {
	Mean                               float64
	present, Tests, queries, undefined int
	aggregate                          bool
}

func (g *gathered) Of(t *Trial) trialMean {
	var m trialMean
	for _, r := range g.records {
		if r.trial != t {
			continue
		}
		have, ok := t.Scores[r.slot]
		if !ok {
			continue
		}
		m.present++
		mean, defined := have.Mean()
		m.undefined += len(have.Values) - defined
		if defined == 0 {
			continue
		}
		m.Tests++
		if m.aggregate = m.aggregate || have.Aggregate; !have.Aggregate {
			m.queries += defined
		}
		m.Mean += (mean - m.Mean) / float64(m.Tests)
	}
	return m
}
