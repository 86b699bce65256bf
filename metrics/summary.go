package metrics

import (
	"infbench/internal/parallel"
)

// Row is the value of a measure for one case.
type Row struct {
	Case  *Case
	Value float64
	OK    bool // whether the measure is defined for the case
}

// Summarizer is a measure whose summary over queries is not the mean of its
// defined values. Rows come in byte order of their queries.
type Summarizer interface {
	Measure
	Summarize(rows []Row) (value float64, ok bool)
}

// ScoreAll scores every case with every measure, with cases in parallel. It returns one list of
// rows for each measure, in the order of cases. The result does not depend on the number of
// workers.
func ScoreAll(measures []Measure, cases []*Case) [][]Row {
	rows := make([][]Row, len(measures))
	for i := range rows {
		rows[i] = make([]Row, len(cases))
	}
	parallel.Workers(len(cases), func() func(int) {
		var shared relevance // reused from case to case
		return func(at int) {
			prepared := *cases[at] // a copy: the prepared data is not kept
			shared.fill(&prepared)
			prepared.prepared = &shared
			for i, m := range measures {
				value, ok := m.Score(&prepared)
				rows[i][at] = Row{cases[at], value, ok}
			}
		}
	})
	return rows
}

// Summarize returns the value of m over all queries: the mean of the defined values unless m is a
// Summarizer. ok is false if no value is defined. Rows must be in byte order of their queries, so
// that sums are reproducible.
func Summarize(m Measure, rows []Row) (value float64, ok bool) {
	if s, special := m.(Summarizer); special {
		return s.Summarize(rows)
	}
	return mean(rows)
}

// mean returns the mean of the defined values.
func mean(rows []Row) (float64, bool) {
	total, n := sum(rows)
	if n == 0 {
		return 0, false
	}
	return total / float64(n), true
}

// sum adds up the defined values and counts them.
func sum(rows []Row) (total float64, n int) {
	for _, r := range rows {
		if r.OK {
			total += r.Value
			n++
		}
	}
	return total, n
}
