package reports

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/metrics/stats"
	"infbench/reports/chart"
	"infbench/reports/contrast"
	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/reports/table"
)

// forgettingSections compares trained systems with their starts.
func forgettingSections(r *Report) ([]section.Section, error) {
	var out []section.Section
	for i, asked := range r.forgetting {
		id := "forgetting"
		if i > 0 {
			id = fmt.Sprintf("forgetting-%d", i+1)
		}
		s, said, err := forgettingSection(id, r.set, asked)
		if err != nil {
			return nil, err
		}
		if !s.Empty() {
			out, r.Lead, r.said = append(out, s), append(r.Lead, said), append(r.said, said)
		}
	}
	return out, nil
}

// forgettingSection shows the changes by training on the collections of an experiment, and
// returns a sentence about them. The section is empty if nothing was trained.
func forgettingSection(id string, v *scores.Set, asked forgettingPlan) (s section.Section, said string, err error) {
	s = section.Section{ID: id, Title: "Forgetting", Nav: "Forgetting"}
	all := judgeForgetting(v, asked)
	if len(all) == 0 {
		return s, "", nil
	}
	s.Intro, said = asked.intro(), asked.sentence(all)
	s.Tables = []*table.Table{asked.table(id+"-table", all)}
	data := forgettingData(all)
	if len(data) == 0 {
		return s, said, nil
	}
	f, err := asked.figure(id+"-figure", data)
	s.Figures = []*chart.Figure{f}
	return s, said, err
}

// margin formats the margin as in tables, and in the unit of the measure.
func (a forgettingPlan) margin() string {
	return fmt.Sprintf("%s (%v of %s)", words.Fixed(100*a.Margin, 1), a.Margin, a.Measure)
}

func (a forgettingPlan) intro() string {
	return fmt.Sprintf("%s on %s before and after training. Each trained system of %s is compared with its start, with the plan's margin of %s.",
		a.Measure, words.Listed(a.Collections), a.Experiment, a.margin())
}

// sentence counts the verdicts on the mean, or on the only collection, and the systems that
// are not inferior on every collection.
func (a forgettingPlan) sentence(all []*forgettingJudgement) string {
	count, every := map[string]int{}, map[[2]*scores.System]bool{}
	n := 0
	for _, j := range all {
		pair := [2]*scores.System{j.System, j.Start}
		if holds, known := every[pair]; j.Collection != "" && (!known || holds) {
			every[pair] = j.Verdict == stats.NotInferior
		}
		if j.Collection == "" || len(a.Collections) == 1 {
			n++
			count[cmp.Or(string(j.Verdict), "not judged")]++
		}
	}
	var parts []string
	for _, verdict := range []string{string(stats.NotInferior), string(stats.Inferior), string(stats.Undecided), "not judged"} {
		if count[verdict] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count[verdict], verdict))
		}
	}
	on, each := a.Collections[0], ""
	if len(a.Collections) > 1 {
		whole := len(slices.DeleteFunc(slices.Collect(maps.Values(every)), func(holds bool) bool { return !holds }))
		on, each = fmt.Sprintf("the mean of %d collections", len(a.Collections)), fmt.Sprintf("; on each of them %d not inferior", whole)
	}
	return fmt.Sprintf("Forgetting: on %s, of %s: %s%s. The margin is %s.", on, words.Plural(n, "trained system against its start", "trained systems against their starts"), strings.Join(parts, ", "), each, a.margin())
}

// table lists the judgements.
func (a forgettingPlan) table(id string, all []*forgettingJudgement) *table.Table {
	number := func(name string) table.Column { return table.Column{Name: name, Number: true, Best: table.NoBest} }
	t := &table.Table{ID: id, Title: "Before and after training",
		Caption: fmt.Sprintf("%s ×100 before and after training, and the change with its one-sided 97.5%% bounds: %s, not corrected. "+
			"Not inferior: the worse bound is within the margin of %s. Inferior: the better bound is beyond it. Else undecided. The mean weighs collections equally. "+
			"Training runs are a sample: a system with fewer than %d is not judged. If the true change equals the margin, 2.5%% of verdicts are wrong in simulation (up to 4%% if differences are skewed).",
			a.Measure, contrast.Method, a.margin(), contrast.LeastRuns),
		Columns: []table.Column{{Name: "system"}, {Name: "start"}, {Name: "collection"}, number("before"), number("after"), number("change"), number("lower bound"), number("upper bound"),
			{Name: "verdict"}, number("queries"), number("seeds")}}
	for _, j := range all {
		t.Rows = append(t.Rows, j.row())
		for _, note := range j.allNotes() {
			t.Notes = words.AddNew(t.Notes, note)
		}
	}
	return t
}

// place names the collection of a judgement.
func (j *forgettingJudgement) place() string {
	if j.Collection == "" && j.Start != nil {
		return "mean"
	}
	return j.Collection
}

