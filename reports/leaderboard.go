package reports

import (
	"fmt"
	"strings"
)

// board makes everything that is shown of one part of a report.
func (p part) board(number int, o Options) (*Board, error) {
	v := p.view
	b := &Board{ID: fmt.Sprintf("%s-%d", p.realm, number), Realm: p.realm, Setting: p.setting}
	var columns []column
	for _, name := range p.benchmarks {
		b.Benchmarks = append(b.Benchmarks, v.benchmarks[name].Benchmark)
		columns = append(columns, v.mainColumns(name)...)
	}
	b.Leaderboard = v.leaderboard(b, columns)
	for _, name := range p.benchmarks {
		if err := v.addBenchmark(b, name, o); err != nil {
			return nil, err
		}
	}
	var err error
	if b.Ablation, err = v.ablation(b.ID, columns, o); err != nil {
		return nil, err
	}
	if b.Tradeoff, err = v.tradeoff(b.ID, columns); err != nil {
		return nil, err
	}
	b.Curves, err = v.curves(b.ID)
	return b, err
}

// addBenchmark adds the tests, slices and full table of one benchmark.
func (v *view) addBenchmark(b *Board, name string, o Options) error {
	id := fmt.Sprintf("%s-%d", b.ID, len(b.Everything)+1)
	f, err := v.compare(name, v.mainColumns(name), o)
	if err != nil {
		return err
	}
	if f != nil {
		b.Families = append(b.Families, f)
		figures, err := f.figures(id)
		if err != nil {
			return err
		}
		b.Differences = append(b.Differences, figures...)
	}
	s, err := v.slices(id, name, o)
	if err != nil {
		return err
	}
	if s != nil {
		b.Slices = append(b.Slices, s)
	}
	grids, err := v.pivot(Projection{
		Table:   []string{keyBenchmark},
		Row:     []string{keySystem},
		Col:     []string{keyTask, keySide, keyMeasure},
		Filters: []Filter{{Key: keyBenchmark, Values: []string{name}}},
	})
	if err != nil {
		return err
	}
	for _, g := range grids {
		t := g.table(id + "-everything")
		t.Title = "Every scoring of " + name
		b.Everything = append(b.Everything, t)
	}
	return nil
}

// leaderboard is the table that a board opens with.
func (v *view) leaderboard(b *Board, columns []column) *Table {
	t := &Table{
		ID:      b.ID + "-leaderboard",
		Title:   "Leaderboard, " + b.words(),
		Caption: v.leaderboardCaption(columns),
		Columns: []Column{{Name: "system"}},
	}
	for _, c := range columns {
		t.Columns = append(t.Columns, c.heading())
	}
	for _, s := range v.systems {
		row := Row{Kind: s.kind, Entries: []Entry{{Text: s.label}}}
		planned := false
		for _, c := range columns {
			cell := v.cell(s, c)
			planned = planned || cell.State != Unplanned
			row.Entries = append(row.Entries, cell.entry())
		}
		if planned {
			t.Rows = append(t.Rows, row)
		}
	}
	t.markBest()
	if runs := v.runsPerSystem(); runs != "" {
		t.Notes = append(t.Notes, runs)
	}
	t.Notes = append(t.Notes, "Trained systems were tested against the reference only, not against each other: their order is not a finding.")
	t.Notes = append(t.Notes, t.remarks()...)
	return t
}

// realmWords names a realm so that nobody takes one for the other.
func realmWords(realm Realm) string {
	switch realm {
	case Synthetic:
		return "synthetic benchmarks"
	case Real:
		return "real data"
	}
	return "benchmarks of unrecorded origin"
}

func (v *view) leaderboardCaption(columns []column) string {
	words := []string{"Values ×100: unweighted means over queries, then over tasks, then over seeds."}
	headline := map[string]bool{}
	for _, c := range columns {
		if len(c.Tasks) == 1 && c.Tasks[0] == headlineTask && len(v.tasks(c.Benchmark)) > 1 && !headline[c.Benchmark] {
			headline[c.Benchmark] = true
			words = append(words, fmt.Sprintf("For %s only the headline task counts; its slices are shown apart.", c.Benchmark))
		}
	}
	return strings.Join(words, " ")
}

// runsPerSystem says how many training runs stand behind a row, since one seed
// hides what another would give.
func (v *view) runsPerSystem() string {
	least, most := 0, 0
	for _, s := range v.systems {
		if s.kind != Trained {
			continue
		}
		if least == 0 || len(s.trials) < least {
			least = len(s.trials)
		}
		most = max(most, len(s.trials))
	}
	switch {
	case most == 0:
		return ""
	case most == 1:
		return "Each trained system is one training run; how much another seed would change is not measured."
	case least == most:
		return fmt.Sprintf("Each trained system is the mean of %d training runs that differ in their seed.", most)
	}
	return fmt.Sprintf("Trained systems are means of %d to %d training runs that differ in their seed.", least, most)
}

// words names a board in a sentence.
func (b *Board) words() string { return strings.TrimSpace(realmWords(b.Realm) + " " + b.Setting) }

// Name heads a board.
func (b *Board) Name() string {
	words := b.words()
	return strings.ToUpper(words[:1]) + words[1:]
}

// Intro says what a board is about.
func (b *Board) Intro() string {
	var names []string
	for _, benchmark := range b.Benchmarks {
		names = append(names, benchmark.Name)
	}
	return strings.Join(append(boardWarning(b), "Benchmarks: "+strings.Join(names, ", ")+"."), " ")
}
