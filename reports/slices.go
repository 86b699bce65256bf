package reports

import (
	"fmt"

	"infbench/reports/contrast"
	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/reports/table"
)

// sliceSections shows the slices of each benchmark that has a headline task.
func sliceSections(b *Board, _ Options) ([]section.Section, error) {
	s := section.Section{ID: b.ID + "-slices", Title: "Slices", Nav: "Slices", Folded: true}
	for i, of := range b.Slices {
		s.Parts = append(s.Parts, section.Section{ID: fmt.Sprintf("%s-slices-%d", b.ID, i+1), Title: of.Benchmark, Terms: of.Notes, Tables: []*table.Table{of.Table}})
	}
	return []section.Section{s}, nil
}

// Slices shows the tasks of a benchmark with a headline task side by side: the mean of
// each system with its interval, and the tests of the other slices.
type Slices struct {
	Benchmark string
	Table     *table.Table
	Notes     []section.Term   // the benchmark's notes on each task, and test results
	Family    *contrast.Family // tests of the slices without the headline; nil without a reference
}

// sliceScores returns the slices of a benchmark, nil if it has none.
func sliceScores(v *scores.Set, id, name, reference string) *Slices {
	columns := v.Columns(name).Slices()
	if columns == nil {
		return nil
	}
	s := &Slices{Benchmark: name, Table: sliceTable(v, id+"-slices", name, columns), Family: contrast.Compare(v, name, columns[1:], reference)}
	for i, c := range columns {
		of := section.Term{Name: c.Tasks[0], Text: v.Benchmarks[name].Tasks[c.Tasks[0]]}
		if s.Family != nil && i > 0 {
			if found, ok := finding(s.Family, c); ok {
				of.More = []string{found.String()}
			}
		}
		s.Notes = append(s.Notes, of)
	}
	return s
}

func sliceTable(v *scores.Set, id, name string, columns []scores.Number) *table.Table {
	t := &table.Table{
		ID:    id,
		Title: fmt.Sprintf("%s by slice of %s", columns[0].Scoring(), name),
		Caption: "Values ×100, each with its own 95% t interval, over queries and, where a system was trained several times, over training runs. " +
			"For one training run it covers the effect of other queries, not of another run.",
		Columns: []table.Column{{Name: "system"}},
	}
	for _, c := range columns {
		t.Columns = append(t.Columns,
			table.Column{Group: c.Tasks[0], Name: c.Scoring(), Number: true},
			table.Column{Group: c.Tasks[0], Name: "95% interval", Number: true})
	}
	found := contrast.Means(v, columns)
	for _, sys := range v.Systems {
		row := table.Row{Kind: sys.RowKind(), Entries: []table.Entry{{Text: sys.Label}}}
		planned := false
		for _, c := range columns {
			cell := v.Cell(sys, c)
			planned = planned || cell.State != scores.Unplanned
			row.Entries = append(row.Entries, cell.Entry(), meanInterval(v, found.Of(sys, c)))
		}
		if planned {
			t.Rows = append(t.Rows, row)
		}
	}
	t.Notes = append(t.Remarks(), contrast.CoverageNotes(found.Contrasts)...)
	return t
}

// meanInterval returns the interval of a single mean, empty if there is none.
func meanInterval(v *scores.Set, c *contrast.Contrast) table.Entry {
	if c == nil || c.Why != "" {
		return table.Entry{}
	}
	found := c.Estimate.Interval(contrast.Level)
	e := table.Number(levelInterval(c.On.Measure, found), found.Low)
	e.From = v.LinkTo(table.StatInterval, c.B.Trials, c.On)
	return e
}
