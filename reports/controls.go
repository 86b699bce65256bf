package reports

import (
	"fmt"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/metrics"
	"infbench/metrics/stats"
	"infbench/reports/contrast"
	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/reports/table"
)

// controlSections hold systems to what says that a number can be believed.
func controlSections(b *Board, _ Options) ([]section.Section, error) {
	return []section.Section{{ID: b.ID + "-checks", Title: "Controls", Nav: "Controls", Folded: true, Tables: b.controls,
		Intro: "What must hold if the numbers are to be believed: systems that look at no query score as chance does, instructions that ask for the same again move nothing, and nothing ranks worse than chance."}}, nil
}

// controls are the checks of a board, and a warning for each that fails.
func controls(v *scores.Set, id string, columns []scores.Number) (tables []*table.Table, warnings []string) {
	nulls, outside := nullTable(v, id+"-nulls", columns)
	still, moved := stillTable(v, id+"-still")
	chance, below := chanceTable(v, id+"-chance", columns)
	return section.Listed(nulls, still, chance), slices.Concat(outside, moved, below)
}

// band is how far from 0 a p-MRR may lie that is as good as 0.
const band = 0.05

// stillNumbers are p-MRR on the tasks whose instructions ask for the same twice.
func stillNumbers(v *scores.Set) []scores.Number {
	var out []scores.Number
	for _, name := range v.BenchmarkNames() {
		for _, task := range v.Benchmarks[name].Controls {
			at := scores.Slot{Benchmark: name, Task: task, Measure: metrics.PMRR{}.String()}
			if slices.Contains(v.Slots, at) {
				out = append(out, at.Column())
			}
		}
	}
	return out
}

// stillTable tests that nothing moves where instructions ask for the same twice, by
// a test against 0 and one for being as good as 0, each corrected by Holm over all of
// its rows. It is nil where there is no such task.
func stillTable(v *scores.Set, id string) (*table.Table, []string) {
	f := contrast.Means(v, stillNumbers(v))
	f.Contrasts = slices.DeleteFunc(f.Contrasts, func(c *contrast.Contrast) bool { return c.B.Kind == table.Null || c.Why != "" })
	if len(f.Contrasts) == 0 {
		return nil, nil
	}
	f.Correct()
	t := &table.Table{ID: id, Title: "Where nothing may move",
		Caption: fmt.Sprintf("p-MRR ×100 on tasks whose second instruction asks for what the first does, with its interval (%s). It moves where a t test against 0 says so after Holm over all %s (p ≤ %v), "+
			"and is as good as 0 where two one-sided t tests show it inside ±%s (Holm as well).", f.IntervalWords(), words.Plural(len(f.Contrasts), "row", "rows"), contrast.Significant, words.Fixed(100*band, 0)),
		Columns: []table.Column{{Name: "system"}, {Name: "number"}, {Name: "mean", Number: true}, {Name: "interval", Number: true}, {Name: "p (Holm)", Number: true}, {Name: "p inside (Holm)", Number: true}, {Name: "verdict"}}}
	within := make([]float64, len(f.Contrasts))
	for i, c := range f.Contrasts {
		within[i] = c.Estimate.Within(band)
	}
	var warnings []string
	for i, inside := range stats.Holm(within) {
		c := f.Contrasts[i]
		verdict := stillVerdict(c, inside)
		t.Rows = append(t.Rows, table.Row{Kind: c.B.Kind, Entries: []table.Entry{{Text: c.B.Label}, {Text: c.On.Scoring() + " on " + c.On.Test()}, table.Number(words.Signed(c.Difference), c.Difference),
			table.Number(words.Interval(c.Interval().Get()), c.Interval().Low), table.Number(words.PValue(c.Adjusted), c.Adjusted), table.Number(words.PValue(inside), inside), verdict}})
		if c.Shown() {
			warnings = append(warnings, fmt.Sprintf("A control fails: %s moves %s, where nothing may move, by %s %s%s (%s after Holm). What it gains elsewhere may come from reacting to any change of words.",
				c.B.Label, c.On.Test(), words.Signed(c.Difference), words.Interval(c.Interval().Get()), ofRun(c), words.PIs(c.Adjusted)))
		}
	}
	t.Notes = contrast.CoverageNotes(f.Contrasts)
	return t, warnings
}

