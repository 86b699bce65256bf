package reports

import (
	"fmt"
	"slices"
	"strings"

	"infbench/metrics"
	"infbench/reports/contrast"
	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/reports/table"
	"infbench/reports/words"
)

// effectSections list main effects and interactions.
func effectSections(b *Board, o contrast.Options) ([]section.Section, error) {
	t, err := factorTable(b.Set, b.ID+"-factors", b.Numbers, o)
	return []section.Section{{ID: b.ID + "-effects", Title: "Main effects and interactions", Tables: section.Listed(t)}}, err
}

// factorTable lists main effects and interactions of the ablation; nil where
// fewer than two levels of anything can be compared.
func factorTable(v *scores.Set, id string, columns []scores.Number, o contrast.Options) (*table.Table, error) {
	all := contrast.Factors(v)
	t := &table.Table{ID: id, Title: "Main effects and interactions",
		Caption: "Differences ×100 with the 95% interval over queries (BCa bootstrap, seeds averaged first, not corrected for how many there are); coloured where it does not hold 0. " +
			"A main effect is over balanced settings only: each level was run with every setting of the other axes that counts. " +
			"An interaction is how much a difference depends on the level of the other axis.",
		Columns: []table.Column{{Name: "axis"}, {Name: "effect"}}}
	for _, c := range columns {
		t.Columns = append(t.Columns, c.Heading())
	}
	trained := v.Trained()
	for _, of := range combinations(all) {
		b := contrast.Balance(trained, of, all)
		if b == nil {
			continue
		}
		if err := factorRows(v, t, strings.Join(factorNames(of), " × "), b, columns, o); err != nil {
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
func combinations(all []*contrast.Factor) [][]*contrast.Factor {
	var out [][]*contrast.Factor
	for _, f := range all {
		out = append(out, []*contrast.Factor{f})
	}
	few := all[:min(len(all), factorsAtMost)]
	for i := range few {
		for j := i + 1; j < len(few); j++ {
			out = append(out, []*contrast.Factor{few[i], few[j]})
		}
	}
	return out
}

func factorNames(of []*contrast.Factor) []string {
	var names []string
	for _, f := range of {
		names = append(names, f.Name)
	}
	return names
}

// factorRows adds the effects of one balanced part, and what it leaves out.
func factorRows(v *scores.Set, t *table.Table, axis string, b *contrast.Balanced, columns []scores.Number, o contrast.Options) error {
	byColumn := make([][]contrast.EffectOf, len(columns))
	for i, c := range columns {
		byColumn[i] = b.Effects(c)
	}
	widest := slices.MaxFunc(byColumn, func(x, y []contrast.EffectOf) int { return len(x) - len(y) })
	var trials []*scores.Trial
	for _, s := range b.Used() {
		trials = append(trials, s.Trials...)
	}
	links := make([]*table.Link, len(columns)) // the same for all rows
	for j, c := range columns {
		links[j] = v.Link(table.StatEffects, trials, c.Slots())
	}
	how := o.PairedTest(len(widest) * len(columns))
	rows := make([]table.Row, len(widest))
	err := contrast.InParallel(len(rows), func(i int) error {
		rows[i].Entries = []table.Entry{{Text: axis}, {Text: widest[i].Words}}
		for j, found := range byColumn {
			if i >= len(found) {
				rows[i].Entries = append(rows[i].Entries, table.Entry{Text: words.UndefinedMark, Tone: table.Absent})
				continue
			}
			e := effectEntry(found[i].Values, how, columns[j].Direction())
			e.From = links[j]
			rows[i].Entries = append(rows[i].Entries, e)
		}
		return nil
	})
	t.Rows = append(t.Rows, rows...)
	note := fmt.Sprintf("%s: %s of levels in %s.", axis, words.Plural(contrast.Product(b.Levels), "combination", "combinations"), words.Plural(len(b.Rests), "setting of the other axes", "settings of the other axes"))
	if len(b.Left) > 0 {
		note += fmt.Sprintf(" Left out as unbalanced: %s.", words.Listed(b.Left))
	}
	t.Notes = append(t.Notes, note)
	return err
}

// effectEntry words an effect with its interval; coloured where the interval does
// not hold zero.
func effectEntry(values []float64, how contrast.PairedTest, d metrics.Direction) table.Entry {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	mean := sum / float64(len(values))
	found := how.Interval(values)
	if _, _, ok := found.Get(); !ok {
		return table.Number(words.Signed(mean), mean)
	}
	e := table.Number(words.Signed(mean)+" "+words.Interval(found), mean)
	switch {
	case found.Contains(0):
	case d.Better(mean, 0):
		e.Tone = table.Better
	case d.Better(0, mean):
		e.Tone = table.Worse
	}
	return e
}
