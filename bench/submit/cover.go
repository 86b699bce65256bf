package submit

import (
	"fmt"
	"slices"

	"infbench/datasets"
	"infbench/internal/words"
	"infbench/metrics"
	"infbench/runners/results"
)

// cover holds a submission to all that its benchmarks ask. What is missing is a fault
// unless it says why.
func (s *checked) cover() {
	for _, d := range s.said.Benchmarks {
		b := s.benches[d.Name]
		if b == nil {
			continue
		}
		var missing []string
		for i := range b.Tasks {
			t := &b.Tasks[i]
			at := taskName{b.Name, t.Name}
			if s.runs[at] == nil && s.claims[at] == nil {
				missing = append(missing, t.Name)
				continue
			}
			s.coverTask(at, t)
		}
		if len(missing) > 0 {
			s.lack(DeclarationFile, s.lines["benchmarks"], "%s: %d of %d tasks are missing: %s", b.Name, len(missing), len(b.Tasks), first(missing))
		}
	}
	if len(s.tasks()) == 0 && s.faults.count() == 0 {
		s.faults.add("", 0, "holds neither rankings nor scores")
	}
}

// coverTask says which queries of a task lack a ranking, or a value that is claimed, and
// which of its measures a claim leaves out.
func (s *checked) coverTask(at taskName, t *datasets.Task) {
	if r := s.runs[at]; r != nil {
		if n := len(r.lacking); n > 0 {
			s.lack(r.file, 0, "%d of %d queries have no ranking, each counting as an empty one: %s", n, len(t.Queries), first(r.lacking))
		}
		return
	}
	by := map[scoring]map[string]bool{}
	for _, c := range s.claims[at] {
		is := scoring{side: c.Side, measure: c.Measure}
		if by[is] == nil {
			by[is] = map[string]bool{}
		}
		by[is][c.Query] = true
		if !s.shown(at, is) {
			s.notes = words.AddNew(s.notes, c.file+": "+c.at()+" is no number of the board, and left out")
		}
	}
	var lacking []string
	for _, sc := range t.Scorings {
		is := scoring{side: sc.Side, measure: sc.Measure}
		if by[is] == nil && by[otherTies(is)] == nil {
			lacking = append(lacking, claim{Result: results.Result{Benchmark: at.benchmark, Task: at.task, Side: sc.Side, Measure: sc.Measure}}.at())
		} else if by[is] != nil && !by[is][""] {
			s.coverQueries(at, t, is, by[is])
		}
	}
	if len(lacking) > 0 {
		s.lack("", 0, "%d numbers of %s are not claimed: %s", len(lacking), at, first(lacking))
	}
}

// coverQueries says of a claim by query which queries it leaves out.
func (s *checked) coverQueries(at taskName, t *datasets.Task, is scoring, have map[string]bool) {
	all := units(t)
	lacking := slices.DeleteFunc(slices.Clone(all), func(id string) bool { return have[id] })
	if len(lacking) > 0 {
		s.lack(results.ScoresFile, 0, "%d of %d queries have no value of %s: %s", len(lacking), len(all),
			claim{Result: results.Result{Benchmark: at.benchmark, Task: at.task, Side: is.side, Measure: is.measure}}.at(), first(lacking))
	}
}

// otherTies is p-MRR by the order in which ties came; any other scoring is itself.
func otherTies(is scoring) scoring {
	if is.measure == (metrics.PMRR{}).String() {
		is.measure = metrics.PMRR{Insertion: true}.String()
	}
	return is
}

// lack notes that something is missing: a fault, or what a submission says why of.
func (s *checked) lack(file string, line int, text string, args ...any) {
	if s.said.Partial == "" {
		s.faults.add(file, line, text+"; complete it, or say why in the key partial", args...)
		return
	}
	s.notes = append(s.notes, Fault{s.place.dir + "/" + file, line, fmt.Sprintf(text, args...)}.String())
}

// lackingOf counts the queries of a task that nothing is known of.
func (s *checked) lackingOf(at taskName, t *datasets.Task) int {
	if r := s.runs[at]; r != nil {
		return len(r.lacking)
	}
	have := map[string]bool{}
	for _, c := range s.claims[at] {
		have[c.Query] = true
	}
	if have[""] {
		return 0
	}
	return len(slices.DeleteFunc(units(t), func(id string) bool { return have[id] }))
}
