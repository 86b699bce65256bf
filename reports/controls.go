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
	"infbench/reports/sentence"
	"infbench/reports/table"
)

// controlSections shows the checks that numbers must pass to be believed.
func controlSections(b *Board, _ Options) ([]section.Section, error) {
	return []section.Section{{ID: b.ID + "-checks", Title: "Controls", Nav: "Controls", Folded: true, Tables: b.controls,
		Intro: "Checks that credible numbers pass: a system that ignores the query scores as chance does, an instruction that asks for the same again changes nothing, and no system ranks worse than chance except those that a task is made to defeat."}}, nil
}

// controls returns the checks of a board, and a warning for each that fails.
func controls(v *scores.Set, id string, columns []scores.Number, pairs contrast.Pairs) (tables []*table.Table, warnings []string) {
	nulls, outside := nullTable(v, id+"-nulls", columns)
	still, moved := stillTable(v, id+"-still")
	declared, chance, below := chanceTables(v, id+"-chance", columns, pairs)
	return section.Listed(nulls, still, chance, declared), slices.Concat(outside, moved, below)
}

// band is the largest distance from 0 of a p-MRR that counts as 0.
const band = 0.05

// stillNumbers returns p-MRR on the tasks whose two instructions ask for the same.
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

// stillTable tests that nothing moves where both instructions ask for the same: by a test
// against 0 and a test of equivalence to 0, each Holm-corrected over all rows. It is nil
// without such a task.
func stillTable(v *scores.Set, id string) (*table.Table, []string) {
	f := contrast.Means(v, stillNumbers(v))
	f.Contrasts = slices.DeleteFunc(f.Contrasts, func(c *contrast.Contrast) bool { return c.B.Kind == table.Null || c.Why != "" })
	if len(f.Contrasts) == 0 {
		return nil, nil
	}
	f.Correct()
	t := &table.Table{ID: id, Title: "Where nothing may move",
		Caption: fmt.Sprintf("p-MRR ×100 on tasks whose second instruction asks for the same as the first, with its interval (%s). A system moves if a t test against 0 shows it after Holm over all %s (p ≤ %v). "+
			"It is as good as 0 if two one-sided t tests show it inside ±%s (Holm as well).", f.IntervalWords(), words.Plural(len(f.Contrasts), "row", "rows"), contrast.Significant, words.Fixed(100*band, 0)),
		Columns: []table.Column{{Name: "system"}, {Name: "number"}, {Name: "mean", Number: true}, {Name: "interval", Number: true}, {Name: "p (Holm)", Number: true}, {Name: "p inside (Holm)", Number: true}, {Name: "verdict"}}}
	within := make([]float64, len(f.Contrasts))
	for i, c := range f.Contrasts {
		within[i] = c.Estimate.Within(band)
	}
	var warnings []string
	for i, inside := range stats.Holm(within) {
		c := f.Contrasts[i]
		verdict := stillVerdict(c, inside)
		t.Rows = append(t.Rows, table.Row{Kind: c.B.Kind, Entries: []table.Entry{{Text: c.B.Label}, {Text: c.On.Label()}, table.Number(words.Signed(c.Difference), c.Difference),
			table.Number(words.Interval(c.Interval().Get()), c.Interval().Low), table.Number(words.PValue(c.Adjusted), c.Adjusted), table.Number(words.PValue(inside), inside), verdict}})
		if c.Shown() {
			warnings = append(warnings, sentence.Moved{System: c.B.Label, Number: c.On.Test(), Difference: differenceOf(c), OneRun: c.OneRun}.String())
		}
	}
	t.Notes = contrast.IntervalNotes(f.Contrasts)
	return t, warnings
}

// ofRun marks a number of a single training run.
func ofRun(c *contrast.Contrast) string {
	if c.OneRun {
		return ", " + contrast.ThisRun
	}
	return ""
}

// stillVerdict joins the verdicts of both tests.
func stillVerdict(c *contrast.Contrast, inside float64) table.Entry {
	var parts []string
	e := table.Entry{}
	if c.Shown() {
		parts, e.Tone = append(parts, "changes"), table.Worse
	}
	if inside <= contrast.Significant {
		parts = append(parts, fmt.Sprintf("inside ±%s", words.Fixed(100*band, 0)))
	}
	e.Text = strings.Join(parts, ", ")
	if e.Text == "" {
		e.Text = "neither shown"
	}
	e.Text += ofRun(c)
	return e
}

