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
		Intro: "What must hold if the numbers are to be believed: systems that look at no query score as chance does, instructions that ask for the same again move nothing, and nothing ranks worse than chance, but what a task is made to defeat."}}, nil
}

// controls are the checks of a board, and a warning for each that fails.
func controls(v *scores.Set, id string, columns []scores.Number, pairs contrast.Pairs) (tables []*table.Table, warnings []string) {
	nulls, outside := nullTable(v, id+"-nulls", columns)
	still, moved := stillTable(v, id+"-still")
	declared, chance, below := chanceTables(v, id+"-chance", columns, pairs)
	return section.Listed(nulls, still, chance, declared), slices.Concat(outside, moved, below)
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
	t.Notes = contrast.IntervalNotes(f.Contrasts)
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

// chanceTables test whether systems rank worse than a drawn order does; none where there is
// no drawn order on the board. Those that a task is made to defeat stand apart: they come out
// as declared unless they are shown to rank better. Of the others only what is below is
// listed.
func chanceTables(v *scores.Set, id string, columns []scores.Number, pairs contrast.Pairs) (declared, below *table.Table, warnings []string) {
	i := slices.IndexFunc(v.Systems, func(s *scores.System) bool { return s.Kind == table.Null && s.Model == randomModel })
	if i < 0 {
		return nil, nil, nil
	}
	chance := v.Systems[i]
	var tests []*contrast.Contrast
	f := &contrast.Family{} // of those that the board has no test of
	for _, c := range columns {
		for _, s := range v.Systems {
			if s.Kind == table.Null || metrics.IsShift(c.Measure) {
				continue
			}
			of := pairs.Of(c, chance, s)
			if of == nil {
				of = &contrast.Contrast{A: chance, B: s, On: c}
				f.Contrasts = append(f.Contrasts, of)
			}
			tests = append(tests, of)
		}
	}
	f.Test(v)
	f.Name(words.Plural(f.Tested(), "comparison with "+chance.Label, "comparisons with "+chance.Label))
	differences := []table.Column{{Name: "system"}, {Name: "number"}, {Name: "difference", Number: true}, {Name: "interval", Number: true}, {Name: "p (Holm)", Number: true}}
	how := fmt.Sprintf("by %s; differences ×100 with intervals and p as the board tests each pair: %s.", contrast.Method, corrected(tests))
	below = &table.Table{ID: id, Title: "Below chance",
		Caption: fmt.Sprintf("Systems that are shown to rank worse than %s, %s", chance.Label, how),
		Columns: append(slices.Clone(differences), table.Column{Name: "what the task says of itself"})}
	declared = &table.Table{ID: id + "-declared", Title: declaredTitle,
		Caption: fmt.Sprintf("Systems that the tasks are made to defeat, against %s: no better than chance is the expected outcome, and better would be a fault of the data; %s", chance.Label, how),
		Columns: append(slices.Clone(differences), table.Column{Name: "verdict"}, table.Column{Name: "what the task says of itself"})}
	for _, c := range tests {
		verdict, defeated := c.Judged(), defeats(v, c.On, c.B)
		if c.Why != "" || !defeated && verdict != contrast.Worse {
			continue
		}
		why, difference := taskNotes(v, c.On), table.Number(words.Signed(c.Difference), c.Difference)
		lies := fmt.Sprintf("%s is %s %s%s from %s in %s on %s.", c.B.Label, words.Signed(c.Difference), words.Interval(c.Interval().Get()), ofRun(c), chance.Label, c.On.Scoring(), c.On.Test())
		if why != "" {
			lies += " Of the data: " + why
		}
		t, said := below, []table.Entry{}
		switch {
		case !defeated:
			difference.Tone = table.Worse
			warnings = append(warnings, "Below chance: "+lies)
		case verdict == contrast.Better:
			t, said = declared, []table.Entry{{Text: "better than chance, against what is declared", Tone: table.Worse}}
			warnings = append(warnings, "A control fails: the task is made to defeat "+c.B.Label+", which ranks better than chance: "+lies)
		default:
			t, said = declared, []table.Entry{{Text: "as declared"}}
		}
		entries := []table.Entry{{Text: c.B.Label}, {Text: c.On.Scoring() + " on " + c.On.Test()}, difference,
			table.Number(words.Interval(c.Interval().Get()), c.Interval().Low), table.Number(words.PValue(c.Adjusted), c.Adjusted)}
		t.Rows = append(t.Rows, table.Row{Kind: c.B.Kind, Entries: slices.Concat(entries, said, []table.Entry{{Text: why}})})
	}
	if len(declared.Rows) == 0 {
		declared = nil
	}
	if len(below.Rows) == 0 {
		below = nil
	}
	return declared, below, warnings
}

// corrected names the families of some tests, over which their intervals hold together and
// their p-values are corrected.
func corrected(tests []*contrast.Contrast) string {
	return "95% together, p by Holm, over " + strings.Join(contrast.Families(tests), "; ")
}

// declaredTitle heads the systems that tasks are made to defeat.
const declaredTitle = "Expected not to beat chance"

// defeats reports whether all tasks of a number are made to defeat a system, which nobody
// trained on other data: a model by its name, or a variant of it ("bm25-mair", "bm25(k1=1)").
func defeats(v *scores.Set, c scores.Number, s *scores.System) bool {
	named := func(model string) bool {
		rest, ok := strings.CutPrefix(s.Model, model)
		return ok && (rest == "" || rest[0] == '-' || rest[0] == '(')
	}
	return s.Kind == table.Baseline && len(c.Tasks) > 0 && !slices.ContainsFunc(c.Tasks, func(task string) bool {
		return !slices.ContainsFunc(v.Benchmarks[c.Benchmark].Defeats[task], named)
	})
}

// asDeclared says which systems came out as the tasks declare that they must; "" where there
// are none.
func asDeclared(controls []*table.Table) string {
	var order []string
	systems := map[string][]string{} // by number
	for _, t := range controls {
		if t.Title != declaredTitle {
			continue
		}
		for _, row := range t.Rows {
			if !fails(row) {
				number := row.Entries[1].Text
				order = words.AddNew(order, number)
				systems[number] = append(systems[number], row.Entries[0].Text)
			}
		}
	}
	for i, number := range order {
		order[i] = words.Listed(systems[number]) + " in " + number
	}
	if len(order) == 0 {
		return ""
	}
	return "No better than chance, as declared: " + words.First(3, order) + "."
}

// fails reports whether a row of controls is of a control that fails.
func fails(row table.Row) bool {
	return slices.ContainsFunc(row.Entries, func(e table.Entry) bool { return e.Tone == table.Worse })
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
