package reports

import (
	"fmt"
	"slices"
)

// factor is an axis of an ablation: a configuration key, or the form or the
// terms of the loss.
type factor struct {
	name   string
	level  func(s *system) string
	levels []string // in plan order
}

// factors lists the axes along which trained systems differ.
func (v *view) factors() []*factor {
	trained := v.trained()
	part := func(which int) func(*system) string {
		return func(s *system) string {
			form, terms, ok := splitLoss(s.loss)
			if !ok {
				return s.loss
			}
			return []string{form, terms}[which]
		}
	}
	all := []*factor{{name: "loss form", level: part(0)}, {name: "loss terms", level: part(1)}}
	if slices.ContainsFunc(trained, func(s *system) bool { _, _, ok := splitLoss(s.loss); return !ok }) {
		all = []*factor{{name: lossKey, level: func(s *system) string { return s.loss }}}
	}
	for _, key := range append([]string{backboneKey}, v.settingKeys()...) {
		all = append(all, &factor{name: key, level: func(s *system) string { return s.config()[key] }})
	}
	for _, f := range all {
		for _, s := range trained {
			f.levels = addNew(f.levels, f.level(s))
		}
	}
	return slices.DeleteFunc(all, func(f *factor) bool { return len(f.levels) < 2 })
}

// balanced is a part of an ablation in which every level of some factors was run
// with every setting of the others.
type balanced struct {
	levels  [][]string         // kept, by factor
	rests   []string           // settings of the other factors
	systems map[string]*system // by levels and rest, see cellKey
	left    []string           // systems that have no place in it
}

func cellKey(rest string, levels ...string) string { return joined(append(levels, rest)) }

// balance finds a balanced part for one or two factors: it keeps the levels of
// the setting that has most of them, and the settings that have all of those.
func balance(trained []*system, factors []*factor, all []*factor) *balanced {
	b := &balanced{systems: map[string]*system{}}
	byRest := map[string][]*system{}
	for _, s := range trained {
		var rest []string
		for _, f := range all {
			if !slices.Contains(factors, f) {
				rest = append(rest, f.level(s))
			}
		}
		key := joined(rest)
		if byRest[key] == nil {
			b.rests = append(b.rests, key)
		}
		byRest[key] = append(byRest[key], s)
		levels := make([]string, len(factors))
		for i, f := range factors {
			levels[i] = f.level(s)
		}
		b.systems[cellKey(key, levels...)] = s
	}
	most := 0
	for _, rest := range b.rests {
		for _, levels := range b.crossings(rest, factors) {
			if n := product(levels); n > most {
				most, b.levels = n, levels
			}
		}
	}
	if b.levels == nil {
		return nil
	}
	b.rests = slices.DeleteFunc(b.rests, func(rest string) bool { return !b.whole(rest) })
	kept := map[*system]bool{}
	for _, s := range b.used() {
		kept[s] = true
	}
	for _, s := range trained {
		if !kept[s] {
			b.left = append(b.left, s.label)
		}
	}
	return b
}

// crossings lists the sets of levels that are complete in one setting: all that
// are there of one factor, or for two factors all of the one with those of the
// other that have all of them, both ways round.
func (b *balanced) crossings(rest string, factors []*factor) [][][]string {
	var there []string
	for _, a := range factors[0].levels {
		if b.systems[cellKey(rest, a)] != nil {
			there = append(there, a)
		}
	}
	if len(factors) == 1 {
		if len(there) < 2 {
			return nil
		}
		return [][][]string{{there}}
	}
	var out [][][]string
	for way := range 2 {
		whole, part := factors[way].levels, []string{}
		for _, y := range factors[1-way].levels {
			complete := !slices.ContainsFunc(whole, func(x string) bool {
				pair := [2]string{}
				pair[way], pair[1-way] = x, y
				return b.systems[cellKey(rest, pair[:]...)] == nil
			})
			if complete {
				part = append(part, y)
			}
		}
		if len(whole) > 1 && len(part) > 1 {
			levels := [2][]string{}
			levels[way], levels[1-way] = whole, part
			out = append(out, levels[:])
		}
	}
	return out
}

func product(levels [][]string) int {
	n := 1
	for _, l := range levels {
		n *= len(l)
	}
	return n
}

// each calls do for every combination of the kept levels.
func (b *balanced) each(do func(levels ...string)) {
	for _, a := range b.levels[0] {
		if len(b.levels) == 1 {
			do(a)
			continue
		}
		for _, c := range b.levels[1] {
			do(a, c)
		}
	}
}

func (b *balanced) whole(rest string) bool {
	whole := true
	b.each(func(levels ...string) { whole = whole && b.systems[cellKey(rest, levels...)] != nil })
	return whole
}

