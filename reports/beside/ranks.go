package beside

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/metrics"
	"infbench/metrics/stats"
	"infbench/reports/published"
	"infbench/reports/section"
	"infbench/reports/table"
)

// Published systems have one number per task and no per-query values. They can be
// described by their ranks on each task, the range of these ranks, and the number of tasks
// they win.

// family is a set of tasks over which rows are ranked: the tasks of a published mean, or
// the main numbers of one convention.
type family struct {
	name  string
	tasks []publishedColumn
	mean  string // the measure by which values are printed
}

// families lists the families: the means first, then the columns that are in no mean, by
// convention.
func families(order []publishedColumn, means []publishedMean) []family {
	var out []family
	known := meansOf(order)
	for _, m := range means {
		out = append(out, family{strings.TrimSpace(m.group + " " + m.name), m.parts, m.parts[0].measure})
		for _, c := range m.parts {
			known[c] = true
		}
	}
	rest := map[string][]publishedColumn{}
	var names []string
	for _, c := range order {
		if known[c] {
			continue
		}
		name := publishedColumn{measure: c.measure, qrels: c.qrels, ties: c.ties}.heading().Name
		names = words.AddNew(names, name)
		rest[name] = append(rest[name], c)
	}
	for _, name := range names {
		out = append(out, family{fmt.Sprintf("%s of %s", name, words.Plural(len(rest[name]), "task", "tasks")), rest[name], rest[name][0].measure})
	}
	return slices.DeleteFunc(out, func(f family) bool { return len(f.tasks) < 2 })
}

// meansOf returns the columns that are means of others, which some sources print as well.
func meansOf(order []publishedColumn) map[publishedColumn]bool {
	names := map[string]bool{}
	for _, benchmark := range []string{"followir", "mair", "bright"} {
		for _, c := range published.Combinations(benchmark) {
			names[c.Name.Task] = true
		}
	}
	out := map[publishedColumn]bool{}
	for _, c := range order {
		out[c] = names[c.task]
	}
	return out
}

// ranked is a row with its ranks among rows that were measured on the same data.
type ranked struct {
	publishedRow
	values []float64 // by task
	ranks  []int     // 1 + the number of better rows
	tied   []bool    // shares its rank with another row
	flags  []string
}

// leagues groups the rows that have all tasks of a family by their data, the largest group
// first, and ranks each group. lacking counts the rows that have only some tasks.
func (f family) leagues(values rowValues) (out [][]*ranked, on []string, lacking int) {
	groups, counts := map[string][]*ranked{}, map[string]int{}
	for _, row := range slices.SortedFunc(maps.Keys(values), publishedRow.compare) {
		r := &ranked{publishedRow: row}
		var data []string
		for _, c := range f.tasks {
			if cell := values[row][c]; cell != nil {
				r.values, data = append(r.values, cell.Value), append(data, dataOf(cell))
			}
		}
		switch key := strings.Join(data, "\x01"); {
		case len(r.values) == len(f.tasks):
			groups[key] = append(groups[key], r)
			counts[key]++
		case len(r.values) > 0:
			lacking++
		}
	}
	for _, key := range byCount(counts) {
		f.rank(groups[key])
		out, on = append(out, groups[key]), append(on, key)
	}
	return out, on, lacking
}

// rank sets the ranks of rows and sorts the rows by their mean rank.
func (f family) rank(rows []*ranked) {
	for j, c := range f.tasks {
		better := Best(c.measure)
		sorted := slices.SortedFunc(slices.Values(rows), func(a, b *ranked) int {
			switch {
			case better.Better(a.values[j], b.values[j]):
				return -1
			case better.Better(b.values[j], a.values[j]):
				return 1
			}
			return 0
		})
		for i, r := range sorted {
			rank, tied := i+1, false
			if i > 0 && stats.Compare(sorted[i-1].values[j], r.values[j]) == 0 {
				rank, tied = sorted[i-1].ranks[j], true
				sorted[i-1].tied[j] = true
			}
			r.ranks, r.tied = append(r.ranks, rank), append(r.tied, tied)
		}
	}
	slices.SortStableFunc(rows, func(a, b *ranked) int { return cmp.Compare(a.sum(), b.sum()) })
	f.flag(rows)
}

