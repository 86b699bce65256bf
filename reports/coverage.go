package reports

import (
	"cmp"
	"fmt"
	"slices"

	"infbench/bench/results"
)

// finished reports whether a trial has its numbers.
func (t *trial) finished() bool { return t.State == results.Done }

// coverage lists every planned trial that has no numbers, and every finished
// one that lacks some.
func (v *view) coverage() *Table {
	t := &Table{ID: "coverage", Title: "Coverage",
		Columns: []Column{{Name: "system"}, {Name: "seed"}, {Name: "trial"}, {Name: "state"}, {Name: "what is missing"}}}
	done := 0
	for _, s := range v.systems {
		for _, tr := range s.trials {
			if tr.finished() {
				done++
			}
			why := v.lack(tr)
			if why == "" {
				continue
			}
			t.Rows = append(t.Rows, Row{Kind: s.kind, Entries: []Entry{
				{Text: s.label}, {Text: tr.Config[seedKey]}, {Text: shorten(tr.ID)}, {Text: string(tr.State)}, {Text: why}}})
		}
	}
	t.Caption = fmt.Sprintf("%d of %s finished.", done, plural(len(v.trials), "planned trial", "planned trials"))
	if len(t.Rows) == 0 {
		t.Caption += " Nothing is missing."
	}
	return t
}

// matrixAtMost bounds the columns of the coverage matrix; beyond it they are
// benchmarks.
const matrixAtMost = 30

// coverageMatrix counts, for each system and task, the trials that have values
// among those planned.
func (v *view) coverageMatrix() *Table {
	t := &Table{ID: "coverage-matrix", Title: "Coverage matrix",
		Caption: "Trials with values, of those that were planned; missing is missing, and an empty cell was not planned.", Columns: []Column{{Name: "system"}}}
	of := func(s slot) Column { return Column{Group: s.Benchmark, Name: s.Task, Number: true} }
	if distinct := v.columnsBy(of); len(distinct) > matrixAtMost {
		of = func(s slot) Column { return Column{Name: s.Benchmark, Number: true} }
	}
	columns := v.columnsBy(of)
	t.Columns = append(t.Columns, columns...)
	for _, s := range v.systems {
		row := Row{Kind: s.kind, Entries: []Entry{{Text: s.label}}}
		for _, c := range columns {
			done, planned := 0, 0
			for _, tr := range s.trials {
				owes, has := false, true
				for _, at := range v.slots {
					if of(at) == c && v.expects(tr, at) {
						_, ok := tr.scores[at]
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
		t.Rows = append(t.Rows, row)
	}
	return t
}

// columnsBy lists the columns that slots fall into, in their order.
func (v *view) columnsBy(of func(slot) Column) []Column {
	var out []Column
	for _, s := range v.slots {
		if c := of(s); !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	return out
}

func coverageEntry(done, planned int) Entry {
	switch {
	case planned == 0:
		return Entry{}
	case done == 0:
		return Entry{Text: missingMark, Tone: Absent}
	case done < planned:
		e := number(fmt.Sprintf("%d of %d", done, planned), float64(done)/float64(planned))
		e.Tone = Worse
		return e
	}
	return number(fmt.Sprint(done), 1)
}

// facts says in a few words each what a report covers.
func (v *view) facts(o *Origin) []string {
	tests := map[string]bool{}
	for _, s := range v.slots {
		tests[s.test()] = true
	}
	out := []string{
		plural(len(v.systems), "system", "systems"),
		plural(len(v.trials), "planned trial", "planned trials"),
		plural(len(tests), "task", "tasks") + " of " + plural(len(v.benchmarks), "benchmark", "benchmarks"),
	}
	switch {
	case o.First == "":
	case o.First == o.Last:
		out = append(out, "measured "+o.First)
	default:
		out = append(out, "measured "+o.First+" to "+o.Last)
	}
	return out
}

// lack says what a trial owes, nothing where it has all.
func (v *view) lack(t *trial) string {
	switch {
	case t.State == results.Stopped:
		return "everything: " + t.Error
	case t.State == results.Failed:
		return "everything: " + cmp.Or(t.Error, "no error was recorded")
	case !t.finished():
		return "everything: not finished"
	}
	missing := 0
	first := ""
	for _, s := range v.slots {
		if _, ok := t.scores[s]; !ok && v.expects(t, s) {
			first = cmp.Or(first, s.scoring()+" of "+s.test())
			missing++
		}
	}
	if len(t.scores) == 0 {
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
