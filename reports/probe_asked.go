package reports

import (
	"slices"

	"gonum.org/v1/gonum/stat"

	"infbench/internal/words"
	"infbench/metrics/stats"
	"infbench/runners/results"
)

// probedSubject is a probed system on a benchmark.
type probedSubject struct {
	system, benchmark string
	name              string // name among the others; "" if it is the only one
	runs              int
	measures          []string
	tasks             []string
	items             map[string][]*probedItem // by task, in the order of the lines
}

// probedItem is an independent unit of a task: a query, or a pair.
type probedItem struct {
	queries []*probedQuery
	at      map[string]*probedQuery
}

// probedQuery holds the results of a query, by kind of instruction. It lists the values of
// all runs and of all instructions of a kind.
type probedQuery struct {
	types    []string
	values   map[string][]float64
	overlaps map[string][]float64
}

// newSubject collects the lines of the runs of a system on one benchmark.
func newSubject(system, benchmark string, runs [][]results.Probed) *probedSubject {
	s := &probedSubject{system: system, benchmark: benchmark, runs: len(runs), items: map[string][]*probedItem{}}
	at := map[[2]string]*probedItem{}
	for _, lines := range runs {
		for i := range lines {
			s.add(at, &lines[i])
		}
	}
	return s
}

// add adds a line.
func (s *probedSubject) add(at map[[2]string]*probedItem, l *results.Probed) {
	s.tasks, s.measures = words.AddNew(s.tasks, l.Task), words.AddNew(s.measures, l.Measure)
	of := at[[2]string{l.Task, l.Item}]
	if of == nil {
		of = &probedItem{at: map[string]*probedQuery{}}
		at[[2]string{l.Task, l.Item}] = of
		s.items[l.Task] = append(s.items[l.Task], of)
	}
	q := of.at[l.Query]
	if q == nil {
		q = &probedQuery{types: l.Types, values: map[string][]float64{}, overlaps: map[string][]float64{}}
		of.at[l.Query], of.queries = q, append(of.queries, q)
	}
	q.overlaps[l.Kind] = append(q.overlaps[l.Kind], l.Overlap)
	if l.Value != nil {
		q.values[l.Kind] = append(q.values[l.Kind], *l.Value)
	}
}

// pairedValues holds the values of items of one type under their own instructions and
// under another kind, task after task.
type pairedValues struct {
	stats.Layout
	own, asked, moved []float64
	undefined         int // items that were asked but have no value
}

// pair aligns both. Queries of an item are averaged first, so that n counts independent
// units. Tasks have equal weight, or for one type a weight by their number of items.
func (s *probedSubject) pair(kind, ofType string) pairedValues {
	var p pairedValues
	for _, task := range s.tasks {
		before := len(p.own)
		for _, i := range s.items[task] {
			i.add(&p, kind, ofType)
		}
		if n := len(p.own) - before; n > 0 {
			p.Sizes = append(p.Sizes, n)
		}
	}
	p.weigh(ofType)
	return p
}

// weigh sets the weights of tasks.
func (p *pairedValues) weigh(ofType string) {
	for _, n := range p.Sizes {
		weight := 1 / float64(len(p.Sizes))
		if ofType != everyType {
			weight = float64(n) / float64(len(p.own))
		}
		p.Weights = append(p.Weights, weight)
	}
}

// add appends the values of an item, if any of its queries of the type was asked with the
// kind.
func (i *probedItem) add(p *pairedValues, kind, ofType string) {
	var own, asked, moved []float64
	wasAsked := false
	for _, q := range i.queries {
		if len(q.overlaps[kind]) == 0 || !q.hasType(ofType) {
			continue
		}
		wasAsked = true
		if len(q.values[results.AskedOwn]) > 0 && len(q.values[kind]) > 0 {
			own, asked = append(own, stat.Mean(q.values[results.AskedOwn], nil)), append(asked, stat.Mean(q.values[kind], nil))
			moved = append(moved, 1-stat.Mean(q.overlaps[kind], nil))
		}
	}
	switch {
	case len(own) > 0:
		p.own, p.asked, p.moved = append(p.own, stat.Mean(own, nil)), append(p.asked, stat.Mean(asked, nil)), append(p.moved, stat.Mean(moved, nil))
	case wasAsked:
		p.undefined++
	}
}

// movedBeyond returns how much more rankings change under one kind than under another, for
// the items asked with both.
func (s *probedSubject) movedBeyond(kind, than string) (stats.Estimate, bool) {
	var p pairedValues
	for _, task := range s.tasks {
		before := len(p.asked)
		for _, i := range s.items[task] {
			var a, b pairedValues
			i.add(&a, kind, everyType)
			i.add(&b, than, everyType)
			if len(a.moved) > 0 && len(b.moved) > 0 {
				p.asked, p.own = append(p.asked, a.moved[0]), append(p.own, b.moved[0])
			}
		}
		if n := len(p.asked) - before; n > 0 {
			p.Sizes = append(p.Sizes, n)
		}
	}
	p.weigh(everyType)
	if len(p.Sizes) == 0 {
		return stats.Estimate{}, false
	}
	return p.Contrast(stats.Term{Coefficient: 1, Values: p.asked}, stats.Term{Coefficient: -1, Values: p.own})
}

// wordingSpread is the variance of one run's values over instructions that ask for the
// same, including the own one: within a query, and between the queries of a task.
type wordingSpread struct {
	within, between float64 // variances
	queries, ways   int     // ways: largest number of wordings of a query
}

// spread estimates both by the method of moments of the one-way random-effects layout
// (Searle, Casella and McCulloch 1992, section 3.6). ok is false if no query was asked for
// the same twice.
func (s *probedSubject) spread() (found wordingSpread, ok bool) {
	freedom, among, sum, degrees := 0, 0.0, 0.0, 0
	for _, task := range s.tasks {
		var means, errors []float64
		for _, i := range s.items[task] {
			for _, q := range i.queries {
				values := q.ofSame()
				if len(values) < 2 || s.runs > 1 {
					continue
				}
				mean, variance := stat.MeanVariance(values, nil)
				sum += variance * float64(len(values)-1)
				freedom += len(values) - 1
				found.queries++
				found.ways = max(found.ways, len(values))
				means, errors = append(means, mean), append(errors, 1/float64(len(values)))
			}
		}
		if n := len(means); n > 1 {
			among += stat.Variance(means, nil) * float64(n-1)
			degrees += n - 1
			found.between -= stat.Mean(errors, nil) * float64(n-1) // times the variance within, below
		}
	}
	if freedom == 0 || degrees == 0 {
		return found, false
	}
	found.within = sum / float64(freedom)
	found.between = max(0, (among+found.between*found.within)/float64(degrees))
	return found, true
}

// ofSame returns the values under all instructions that ask for the same as the own one.
func (q *probedQuery) ofSame() []float64 {
	values := slices.Clone(q.values[results.AskedOwn])
	for _, k := range results.Askings() {
		if k.Same {
			values = append(values, q.values[k.Name]...)
		}
	}
	return values
}

// hasType reports whether the own instruction is of a type.
func (q *probedQuery) hasType(ofType string) bool {
	return ofType == everyType || slices.Contains(q.types, ofType)
}
