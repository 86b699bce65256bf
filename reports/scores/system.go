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

// System is the subject of a table row: all trials whose configurations differ only in the
// seed.
type System struct {
	Label  string
	Long   string // Label with complete values; "" if Label has them
	Head   string // beginning of Label: the loss or the model
	Kind   table.Kind
	Loss   string
	Model  string
	Trials []*Trial

	said       map[string]string // settings that are shown as others than their values, see Value
	byQuery    sync.Map          // slot -> queryValues, cached because every test uses them
	aggregates struct {          // whether any trial has means without queries, which is rare
		once sync.Once
		any  bool
	}
}

// queryValues holds the values of a system on one slot.
type queryValues struct {
	queries []string
	values  []float64
}

// Config returns the configuration that the trials share; ignore its seed.
func (s *System) Config() map[string]string { return s.Trials[0].Config }

// ChosenByResults reports whether the set of trials depends on their results.
func (s *System) ChosenByResults() bool {
	return slices.ContainsFunc(s.Trials, func(t *Trial) bool { return t.Active })
}

// PerQuery returns the mean over the finished trials for each query of a slot, in
// ascending query order. It leaves out queries that are undefined in any trial. Seeds are
// averaged before any test, so that n counts queries. The slices must not be changed.
func (s *System) PerQuery(at Slot) (queries []string, values []float64) {
	if known, ok := s.byQuery.Load(at); ok {
		found := known.(queryValues)
		return found.queries, found.values
	}
	queries, values = s.averaged(at)
	s.byQuery.Store(at, queryValues{queries, values})
	return queries, values
}

// averaged computes the result of PerQuery.
func (s *System) averaged(at Slot) (queries []string, values []float64) {
	var runs []Values
	alike := true
	for _, t := range s.Trials {
		if have, ok := t.Scores[at]; ok {
			if have.Aggregate {
				return nil, nil // its per-query values are not known
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

// SameList reports whether two lists have the same texts. Equal lists of queries in a set
// mostly share their memory.
func SameList(a, b []string) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0] || slices.Equal(a, b))
}

// meanOfRuns averages runs that have the same queries. This is the usual case, and takes a
// tenth of the time of meanByQuery.
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

// sumOver adds the runs' values of the i-th query, if all are defined.
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

// Asked counts the queries of a number for which any of some systems has a value. Two
// tasks may have queries with one ID.
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

// Aggregated reports whether a column includes a mean without per-query values.
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

// groupSystems groups trials into systems: trained ones first, then baselines, then null
// rows, each in plan order.
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

// Identity returns the configuration, without its seed and the tasks that it was evaluated
// on, as one string. A trial that records neither loss nor model is a system of its own.
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

// composition lists the settings that turn a model into another system. The name must
// always contain them.
var composition = []string{results.Depth, results.First, results.Fuse}

// Composition lists the keys of composition that a system has.
func (s *System) Composition() []string {
	return slices.DeleteFunc(slices.Clone(composition), func(key string) bool { return s.Config()[key] == "" })
}

// label sets unique names for systems: with their values as they are shown, and with complete
// values.
func label(all []*System) {
	nameAll(all, func(s *System) string { return "" }, func(s *System, key string) string { return s.Config()[key] })
	if !say(all) {
		return
	}
	long := make([]string, len(all))
	for i, s := range all {
		long[i] = s.Label
	}
	nameAll(all, func(s *System) string { return s.said[results.SystemKey] }, (*System).Value)
	for i, s := range all {
		if s.Label != long[i] {
			s.Long = long[i]
		}
	}
}

// nameAll sets unique names for systems. A name starts with the label of a complete system, the
// loss of a trained one, or the model of another. The keys of composition follow, unless the system
// has a label, and every other key that has more than one value among the systems with the same
// start.
func nameAll(all []*System, labelOf func(*System) string, value func(s *System, key string) string) {
	alike := map[string][]*System{}
	sort := func(s *System) string {
		switch label := labelOf(s); {
		case label != "":
			return "\x00" + label
		case s.Kind == table.Trained:
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
		s.Head = cmp.Or(labelOf(s), value(s, results.Loss), value(s, results.Model), s.Model, "unnamed")
		parts := []string{s.Head}
		for _, key := range words.SortedKeys(s.Config()) {
			named := key == results.Seed || key == results.Tasks || key == results.Loss || key == results.Model && (s.Kind != table.Trained || s.Config()[key] == s.Config()[results.Backbone])
			if !named && key != results.Weights && (slices.Contains(composition, key) && labelOf(s) == "" || differs(key, sort(s))) {
				parts = append(parts, key+"="+value(s, key))
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

// asRead returns a label as readers and commands see it: labels that differ only in blanks
// or in the notation of a loss are equal.
func asRead(label string) string { return results.AsLabel(strings.Join(strings.Fields(label), " ")) }

// distinguish makes labels unique if a user-given name reads like the label of another
// system. It adds the keys that differ, else the ID of a trial.
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

// differing lists a system's values of the keys in which some systems differ.
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

// weightsMark names the weights of a system if another one differs from it in nothing
// else, for example if two networks were stored at one path.
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

// Varies reports whether systems differ in a key; an absent key counts as a value.
func Varies(key string, among []*System) bool {
	first, has := among[0].Config()[key]
	return slices.ContainsFunc(among[1:], func(s *System) bool {
		value, ok := s.Config()[key]
		return ok != has || value != first
	})
}

// SplitLoss splits "uni(P,I)" into form and terms; ok is false for any other shape.
func SplitLoss(loss string) (form, terms string, ok bool) {
	form, rest, ok := strings.Cut(loss, "(")
	if !ok || !strings.HasSuffix(rest, ")") {
		return "", "", false
	}
	return form, strings.TrimSuffix(rest, ")"), form != "" && len(rest) > 1
}
