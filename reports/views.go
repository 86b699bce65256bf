package reports

import (
	"fmt"
	"slices"
	"strings"

	"infbench/metrics/nearest"
	"infbench/reports/published"
)

// readyView is a report that the paper has too: projections of whatever was run,
// and the paper's own numbers where they were asked for.
type readyView struct {
	name, shows string
	projections []Projection
	tradeoff    bool     // with p-MRR set against quality
	kind        Kind     // systems that it is about; empty: any
	varied      []string // configuration keys of which one must vary among trained systems
	missing     string   // what runs lack where a requirement does not hold
	command     string   // that makes what is missing
	paper       []string // tables with the same numbers
	paperTask   string   // the only task to take from them; empty: all
}

// keyVariant is what was done to a backbone: the loss it was trained with, or the
// name of a model that was not.
const keyVariant = "variant"

// readyViews are all of them, in the order of the paper's tables.
func readyViews() []readyView {
	scoring := []string{keyBenchmark, keyTask, keySide, keyMeasure}
	ofBackbones := func(p Projection) Projection {
		p.mainOnly, p.present = true, []string{backboneKey}
		return p
	}
	return []readyView{
		{name: "main", shows: "Table 2", kind: Trained, missing: "no trained system", command: "infbench sweep bench/experiments/mini-main.yaml", paper: []string{"2"},
			projections: []Projection{ofBackbones(Projection{Row: []string{backboneKey, keyVariant}, Col: scoring})}},
		{name: "ablation", shows: "Tables 3 and 6", varied: []string{lossKey}, missing: "no two losses", command: "infbench sweep bench/experiments/demo.yaml", paper: []string{"3", "6"},
			projections: []Projection{
				ofBackbones(Projection{Row: []string{keyVariant}, Col: []string{keyBenchmark, keySide, keyMeasure, backboneKey}}),
				ofBackbones(Projection{Table: []string{backboneKey}, Row: []string{keyVariant}, Col: scoring})}},
		{name: "designs", shows: "Table 4", varied: designKeys(), missing: "no two designs (encoders, pooling, epochs)", command: "infbench sweep bench/experiments/mini-designs.yaml", paper: []string{"4"},
			projections: []Projection{{Row: append(designKeys(), lossKey), Col: []string{keyBenchmark, keySide, keyMeasure}, mainOnly: true, present: []string{lossKey}}}},
		{name: "baselines", shows: "Table 5 and figure 5", kind: Baseline, missing: "no baseline", command: "infbench evaluate --model bm25 --data mini-followir", paper: []string{"5"},
			projections: []Projection{{Row: []string{keyKind, keySystem}, Col: scoring, mainOnly: true}}},
		{name: "quality", shows: "figure 6", tradeoff: true, missing: "no two systems with p-MRR and a measure of quality", command: "infbench sweep bench/experiments/demo.yaml", paper: []string{"2"}, paperTask: "FollowIR"},
		{name: "agreement", shows: "figure 4", missing: "judgments of people beside those of models", command: "infbench agreement PICKS.csv --models MODEL --keep NAME"},
		{name: "diversity", shows: "figure 3", missing: "a study of texts", command: "infbench diversity TEXTS.jsonl --keep NAME"},
	}
}

// designKeys are the choices of the paper's Table 4.
func designKeys() []string { return []string{"design.share_encoder", "design.pooling", "train.epochs"} }

// Views lists the names of the ready views.
func Views() []string {
	var names []string
	for _, r := range readyViews() {
		names = append(names, r.name)
	}
	return names
}

// viewNamed finds a ready view.
func viewNamed(name string) (readyView, error) {
	all := readyViews()
	i := slices.IndexFunc(all, func(r readyView) bool { return r.name == name })
	if i < 0 {
		return readyView{}, nearest.Unknown("view", name, Views())
	}
	return all[i], nil
}

// showView replaces the tables of a report by those of a ready view: of the runs,
// of the paper where it was asked for, and of what is missing.
func (r *Report) showView(v *view, o Options) error {
	ready, err := viewNamed(o.View)
	if err != nil {
		return err
	}
	r.Grids, r.Projected = nil, nil
	studies := studiesOf(o.Studies, ready.name)
	lacks := ready.lacks(v, r.Boards) && len(studies) == 0
	if len(studies) > 0 {
		r.Projected = append(r.Projected, studyTable(ready, studies))
	} else if !lacks {
		if err := r.projectView(v, ready); err != nil {
			return err
		}
	}
	for _, c := range o.Published {
		r.Projected = append(r.Projected, ready.printed(c)...)
	}
	if lacks {
		r.Projected = append(r.Projected, ready.missingTable())
	}
	return nil
}

