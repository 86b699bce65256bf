package reports

import (
	"slices"

	"gonum.org/v1/gonum/stat"

	"infbench/internal/words"
	"infbench/metrics/stats"
	"infbench/runners/results"
)

// probedSubject is what was probed: a system on a benchmark.
type probedSubject struct {
	system, benchmark string
	name              string // that tells it from the others; "" of the only one
	runs              int
	measures          []string
	tasks             []string
	items             map[string][]*probedItem // by task, in the order of the lines
}

// probedItem is a unit of a task that is independent of the others: a query, or a pair.
type probedItem struct {
	queries []*probedQuery
	at      map[string]*probedQuery
}

// probedQuery is how a query was answered, by kind of instruction. Values of several runs
// and of several instructions of a kind stand side by side.
type probedQuery struct {
	types    []string
	values   map[string][]float64
	overlaps map[string][]float64
}

// newSubject orders the lines of the runs of a system on one benchmark.
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

// add files a line.
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

// pairedValues are the values of items of one type under their own instructions and under
// another kind, task after task.
type pairedValues struct {
	stats.Layout
	own, asked, moved []float64
	undefined         int // items that were asked, and have no value
}

// pair aligns both. Queries of an item are averaged first, so that n counts what is
// independent. Tasks weigh alike, or, of one type, as many as they have items.
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

// weigh says how much tasks count.
func (p *pairedValues) weigh(ofType string) {
	for _, n := range p.Sizes {
		weight := 1 / float64(len(p.Sizes))
		if ofType != everyType {
			weight = float64(n) / float64(len(p.own))
		}
		p.Weights = append(p.Weights, weight)
	}
}

// add appends what an item gives, if any of its queries of the type was asked so.
func (i *probedItem) add(p *pairedValues, kind, ofType string) {
	var own, asked, moved []float64
	wasAsked := false
	for _, q := range i.queries {
		if len(q.overlaps[kind]) == 0 || !q.is(ofType) {
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

// movedBeyond is how much further rankings move under one kind than under another, of
// the items that were asked both.
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

// wordingSpread is how the values of one run vary over instructions that ask for the same
// thing, the own one among them: within a query, and between the queries of a task.
type wordingSpread struct {
	within, between float64 // variances
	queries, ways   int     // ways of saying the same, of the query that has most
}

// spread estimates both by the method of moments of the one-way random-effects layout
// (Searle, Casella and McCulloch 1992, section 3.6); ok is false where no query was
// asked for the same twice.
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

// ofSame are the values under all instructions that ask for what the own one does.
func (q *probedQuery) ofSame() []float64 {
	values := slices.Clone(q.values[results.AskedOwn])
	for _, k := range results.Askings() {
		if k.Same {
			values = append(values, q.values[k.Name]...)
		}
	}
	return values
}

// is reports whether the own instruction is of a type.
func (q *probedQuery) is(ofType string) bool {
	return ofType == everyType || slices.Contains(q.types, ofType)
}
