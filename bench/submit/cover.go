package submit

import (
	"fmt"
	"slices"

	"infbench/datasets"
	"infbench/internal/words"
	"infbench/metrics"
	"infbench/runners/results"
)

// cover checks that a submission covers its benchmarks. A gap is a fault unless the submission
// gives a reason.
func (s *checked) cover() {
	for _, d := range s.declaration.Benchmarks {
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
			s.addMissing(DeclarationFile, s.lines["benchmarks"], "%s: %d of %d tasks are missing: %s", b.Name, len(missing), len(b.Tasks), first(missing))
		}
	}
	if len(s.tasks()) == 0 && s.faults.count() == 0 {
		s.faults.add("", 0, "has neither rankings nor scores")
	}
}

// coverTask reports the queries of a task without a ranking or claimed value, and the measures
// without a claim.
func (s *checked) coverTask(at taskName, t *datasets.Task) {
	for _, r := range s.runs[at].seeds() {
		if n := len(r.lacking); n > 0 {
			s.addMissing(r.file, 0, "%d of %d queries have no ranking, so each counts as an empty ranking: %s", n, len(t.Queries), first(r.lacking))
		}
	}
	if s.runs[at] != nil {
		return
	}
	by := map[scoring]map[string]bool{}
	for _, c := range s.claims[at] {
		column := scoring{side: c.Side, measure: c.Measure}
		if by[column] == nil {
			by[column] = map[string]bool{}
		}
		by[column][c.Query] = true
		if !s.shown(at, column) {
			s.notes = words.AddNew(s.notes, c.file+": "+c.at()+" is not shown on the board and is ignored")
		}
	}
	var lacking []string
	for _, sc := range t.Scorings {
		column := scoring{side: sc.Side, measure: sc.Measure}
		if by[column] == nil && by[otherTies(column)] == nil {
			lacking = append(lacking, claim{Result: results.Result{Benchmark: at.benchmark, Task: at.task, Side: sc.Side, Measure: sc.Measure}}.at())
		} else if by[column] != nil && !by[column][""] {
			s.coverQueries(at, t, column, by[column])
		}
	}
	if len(lacking) > 0 {
		s.addMissing("", 0, "%d numbers of %s are not claimed: %s", len(lacking), at, first(lacking))
	}
}

// coverQueries reports the queries that a claim by query leaves out.
func (s *checked) coverQueries(at taskName, t *datasets.Task, column scoring, have map[string]bool) {
	all := units(t)
	lacking := slices.DeleteFunc(slices.Clone(all), func(id string) bool { return have[id] })
	if len(lacking) > 0 {
		s.addMissing(results.ScoresFile, 0, "%d of %d queries have no value of %s: %s", len(lacking), len(all),
			claim{Result: results.Result{Benchmark: at.benchmark, Task: at.task, Side: column.side, Measure: column.measure}}.at(), first(lacking))
	}
}

// otherTies is p-MRR with the original order of ties; any other scoring is unchanged.
func otherTies(column scoring) scoring {
	if column.measure == (metrics.PMRR{}).String() {
		column.measure = metrics.PMRR{Insertion: true}.String()
	}
	return column
}

// addMissing reports a gap: as a fault, or as a note if the submission gives a reason.
func (s *checked) addMissing(file string, line int, text string, args ...any) {
	if s.declaration.Partial == "" {
		s.faults.add(file, line, text+"; add them, or give a reason in the key partial", args...)
		return
	}
	s.notes = append(s.notes, Fault{s.place.dir + "/" + file, line, fmt.Sprintf(text, args...)}.String())
}

// countMissing counts the queries of a task without a ranking or value.
func (s *checked) countMissing(at taskName, t *datasets.Task) int {
	if have := s.runs[at].seeds(); len(have) > 0 {
		most := 0
		for _, r := range have {
			most = max(most, len(r.lacking))
		}
		return most
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
