package reports

import (
	"fmt"
	"slices"
	"strings"
)

// factorTable lists main effects and interactions of the ablation; nil where
// fewer than two levels of anything can be compared.
func (v *view) factorTable(id string, columns []column, o Options) (*Table, error) {
	all := v.factors()
	t := &Table{ID: id, Title: "Main effects and interactions",
		Caption: "Differences ×100 with the 95% interval over queries (BCa bootstrap, seeds averaged first, not corrected for how many there are); coloured where it does not hold 0. " +
			"A main effect is over balanced settings only: each level was run with every setting of the other axes that counts. " +
			"An interaction is how much a difference depends on the level of the other axis.",
		Columns: []Column{{Name: "axis"}, {Name: "effect"}}}
	for _, c := range columns {
		t.Columns = append(t.Columns, c.heading())
	}
	trained := v.trained()
	for _, of := range combinations(all) {
		b := balance(trained, of, all)
		if b == nil {
			continue
		}
		if err := v.factorRows(t, strings.Join(factorNames(of), " × "), b, columns, o); err != nil {
			return nil, err
		}
	}
	if len(t.Rows) == 0 {
		return nil, nil
	}
	return t, nil
}

// factorsAtMost bounds the axes whose interactions are shown.
const factorsAtMost = 4

// combinations lists each factor, then each pair.
func combinations(all []*factor) [][]*factor {
	var out [][]*factor
	for _, f := range all {
		out = append(out, []*factor{f})
	}
	few := all[:min(len(all), factorsAtMost)]
	for i := range few {
		for j := i + 1; j < len(few); j++ {
			out = append(out, []*factor{few[i], few[j]})
		}
	}
	return out
}

func factorNames(of []*factor) []string {
	var names []string
	for _, f := range of {
		names = append(names, f.name)
	}
	return names
}

// factorRows adds the effects of one balanced part, and what it leaves out.
func (v *view) factorRows(t *Table, axis string, b *balanced, columns []column, o Options) error {
	byColumn := make([][]effectOf, len(columns))
	for i, c := range columns {
		byColumn[i] = b.effects(c)
	}
	widest := slices.MaxFunc(byColumn, func(x, y []effectOf) int { return len(x) - len(y) })
	var trials []*trial
	for _, s := range b.used() {
		trials = append(trials, s.trials...)
	}
	links := make([]*Link, len(columns)) // the same for all rows
	for j, c := range columns {
		links[j] = v.link(StatEffects, trials, c.slots())
	}
	how := o.pairedTest(len(widest) * len(columns))
	rows := make([]Row, len(widest))
	err := inParallel(len(rows), func(i int) error {
		rows[i].Entries = []Entry{{Text: axis}, {Text: widest[i].words}}
		for j, found := range byColumn {
			if i >= len(found) {
				rows[i].Entries = append(rows[i].Entries, Entry{Text: undefinedMark, Tone: Absent})
				continue
			}
			e := effectEntry(found[i].values, how)
			e.From = links[j]
			rows[i].Entries = append(rows[i].Entries, e)
		}
		return nil
	})
	t.Rows = append(t.Rows, rows...)
	note := fmt.Sprintf("%s: %s of levels in %s.", axis, plural(product(b.levels), "combination", "combinations"), plural(len(b.rests), "setting of the other axes", "settings of the other axes"))
	if len(b.left) > 0 {
		note += fmt.Sprintf(" Left out as unbalanced: %s.", listed(b.left))
	}
	t.Notes = append(t.Notes, note)
	return err
}

// listed joins names, the first ten of many.
func listed(names []string) string {
	if n := len(names); n > 10 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:10], ", "), n-10)
	}
	return strings.Join(names, ", ")
}

// effectEntry words an effect with its interval; coloured where the interval does
// not hold zero.
func effectEntry(values []float64, how pairedTest) Entry {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	mean := sum / float64(len(values))
	found := how.interval(values)
	if _, _, ok := found.Get(); !ok {
		return number(signed(mean), mean)
	}
	e := number(signed(mean)+" "+interval(found), mean)
	switch {
	case found.Contains(0):
	case mean > 0:
		e.Tone = Better
	default:
		e.Tone = Worse
	}
	return e
}
