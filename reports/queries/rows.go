package queries

import (
	"cmp"
	"slices"

	"infbench/metrics"
	"infbench/metrics/stats"
	"infbench/reports/scores"
)

// Main returns the measure by which a query is compared by default: p-MRR for pairs, else
// the first scoring of its task. ok is false for a query without values.
func Main(v *scores.Set, q *Query) (at scores.Slot, ok bool) {
	slots := Slots(v, q)
	if len(slots) == 0 {
		return at, false
	}
	i := slices.IndexFunc(slots, func(s scores.Slot) bool { return s.Measure == metrics.PMRR{}.String() })
	return slots[max(i, 0)], true
}

// Slots lists the slots of a query's task.
func Slots(v *scores.Set, q *Query) (out []scores.Slot) {
	for _, at := range v.Slots {
		if at.Benchmark == q.Benchmark && at.Task == q.Task {
			out = append(out, at)
		}
	}
	return out
}

// Value returns a system's value for a query, averaged over training runs. It is nil if a
// run has no value or an undefined one.
func Value(s *scores.System, at scores.Slot, id string) *float64 {
	if s == nil {
		return nil
	}
	ids, values := s.PerQuery(at)
	if i, found := slices.BinarySearch(ids, id); found {
		return &values[i]
	}
	return nil
}

// Row is a query under one measure, with the values of two systems in the measure's range.
type Row struct {
	*Query
	On         scores.Slot
	A, B       *float64
	Difference *float64 // A − B; nil if either is missing
}

// NewRow returns the row that compares two systems on a query; b may be nil.
func NewRow(q *Query, on scores.Slot, a, b *scores.System) Row {
	r := Row{Query: q, On: on, A: Value(a, on, q.ID), B: Value(b, on, q.ID)}
	if r.A != nil && r.B != nil {
		d := *r.A - *r.B
		r.Difference = &d
	}
	return r
}

// The orders of rows.
const (
	ByDifference = "difference" // first the queries on which A is furthest behind B
	ByA          = "A"          // the worst of A first
	ByB          = "B"          // the worst of B first
	ByID         = "id"
)

// Orders lists the orders of rows.
func Orders() []string { return []string{ByDifference, ByA, ByB, ByID} }

// Sort sorts rows by an order or its reverse. Rows without a number come last.
func Sort(rows []Row, order string, reverse bool) {
	by := func(a, b Row) int { return cmp.Compare(a.Name(), b.Name()) }
	if order != ByID {
		by = func(a, b Row) int { return compare(a.number(order), b.number(order), reverse) }
	}
	if reverse && order == ByID {
		slices.SortStableFunc(rows, func(a, b Row) int { return by(b, a) })
		return
	}
	slices.SortStableFunc(rows, by)
}

// number returns the sort key of a row, higher is better; nil if there is none.
func (r Row) number(order string) *float64 {
	v := map[string]*float64{ByDifference: r.Difference, ByA: r.A, ByB: r.B}[order]
	if v == nil {
		return nil
	}
	oriented := *v
	if d := r.On.Column().Direction(); d == metrics.Lower {
		oriented = d.Oriented(*v)
	}
	return &oriented
}

// compare compares numbers; nil comes last.
func compare(a, b *float64, reverse bool) int {
	switch {
	case a == nil || b == nil:
		return cmp.Compare(btoi(a == nil), btoi(b == nil))
	case reverse:
		return stats.Compare(*b, *a)
	}
	return stats.Compare(*a, *b)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
