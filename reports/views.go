package reports

import (
	"fmt"
	"slices"
	"strings"

	"infbench/bench/results"
	"infbench/metrics/nearest"
	"infbench/reports/beside"
	"infbench/reports/published"
	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/reports/table"
	"infbench/reports/words"
)

// readyView is a report that the paper has too: projections of whatever was run,
// and the paper's own numbers where they were asked for.
type readyView struct {
	name, shows string
	projections []scores.Projection
	tradeoff    bool       // with p-MRR set against quality
	kind        table.Kind // systems that it is about; empty: any
	varied      []string   // configuration keys of which one must vary among trained systems
	missing     string     // what runs lack where a requirement does not hold
	command     string     // that makes what is missing
	paper       []string   // tables with the same numbers
	paperTask   string     // the only task to take from them; empty: all
}

// readyViews are all of them, in the order of the paper's tables.
func readyViews() []readyView {
	scoring := []string{scores.KeyBenchmark, scores.KeyNumber, scores.KeySide, scores.KeyMeasure}
	ofBackbones := func(p scores.Projection) scores.Projection {
		p.Present = []string{results.Backbone}
		return p
	}
	return []readyView{
		{name: "main", shows: "Table 2", kind: table.Trained, missing: "no trained system", command: "infbench sweep bench/experiments/mini-main.yaml", paper: []string{"2"},
			projections: []scores.Projection{ofBackbones(scores.Projection{Row: []string{results.Backbone, scores.KeyVariant}, Col: scoring})}},
		{name: "ablation", shows: "Tables 3 and 6", varied: []string{results.Loss}, missing: "no two losses", command: "infbench sweep bench/experiments/demo.yaml", paper: []string{"3", "6"},
			projections: []scores.Projection{
				ofBackbones(scores.Projection{Row: []string{scores.KeyVariant}, Col: slices.Concat(scoring, []string{results.Backbone})}),
				ofBackbones(scores.Projection{Table: []string{results.Backbone}, Row: []string{scores.KeyVariant}, Col: scoring})}},
		{name: "designs", shows: "Table 4", varied: designKeys(), missing: "no two designs (encoders, pooling, epochs)", command: "infbench sweep bench/experiments/mini-designs.yaml", paper: []string{"4"},
			projections: []scores.Projection{{Row: append(designKeys(), results.Loss), Col: scoring, Present: []string{results.Loss}}}},
		{name: "baselines", shows: "Table 5 and figure 5", kind: table.Baseline, missing: "no baseline", command: "infbench evaluate --model bm25 --data mini-followir", paper: []string{"5"},
			projections: []scores.Projection{{Row: []string{scores.KeyKind, scores.KeySystem}, Col: scoring}}},
		{name: "quality", shows: "figure 6", tradeoff: true, missing: "no two systems with p-MRR and a measure of quality", command: "infbench sweep bench/experiments/demo.yaml", paper: []string{"2"}, paperTask: "FollowIR"},
		{name: "agreement", shows: "figure 4", missing: "judgments of people beside those of models", command: "infbench agreement PICKS.csv --models MODEL --keep NAME"},
		{name: "diversity", shows: "figure 3", missing: "a study of texts", command: "infbench diversity TEXTS.jsonl --keep NAME"},
	}
}

// designKeys are the choices of the paper's Table 4.
func designKeys() []string { return []string{results.ShareEncoder, results.Pooling, results.Epochs} }

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

// showView shows a ready view: of the runs, of the paper where it was asked for, and
// of what is missing.
func (r *Report) showView(s *section.Section) error {
	ready, err := viewNamed(r.options.View)
	if err != nil {
		return err
	}
	studies := studiesOf(r.options.Studies, ready.name)
	lacks := ready.lacks(r.set, r.Boards) && len(studies) == 0
	if len(studies) > 0 {
		s.Show(studyTable(ready, studies), section.Source{})
	} else if !lacks {
		if err := r.projectView(s, ready); err != nil {
			return err
		}
	}
	for i, c := range r.options.Published {
		s.Parts = append(s.Parts, ready.printed(i+1, c)...)
	}
	if lacks {
		s.Show(ready.missingTable(), section.Source{})
	}
	return nil
}

