package scores

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"infbench/internal/words"
	"infbench/reports/table"
	"infbench/runners/results"
)

// System is what a row of a table stands for: all trials whose configuration
// differs in the seed only.
type System struct {
	Label  string
	Kind   table.Kind
	Loss   string
	Model  string
	Trials []*Trial

	byQuery    sync.Map // slot -> queryValues, since every test asks for them
	aggregates struct { // whether any trial has means alone, which few systems do
		once sync.Once
		any  bool
	}
}

// queryValues are the values of a system on one slot.
type queryValues struct {
	queries []string
	values  []float64
}

// Config is the configuration that the trials share; its seed means nothing.
func (s *System) Config() map[string]string { return s.Trials[0].Config }

// ChosenByResults says that which trials there are depends on what trials show.
func (s *System) ChosenByResults() bool {
	return slices.ContainsFunc(s.Trials, func(t *Trial) bool { return t.Active })
}

// PerQuery returns the mean over the finished trials for each query of a slot,
// in ascending query order, leaving out queries that are undefined in any of
// them. Seeds are averaged before any test, so that n counts queries. Neither
// slice may be changed.
func (s *System) PerQuery(at Slot) (queries []string, values []float64) {
	if known, ok := s.byQuery.Load(at); ok {
		found := known.(queryValues)
		return found.queries, found.values
	}
	queries, values = s.averaged(at)
	s.byQuery.Store(at, queryValues{queries, values})
	return queries, values
}

// averaged computes what PerQuery keeps.
func (s *System) averaged(at Slot) (queries []string, values []float64) {
	var runs []Values
	alike := true
	for _, t := range s.Trials {
		if have, ok := t.Scores[at]; ok {
			if have.Aggregate {
				return nil, nil // nothing is known of its queries
			}
			alike = alike && (len(runs) == 0 || SameList(have.Queries, runs[0].Queries))
			runs = append(runs, have)
		}
	}
	if len(runs) == 0 {
		return nil, nil
	}
	if !alike {
		return meanByQuery(runs)
	}
	return meanOfRuns(runs)
}

// SameList says whether two lists have the same texts; lists of queries of a set mostly
// share their memory where they do.
func SameList(a, b []string) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0] || slices.Equal(a, b))
}

// meanOfRuns averages runs that have the same queries, the usual case, in a tenth of the
// time.
func meanOfRuns(runs []Values) (queries []string, values []float64) {
	all := runs[0].Queries
	values = make([]float64, 0, len(all))
	var undefined []int
	for i := range all {
		if sum, defined := sumOver(runs, i); defined {
			values = append(values, sum/float64(len(runs)))
		} else {
			undefined = append(undefined, i)
		}
	}
	if len(undefined) == 0 {
		return all, values
	}
	for i, q := range all {
		if _, found := slices.BinarySearch(undefined, i); !found {
			queries = append(queries, q)
		}
	}
	return queries, values
}

// sumOver adds up what runs have of their i-th query, if it is defined in all.
func sumOver(runs []Values, i int) (sum float64, defined bool) {
	for _, r := range runs {
		if math.IsNaN(r.Values[i]) {
			return 0, false
		}
		sum += r.Values[i]
	}
	return sum, true
}

// meanByQuery averages runs that do not have the same queries.
func meanByQuery(runs []Values) (queries []string, values []float64) {
	sum := map[string]float64{}
	count := map[string]int{}
	for _, have := range runs {
		for i, q := range have.Queries {
			if v := have.Values[i]; !math.IsNaN(v) {
				sum[q] += v
				count[q]++
			}
		}
	}
	for q, n := range count {
		if n == len(runs) {
			queries = append(queries, q)
		}
	}
	slices.Sort(queries)
	for _, q := range queries {
		values = append(values, sum[q]/float64(len(runs)))
	}
	return queries, values
}

// Asked counts the queries of a number that any of some systems has a value for. Two
// tasks may have queries of one ID.
func Asked(systems []*System, c Number) int {
	type query struct {
		at Slot
		id string
	}
	all := map[query]bool{}
	for _, s := range systems {
		for _, at := range c.Slots() {
			queries, _ := s.PerQuery(at)
			for _, id := range queries {
				all[query{at, id}] = true
			}
		}
	}
	return len(all)
}

// Aggregated reports whether a mean without queries is part of a column.
func (s *System) Aggregated(c Number) bool {
	s.aggregates.once.Do(func() {
		for _, t := range s.Trials {
			for _, have := range t.Scores {
				s.aggregates.any = s.aggregates.any || have.Aggregate
			}
		}
	})
	if !s.aggregates.any {
		return false
	}
	for _, at := range c.Slots() {
		for _, t := range s.Trials {
			if t.Scores[at].Aggregate {
				return true
			}
		}
	}
	return false
}

// Empty reports whether no trial of s has a value in a column.
func (s *System) Empty(c Number) bool {
	for _, at := range c.Slots() {
		for _, t := range s.Trials {
			if _, ok := t.Scores[at]; ok {
				return false
			}
		}
	}
	return true
}

// groupSystems joins trials into systems, trained ones first, then baselines,
// then null rows, each in plan order.
func groupSystems(trials []*Trial) []*System {
	byConfig := map[string]*System{}
	var all []*System
	for _, t := range trials {
		id := Identity(t)
		s := byConfig[id]
		if s == nil {
			s = &System{Kind: table.Kind(results.Config(t.Config).Kind()), Loss: t.Config[results.Loss], Model: cmp.Or(t.Config[results.Model], t.ID)}
			byConfig[id] = s
			all = append(all, s)
		}
		s.Trials = append(s.Trials, t)
	}
	label(all)
	kinds := []table.Kind{table.Trained, table.Baseline, table.Null}
	slices.SortStableFunc(all, func(a, b *System) int {
		return slices.Index(kinds, a.Kind) - slices.Index(kinds, b.Kind)
	})
	return all
}

