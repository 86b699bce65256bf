package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/reports/contrast"
	"infbench/reports/scores"
	"infbench/reports/table"
)

// sizeColumn is the heading of the size classes of models.
const sizeColumn = "parameters"

// leaderboard returns the first table of a board, sorted by its first number. Each number has the
// colour of its verdict against the reference.
func leaderboard(b *Board, o Options) *table.Table {
	v, columns := b.Set, b.Numbers
	t := &table.Table{
		ID:      b.ID + "-leaderboard",
		Board:   true,
		Title:   "Leaderboard, " + b.words(),
		Caption: leaderboardCaption(v, columns),
		Columns: []table.Column{{Name: "system"}},
	}
	sizes := v.Sizes()
	if sizes != nil {
		t.Columns = append(t.Columns, table.Column{Name: sizeColumn})
	}
	submitted := len(scores.Submitted(v.Systems)) > 0
	if submitted {
		t.Columns = append(t.Columns, table.Column{Name: standingColumn})
	}
	for _, c := range columns {
		t.Columns = append(t.Columns, c.Heading())
	}
	if best := t.BestWord(); sizes != nil && best != "" {
		t.Bold = "Bold is the " + best + " of its column among models of one size."
	}
	spreads, cells := make([]map[*scores.System]seedSpread, len(columns)), make([]func(*scores.System) scores.Cell, len(columns))
	for i, c := range columns {
		spreads[i], cells[i] = spreadsOf(v, c), v.Cells(c)
	}
	for _, s := range v.Systems {
		row := table.Row{Kind: s.RowKind(), Class: sizes[s], Entries: []table.Entry{{Text: s.Label}}}
		if sizes != nil {
			row.Entries = append(row.Entries, sizeEntry(sizes[s]))
		}
		if submitted {
			row.Entries = append(row.Entries, standingEntry(s, columns))
		}
		planned := false
		for i := range columns {
			cell := cells[i](s)
			planned = planned || cell.State != scores.Unplanned
			e := cell.Entry()
			e.Claimed = cell.Aggregate && s.Submission() != nil
			if have := b.contrast(s, columns[i]); have != nil && e.Tone == table.Plain {
				e.Tone = have.Judged().Tone()
			}
			e.Under = under(s, b.Rankings[i], spreads[i])
			row.Entries = append(row.Entries, e)
		}
		if planned {
			t.Rows = append(t.Rows, row)
		}
	}
	t.MarkBest()
	for _, note := range []string{markTop(v, t), runsPerSystem(v)} {
		if note != "" {
			t.Notes = append(t.Notes, note)
		}
	}
	t.Notes = append(t.Notes, objectiveNotes(v)...)
	t.Notes = append(t.Notes, scores.PickedNotes(v.Systems)...)
	t.Notes = append(t.Notes, tuningNotes(v)...)
	t.Notes = append(t.Notes, scores.ImportedNotes(v.Systems)...)
	t.Notes = append(t.Notes, lookAlikes(t)...)
	t.Notes = append(t.Notes, scores.SubmittedNotes(v.Systems, benchmarkNames(b))...)
	t.Notes = append(t.Notes, scores.UnrecordedNotes(v)...)
	t.Notes = append(t.Notes, scores.BuildNotes(v)...)
	t.Notes = append(t.Notes, scores.ChunkNotes(v)...)
	t.Notes = append(t.Notes, scores.DeviationNotes(v)...)
	t.Notes = append(t.Notes, scores.ApproximationNotes(v)...)
	t.Notes = append(t.Notes, scores.DoubtNotes(v, columns)...)
	t.Notes = append(t.Notes, t.Remarks()...)
	if len(b.Families) > 0 {
		t.Against = referenceWords(cmp.Or(b.reference, o.Reference))
	}
	if len(columns) > 0 {
		sortBy(t, len(t.Columns)-len(columns))
	}
	return t
}

// markTop marks the best of several trained systems, because quoting it means selecting on
// the test set. If some systems were selected beforehand, these should be quoted and
// nothing is marked. markTop returns the meaning of the mark, or "" if there is none.
func markTop(v *scores.Set, t *table.Table) string {
	n, marked := 0, []*table.Entry{} // trained systems with a number
	for i := range t.Rows {
		row := &t.Rows[i]
		if row.Kind != table.Trained || !slices.ContainsFunc(row.Entries, func(e table.Entry) bool { return e.From != nil && e.Sort != nil }) {
			continue
		}
		n++
		for j := range row.Entries {
			if e := &row.Entries[j]; e.Best && e.From != nil {
				marked = append(marked, e)
			}
		}
	}
	if n < 2 || len(marked) == 0 || slices.ContainsFunc(v.Systems, func(s *scores.System) bool { return s.Picked().Fair() }) {
		return ""
	}
	for _, e := range marked {
		e.Text += words.TopMark
	}
	return fmt.Sprintf("%s Selected on test: the %s of %d trained systems by this number itself, which is likely to be %s on new queries.",
		words.TopMark, t.BestWord(), n, map[string]string{"highest": "lower", "lowest": "higher", "best": "worse"}[t.BestWord()])
}

// lookAlikes returns notes on rows whose names look the same to readers.
func lookAlikes(t *table.Table) []string {
	var labels []string
	for _, r := range t.Rows {
		labels = append(labels, r.Entries[0].Text)
	}
	return words.LookAlikes(labels)
}

// under returns the text that the page shows below a number: its rank, and the interval
// over seeds.
func under(s *scores.System, r *contrast.Ranking, spreads map[*scores.System]seedSpread) string {
	var words []string
	if at := r.Of(s); at != nil {
		words = append(words, "rank "+at.Ranks())
	}
	if spread, ok := spreads[s]; ok && spread.known {
		words = append(words, spread.words())
	}
	return strings.Join(words, ", ")
}