// lacks reports whether the runs do not have what the view is about.
func (r readyView) lacks(v *scores.Set, boards []*Board) bool {
	switch {
	case r.tradeoff:
		return !slices.ContainsFunc(boards, func(b *Board) bool { return len(b.tradeoff) > 0 })
	case len(r.projections) == 0:
		return true
	case r.kind != "":
		return !slices.ContainsFunc(v.Systems, func(s *scores.System) bool { return s.Kind == r.kind })
	}
	trained := v.Trained()
	return len(trained) == 0 || !slices.ContainsFunc(r.varied, func(key string) bool { return scores.Varies(key, trained) })
}

// projectView adds the tables of the runs.
func (r *Report) projectView(s *section.Section, ready readyView) error {
	if ready.tradeoff {
		for _, b := range r.Boards {
			for _, f := range b.tradeoff {
				t := *f.Table // under an ID of its own: the chart has it, too
				t.ID = fmt.Sprintf("view-%d", len(s.Parts)+1)
				s.Show(&t, section.Source{})
			}
		}
		return nil
	}
	for _, p := range ready.projections {
		grids, err := r.set.Pivot(p)
		if err != nil {
			return fmt.Errorf("view %s: %w", ready.name, err)
		}
		for _, g := range grids {
			t := g.AsTable(fmt.Sprintf("view-%d", len(s.Parts)+1))
			t.Title = fmt.Sprintf("%s: %s, as the paper's %s", ready.name, strings.ToLower(t.Title[:1])+t.Title[1:], ready.shows)
			s.Show(t, section.Source{})
		}
		r.Grids = append(r.Grids, grids...)
	}
	return nil
}

// missingTable says what the view is without, and what makes it.
func (r readyView) missingTable() *table.Table {
	return &table.Table{ID: "view-missing", Title: r.name + ": missing",
		Caption: fmt.Sprintf("What this view (%s of the paper) needs and the runs do not have.", r.shows),
		Columns: []table.Column{{Name: "missing"}, {Name: "made by"}},
		Rows:    []table.Row{{Entries: []table.Entry{{Text: r.missing, Tone: table.Absent}, {Text: r.command}}}}}
}

// printed shows the paper's tables with the numbers of the view; other sources
// have none of them.
func (r readyView) printed(at int, c *published.Collection) []section.Section {
	var out []section.Section
	for _, number := range r.paper {
		source := published.SourcePaper + ", table " + number
		var cells []*published.Cell
		for i := range c.Cells {
			if cell := &c.Cells[i]; cell.Source == source && (r.paperTask == "" || cell.Task == r.paperTask) {
				cells = append(cells, cell)
			}
		}
		s := section.Section{ID: fmt.Sprintf("printed-%d-%s", at, number), Title: "Printed in " + source, Source: beside.SourceOf(c)}
		if len(cells) > 0 {
			s.Tables = section.Listed(printedTable(s.ID+"-table", source, cells))
		}
		out = append(out, s)
	}
	return out
}

// printedTable lays out cells by model and configuration, to the digits printed.
func printedTable(id, source string, cells []*published.Cell) *table.Table {
	t := &table.Table{ID: id, Title: "Printed in " + source, Caption: "Values ×100 as printed; nothing here was measured by this program. " +
		"FollowIR's scores hold the original instructions against the changed judgments, as mteb 1.x did.",
		Columns: []table.Column{{Name: "model"}, {Name: "trained"}}}
	var rows, columns [][]string
	for _, c := range cells {
		rows = words.AppendNew(rows, []string{c.Model, c.Config})
		columns = words.AppendNew(columns, []string{c.Task, c.Measure})
	}
	for _, col := range columns {
		t.Columns = append(t.Columns, table.Column{Group: words.Clean(col[0]), Name: words.Clean(col[1]), Number: true, Best: beside.Best(col[1])})
	}
	for _, row := range rows {
		entries := make([]table.Entry, 2+len(columns))
		entries[0].Text, entries[1].Text = words.Clean(row[0]), words.Clean(row[1])
		for _, c := range cells {
			if c.Model != row[0] || c.Config != row[1] {
				continue
			}
			j := slices.IndexFunc(columns, func(col []string) bool { return col[0] == c.Task && col[1] == c.Measure })
			e := table.Number(words.Fixed(100*c.Value, beside.DigitsOf(c.Tolerance)), c.Value)
			e.Remark = words.Clean(strings.Join(c.Footnotes, "; "))
			entries[2+j] = e
		}
		t.Rows = append(t.Rows, table.Row{Entries: entries})
	}
	t.MarkBest()
	t.Notes = t.Remarks()
	return t
}