// used lists the systems of the kept cells, in the order of levels, then rests.
func (b *balanced) used() []*system {
	var out []*system
	b.each(func(levels ...string) {
		for _, rest := range b.rests {
			out = append(out, b.systems[cellKey(rest, levels...)])
		}
	})
	return out
}

// effectOf is one effect with the queries it is a mean over.
type effectOf struct {
	words  string
	values []float64 // by query
}

// effects computes the main effects (one factor) or interactions (two) of the
// kept cells on a column, query by query; nil where a cell has no value there.
func (b *balanced) effects(c column) []effectOf {
	values := aligned(b.used(), c)
	if values == nil {
		return nil
	}
	cells := map[string][]float64{} // levels -> mean over the rests, by query
	b.each(func(levels ...string) {
		cells[joined(levels)] = meanOfRows(values[:len(b.rests)])
		values = values[len(b.rests):]
	})
	if len(b.levels) == 1 {
		return mainEffects(b.levels[0], cells)
	}
	return interactions(b.levels[0], b.levels[1], cells)
}

// mainEffects is the difference of two levels, or each of several against the
// mean of all.
func mainEffects(levels []string, cells map[string][]float64) []effectOf {
	at := func(level string) []float64 { return cells[joined([]string{level})] }
	if len(levels) == 2 {
		return []effectOf{{levels[1] + " − " + levels[0], minusRows(at(levels[1]), at(levels[0]))}}
	}
	var rows [][]float64
	for _, l := range levels {
		rows = append(rows, at(l))
	}
	mean := meanOfRows(rows)
	var out []effectOf
	for _, l := range levels {
		out = append(out, effectOf{l + " − mean", minusRows(at(l), mean)})
	}
	return out
}

// interactions says how the difference of one factor depends on the other: each
// cell against what its two main effects add up to. Where a factor has two
// levels it is the difference between them at each level of the other, against
// the mean difference.
func interactions(as, bs []string, cells map[string][]float64) []effectOf {
	at := func(a, b string) []float64 { return cells[joined([]string{a, b})] }
	if len(as) > 2 && len(bs) == 2 {
		as, bs = bs, as
		straight := at
		at = func(a, b string) []float64 { return straight(b, a) }
	}
	if len(as) == 2 {
		var rows [][]float64
		for _, b := range bs {
			rows = append(rows, minusRows(at(as[1], b), at(as[0], b)))
		}
		mean := meanOfRows(rows)
		var out []effectOf
		for i, b := range bs {
			out = append(out, effectOf{fmt.Sprintf("(%s − %s) at %s − mean", as[1], as[0], b), minusRows(rows[i], mean)})
		}
		if len(bs) == 2 { // the two are each other's negative
			return []effectOf{{fmt.Sprintf("(%s − %s) at %s − at %s", as[1], as[0], bs[1], bs[0]), minusRows(rows[1], rows[0])}}
		}
		return out
	}
	row, column := map[string][]float64{}, map[string][]float64{}
	var all [][]float64
	for _, a := range as {
		var rows [][]float64
		for _, b := range bs {
			rows = append(rows, at(a, b))
		}
		row[a] = meanOfRows(rows)
		all = append(all, rows...)
	}
	for _, b := range bs {
		var rows [][]float64
		for _, a := range as {
			rows = append(rows, at(a, b))
		}
		column[b] = meanOfRows(rows)
	}
	mean := meanOfRows(all)
	var out []effectOf
	for _, a := range as {
		for _, b := range bs {
			out = append(out, effectOf{a + " with " + b, minusRows(minusRows(at(a, b), row[a]), minusRows(column[b], mean))})
		}
	}
	return out
}

func meanOfRows(rows [][]float64) []float64 {
	out := make([]float64, len(rows[0]))
	for _, r := range rows {
		for i, v := range r {
			out[i] += v / float64(len(rows))
		}
	}
	return out
}

func minusRows(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] - b[i]
	}
	return out
}

// aligned returns the values of systems on the queries that all of them have, by
// system; weighted as in paired, so that a plain mean is the unweighted one over
// tasks. nil where a task has no such query.
func aligned(systems []*system, c column) [][]float64 {
	out := make([][]float64, len(systems))
	var sizes []int
	for _, at := range c.slots() {
		count := map[string]int{}
		for _, s := range systems {
			queries, _ := s.perQuery(at)
			for _, q := range queries {
				count[q]++
			}
		}
		size := 0
		for i, s := range systems {
			queries, values := s.perQuery(at)
			size = 0
			for j, q := range queries {
				if count[q] == len(systems) {
					out[i] = append(out[i], values[j])
					size++
				}
			}
		}
		if size == 0 {
			return nil
		}
		sizes = append(sizes, size)
	}
	for _, values := range out {
		weigh(values, sizes)
	}
	return out
}