// row returns a judgement's row in the table.
func (j *forgettingJudgement) row() table.Row {
	entries := make([]table.Entry, 11)
	entries[0], entries[2], entries[8] = table.Entry{Text: j.System.Label}, table.Entry{Text: j.place()}, j.verdict()
	if j.Start != nil {
		entries[1] = table.Entry{Text: j.Start.Label}
	}
	if j.Contrast == nil || j.Contrast.Why != "" {
		return table.Row{Kind: table.Trained, Entries: entries}
	}
	entries[3], entries[4] = j.mean(j.before), j.mean(j.after)
	entries[5] = j.linked(table.StatDifference, words.Signed(j.Difference), j.Difference)
	if low, high, ok := boundsOf(j); ok {
		entries[6], entries[7] = table.Number(words.Signed(low), low), table.Number(words.Signed(high), high)
	}
	entries[9] = j.linked(table.StatCount, words.Group(j.N), float64(j.N))
	entries[10] = table.Number(words.Group(j.Seeds), float64(j.Seeds))
	return table.Row{Kind: table.Trained, Entries: entries}
}

// mean returns the value before or after. The mean of several collections has no link:
// links cannot express its equal weights.
func (j *forgettingJudgement) mean(c scores.Cell) table.Entry {
	e := table.Number(words.Fixed(100*c.Value, 1), c.Value)
	if j.Collection != "" {
		e.From = c.From
	}
	return e
}

// linked returns a number with a link to its source, if a link can express it.
func (j *forgettingJudgement) linked(stat, text string, v float64) table.Entry {
	e := table.Number(text, v)
	if j.Collection != "" || stat == table.StatCount {
		e.From = j.From.As(stat)
	}
	return e
}

// inferiorityTones maps verdicts to colours.
var inferiorityTones = map[stats.Noninferiority]table.Tone{stats.NotInferior: table.Better, stats.Inferior: table.Worse}

func (j *forgettingJudgement) verdict() table.Entry {
	if j.Why != "" {
		return table.Entry{Text: "not judged: " + j.Why, Tone: table.Absent}
	}
	return table.Entry{Text: string(j.Verdict), Tone: inferiorityTones[j.Verdict]}
}

// allNotes returns warnings about a judgement.
func (j *forgettingJudgement) allNotes() []string {
	name := strings.TrimSpace(j.System.Label + ", " + j.place())
	var out []string
	for _, note := range j.Notes {
		out = append(out, fmt.Sprintf("%s: %s.", name, note))
	}
	if j.Contrast == nil || j.Contrast.Why != "" {
		return out
	}
	if j.Dropped > 0 {
		out = append(out, fmt.Sprintf("%s: %s left out, because only one of the two systems has a value.", name, words.Plural(j.Dropped, "query", "queries")))
	}
	found, zeros := j.Estimate.Coverage()
	if v, low := found.Get(); low && j.Why == "" {
		out = append(out, fmt.Sprintf("%s: undecided, because differences are few and skewed, %.0f%% of them 0. In simulations, such 95%% intervals contain the true value in about %.0f%%.", name, 100*zeros, 100*v))
	}
	return out
}

// shownAtMost is the largest number of changes in a chart; if there are more, it shows
// only those on the mean.
const shownAtMost = 60

// forgettingData returns the judged changes with both of their bounds.
func forgettingData(all []*forgettingJudgement) []chart.Datum {
	judged := slices.DeleteFunc(slices.Clone(all), func(j *forgettingJudgement) bool {
		_, _, ok := boundsOf(j)
		return !ok
	})
	if len(judged) > shownAtMost {
		judged = slices.DeleteFunc(judged, func(j *forgettingJudgement) bool { return j.Collection != "" })
	}
	var out []chart.Datum
	for _, j := range judged[:min(len(judged), shownAtMost)] {
		low, high, _ := boundsOf(j)
		out = append(out, chart.Datum{Name: j.System.Label + ": " + j.place(), X: words.Scaled(j.Difference), Low: words.Scaled(low), High: words.Scaled(high), Hollow: j.Verdict == stats.Undecided,
			Tip: fmt.Sprintf("%s, %s\n%s from %s to %s: %s", j.System.Label, j.place(), words.Signed(j.Difference), words.Signed(low), words.Signed(high), j.Verdict)})
	}
	return out
}

func boundsOf(j *forgettingJudgement) (low, high float64, ok bool) {
	if j.Contrast == nil || j.Why != "" {
		return 0, 0, false
	}
	return j.Estimate.Bounds(forgettingAlpha).Get()
}

// figure draws the changes and the margin.
func (a forgettingPlan) figure(id string, data []chart.Datum) (*chart.Figure, error) {
	f := &chart.Figure{ID: id, Title: "Change by training", X: chart.Axis{Title: "change of " + a.Measure + " ×100", Zero: true}, Height: 90 + 26*len(data),
		Caption: fmt.Sprintf("Change of %s ×100 from the start with its one-sided 97.5%% bounds; the dashed line is the margin of %s. Hollow: undecided.", a.Measure, a.margin()),
		Alt:     "Changes on each collection and their mean, with bounds and the margin; the table next to it has the numbers."}
	f.Y = chart.Rows(data)
	edge := -words.Scaled(a.Margin)
	line := chart.Mark{Shape: chart.Line, Colour: chart.Muted, Dashed: true, Data: []chart.Datum{{X: edge}, {X: edge, Y: float64(len(data) - 1)}}}
	f.Marks, f.Table = []chart.Mark{line, {Shape: chart.Interval, Data: data}}, chart.IntervalTable(id+"-table", f.Title, [4]string{"system: collection", "change ×100", "lower bound", "upper bound"}, data)
	return f.Drawn()
}
