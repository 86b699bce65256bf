package reports

import (
	"fmt"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/reports/contrast"
	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/reports/table"
)

// effectSections lists main effects and interactions.
func effectSections(b *Board, _ Options) ([]section.Section, error) {
	return []section.Section{{ID: b.ID + "-effects", Title: "Main effects and interactions", Folded: true, Tables: section.Listed(factorTable(b.Set, b.ID+"-factors", b.Numbers, b.effects()))}}, nil
}

// factorEffects holds the main effects and interactions of an ablation on some numbers.
type factorEffects struct {
	parts  []factorPart
	family *contrast.Family // all effects except those that compare two systems
}

// effectsOf tests the main effects and interactions of an ablation.
func effectsOf(v *scores.Set, columns []scores.Number, pairs contrast.Pairs) *factorEffects {
	all, trained := contrast.Factors(v), v.Trained()
	out := &factorEffects{family: &contrast.Family{}}
	for _, of := range combinations(all) {
		if b := contrast.Balance(trained, of, all); b != nil {
			out.parts = append(out.parts, newFactorPart(strings.Join(factorNames(of), " × "), b, columns, out.family, pairs))
		}
	}
	out.family.Test(v)
	out.family.Name(words.Plural(out.family.Tested(), "main effect or interaction", "main effects and interactions"))
	return out
}

// factorTable lists main effects and interactions of the ablation; nil if fewer than two
// levels of any axis can be compared.
func factorTable(v *scores.Set, id string, columns []scores.Number, effects *factorEffects) *table.Table {
	parts, f := effects.parts, effects.family
	if len(parts) == 0 {
		return nil
	}
	t := &table.Table{ID: id, Title: "Main effects and interactions",
		Caption: fmt.Sprintf("Differences ×100 with intervals (%s). "+
			"A main effect is only over balanced settings: each level was run with every setting of the other axes that is included. "+
			"An interaction is how much a difference depends on the level of the other axis.", f.IntervalWords()),
		Colours: fmt.Sprintf("Coloured entries are significant by %s, corrected by Holm over all effects.", contrast.Method),
		Columns: []table.Column{{Name: "axis"}, {Name: "effect"}}}
	for _, c := range columns {
		t.Columns = append(t.Columns, c.Heading())
	}
	for _, p := range parts {
		if p.tested() {
			p.show(v, t, columns)
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	t.Notes = append(append(t.Notes, effects.pairNotes()...), contrast.HolmNotes(f.Contrasts)...)
	return t
}

// pairNotes names the tests of effects that compare just two systems.
func (e *factorEffects) pairNotes() []string {
	var pairs []*contrast.Contrast
	for _, p := range e.parts {
		pairs = append(pairs, slices.DeleteFunc(slices.Concat(p.effects...), func(c *contrast.Contrast) bool { return slices.Contains(e.family.Contrasts, c) })...)
	}
	over := contrast.Families(pairs)
	if len(over) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("An effect that compares just two systems has the interval and the verdict of that pair, one of %s.", strings.Join(over, "; "))}
}

// factorPart holds the effects of one balanced part of an ablation, by column, then
// effect.
type factorPart struct {
	axis    string
	kept    *contrast.Balanced
	names   []string
	effects [][]*contrast.Contrast
}

// pairOr returns the test of two systems if an effect compares just these, else the
// effect.
func pairOr(effect *contrast.Contrast, on scores.Number, pairs contrast.Pairs) *contrast.Contrast {
	if a, b, ok := effect.Pair(); ok {
		if c := pairs.Of(on, a, b); c != nil {
			return c
		}
	}
	return effect
}

// newFactorPart lists effects and adds them to the family, except those that compare two
// systems: these have a test already.
func newFactorPart(axis string, kept *contrast.Balanced, columns []scores.Number, f *contrast.Family, pairs contrast.Pairs) factorPart {
	p := factorPart{axis: axis, kept: kept}
	for _, c := range columns {
		names, found := kept.Effects(c)
		for i, effect := range found {
			found[i] = pairOr(effect, c, pairs)
			if found[i] == effect {
				f.Contrasts = append(f.Contrasts, effect)
			}
		}
		p.names, p.effects = names, append(p.effects, found)
	}
	return p
}

// factorsAtMost is the largest number of axes whose interactions are shown.
const factorsAtMost = 4

// combinations lists each factor, then each pair. If an axis has parts that are listed,
// only its parts are in pairs.
func combinations(all []*contrast.Factor) [][]*contrast.Factor {
	var out [][]*contrast.Factor
	all = slices.DeleteFunc(slices.Clone(all), (*contrast.Factor).Repeats)
	for _, f := range all {
		out = append(out, []*contrast.Factor{f})
	}
	few := contrast.Parted(all)
	few = few[:min(len(few), factorsAtMost)]
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

// tested reports whether any effect has a value.
func (p factorPart) tested() bool {
	return slices.ContainsFunc(p.effects, func(column []*contrast.Contrast) bool {
		return slices.ContainsFunc(column, func(c *contrast.Contrast) bool { return c.Why == "" })
	})
}

// show adds the rows of a part, with a note on the systems it leaves out.
func (p factorPart) show(v *scores.Set, t *table.Table, columns []scores.Number) {
	var trials []*scores.Trial
	for _, s := range p.kept.Used() {
		trials = append(trials, s.Trials...)
	}
	slices.SortFunc(trials, (*scores.Trial).Compare) // once, not for each row that prints them
	links := make([]*table.Link, len(columns))       // the same for all rows
	for j, c := range columns {
		links[j] = v.LinkTo(table.StatEffects, trials, c)
	}
	for i, name := range p.names {
		row := table.Row{Entries: []table.Entry{{Text: p.axis}, {Text: name}}}
		for j := range columns {
			e := effectEntry(p.effects[j][i])
			if e.Sort != nil {
				e.From = links[j]
			}
			row.Entries = append(row.Entries, e)
		}
		t.Rows = append(t.Rows, row)
	}
	note := fmt.Sprintf("%s: %s of levels in %s.", p.axis, words.Plural(contrast.Product(p.kept.Levels), "combination", "combinations"),
		words.Plural(len(p.kept.Rests), "setting of the other axes", "settings of the other axes"))
	if len(p.kept.Own) > 0 {
		note += fmt.Sprintf(" Settings of only some levels count as parts of these levels: %s.", words.Listed(p.kept.Own))
	}
	if len(p.kept.Left) > 0 {
		note += fmt.Sprintf(" Left out as unbalanced: %s.", words.Listed(p.kept.Left))
	}
	t.Notes = append(t.Notes, note)
}

// effectEntry formats an effect with its interval.
func effectEntry(c *contrast.Contrast) table.Entry {
	if c.Why != "" {
		return table.Entry{Text: words.UndefinedMark, Tone: table.Absent}
	}
	e := table.Number(words.Signed(c.Difference)+" "+words.Interval(c.Interval().Get()), c.Difference)
	e.Tone = c.Judged().Tone()
	if c.ByHolmAlone() {
		e.Text += " " + contrast.HolmAlone
	}
	return e
}