func (r *ranked) sum() (sum int) {
	for _, rank := range r.ranks {
		sum += rank
	}
	return sum
}

// flag marks rows whose numbers are doubtful as measurements.
func (f family) flag(rows []*ranked) {
	for i, r := range rows {
		same := !slices.ContainsFunc(r.values, func(v float64) bool { return stats.Compare(v, r.values[0]) != 0 })
		switch {
		case same && stats.Compare(r.values[0], 0) == 0 && metrics.IsShift(f.mean):
			r.flags = append(r.flags, "0 on every task: no ranking changed with the instruction, as if all documents had the same score")
		case same:
			r.flags = append(r.flags, "one value on every task, like a constant scorer")
		}
		equal := func(other *ranked) bool {
			return slices.EqualFunc(other.values, r.values, func(a, b float64) bool { return stats.Compare(a, b) == 0 })
		}
		if first := slices.IndexFunc(rows[:i], equal); first >= 0 {
			r.flags = append(r.flags, "equal to "+rows[first].name()+" on every task")
		}
	}
}

// name returns the name of a row.
func (r publishedRow) name() string { return strings.TrimSpace(r.model + " " + r.config) }

// Bootstrap over tasks. It needs at least tasksAtLeast tasks. Its interval would only be
// valid if the tasks were drawn at random from similar ones, which they are not.
const (
	tasksAtLeast   = 10
	taskResamples  = 1_000
	ranksAtMost    = 15 // most tasks for which every rank is printed
	sampleHeading  = "95% of the mean if these tasks were a sample"
	tasksBootstrap = 1 // seed of the bootstrap
)

// interval formats the bootstrap interval of a mean over tasks.
func (f family) interval(values []float64) table.Entry {
	if len(values) < tasksAtLeast {
		return table.Entry{Text: fmt.Sprintf("no interval: %d tasks", len(values)), Tone: table.Absent}
	}
	low, high, ok := stats.BootstrapMean(values, .95, taskResamples, tasksBootstrap).Get()
	if !ok {
		return table.Entry{Text: words.UndefinedMark, Tone: table.Absent}
	}
	return table.Number(fmt.Sprintf("[%s, %s]", metrics.Percent(f.mean, low), metrics.Percent(f.mean, high)), low)
}

// rankSections returns a section of ranks for each family of tasks.
func rankSections(id string, values rowValues, order []publishedColumn, means []publishedMean, source section.Source) []section.Section {
	var out []section.Section
	for _, f := range families(order, means) {
		if t := f.table(fmt.Sprintf("%s-ranks-%d", id, len(out)+1), values); t != nil {
			out = append(out, section.Section{ID: t.ID + "-section", Title: t.Title, Folded: true, Tables: []*table.Table{t}, Source: source})
		}
	}
	return out
}

