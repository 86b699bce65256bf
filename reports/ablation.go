package reports

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/metrics"
	"infbench/reports/contrast"
	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/reports/table"
	"infbench/runners/results"
)

// errNoAblation is returned if an ablation has nothing to show.
var errNoAblation = errors.New("an ablation needs finished trained systems and their finished reference")

// gainSection shows the gains of training over a reference, by loss and backbone, for the
// numbers to be shown.
func gainSection(v *scores.Set, o Options, pair pairTest) (section.Section, error) {
	shown, tuned := section.Section{ID: "projection"}, tuningNotes(v)
	for _, name := range v.BenchmarkNames() {
		for _, c := range o.shown(v, name) {
			if t := gainTable(v, fmt.Sprintf("gain-%d", len(shown.Parts)+1), c, o.Reference, pair); t != nil {
				t.Notes = append(t.Notes, tuned...)
				shown.Show(t, section.Source{})
			}
		}
	}
	if len(shown.Parts) == 0 {
		return shown, errNoAblation
	}
	return shown, nil
}

// gains holds the gains of training on a column: a row for each setting and loss, a column
// for each backbone.
type gains struct {
	rows      [][]string // setting and loss
	backbones []string
	cells     []*gainCell
}

// gainCell is one cell.
type gainCell struct {
	row, backbone int
	*contrast.Contrast
}

// pairTest returns a board's comparison of b with a, or nil if there is none.
type pairTest func(on scores.Number, a, b *scores.System) *contrast.Contrast

// gainTable shows the gains of training on a column. It returns nil if nothing can be
// compared.
func gainTable(v *scores.Set, id string, c scores.Number, reference string, pair pairTest) *table.Table {
	keys := v.SettingKeys()
	g := gainsOf(v, c, keys, reference)
	f := &contrast.Family{} // pairs that no board tests
	var tests []*contrast.Contrast
	for _, cell := range g.cells {
		if known := pair(c, cell.A, cell.B); known != nil {
			cell.Contrast = known
		} else {
			f.Contrasts = append(f.Contrasts, cell.Contrast)
		}
		tests = append(tests, cell.Contrast)
	}
	f.Test(v)
	f.Name(words.Plural(len(f.Contrasts), "field", "fields"))
	if !slices.ContainsFunc(tests, func(c *contrast.Contrast) bool { return c.Why == "" }) {
		return nil
	}
	t := &table.Table{ID: id, Title: "Gain in " + c.Label(),
		Caption: fmt.Sprintf("Difference ×100 from %s, with its interval (%s). "+
			"Degree sign: not significant (%s over %s, p ≤ %v%s). Dagger: significant for these training runs only. Double dagger: based on one training run.",
			differenceFrom(reference, "encoder of the same backbone and setting"), corrected(tests), contrast.Method, queriesOf(tests, c), contrast.Significant, surestGain(tests))}
	heads := append(settingName(keys), results.Loss)
	for _, name := range heads {
		t.Columns = append(t.Columns, table.Column{Name: name})
	}
	for _, b := range g.backbones {
		t.Columns = append(t.Columns, table.Column{Name: b, Number: true})
	}
	t.Notes = contrast.HolmNotes(tests)
	t.Rows = append(t.Rows, startRow(v, len(heads), g, c, reference))
	for _, row := range g.rows {
		t.Rows = append(t.Rows, gainRow(row, len(g.backbones)))
	}
	for _, cell := range g.cells {
		t.Rows[cell.row+1].Entries[len(heads)+cell.backbone] = gainEntry(cell.Contrast)
	}
	return t
}

// gainsOf compares every trained system with its reference.
func gainsOf(v *scores.Set, c scores.Number, keys []string, reference string) gains {
	var g gains
	for _, s := range v.Trained() {
		ref := contrast.Reference(v, s, reference)
		if ref == nil || ref == s {
			continue
		}
		row := append(gainSetting(s, keys), s.Value(results.Loss))
		g.rows = words.AppendNew(g.rows, row)
		g.backbones = words.AddNew(g.backbones, s.Value(results.Backbone))
		g.cells = append(g.cells, &gainCell{
			row:      slices.IndexFunc(g.rows, func(have []string) bool { return slices.Equal(have, row) }),
			backbone: slices.Index(g.backbones, s.Value(results.Backbone)),
			Contrast: &contrast.Contrast{A: ref, B: s, On: c},
		})
	}
	return g
}

// queriesOf counts the queries of the tests: "80 instruction pairs".
func queriesOf(tests []*contrast.Contrast, c scores.Number) string {
	var n contrast.Sizes
	for _, t := range tests {
		if t.Why == "" {
			n.Add(t.N)
		}
	}
	return n.Words() + " " + contrast.Unit(c)
}

// surestGain returns the largest p-value of the significant differences.
func surestGain(tests []*contrast.Contrast) string {
	most := -1.0
	for _, t := range tests {
		if t.Shown() {
			most = max(most, t.Adjusted)
		}
	}
	if most < 0 {
		return ""
	}
	return "; the largest p of the others is " + words.PValue(most)
}

// gainEntry formats a difference with its interval. A degree sign means that it is not
// significant.
func gainEntry(t *contrast.Contrast) table.Entry {
	if t.Why != "" {
		return table.Entry{Text: words.MissingMark, Tone: table.Absent}
	}
	e := table.Number(words.Signed(t.Difference)+" "+words.Interval(t.Interval().Get()), t.Difference)
	e.Tone = t.Judged().Tone()
	switch {
	case t.TheseSeedsToo:
		e.Text += "†"
	case !t.Shown():
		e.Text += "°"
	}
	if t.OneRun {
		e.Text += "‡"
	}
	if t.ByHolmAlone() {
		e.Text += " " + contrast.HolmAlone
	}
	return e
}

// settingName returns the heading of the column of settings: the key if there is one, no
// heading if there is none.
func settingName(keys []string) []string {
	switch len(keys) {
	case 0:
		return nil
	case 1:
		return keys[:1:1]
	}
	return []string{"setting"}
}

// gainSetting lists a system's values of some keys, if it has them. A single key is not
// named.
func gainSetting(s *scores.System, keys []string) []string {
	switch len(keys) {
	case 0:
		return nil
	case 1:
		return []string{s.Value(keys[0])}
	}
	var parts []string
	for _, key := range keys {
		if value := s.Value(key); value != "" {
			parts = append(parts, key+"="+value)
		}
	}
	return []string{strings.Join(parts, " ")}
}

// gainRow returns a row whose cells are marked as absent until they are set.
func gainRow(heads []string, fields int) table.Row {
	r := table.Row{Kind: table.Trained}
	for _, text := range heads {
		r.Entries = append(r.Entries, table.Entry{Text: text})
	}
	for range fields {
		r.Entries = append(r.Entries, table.Entry{Tone: table.Absent})
	}
	return r
}

// startRow shows the means of the references of each backbone.
func startRow(v *scores.Set, heads int, g gains, c scores.Number, reference string) table.Row {
	r := gainRow(append(make([]string, heads-1), reference), len(g.backbones))
	r.Kind = table.Baseline
	for i := range g.backbones {
		var values []string
		for _, of := range g.cells {
			if cell := v.Cell(of.A, c); of.backbone == i && cell.State.Valued() {
				values = words.AddNew(values, metrics.Percent(c.Measure, cell.Value))
			}
		}
		r.Entries[heads+i].Text = strings.Join(values, " / ")
	}
	return r
}