// Identity is the configuration without its seed and the tasks that it was evaluated on,
// as one string; a trial that
// does not say what was run is a system of its own.
func Identity(t *Trial) string {
	if t.Config[results.Loss] == "" && t.Config[results.Model] == "" {
		return "trial\x00" + t.ID
	}
	var b strings.Builder
	for _, key := range words.SortedKeys(t.Config) {
		if key != results.Seed && key != results.Tasks {
			b.WriteString(key + "\x00" + t.Config[key] + "\x00")
		}
	}
	return b.String() + t.apart
}

// composition are the settings that make of a model another system, whose name must say
// so even where nothing else is there.
var composition = []string{results.Depth, results.First, results.Fuse}

// Composition lists those of them that a system has.
func (s *System) Composition() []string {
	return slices.DeleteFunc(slices.Clone(composition), func(key string) bool { return s.Config()[key] == "" })
}

// label names systems by what tells them apart: trained ones by their loss,
// others by their model, both followed by the models that take part in it and by every
// other key that has more than one value among the systems of the same sort. No two have
// one label.
func label(all []*System) {
	alike := map[string][]*System{}
	sort := func(s *System) string {
		if s.Kind == table.Trained {
			return string(table.Trained)
		}
		return s.Model
	}
	for _, s := range all {
		alike[sort(s)] = append(alike[sort(s)], s)
	}
	differing := map[string]map[string]bool{} // by sort, then key
	differs := func(key, sort string) bool {
		if differing[sort] == nil {
			differing[sort] = map[string]bool{}
		}
		known, ok := differing[sort][key]
		if !ok {
			known = Varies(key, alike[sort])
			differing[sort][key] = known
		}
		return known
	}
	for _, s := range all {
		parts := []string{cmp.Or(s.Loss, s.Model, "unnamed")}
		for _, key := range words.SortedKeys(s.Config()) {
			named := key == results.Seed || key == results.Tasks || key == results.Loss || (key == results.Model && s.Kind != table.Trained)
			if !named && key != results.Weights && (slices.Contains(composition, key) || differs(key, sort(s))) {
				parts = append(parts, key+"="+s.Config()[key])
			}
		}
		if differs(results.Weights, sort(s)) {
			parts = append(parts, weightsMark(s, alike[sort(s)])...)
		}
		if apart := s.Trials[0].apart; apart != "" {
			parts = append(parts, "("+apart+")")
		}
		s.Label = strings.Join(parts, " ") + s.pickedMark()
	}
	distinguish(all)
}

// asRead is a label as a reader sees it and a command takes it: equal for labels that differ
// in blanks only, or in how they write a loss.
func asRead(label string) string { return results.AsLabel(strings.Join(strings.Fields(label), " ")) }

// distinguish gives systems labels of their own where a name that somebody gave reads as
// the label of another system: with the keys that differ, else the ID of a trial.
func distinguish(all []*System) {
	alike := map[string][]*System{}
	for _, s := range all {
		alike[asRead(s.Label)] = append(alike[asRead(s.Label)], s)
	}
	for _, s := range all {
		same := alike[asRead(s.Label)]
		if len(same) < 2 {
			continue
		}
		marks := []string{"(" + words.Shorten(s.Trials[0].ID) + ")", "(" + s.Trials[0].ID + ")"}
		if keys := differing(s, same); len(keys) > 0 {
			marks = append([]string{"(" + strings.Join(keys, " ") + ")"}, marks...)
		}
		for n := 2; ; n++ {
			label := s.Label + " " + marks[0]
			if marks = append(marks[1:], fmt.Sprintf("(%d)", n)); alike[asRead(label)] == nil {
				s.Label, alike[asRead(label)] = label, []*System{s}
				break
			}
		}
	}
}

// differing lists what a system has of the keys in which some systems differ.
func differing(s *System, among []*System) (parts []string) {
	for _, key := range words.SortedKeys(s.Config()) {
		if key != results.Seed && key != results.Tasks && Varies(key, among) {
			value := s.Config()[key]
			if key == results.Weights {
				value = words.Shorten(value)
			}
			parts = append(parts, key+"="+value)
		}
	}
	return parts
}

// weightsMark names the weights of a system where another one differs from it in
// nothing else, as two networks do that lay at one path.
func weightsMark(s *System, alike []*System) []string {
	own := s.Config()
	same := func(key, _ string) bool {
		return key == results.Seed || key == results.Weights || key == results.Tasks
	}
	rest := maps.Clone(own)
	maps.DeleteFunc(rest, same)
	for _, other := range alike {
		its := maps.Clone(other.Config())
		maps.DeleteFunc(its, same)
		if other.Config()[results.Weights] == own[results.Weights] || !maps.Equal(rest, its) {
			continue
		}
		if own[results.Weights] == "" {
			return []string{results.Weights + " " + words.Unrecorded}
		}
		return []string{results.Weights + "=" + words.Shorten(own[results.Weights])}
	}
	return nil
}

// Varies reports whether systems differ in a key; a key left out is a value.
func Varies(key string, among []*System) bool {
	first, has := among[0].Config()[key]
	return slices.ContainsFunc(among[1:], func(s *System) bool {
		value, ok := s.Config()[key]
		return ok != has || value != first
	})
}

// SplitLoss takes "uni(P,I)" apart; ok is false for any other shape.
func SplitLoss(loss string) (form, terms string, ok bool) {
	form, rest, ok := strings.Cut(loss, "(")
	if !ok || !strings.HasSuffix(rest, ")") {
		return "", "", false
	}
	return form, strings.TrimSuffix(rest, ")"), form != "" && len(rest) > 1
}
