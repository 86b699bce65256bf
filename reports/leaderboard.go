package reports

import (
	"fmt"
	"slices"
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
	for _, c := range columns {
		r, err := v.rank(c, o)
		if err != nil {
			return nil, err
		}
		b.Rankings = append(b.Rankings, r)
	}
	b.Leaderboard = v.leaderboard(b, columns)
	b.Ranks = v.rankTable(b, columns)
	b.Seeds = v.seedTable(b.ID+"-seeds", columns)
	for _, name := range p.benchmarks {
		if err := v.addBenchmark(b, name, o); err != nil {
			return nil, err
		}
	}
	var err error
	if b.Ablation, b.AblationIntro, err = v.ablation(b.ID, columns, o); err != nil {
		return nil, err
	}
	if b.Tradeoff, err = v.tradeoff(b.ID, columns); err != nil {
		return nil, err
	}
	if b.Curves, err = v.curves(b.ID); err != nil {
		return nil, err
	}
	if b.Factors, err = v.factorTable(b.ID+"-factors", columns, o); err != nil {
		return nil, err
	}
	b.Nulls, b.warnings = v.nullTable(b.ID+"-nulls", columns)
	b.Cost = v.costTable(b.ID+"-cost", columns)
	b.Tasks, err = v.multiples(b.ID, p.benchmarks, o)
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

// sizeColumn heads the size classes of models.
const sizeColumn = "parameters"

// leaderboard is the table that a board opens with.
func (v *view) leaderboard(b *Board, columns []column) *Table {
	t := &Table{
		ID:      b.ID + "-leaderboard",
		Title:   "Leaderboard, " + b.words(),
		Caption: v.leaderboardCaption(columns),
		Columns: []Column{{Name: "system"}},
	}
	sizes := v.sizes()
	if sizes != nil {
		t.Columns = append(t.Columns, Column{Name: sizeColumn})
		t.Caption += " Bold is the highest of its column among models of one size."
	}
	for _, c := range columns {
		t.Columns = append(t.Columns, c.heading())
	}
	for _, s := range v.systems {
		row := Row{Kind: s.kind, Class: sizes[s], Entries: []Entry{{Text: s.label}}}
		if sizes != nil {
			row.Entries = append(row.Entries, sizeEntry(sizes[s]))
		}
		planned := false
		for i, c := range columns {
			cell := v.cell(s, c)
			planned = planned || cell.State != Unplanned
			e := cell.entry()
			e.Under = v.under(s, c, b.Rankings[i])
			row.Entries = append(row.Entries, e)
		}
		if planned {
			t.Rows = append(t.Rows, row)
		}
	}
	t.markBest()
	v.markTop(t)
	if runs := v.runsPerSystem(); runs != "" {
		t.Notes = append(t.Notes, runs)
	}
	t.Notes = append(t.Notes, pickedNotes(v.systems)...)
	t.Notes = append(t.Notes, importedNotes(v.systems)...)
	t.Notes = append(t.Notes, t.remarks()...)
	return t
}

// markTop marks the highest of several trained systems: whoever quotes it
// has selected on the test.
func (v *view) markTop(t *Table) {
	n := len(v.trained())
	if n < 2 {
		return
	}
	marked := false
	for i := range t.Rows {
		if t.Rows[i].Kind != Trained {
			continue
		}
		for j := range t.Rows[i].Entries {
			if e := &t.Rows[i].Entries[j]; e.Best && e.From != nil {
				e.Text += topMark
				marked = true
			}
		}
	}
	if marked {
		t.Notes = append(t.Notes, fmt.Sprintf("%s Selected on test: the highest of %d trained systems by this very number, which is likely to be lower on new queries.", topMark, n))
	}
}

// under is what the page says below a number: its rank, and how far the seeds
// spread.
func (v *view) under(s *system, c column, r *Ranking) string {
	var words []string
	if at := r.of(s); at != nil {
		words = append(words, fmt.Sprintf("rank %d, place %s", at.Rank, at.places()))
	}
	if spread, ok := v.spread(s, c); ok {
		words = append(words, spread.words())
	}
	return strings.Join(words, ", ")
}

// sizeEntry is a class of sizes, sorted by size.
func sizeEntry(class string) Entry {
	if class == "" {
		return Entry{Text: "unknown", Tone: Absent}
	}
	return number(class, sizeOrder(class))
}

// rankTable lists the places of all systems in each column; nil where nothing
// was ranked.
func (v *view) rankTable(b *Board, columns []column) *Table {
	t := &Table{
		ID: b.ID + "-ranks", Title: "Ranks, " + b.words(),
		Caption: "Rank: 1 + the number of systems that are significantly higher, so that systems which the tests do not tell apart share one. " +
			"Systems with a letter in common do not differ significantly. Last, the places by mean that the system takes in 95% of resamples of the queries, which are the same for all systems.",
		Columns: []Column{{Name: "system"}},
	}
	for i, c := range columns {
		if b.Rankings[i] != nil {
			t.Columns = append(t.Columns, c.heading())
		}
	}
	if len(t.Columns) == 1 {
		return nil
	}
	t.Notes = rankingNotes(b.Rankings)
	for _, s := range v.systems {
		row, ranked := Row{Kind: s.kind, Entries: []Entry{{Text: s.label}}}, false
		for i, c := range columns {
			if b.Rankings[i] == nil {
				continue
			}
			e := Entry{}
			if at := b.Rankings[i].of(s); at != nil {
				// Sorting starts with the highest, and rank 1 is the highest.
				e = number(fmt.Sprintf("%d %s, %s", at.Rank, letters(at.Groups), at.places()), -float64(at.Rank))
				e.From = v.link(StatRank, s.trials, c.slots())
				ranked = true
			}
			row.Entries = append(row.Entries, e)
		}
		if ranked {
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// letters names groups: 0 is a, 25 is z, 26 is aa.
func letters(groups []int) string {
	names := make([]string, len(groups))
	for i, g := range groups {
		for ; g >= 0; g = g/26 - 1 {
			names[i] = string(rune('a'+g%26)) + names[i]
		}
		if len(names[i]) > 1 {
			names[i] = "." + names[i]
		}
	}
	return strings.Join(names, "")
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

// Legend says how to read the leaderboard: what of it is there, and no more.
func (b *Board) Legend() string {
	words := []string{"Bold is the highest number of its column."}
	if slices.ContainsFunc(b.Leaderboard.Columns, func(c Column) bool { return c.Name == sizeColumn }) {
		words[0] = "Bold is the highest number of its column among models of one size."
	}
	if b.Ranks != nil {
		words = append(words, "Below a number: its rank, which systems share that the tests do not tell apart, and the places by mean that it takes when the queries are resampled.")
	}
	if b.Seeds != nil {
		words = append(words, "± is half of the 95% interval over training runs.")
	}
	marked := func(r Row) bool { return slices.ContainsFunc(r.Entries, func(e Entry) bool { return e.Remark != "" }) }
	if slices.ContainsFunc(b.Leaderboard.Rows, marked) {
		words = append(words, "The notes say what a marked number lacks.")
	}
	return strings.Join(words, " ")
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
