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

// forgettingSections compare trained systems with what they could do before training.
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

// forgettingSection shows what training cost on the collections of an experiment, and
// returns a sentence about it; the section is empty if nothing was trained.
func forgettingSection(id string, v *scores.Set, asked forgettingPlan) (s section.Section, said string, err error) {
	s = section.Section{ID: id, Title: "What was forgotten", Nav: "Forgetting"}
	all := judgeForgetting(v, asked)
	if len(all) == 0 {
		return s, "", nil
	}
	s.Intro, said = asked.intro(), asked.said(all)
	s.Tables = []*table.Table{asked.table(id+"-table", all)}
	data := forgettingData(all)
	if len(data) == 0 {
		return s, said, nil
	}
	f, err := asked.figure(id+"-figure", data)
	s.Figures = []*chart.Figure{f}
	return s, said, err
}

// margin prints the margin as tables print numbers, and in the unit of the measure.
func (a forgettingPlan) margin() string {
	return fmt.Sprintf("%s (%v of %s)", words.Fixed(100*a.Margin, 1), a.Margin, a.Measure)
}

func (a forgettingPlan) intro() string {
	return fmt.Sprintf("%s on %s before and after training: each trained system of %s against its start, held to a margin of %s that the plan states.",
		a.Measure, words.Listed(a.Collections), a.Experiment, a.margin())
}

// said counts the verdicts on the mean, or on the only collection, and who is not inferior
// on every collection.
func (a forgettingPlan) said(all []*forgettingJudgement) string {
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
		Caption: fmt.Sprintf("%s ×100 before and after training, and the change with its one-sided 97.5%% bounds: %s, each by itself. "+
			"Not inferior: the worse bound lies inside the margin of %s; inferior: the better one lies beyond it; else undecided. The mean weighs collections alike. "+
			"Training runs are a sample: fewer than %d of a system are not judged. Where the change is the margin, 2.5%% of verdicts are wrong in simulation (up to 4%% where differences are skewed).",
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

// place is what a judgement is on.
func (j *forgettingJudgement) place() string {
	if j.Collection == "" && j.Start != nil {
		return "mean"
	}
	return j.Collection
}

// row is a judgement in the table.
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

// mean is the value before or after. That of several collections weighs them alike, which
// no link says.
func (j *forgettingJudgement) mean(c scores.Cell) table.Entry {
	e := table.Number(words.Fixed(100*c.Value, 1), c.Value)
	if j.Collection != "" {
		e.From = c.From
	}
	return e
}

// linked is a number that leads to what it is computed from, where a link can say it.
func (j *forgettingJudgement) linked(stat, text string, v float64) table.Entry {
	e := table.Number(text, v)
	if j.Collection != "" || stat == table.StatCount {
		e.From = j.From.As(stat)
	}
	return e
}

// inferiorityTones colour the verdicts.
var inferiorityTones = map[stats.Noninferiority]table.Tone{stats.NotInferior: table.Better, stats.Inferior: table.Worse}

func (j *forgettingJudgement) verdict() table.Entry {
	if j.Why != "" {
		return table.Entry{Text: "not judged: " + j.Why, Tone: table.Absent}
	}
	return table.Entry{Text: string(j.Verdict), Tone: inferiorityTones[j.Verdict]}
}

// allNotes say what must be known of a judgement.
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
		out = append(out, fmt.Sprintf("%s: %s left out that only one of the two has.", name, words.Plural(j.Dropped, "query", "queries")))
	}
	found, zeros := j.Estimate.Coverage()
	if v, low := found.Get(); low && j.Why == "" {
		out = append(out, fmt.Sprintf("%s: undecided, since differences are few and skewed, %.0f%% of them 0; in simulation 95%% intervals like it hold the true value in about %.0f%%.", name, 100*zeros, 100*v))
	}
	return out
}

// shownAtMost is how many changes a chart shows: those on the mean where there are more.
const shownAtMost = 60

// forgettingData are the judged changes with both of their bounds.
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

// figure draws the changes beside the margin.
func (a forgettingPlan) figure(id string, data []chart.Datum) (*chart.Figure, error) {
	f := &chart.Figure{ID: id, Title: "Change by training", X: chart.Axis{Title: "change of " + a.Measure + " ×100", Zero: true}, Height: 90 + 26*len(data),
		Caption: fmt.Sprintf("Change of %s ×100 from the start with its one-sided 97.5%% bounds; the dashed line is the margin of %s. Hollow: undecided.", a.Measure, a.margin()),
		Alt:     "Changes on each collection and their mean with bounds, beside the margin; the table beside has the numbers."}
	f.Y = chart.Rows(data)
	edge := -words.Scaled(a.Margin)
	line := chart.Mark{Shape: chart.Line, Colour: chart.Muted, Dashed: true, Data: []chart.Datum{{X: edge}, {X: edge, Y: float64(len(data) - 1)}}}
	f.Marks, f.Table = []chart.Mark{line, {Shape: chart.Interval, Data: data}}, chart.IntervalTable(id+"-table", f.Title, [4]string{"system: collection", "change ×100", "lower bound", "upper bound"}, data)
	return f.Drawn()
}
