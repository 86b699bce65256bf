package reports

import (
	"cmp"
	"fmt"
	"slices"

	"infbench/internal/words"
	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/reports/table"
	"infbench/runners/results"
)

// coverageSections lists the missing parts of the plan and the test texts found in
// training data.
func coverageSections(r *Report) ([]section.Section, error) {
	s := section.Section{ID: "coverage", Title: "Coverage", Nav: "Coverage"}
	if len(r.set.Trials) == 0 {
		return []section.Section{s}, nil
	}
	lacking, contaminated := coverage(r.set), overlapTable(r.set, r.options.Overlaps)
	if s.Intro = lacking.Caption; len(lacking.Rows) > 0 {
		s.Tables, s.Intro = section.Listed(lacking), ""
	}
	matrix := section.Section{ID: "matrix", Title: "Coverage matrix", Folded: len(lacking.Rows) == 0}
	if len(r.set.Slots) > 0 { // else it has no columns
		matrix.Tables = section.Listed(coverageMatrix(r.set, r.options.Room))
	}
	overlap := section.Section{ID: "contamination", Title: "Contamination"}
	if overlap.Notes = contaminated.Notes; len(contaminated.Rows) > 0 {
		overlap.Tables, overlap.Notes = section.Listed(contaminated), nil
	}
	s.Parts = []section.Section{matrix, overlap}
	return []section.Section{s}, nil
}

// coverage lists every planned trial without numbers, and every finished one that lacks
// some.
func coverage(v *scores.Set) *table.Table {
	t := &table.Table{ID: "coverage-table", Title: "Coverage",
		Columns: []table.Column{{Name: "system"}, {Name: "seed"}, {Name: "trial"}, {Name: "state"}, {Name: "missing"}}}
	done := 0
	for _, s := range v.Systems {
		for _, tr := range s.Trials {
			if tr.Finished() {
				done++
			}
			why := missingValues(v, tr)
			if why == "" {
				continue
			}
			t.Rows = append(t.Rows, table.Row{Kind: s.Kind, Entries: []table.Entry{
				{Text: s.Label}, {Text: tr.Config[results.Seed]}, {Text: words.Shorten(tr.ID)}, {Text: string(tr.State)}, {Text: why}}})
		}
	}
	t.Caption = fmt.Sprintf("%d of %s finished.", done, words.Plural(len(v.Trials), "planned trial", "planned trials"))
	if len(t.Rows) == 0 {
		t.Caption += " Nothing is missing."
	}
	return t
}

// matrixAtMost is the largest number of columns of the coverage matrix; if there are more
// tasks, its columns are benchmarks.
const matrixAtMost = 30

// coverageMatrix counts the trials with values among those planned, for each system and
// task.
func coverageMatrix(v *scores.Set, room int) *table.Table {
	t := &table.Table{ID: "coverage-matrix", Title: "Coverage matrix",
		Caption: "Trials with values, out of those planned. An empty cell was not planned.", Columns: []table.Column{{Name: "system"}}}
	of := func(s scores.Slot) table.Column { return table.Column{Group: s.Benchmark, Name: s.Task, Number: true} }
	if distinct := columnsBy(v, of); len(distinct) > matrixAtMost {
		of = func(s scores.Slot) table.Column { return table.Column{Name: s.Benchmark, Number: true} }
	}
	columns := columnsBy(v, of)
	t.Columns = append(t.Columns, columns...)
	for _, s := range v.Systems {
		t.Add(room, func() table.Row { return covered(v, s, columns, of) })
	}
	return t
}

// covered returns the row of a system in the coverage matrix.
func covered(v *scores.Set, s *scores.System, columns []table.Column, of func(scores.Slot) table.Column) table.Row {
	row := table.Row{Kind: s.Kind, Entries: []table.Entry{{Text: s.Label}}}
	for _, c := range columns {
		done, planned := 0, 0
		for _, tr := range s.Trials {
			owes, has := false, true
			for _, at := range v.Slots {
				if of(at) == c && tr.Expects(at) {
					_, ok := tr.Scores[at]
					owes, has = true, has && ok
				}
			}
			if owes {
				planned++
			}
			if owes && has {
				done++
			}
		}
		row.Entries = append(row.Entries, coverageEntry(done, planned))
	}
	return row
}

// columnsBy lists the columns of slots, in the order of the slots.
func columnsBy(v *scores.Set, of func(scores.Slot) table.Column) []table.Column {
	var out []table.Column
	for _, s := range v.Slots {
		if c := of(s); !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	return out
}

func coverageEntry(done, planned int) table.Entry {
	switch {
	case planned == 0:
		return table.Entry{}
	case done == 0:
		return table.Entry{Text: words.MissingMark, Tone: table.Absent}
	case done < planned:
		e := table.Number(fmt.Sprintf("%d of %d", done, planned), float64(done)/float64(planned))
		e.Tone = table.Worse
		return e
	}
	return table.Number(fmt.Sprint(done), 1)
}

// facts describes the coverage of a report in a few words each.
func facts(v *scores.Set) []string {
	tests := map[string]bool{}
	for _, s := range v.Slots {
		tests[s.Test()] = true
	}
	return []string{
		words.Plural(len(v.Systems), "system", "systems"),
		words.Plural(len(v.Trials), "planned trial", "planned trials"),
		words.Plural(len(tests), "task", "tasks") + " of " + words.Plural(len(v.Benchmarks), "benchmark", "benchmarks"),
	}
}

// missingValues describes the values that a trial lacks; "" if it has all.
func missingValues(v *scores.Set, t *scores.Trial) string {
	switch {
	case t.State == results.Stopped:
		return "everything: " + t.Error
	case t.State == results.Failed:
		return "everything: " + cmp.Or(t.Error, "no error was recorded")
	case !t.Finished():
		return "everything: not finished"
	}
	missing := 0
	first := ""
	for _, s := range v.Slots {
		if _, ok := t.Scores[s]; !ok && t.Expects(s) {
			first = cmp.Or(first, s.Scoring()+" of "+s.Test())
			missing++
		}
	}
	if len(t.Scores) == 0 {
		return "everything: finished without a value"
	}
	if missing == 0 {
		return ""
	}
	if missing == 1 {
		return first
	}
	return fmt.Sprintf("%s and %d more", first, missing-1)
}
