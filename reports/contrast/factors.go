package contrast

import (
	"fmt"
	"math"
	"slices"

	"infbench/internal/words"
	"infbench/reports/scores"
	"infbench/runners/results"
)

// Factor is an axis of an ablation: a configuration key, or the form or the terms of the
// loss.
type Factor struct {
	Name   string
	Level  func(s *scores.System) string
	Levels []string // in plan order
	Whole  *Factor  // the listed axis that contains this one; the loss contains its form

	decides []string // axes that are settings of only some levels
}

// overlaps reports whether one of two axes is a part of the other.
func (f *Factor) overlaps(other *Factor) bool { return f.Whole == other || other.Whole == f }

// Repeats reports whether an axis distinguishes the same systems as the axis that contains
// it.
func (f *Factor) Repeats() bool { return f.Whole != nil && len(f.Levels) == len(f.Whole.Levels) }

// Factors lists the axes along which trained systems differ: the loss first, with its form
// and its terms. If nothing else differs, the form and terms replace the loss.
func Factors(v *scores.Set) []*Factor {
	trained := v.Trained()
	part := func(which int) func(*scores.System) string {
		return func(s *scores.System) string {
			form, terms, ok := scores.SplitLoss(s.Loss)
			if !ok {
				return s.Loss
			}
			return []string{form, terms}[which]
		}
	}
	loss := &Factor{Name: results.Loss, Level: func(s *scores.System) string { return s.Value(results.Loss) }}
	all := []*Factor{loss}
	if !slices.ContainsFunc(trained, func(s *scores.System) bool { _, _, ok := scores.SplitLoss(s.Loss); return !ok }) {
		all = append(all, &Factor{Name: "loss form", Level: part(0), Whole: loss}, &Factor{Name: "loss terms", Level: part(1), Whole: loss})
	}
	for _, key := range append([]string{results.Backbone}, v.SettingKeys()...) {
		all = append(all, &Factor{Name: key, Level: func(s *scores.System) string { return s.Value(key) }})
	}
	for _, f := range all {
		for _, s := range trained {
			f.Levels = words.AddNew(f.Levels, f.Level(s))
		}
	}
	all = slices.DeleteFunc(all, func(f *Factor) bool { return len(f.Levels) < 2 })
	for _, f := range all {
		if f.Whole == nil && f != loss && loss.sets(f, trained) {
			loss.decides = append(loss.decides, f.Name)
		}
	}
	parts := slices.DeleteFunc(slices.Clone(all), func(f *Factor) bool { return f.Whole == nil })
	if len(parts) == 0 || len(all) > 1+len(parts) {
		return all
	}
	for _, f := range parts {
		f.Whole = nil // the loss is not listed
	}
	return parts
}

// sets reports whether an axis is a setting of only some levels of f: it has one value,
// and each level either always or never has it.
func (f *Factor) sets(axis *Factor, trained []*scores.System) bool {
	of := map[string]string{}
	for _, s := range trained {
		level, value := f.Level(s), axis.Level(s)
		if known, there := of[level]; there && known != value {
			return false
		}
		of[level] = value
	}
	return len(axis.Levels) == 2 && slices.Contains(axis.Levels, "")
}

// apart lists the axes that must have equal levels when the levels of factors are
// compared.
func apart(factors, all []*Factor) []*Factor {
	return slices.DeleteFunc(slices.Clone(all), func(f *Factor) bool {
		return slices.ContainsFunc(factors, func(of *Factor) bool { return f == of || f.overlaps(of) || slices.Contains(of.decides, f.Name) })
	})
}

// Parted lists the axes without parts: the form and terms of a loss, not the loss.
func Parted(all []*Factor) []*Factor {
	return slices.DeleteFunc(slices.Clone(all), func(f *Factor) bool {
		return slices.ContainsFunc(all, func(part *Factor) bool { return part.Whole == f })
	})
}

