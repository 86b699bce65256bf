package reports

import (
	"fmt"

	"infbench/metrics/stats"
	"infbench/reports/contrast"
	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/reports/table"
	"infbench/reports/words"
)

// sliceSections show the slices of each benchmark that has a headline task.
func sliceSections(b *Board, _ contrast.Options) ([]section.Section, error) {
	s := section.Section{ID: b.ID + "-slices", Title: "Slices", Nav: "Slices"}
	for i, of := range b.Slices {
		s.Parts = append(s.Parts, section.Section{ID: fmt.Sprintf("%s-slices-%d", b.ID, i+1), Title: of.Benchmark, Terms: of.Notes, Tables: []*table.Table{of.Table}})
	}
	return []section.Section{s}, nil
}

// Slices shows the tasks of a benchmark that has a headline task side by side:
// the mean of each system with its interval, and the tests of the other slices.
type Slices struct {
	Benchmark string
	Table     *table.Table
	Notes     []section.Term   // what the benchmark says of each task, and what the tests say
	Family    *contrast.Family // tests of the slices but the headline; nil without reference

	columns   []scores.Number
	intervals map[string][]stats.Interval // task -> by system, those with values
}

// sliceScores makes the slices of a benchmark, nil where it has none.
func sliceScores(v *scores.Set, id, name string, o contrast.Options) (*Slices, error) {
	columns := v.SliceColumns(name)
	if columns == nil {
		return nil, nil
	}
	s := &Slices{Benchmark: name, columns: columns, intervals: map[string][]stats.Interval{}}
	for _, c := range columns {
		s.Notes = append(s.Notes, section.Term{Name: c.Tasks[0], Text: v.Benchmarks[name].Tasks[c.Tasks[0]]})
	}
	var err error
	if s.Table, err = sliceTable(v, id+"-slices", s, o); err != nil {
		return nil, err
	}
	if s.Family, err = contrast.Compare(v, name, columns[1:], o); err != nil {
		return nil, err
	}
	for i, c := range columns[1:] {
		s.Notes[i+1].More = s.findings(c)
	}
	return s, nil
}

func sliceTable(v *scores.Set, id string, s *Slices, o contrast.Options) (*table.Table, error) {
	t := &table.Table{
		ID:    id,
		Title: fmt.Sprintf("%s by slice of %s", s.columns[0].Scoring(), s.Benchmark),
		Caption: "Values ×100 with the 95% interval of the mean over queries (bootstrap, BCa). " +
			"The interval says how far the queries carry the number, not how far another training run would.",
		Columns: []table.Column{{Name: "system"}},
	}
	for _, c := range s.columns {
		t.Columns = append(t.Columns,
			table.Column{Group: c.Tasks[0], Name: c.Scoring(), Number: true},
			table.Column{Group: c.Tasks[0], Name: "95% interval", Number: true})
	}
	how := o.PairedTest(len(v.Systems) * len(s.columns))
	intervals := make([]stats.Interval, len(v.Systems)*len(s.columns))
	err := contrast.InParallel(len(intervals), func(i int) error {
		sys, c := v.Systems[i/len(s.columns)], s.columns[i%len(s.columns)]
		_, values := sys.PerQuery(c.Slots()[0])
		intervals[i] = how.Interval(values)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i, sys := range v.Systems {
		row := table.Row{Kind: sys.Kind, Entries: []table.Entry{{Text: sys.Label}}}
		planned := false
		for j, c := range s.columns {
			cell, found := v.Cell(sys, c), intervals[i*len(s.columns)+j]
			planned = planned || cell.State != scores.Unplanned
			e := table.Entry{}
			if low, _, ok := found.Get(); ok {
				e = table.Number(words.Interval(found), low)
				e.From = v.Link(table.StatInterval, sys.Trials, c.Slots())
				s.intervals[c.Tasks[0]] = append(s.intervals[c.Tasks[0]], found)
			}
			row.Entries = append(row.Entries, cell.Entry(), e)
		}
		if planned {
			t.Rows = append(t.Rows, row)
		}
	}
	t.Notes = t.Remarks()
	return t, nil
}
