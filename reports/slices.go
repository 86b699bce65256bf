package reports

import (
	"fmt"

	"infbench/metrics/stats"
)

// Slices shows the tasks of a benchmark that has a headline task side by side:
// the mean of each system with its interval, and the tests of the other slices.
type Slices struct {
	Benchmark string
	Table     *Table
	Notes     []SliceNote
	Family    *Family // tests of the slices but the headline; nil without reference

	columns   []column
	intervals map[string][]stats.Interval // task -> by system, those with values
}

// SliceNote is what the benchmark says of one of its tasks, and what the tests
// say.
type SliceNote struct {
	Task, Text string
	Findings   []string
}

// text is the table with everything said of the slices as notes, for formats
// that have no other place for it.
func (s *Slices) text() *Table {
	t := *s.Table
	t.Notes = nil
	for _, n := range s.Notes {
		if n.Text != "" {
			t.Notes = append(t.Notes, n.Task+": "+n.Text)
		}
		t.Notes = append(t.Notes, n.Findings...)
	}
	t.Notes = append(t.Notes, s.Table.Notes...)
	return &t
}

// slices makes the slices of a benchmark, nil where it has none.
func (v *view) slices(id, name string, o Options) (*Slices, error) {
	columns := v.sliceColumns(name)
	if columns == nil {
		return nil, nil
	}
	s := &Slices{Benchmark: name, columns: columns, intervals: map[string][]stats.Interval{}}
	for _, c := range columns {
		s.Notes = append(s.Notes, SliceNote{Task: c.Tasks[0], Text: v.benchmarks[name].Tasks[c.Tasks[0]]})
	}
	var err error
	if s.Table, err = v.sliceTable(id+"-slices", s, o); err != nil {
		return nil, err
	}
	if s.Family, err = v.compare(name, columns[1:], o); err != nil {
		return nil, err
	}
	for i, c := range columns[1:] {
		s.Notes[i+1].Findings = s.findings(c)
	}
	return s, nil
}

func (v *view) sliceTable(id string, s *Slices, o Options) (*Table, error) {
	t := &Table{
		ID:    id,
		Title: fmt.Sprintf("%s by slice of %s", s.columns[0].scoring(), s.Benchmark),
		Caption: "Values ×100 with the 95% interval of the mean over queries (bootstrap, BCa). " +
			"The interval says how far the queries carry the number, not how far another training run would.",
		Columns: []Column{{Name: "system"}},
	}
	for _, c := range s.columns {
		t.Columns = append(t.Columns,
			Column{Group: c.Tasks[0], Name: c.scoring(), Number: true},
			Column{Group: c.Tasks[0], Name: "95% interval", Number: true})
	}
	how := o.pairedTest(len(v.systems) * len(s.columns))
	intervals := make([]stats.Interval, len(v.systems)*len(s.columns))
	err := inParallel(len(intervals), func(i int) error {
		sys, c := v.systems[i/len(s.columns)], s.columns[i%len(s.columns)]
		_, values := sys.perQuery(c.slots()[0])
		intervals[i] = how.interval(values)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i, sys := range v.systems {
		row := Row{Kind: sys.kind, Entries: []Entry{{Text: sys.label}}}
		planned := false
		for j, c := range s.columns {
			cell, found := v.cell(sys, c), intervals[i*len(s.columns)+j]
			planned = planned || cell.State != Unplanned
			e := Entry{}
			if low, _, ok := found.Get(); ok {
				e = number(interval(found), low)
				e.From = v.link(StatInterval, sys.trials, c.slots())
				s.intervals[c.Tasks[0]] = append(s.intervals[c.Tasks[0]], found)
			}
			row.Entries = append(row.Entries, cell.entry(), e)
		}
		if planned {
			t.Rows = append(t.Rows, row)
		}
	}
	t.Notes = t.remarks()
	return t, nil
}