// table lists the ranks; nil if fewer than two rows can be ranked.
func (f family) table(id string, values rowValues) *table.Table {
	leagues, on, lacking := f.leagues(values)
	if len(leagues) == 0 || len(leagues[0]) < 2 {
		return nil
	}
	t := &table.Table{ID: id, Title: "Ranks by task: " + words.Clean(f.name),
		Caption: fmt.Sprintf("Rank on each of %d tasks: 1 + the number of rows that are better there, = if another row has the same number; the range of these ranks; and the share of tasks on which no row is better. Nothing is tested: each task is one number, so it is not known which of two rows is better on similar tasks.", len(f.tasks)),
		Columns: []table.Column{{Name: "model"}, {Name: "revision"}, {Name: "group"}, {Name: "mean rank", Number: true, Best: table.NoBest}, {Name: "ranks"}, {Name: "range"}, {Name: "won", Number: true, Best: table.NoBest},
			{Name: "mean", Number: true, Best: table.NoBest}, {Name: sampleHeading, Number: true, Best: table.NoBest}, {Name: "doubts"}},
	}
	t.Notes = append(t.Notes, "The ranks are for these tasks, in order: "+strings.Join(f.taskNames(), ", ")+".")
	if lacking > 0 {
		t.Notes = append(t.Notes, words.Plural(lacking, "row without all of them has", "rows without all of them have")+" no rank.")
	}
	ties := 0
	for i, rows := range leagues {
		for _, r := range rows {
			t.Rows = append(t.Rows, f.row(r, len(rows), i, len(leagues)))
			if slices.Contains(r.tied, true) {
				ties++
			}
		}
	}
	if len(leagues) > 1 {
		for i, key := range on {
			t.Notes = append(t.Notes, fmt.Sprintf("Group %d, %s: data %s.", i+1, words.Plural(len(leagues[i]), "row", "rows"), described(key)))
		}
		t.Notes = append(t.Notes, "Rows of different groups were measured on different data and are not comparable: each row is ranked within its group.")
	}
	if ties > 0 {
		t.Notes = append(t.Notes, words.Plural(ties, "row shares", "rows share")+" a number with another on at least one task.")
	}
	return t
}

// taskNames returns the tasks as the leaderboard heads them.
func (f family) taskNames() []string {
	var out []string
	for _, c := range f.tasks {
		h := c.heading()
		out = append(out, strings.TrimSpace(h.Group+" "+words.Clean(c.part)))
	}
	return out
}

// row formats one of n rows that were measured on the same data.
func (f family) row(r *ranked, n, league, leagues int) table.Row {
	best, worst, won, sum := slices.Min(r.ranks), slices.Max(r.ranks), 0, 0.0
	var ranks []string
	for j, rank := range r.ranks {
		text := fmt.Sprint(rank)
		if r.tied[j] {
			text += "="
		}
		ranks = append(ranks, text)
		if rank == 1 {
			won++
		}
		sum += r.values[j]
	}
	if len(ranks) > ranksAtMost {
		ranks = nil
	}
	tasks := float64(len(r.ranks))
	mean, share, group := float64(r.sum())/tasks, float64(won)/tasks, ""
	if leagues > 1 {
		group = fmt.Sprint(league + 1)
	}
	width := fmt.Sprint(best)
	if worst > best {
		width = fmt.Sprintf("%d–%d", best, worst)
	}
	e := table.Number(words.Fixed(mean, 1), -mean) // sorting starts with the highest
	doubts := table.Entry{Text: words.Clean(strings.Join(r.flags, "; "))}
	if doubts.Text != "" {
		doubts.Tone = table.Worse
	}
	return table.Row{Class: group, Entries: []table.Entry{
		{Text: words.Clean(r.name())}, {Text: shortRevision(words.Clean(r.revision))}, {Text: group}, e, {Text: strings.Join(ranks, ", ")},
		{Text: fmt.Sprintf("%s of %d", width, n)}, table.Number(fmt.Sprintf("%d of %d (%s%%)", won, len(r.ranks), words.Fixed(100*share, 0)), share),
		table.Number(metrics.Percent(f.mean, sum/tasks), sum/tasks), f.interval(r.values), doubts,
	}}
}

// described formats the data of rows, task by task.
func described(key string) string {
	var out []string
	for part := range strings.SplitSeq(key, "\x01") {
		revision, excluded, _ := strings.Cut(part, "\x00")
		text := cmp.Or(shortRevision(words.Clean(revision)), "revision not recorded")
		if excluded != "" {
			text += ", excluded documents " + words.Clean(excluded)
		}
		out = words.AddNew(out, text)
	}
	return strings.Join(out, "; ")
}