// chanceTables tests whether systems rank worse than a random order. There are no tables
// without a random order on the board. Systems that a task is made to defeat have a table of
// their own: they come out as declared unless they are shown to rank better. The other table
// lists only systems below chance.
func chanceTables(v *scores.Set, id string, columns []scores.Number, pairs contrast.Pairs) (declared, below *table.Table, warnings []string) {
	i := slices.IndexFunc(v.Systems, func(s *scores.System) bool { return s.Kind == table.Null && s.Model == randomModel })
	if i < 0 {
		return nil, nil, nil
	}
	chance := v.Systems[i]
	var tests []*contrast.Contrast
	f := &contrast.Family{} // pairs that the board does not test
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
	how := fmt.Sprintf("by %s; differences ×100 with intervals and p from the board's tests of pairs: %s.", contrast.Method, corrected(tests))
	below = &table.Table{ID: id, Title: "Below chance",
		Caption: fmt.Sprintf("Systems that are shown to rank worse than %s, %s", chance.Label, how),
		Columns: append(slices.Clone(differences), table.Column{Name: "remark of the task"})}
	declared = &table.Table{ID: id + "-declared", Title: declaredTitle,
		Caption: fmt.Sprintf("Systems that the tasks are made to defeat, against %s: no better than chance is the expected outcome, and better would be a fault of the data; %s", chance.Label, how),
		Columns: append(slices.Clone(differences), table.Column{Name: "verdict"}, table.Column{Name: "remark of the task"})}
	for _, c := range tests {
		verdict, defeated := c.Judged(), defeats(v, c.On, c.B)
		if c.Why != "" || !defeated && verdict != contrast.Worse {
			continue
		}
		why, difference := taskNotes(v, c.On), table.Number(words.Signed(c.Difference), c.Difference)
		warning := sentence.BelowChance{System: c.B.Label, Number: c.On.Label(), Difference: differenceOf(c),
			Chance: chance.Label, OneRun: c.OneRun, Defeated: defeated, Data: why}
		t, said := below, []table.Entry{}
		switch {
		case !defeated:
			difference.Tone = table.Worse
			warnings = append(warnings, warning.String())
		case verdict == contrast.Better:
			t, said = declared, []table.Entry{{Text: "better than chance, against the declaration", Tone: table.Worse}}
			warnings = append(warnings, warning.String())
		default:
			t, said = declared, []table.Entry{{Text: "as declared"}}
		}
		entries := []table.Entry{{Text: c.B.Label}, {Text: c.On.Label()}, difference,
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

// corrected names the families of some tests: their intervals are simultaneous, and their
// p-values corrected, over these.
func corrected(tests []*contrast.Contrast) string {
	return "95% simultaneous, p by Holm, over " + strings.Join(contrast.Families(tests), "; ")
}

// declaredTitle is the title of the table of systems that tasks are made to defeat.
const declaredTitle = "Expected not to beat chance"

// defeats reports whether all tasks of a number are made to defeat a baseline: a model by its
// name, or a variant of it ("bm25-mair", "bm25(k1=1)").
func defeats(v *scores.Set, c scores.Number, s *scores.System) bool {
	named := func(model string) bool {
		rest, ok := strings.CutPrefix(s.Model, model)
		return ok && (rest == "" || rest[0] == '-' || rest[0] == '(')
	}
	return s.Kind == table.Baseline && len(c.Tasks) > 0 && !slices.ContainsFunc(c.Tasks, func(task string) bool {
		return !slices.ContainsFunc(v.Benchmarks[c.Benchmark].Defeats[task], named)
	})
}

// asDeclared names the systems that tasks are made to defeat and did defeat; "" if there are
// none.
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
	return sentence.Declared(order).String()
}

// fails reports whether a row of the controls has failed.
func fails(row table.Row) bool {
	return slices.ContainsFunc(row.Entries, func(e table.Entry) bool { return e.Tone == table.Worse })
}

// taskNotes returns the remarks of the tasks of a number, each once.
func taskNotes(v *scores.Set, c scores.Number) string {
	var notes []string
	for _, task := range c.Tasks {
		if note := v.Benchmarks[c.Benchmark].Tasks[task]; note != "" {
			notes = words.AddNew(notes, note)
		}
	}
	return strings.Join(notes, " ")
}