// lacks reports whether the runs do not have what the view is about.
func (r readyView) lacks(v *view, boards []*Board) bool {
	switch {
	case r.tradeoff:
		return !slices.ContainsFunc(boards, func(b *Board) bool { return len(b.Tradeoff) > 0 })
	case len(r.projections) == 0:
		return true
	case r.kind != "":
		return !slices.ContainsFunc(v.systems, func(s *system) bool { return s.kind == r.kind })
	}
	trained := v.trained()
	return len(trained) == 0 || !slices.ContainsFunc(r.varied, func(key string) bool { return varies(key, trained) })
}

// projectView adds the tables of the runs.
func (r *Report) projectView(v *view, ready readyView) error {
	if ready.tradeoff {
		for _, b := range r.Boards {
			for _, f := range b.Tradeoff {
				r.Projected = append(r.Projected, f.Table)
			}
		}
		return nil
	}
	for _, p := range ready.projections {
		grids, err := v.pivot(p)
		if err != nil {
			return fmt.Errorf("view %s: %w", ready.name, err)
		}
		for _, g := range grids {
			t := g.table(fmt.Sprintf("view-%d", len(r.Projected)+1))
			t.Title = fmt.Sprintf("%s: %s, as the paper's %s", ready.name, strings.ToLower(t.Title[:1])+t.Title[1:], ready.shows)
			r.Projected = append(r.Projected, t)
		}
		r.Grids = append(r.Grids, grids...)
	}
	return nil
}

// missingTable says what the view is without, and what makes it.
func (r readyView) missingTable() *Table {
	return &Table{ID: "view-missing", Title: r.name + ": missing",
		Caption: fmt.Sprintf("What this view (%s of the paper) needs and the runs do not have.", r.shows),
		Columns: []Column{{Name: "missing"}, {Name: "made by"}},
		Rows:    []Row{{Entries: []Entry{{Text: r.missing, Tone: Absent}, {Text: r.command}}}}}
}

// printedTables begins the IDs of the paper's tables.
const printedTables = "published-table-"

// printed shows the paper's tables with the numbers of the view; other sources
// have none of them.
func (r readyView) printed(c *published.Collection) []*Table {
	var out []*Table
	for _, number := range r.paper {
		source := published.SourcePaper + ", table " + number
		var cells []*published.Cell
		for i := range c.Cells {
			if cell := &c.Cells[i]; cell.Source == source && (r.paperTask == "" || cell.Task == r.paperTask) {
				cells = append(cells, cell)
			}
		}
		if len(cells) > 0 {
			out = append(out, printedTable(printedTables+number, source, cells))
		}
	}
	return out
}

// printedTable lays out cells by model and configuration, to the digits printed.
func printedTable(id, source string, cells []*published.Cell) *Table {
	t := &Table{ID: id, Title: "Printed in " + source, Caption: "Values ×100 as printed; nothing here was measured by this program. " +
		"FollowIR's scores hold the original instructions against the changed judgments, as mteb 1.x did.",
		Columns: []Column{{Name: "model"}, {Name: "trained"}}}
	var rows, columns [][]string
	for _, c := range cells {
		rows = appendNew(rows, []string{c.Model, c.Config})
		columns = appendNew(columns, []string{c.Task, c.Measure})
	}
	for _, col := range columns {
		t.Columns = append(t.Columns, Column{Group: clean(col[0]), Name: clean(col[1]), Number: true})
	}
	for _, row := range rows {
		entries := make([]Entry, 2+len(columns))
		entries[0].Text, entries[1].Text = clean(row[0]), clean(row[1])
		for _, c := range cells {
			if c.Model != row[0] || c.Config != row[1] {
				continue
			}
			j := slices.IndexFunc(columns, func(col []string) bool { return col[0] == c.Task && col[1] == c.Measure })
			e := number(fixed(100*c.Value, digitsOf(c.Tolerance)), c.Value)
			e.Remark = clean(strings.Join(c.Footnotes, "; "))
			entries[2+j] = e
		}
		t.Rows = append(t.Rows, Row{Entries: entries})
	}
	t.markBest()
	t.Notes = t.remarks()
	return t
}
