package reports

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// errNoAblation says that an ablation has nothing to show.
var errNoAblation = errors.New("no finished trained systems beside one of the reference or beside each other: an ablation has nothing to compare")

// showAblation replaces the tables of a report by what training gained for each
// loss and backbone, and by which of the paper's findings the runs bear out.
func (r *Report) showAblation(v *view, o Options) error {
	var claims []*claimed
	for _, name := range v.benchmarkNames() {
		for _, c := range v.mainColumns(name) {
			t, err := v.gainTable(fmt.Sprintf("gain-%d", len(r.Projected)+1), c, o)
			if err != nil {
				return err
			}
			if t != nil {
				r.Projected = append(r.Projected, t)
			}
			found, err := v.claims(c, o)
			if err != nil {
				return err
			}
			claims = append(claims, found...)
		}
	}
	if len(r.Projected) == 0 && len(claims) == 0 {
		return errNoAblation
	}
	r.Lead = []string{v.completeness()}
	if len(claims) == 0 {
		return nil
	}
	correctClaims(claims)
	r.Projected = append(r.Projected, claimTable("findings", claims))
	r.Lead = append(r.Lead, claimSentences(claims)...)
	return nil
}

// benchmarkNames lists the benchmarks in the order of their values.
func (v *view) benchmarkNames() []string {
	var names []string
	for _, s := range v.slots {
		names = addNew(names, s.Benchmark)
	}
	return names
}

// settingKeys lists the keys that make rows of an ablation beside the loss: those
// in which trained systems of one backbone differ. What follows from the backbone,
// such as its learning rate, does not.
func (v *view) settingKeys() []string {
	byBackbone := map[string][]*system{}
	keys := map[string]bool{}
	for _, s := range v.trained() {
		b := s.config()[backboneKey]
		byBackbone[b] = append(byBackbone[b], s)
		for key := range s.config() {
			keys[key] = true
		}
	}
	var out []string
	for _, key := range sortedKeys(keys) {
		if slices.Contains([]string{seedKey, lossKey, backboneKey}, key) {
			continue
		}
		for _, alike := range byBackbone {
			if varies(key, alike) {
				out = append(out, key)
				break
			}
		}
	}
	return out
}

// trained lists the systems that were trained.
func (v *view) trained() []*system {
	var out []*system
	for _, s := range v.systems {
		if s.kind == Trained {
			out = append(out, s)
		}
	}
	return out
}

// gains is what training gained on a column: a row for each setting and loss, a
// column for each backbone.
type gains struct {
	rows      [][]string // setting and loss
	backbones []string
	cells     []*gainCell
}

// gainCell is one field.
type gainCell struct {
	row, backbone int
	tested        tested
}

// gainTable shows what training gained on a column. It is nil where nothing can be
// compared.
func (v *view) gainTable(id string, c column, o Options) (*Table, error) {
	keys := v.settingKeys()
	g := v.gains(c, keys, o)
	all := make([]*tested, len(g.cells))
	for i, cell := range g.cells {
		all[i] = &cell.tested
	}
	if n, err := testAll(all, o); err != nil || n == 0 {
		return nil, err
	}
	correctAll(all)
	t := &Table{ID: id, Title: "Gain in " + c.scoring() + " on " + c.test(),
		Caption: fmt.Sprintf("Difference ×100 from the %s encoder of the same backbone, setting and seed, with its 95%% interval over queries and seeds (both resampled). "+
			"A degree sign: no difference is shown (paired randomisation test over %s of means over seeds, Holm over %s, p ≤ %v%s).", o.Reference, queriesOf(all, c), plural(len(all), "field", "fields"), significant, surest(all))}
	heads := append(settingName(keys), lossKey)
	for _, name := range heads {
		t.Columns = append(t.Columns, Column{Name: name})
	}
	for _, b := range g.backbones {
		t.Columns = append(t.Columns, Column{Name: b, Number: true})
	}
	t.Rows = append(t.Rows, v.startRow(len(heads), g.backbones, c, o))
	for _, row := range g.rows {
		t.Rows = append(t.Rows, gainRow(row, len(g.backbones)))
	}
	for _, cell := range g.cells {
		t.Rows[cell.row+1].Entries[len(heads)+cell.backbone] = cell.tested.entry()
	}
	return t, nil
}

// gains compares every trained system with its reference.
func (v *view) gains(c column, keys []string, o Options) gains {
	var g gains
	for _, s := range v.trained() {
		ref := v.reference(s, o.Reference)
		if ref == nil {
			continue
		}
		row := append(s.setting(keys), s.loss)
		g.rows = appendNew(g.rows, row)
		g.backbones = addNew(g.backbones, s.config()[backboneKey])
		g.cells = append(g.cells, &gainCell{
			row:      slices.IndexFunc(g.rows, func(have []string) bool { return slices.Equal(have, row) }),
			backbone: slices.Index(g.backbones, s.config()[backboneKey]),
			tested:   tested{contrast: contrastOf([]pairing{{s, ref}}, c)},
		})
	}
	return g
}

// queriesOf counts what was tested on: "80 instruction pairs".
func queriesOf(all []*tested, c column) string {
	var sizes verdicts
	for _, t := range all {
		if n := t.test.N; t.known() {
			if sizes.most == 0 || n < sizes.least {
				sizes.least = n
			}
			sizes.most = max(sizes.most, n)
		}
	}
	return sizes.sizes() + " " + unit(c)
}

// surest says how sure the least sure of the differences that are shown is.
func surest(all []*tested) string {
	most := -1.0
	for _, t := range all {
		if t.known() && t.direction() != 0 {
			most = max(most, t.holm)
		}
	}
	if most < 0 {
		return ""
	}
	return "; of the others the largest is " + pValue(most)
}

// settingName heads the column of settings: the key where there is one, nothing
// where there is none.
func settingName(keys []string) []string {
	switch len(keys) {
	case 0:
		return nil
	case 1:
		return keys[:1:1]
	}
	return []string{"setting"}
}

// setting words what a system has at some keys, where there are any; one key needs
// no name.
func (s *system) setting(keys []string) []string {
	switch len(keys) {
	case 0:
		return nil
	case 1:
		return []string{s.config()[keys[0]]}
	}
	var parts []string
	for _, key := range keys {
		if value := s.config()[key]; value != "" {
			parts = append(parts, key+"="+value)
		}
	}
	return []string{strings.Join(parts, " ")}
}

// gainRow begins a row whose fields are not in the plan until something fills them.
func gainRow(heads []string, fields int) Row {
	r := Row{Kind: Trained}
	for _, text := range heads {
		r.Entries = append(r.Entries, Entry{Text: text})
	}
	for range fields {
		r.Entries = append(r.Entries, Entry{Tone: Absent})
	}
	return r
}

// startRow shows where each backbone starts from: the means of the reference.
func (v *view) startRow(heads int, backbones []string, c column, o Options) Row {
	r := gainRow(append(make([]string, heads-1), o.Reference), len(backbones))
	r.Kind = Baseline
	for i, b := range backbones {
		var values []string
		for _, s := range v.systems {
			if s.kind == Trained || s.model != o.Reference || s.config()[backboneKey] != b {
				continue
			}
			if cell := v.cell(s, c); cell.State.Valued() {
				values = addNew(values, percent(c.Measure, cell.Value))
			}
		}
		r.Entries[heads+i].Text = strings.Join(values, " / ")
	}
	return r
}