// ofRun says that a number is one training run's, where it is.
func ofRun(c *contrast.Contrast) string {
	if c.OneRun {
		return ", " + contrast.ThisRun
	}
	return ""
}

// stillVerdict joins what both tests say.
func stillVerdict(c *contrast.Contrast, inside float64) table.Entry {
	var said []string
	e := table.Entry{}
	if c.Shown() {
		said, e.Tone = append(said, "moves"), table.Worse
	}
	if inside <= contrast.Significant {
		said = append(said, fmt.Sprintf("inside ±%s", words.Fixed(100*band, 0)))
	}
	e.Text = strings.Join(said, ", ")
	if e.Text == "" {
		e.Text = "neither shown"
	}
	e.Text += ofRun(c)
	return e
}

// chanceTable tests whether systems rank worse than a drawn order does; nil where
// there is none on the board. Only what is below is listed.
func chanceTable(v *scores.Set, id string, columns []scores.Number) (*table.Table, []string) {
	i := slices.IndexFunc(v.Systems, func(s *scores.System) bool { return s.Kind == table.Null && s.Model == randomModel })
	if i < 0 {
		return nil, nil
	}
	f := &contrast.Family{}
	for _, c := range columns {
		for _, s := range v.Systems {
			if s.Kind != table.Null && !metrics.IsShift(c.Measure) {
				f.Contrasts = append(f.Contrasts, &contrast.Contrast{A: v.Systems[i], B: s, On: c})
			}
		}
	}
	f.Test(v)
	t := &table.Table{ID: id, Title: "Below chance",
		Caption: fmt.Sprintf("Systems that are shown to rank worse than %s, of %s with a t test each, Holm over all; differences ×100 with intervals (%s).", v.Systems[i].Label, words.Plural(f.Tested(), "number", "numbers"), f.IntervalWords()),
		Columns: []table.Column{{Name: "system"}, {Name: "number"}, {Name: "difference", Number: true}, {Name: "interval", Number: true}, {Name: "p (Holm)", Number: true}, {Name: "what the task says of itself"}}}
	var warnings []string
	for _, c := range f.Contrasts {
		if c.Judged() != contrast.Worse {
			continue
		}
		why, below := taskNotes(v, c.On), table.Number(words.Signed(c.Difference), c.Difference)
		below.Tone = table.Worse
		t.Rows = append(t.Rows, table.Row{Kind: c.B.Kind, Entries: []table.Entry{{Text: c.B.Label}, {Text: c.On.Scoring() + " on " + c.On.Test()}, below,
			table.Number(words.Interval(c.Interval().Get()), c.Interval().Low), table.Number(words.PValue(c.Adjusted), c.Adjusted), {Text: why}}})
		warning := fmt.Sprintf("Below chance: %s is %s %s%s from %s in %s on %s.", c.B.Label, words.Signed(c.Difference), words.Interval(c.Interval().Get()), ofRun(c), v.Systems[i].Label, c.On.Scoring(), c.On.Test())
		if why != "" {
			warning += " Of the data: " + why
		}
		warnings = append(warnings, warning)
	}
	if len(t.Rows) == 0 {
		return nil, nil
	}
	return t, warnings
}

// taskNotes are what the tasks of a number say of themselves, each once.
func taskNotes(v *scores.Set, c scores.Number) string {
	var notes []string
	for _, task := range c.Tasks {
		if note := v.Benchmarks[c.Benchmark].Tasks[task]; note != "" {
			notes = words.AddNew(notes, note)
		}
	}
	return strings.Join(notes, " ")
}