// Balanced is a part of an ablation in which every level of some factors was run with
// every setting of the others.
type Balanced struct {
	Levels  [][]string                // kept levels, by factor
	Rests   []string                  // settings of the other factors
	systems map[string]*scores.System // by levels and rest, see cellKey
	Left    []string                  // systems that are left out
	Own     []string                  // axes that are settings of only some levels
	Others  []string                  // the other axes; a setting has a level of each
	sums    []effectSum               // made on first use
}

func cellKey(rest string, levels ...string) string { return words.Joined(append(levels, rest)) }

// Balance finds a balanced part for one or two factors. It keeps the levels of the setting
// that has most of them, and the settings that have all of those levels.
func Balance(trained []*scores.System, factors []*Factor, all []*Factor) *Balanced {
	b := &Balanced{systems: map[string]*scores.System{}}
	byRest := map[string][]*scores.System{}
	for _, f := range factors {
		b.Own = append(b.Own, f.decides...)
	}
	others := apart(factors, all)
	for _, f := range others {
		b.Others = append(b.Others, f.Name)
	}
	for _, s := range trained {
		var rest []string
		for _, f := range others {
			rest = append(rest, f.Level(s))
		}
		key := words.Joined(rest)
		if byRest[key] == nil {
			b.Rests = append(b.Rests, key)
		}
		byRest[key] = append(byRest[key], s)
		levels := make([]string, len(factors))
		for i, f := range factors {
			levels[i] = f.Level(s)
		}
		b.systems[cellKey(key, levels...)] = s
	}
	most := 0
	for _, rest := range b.Rests {
		for _, levels := range b.crossings(rest, factors) {
			if n := Product(levels); n > most {
				most, b.Levels = n, levels
			}
		}
	}
	if b.Levels == nil {
		return nil
	}
	b.Rests = slices.DeleteFunc(b.Rests, func(rest string) bool { return !b.whole(rest) })
	kept := map[*scores.System]bool{}
	for _, s := range b.Used() {
		kept[s] = true
	}
	for _, s := range trained {
		if !kept[s] {
			b.Left = append(b.Left, s.Label)
		}
	}
	return b
}