// sizeEntry returns a class of sizes, sorted by size.
func sizeEntry(class string) table.Entry {
	if class == "" {
		return table.Entry{Text: "unknown", Tone: table.Absent}
	}
	return table.Number(class, scores.SizeOrder(class))
}

// rankTable lists the ranks of all systems in each column; nil if nothing was ranked.
func rankTable(v *scores.Set, b *Board, columns []scores.Number) *table.Table {
	t := &table.Table{
		ID: b.ID + "-ranks", Title: "Ranks, " + b.words(),
		Columns: []table.Column{{Name: "system"}},
	}
	for i, c := range columns {
		if b.Rankings[i] != nil {
			t.Columns = append(t.Columns, c.Heading())
		}
	}
	if len(t.Columns) == 1 {
		return nil
	}
	t.Caption = fmt.Sprintf("The ranks that the tests leave possible: from 1 + the number of systems that are significantly %s, to the number of all systems minus those that are significantly %s. "+
		"Systems with a letter in common do not differ significantly.",
		map[string]string{"highest": "higher", "lowest": "lower", "best": "better"}[t.BestWord()], map[string]string{"highest": "lower", "lowest": "higher", "best": "worse"}[t.BestWord()])
	t.Notes = append(contrast.RankingNotes(b.Rankings), tuningNotes(v)...)
	for _, s := range v.Systems {
		row, ranked := table.Row{Kind: s.RowKind(), Entries: []table.Entry{{Text: s.Label}}}, false
		for i, c := range columns {
			if b.Rankings[i] == nil {
				continue
			}
			e := table.Entry{}
			if at := b.Rankings[i].Of(s); at != nil {
				// Sorting puts the highest first, and rank 1 is the best.
				e = table.Number(strings.TrimSpace(at.Ranks()+" "+letters(at.Groups)), -float64(at.Low))
				e.From = v.LinkTo(table.StatRank, s.Trials, c)
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

// letters formats groups: 0 is a, 25 is z, 26 is aa.
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

// realmWords names a realm, so that real and generated data cannot be confused.
func realmWords(realm scores.Realm) string {
	switch realm {
	case scores.Synthetic:
		return "synthetic benchmarks"
	case scores.Real:
		return "real data"
	}
	return "benchmarks of unrecorded origin"
}

func leaderboardCaption(v *scores.Set, columns []scores.Number) string {
	words := []string{"Values ×100: unweighted means over queries, then over tasks, then over seeds."}
	headline := map[string]bool{}
	for _, c := range columns {
		if len(c.Tasks) == 1 && c.Tasks[0] == scores.HeadlineTask && len(v.Columns(c.Benchmark).Tasks()) > 1 && !headline[c.Benchmark] {
			headline[c.Benchmark] = true
			words = append(words, fmt.Sprintf("For %s only the headline task counts; its slices are shown separately.", c.Benchmark))
		}
	}
	return strings.Join(append(words, scores.MeansNotes(v, columns)...), " ")
}

// runsPerSystem states how many training runs the rows are based on, because another seed
// could give another number. Planned runs are not counted.
func runsPerSystem(v *scores.Set) string {
	least, most := 0, 0
	for _, s := range v.Systems {
		runs := 0
		for _, t := range s.Trials {
			if t.Finished() {
				runs++
			}
		}
		if s.Kind != table.Trained || runs == 0 {
			continue
		}
		if least == 0 || runs < least {
			least = runs
		}
		most = max(most, runs)
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

// Legend explains the elements that the leaderboard has.
func (b *Board) Legend() string {
	var words []string
	if best := b.Leaderboard.BestWord(); best != "" {
		words = append(words, "Bold is the "+best+" number of its column.")
		if slices.ContainsFunc(b.Leaderboard.Columns, func(c table.Column) bool { return c.Name == sizeColumn }) {
			words[0] = "Bold is the " + best + " number of its column among models of one size."
		}
	}
	if b.ranks != nil {
		words = append(words, "Below a number: the ranks that the tests leave possible; 1 is the best.")
	}
	if slices.ContainsFunc(b.Leaderboard.Rows, func(r table.Row) bool {
		return slices.ContainsFunc(r.Entries, func(e table.Entry) bool { return strings.Contains(e.Under, "±") })
	}) {
		words = append(words, "± is half of the 95% interval over training runs, with the variance that the tests use.")
	}
	marked := func(r table.Row) bool {
		return slices.ContainsFunc(r.Entries, func(e table.Entry) bool { return e.Remark != "" })
	}
	if slices.ContainsFunc(b.Leaderboard.Rows, marked) {
		words = append(words, "The notes explain marked numbers.")
	}
	return strings.Join(words, " ")
}

// benchmarkNames returns the original names of a board's benchmarks.
func benchmarkNames(b *Board) (out []string) {
	for _, benchmark := range b.Benchmarks {
		out = append(out, benchmark.Name)
	}
	return out
}

// words names a board in a sentence.
func (b *Board) words() string { return strings.TrimSpace(realmWords(b.Realm) + " " + b.Setting) }

// Name returns the heading of a board.
func (b *Board) Name() string {
	words := b.words()
	return strings.ToUpper(words[:1]) + words[1:]
}

// Intro describes a board.
func (b *Board) Intro() string {
	said := append(boardWarning(b), "Benchmarks: "+strings.Join(benchmarkNames(b), ", ")+".")
	return strings.Join(append(said, b.apart()...), " ")
}

// apart returns the reason why the board is not one with others, if there are others.
func (b *Board) apart() []string {
	if b.why == "" {
		return nil
	}
	return []string{b.why}
}
