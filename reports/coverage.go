package reports

import (
	"cmp"
	"fmt"

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