// crossings lists the sets of levels that are complete in one setting. For one factor it
// is the set of existing levels. For two factors it is all levels of one factor, with
// those levels of the other that occur with all of them, for either order of the factors.
func (b *Balanced) crossings(rest string, factors []*Factor) [][][]string {
	var there []string
	for _, a := range factors[0].Levels {
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
		whole, part := factors[way].Levels, []string{}
		for _, y := range factors[1-way].Levels {
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

func Product(levels [][]string) int {
	n := 1
	for _, l := range levels {
		n *= len(l)
	}
	return n
}

// each calls do for every combination of the kept levels.
func (b *Balanced) each(do func(levels ...string)) {
	for _, a := range b.Levels[0] {
		if len(b.Levels) == 1 {
			do(a)
			continue
		}
		for _, c := range b.Levels[1] {
			do(a, c)
		}
	}
}

func (b *Balanced) whole(rest string) bool {
	whole := true
	b.each(func(levels ...string) { whole = whole && b.systems[cellKey(rest, levels...)] != nil })
	return whole
}

// Used lists the systems of the kept cells, in the order of levels, then rests.
func (b *Balanced) Used() []*scores.System {
	var out []*scores.System
	b.each(func(levels ...string) {
		for _, rest := range b.Rests {
			out = append(out, b.systems[cellKey(rest, levels...)])
		}
	})
	return out
}

// form is a weighted sum of the kept cells: a coefficient for each.
type form []float64

// effect is a main effect or an interaction.
type effect struct {
	words string
	of    form
}

// Effects returns the main effects (one factor) or interactions (two) of the kept cells on
// a column, with their names. They are not tested yet.
func (b *Balanced) Effects(c scores.Number) (names []string, effects []*Contrast) {
	if b.sums == nil {
		b.sums = b.allSums()
	}
	used := b.Used()
	for _, s := range b.sums {
		names, effects = append(names, s.words), append(effects, &Contrast{A: used[0], B: used[0], On: c, terms: s.terms, effect: true})
	}
	return names, effects
}

// effectSum is an effect as a sum of systems, which is the same for every column.
type effectSum struct {
	words string
	terms []Term // nil if all coefficients are 0
}

// allSums computes the sums of all effects.
func (b *Balanced) allSums() []effectSum {
	used := b.Used()
	cells := map[string]form{} // levels -> mean over the rests
	at := 0
	b.each(func(levels ...string) {
		f := make(form, len(used))
		for range b.Rests {
			f[at] = 1 / float64(len(b.Rests))
			at++
		}
		cells[words.Joined(levels)] = f
	})
	var found []effect
	if len(b.Levels) == 1 {
		found = mainEffects(b.Levels[0], cells)
	} else {
		found = interactions(b.Levels[0], b.Levels[1], cells)
	}
	out := make([]effectSum, len(found))
	for i, e := range found {
		out[i] = effectSum{e.words, e.of.terms(used)}
	}
	return out
}

// terms returns the systems with nonzero coefficients.
func (f form) terms(used []*scores.System) []Term {
	terms := make([]Term, 0, len(used))
	for i, coefficient := range f {
		if math.Abs(coefficient) > 1e-12 {
			terms = append(terms, Term{used[i], coefficient})
		}
	}
	if len(terms) == 0 {
		return nil
	}
	return terms
}

// mainEffects returns the difference of two levels, or the difference of each of several
// levels from the mean of all.
func mainEffects(levels []string, cells map[string]form) []effect {
	at := func(level string) form { return cells[words.Joined([]string{level})] }
	if len(levels) == 2 {
		return []effect{{levels[1] + " − " + levels[0], minus(at(levels[1]), at(levels[0]))}}
	}
	mean := meanOver(levels, at)
	var out []effect
	for _, l := range levels {
		out = append(out, effect{l + " − mean", minus(at(l), mean)})
	}
	return out
}

// interactions returns how the difference of one factor depends on the other: each cell
// minus the sum of its two main effects. If a factor has two levels, it is the difference
// between them at each level of the other, minus the mean difference.
func interactions(as, bs []string, cells map[string]form) []effect {
	at := func(a, b string) []float64 { return cells[words.Joined([]string{a, b})] }
	if len(as) > 2 && len(bs) == 2 {
		as, bs = bs, as
		straight := at
		at = func(a, b string) []float64 { return straight(b, a) }
	}
	if len(as) == 2 {
		var rows []form
		for _, b := range bs {
			rows = append(rows, minus(at(as[1], b), at(as[0], b)))
		}
		mean := meanOf(rows)
		var out []effect
		for i, b := range bs {
			out = append(out, effect{fmt.Sprintf("(%s − %s) at %s − mean", as[1], as[0], b), minus(rows[i], mean)})
		}
		if len(bs) == 2 { // the two differ only in sign
			return []effect{{fmt.Sprintf("(%s − %s) at %s − at %s", as[1], as[0], bs[1], bs[0]), minus(rows[1], rows[0])}}
		}
		return out
	}
	row, column := map[string]form{}, map[string]form{}
	var all []form
	for _, a := range as {
		row[a] = meanOver(bs, func(b string) form { all = append(all, at(a, b)); return at(a, b) })
	}
	for _, b := range bs {
		column[b] = meanOver(as, func(a string) form { return at(a, b) })
	}
	mean := meanOf(all)
	var out []effect
	for _, a := range as {
		for _, b := range bs {
			out = append(out, effect{a + " with " + b, minus(minus(at(a, b), row[a]), minus(column[b], mean))})
		}
	}
	return out
}

// meanOver returns the mean of the levels' forms.
func meanOver(levels []string, at func(level string) form) []float64 {
	var rows []form
	for _, l := range levels {
		rows = append(rows, at(l))
	}
	return meanOf(rows)
}

func meanOf(rows []form) form {
	out := make([]float64, len(rows[0]))
	for _, r := range rows {
		for i, v := range r {
			out[i] += v / float64(len(rows))
		}
	}
	return out
}

func minus(a, b form) form {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] - b[i]
	}
	return out
}
