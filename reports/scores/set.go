// Package scores holds what all tables and charts are made from: the trials of
// experiments with their values, the systems that they are runs of, and the numbers that
// a leaderboard shows of them. It tests nothing and phrases nothing.
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

// Set is what all tables and charts are made from: the trials of some
// experiments with their values by slot, and the systems they are runs of.
// Every string in it is clean.
type Set struct {
	Trials     []*Trial
	Systems    []*System
	Slots      []Slot       // in the order of the first trial that has them
	places     map[Slot]int // in slots of the whole report, as links name them
	Benchmarks map[string]*Benchmark
	owed       map[owner]map[Slot]bool
	Notes      []string // that experiments bring along

	lists map[Slot][]string // queries of the last trial with values on a slot
	kept  sync.Map          // key -> func() any, for Keep
}

// Slot names one thing that was measured.
type Slot struct{ Benchmark, Task, Side, Measure string }

// Scoring is the measure with its side: "AP@1000 original".
func (s Slot) Scoring() string { return strings.TrimSpace(s.Measure + " " + s.Side) }

// Test is the benchmark and task: "mini-followir/headline".
func (s Slot) Test() string { return s.Benchmark + "/" + s.Task }

// Trial is one planned cell, finished or not.
type Trial struct {
	results.Trial
	index      int    // among the trials of the whole report, as links name them
	identified bool   // it is recorded of which weights and data its values are
	apart      string // what tells it from others of its configuration and seed that have other values; "" where there are none
	Experiment string
	Scores     map[Slot]Values
	benchmarks []string          // display names, as slots hold them
	Described  []string          // those of them that its provenance describes, and others without a value
	Shown      map[string]string // display name of a benchmark by its own
}

// Values holds the values of one trial and slot by ascending query ID; NaN is
// an undefined value.
type Values struct {
	Queries   []string
	Values    []float64
	Aggregate bool // the one value is a mean whose queries are not known
}

// Mean averages the defined values and counts them.
func (s Values) Mean() (mean float64, defined int) {
	sum, defined := s.sum()
	return sum / float64(max(defined, 1)), defined
}

// sum adds up the defined values and counts them.
func (s Values) sum() (sum float64, defined int) {
	for _, v := range s.Values {
		if !math.IsNaN(v) {
			sum += v
			defined++
		}
	}
	return sum, defined
}

// Defined lists the defined values with their queries: the lists of all where all are.
// Neither may be changed.
func (s Values) Defined() (queries []string, values []float64) {
	if !slices.ContainsFunc(s.Values, math.IsNaN) {
		return s.Queries, s.Values
	}
	for i, v := range s.Values {
		if !math.IsNaN(v) {
			queries, values = append(queries, s.Queries[i]), append(values, v)
		}
	}
	return queries, values
}

// Benchmark is a benchmark of one revision, as the provenance describes it.
type Benchmark struct {
	results.Benchmark
	Described bool // false: no finished trial recorded where it comes from
}

// Realm says which board a benchmark belongs to.
func (b *Benchmark) Realm() Realm {
	switch {
	case !b.Described:
		return Unrecorded
	case b.Synthetic:
		return Synthetic
	}
	return Real
}

// Keep is what make makes of a set, made once for a key: several sections need it. Its
// type is one that only the caller's package has.
func (v *Set) Keep(key any, make func() any) any {
	kept, _ := v.kept.LoadOrStore(key, sync.OnceValue(make))
	return kept.(func() any)()
}

// With is a set with other systems of the same trials.
func (v *Set) With(systems []*System) *Set {
	return &Set{Trials: v.Trials, Systems: systems, Slots: v.Slots, places: v.places, Benchmarks: v.Benchmarks, owed: v.owed, Notes: v.Notes, lists: v.lists}
}

// New gathers the trials of experiments, each trial ID once. It fails where
// the records contradict each other.
func New(exps []*results.Experiment) (*Set, error) { return gather(exps, func(*results.Trial) {}) }

// Take is New of experiments of which nobody needs the values again: those of a trial go
// once they are filed, which of a large sweep are most of what there is. It calls gone with
// their number.
func Take(exps []*results.Experiment, gone func(values int)) (*Set, error) {
	return gather(exps, func(t *results.Trial) {
		values := len(t.Results)
		t.Results = nil
		gone(values)
	})
}

func gather(exps []*results.Experiment, filed func(*results.Trial)) (*Set, error) {
	v := &Set{places: map[Slot]int{}, Benchmarks: map[string]*Benchmark{}, owed: map[owner]map[Slot]bool{}, lists: map[Slot][]string{}}
	seen := map[string]*Trial{}
	data, err := collectionsOf(exps)
	if err != nil {
		return nil, err
	}
	for _, e := range exps {
		v.Notes = append(v.Notes, words.CleanAll(e.Notes)...)
		for i := range e.Trials {
			t := &e.Trials[i]
			if before := seen[t.ID]; t.ID != "" && before != nil {
				before.Selection = weaker(before.Selection, t.Selection)
				continue
			}
			if err := v.add(e, t, data); err != nil {
				return nil, err
			}
			filed(t)
			seen[t.ID] = v.Trials[len(v.Trials)-1]
		}
	}
	for _, t := range v.Trials {
		t.identified = v.isIdentified(t)
	}
	v.dropRepeats()
	v.setApart()
	v.Systems = groupSystems(v.Trials)
	return v, nil
}

// add files one trial with its values.
func (v *Set) add(e *results.Experiment, t *results.Trial, data collections) error {
	n := &Trial{Trial: *t, Experiment: words.Clean(e.Name), Scores: map[Slot]Values{}}
	n.ID, n.Error = words.Clean(t.ID), words.Clean(t.Error)
	n.Config = cleanConfig(t.Config)
	display := map[string]string{}
	n.Shown = display
	for _, b := range t.Provenance.Benchmarks {
		of := data[saidOf(&b)]
		name := of.display
		display[b.Name] = name
		b.Content = of.Content
		v.describe(name, CleanBenchmark(b))
		n.Described = append(n.Described, name)
	}
	for rest := t.Results; len(rest) > 0; {
		together := SameSlot(rest)
		if err := v.file(n, display, rest[:together]); err != nil {
			return fmt.Errorf("trial %s: %w", t.ID, err)
		}
		rest = rest[together:]
	}
	slices.Sort(n.benchmarks)
	n.benchmarks = slices.Compact(n.benchmarks)
	for s, have := range n.Scores {
		if err := have.sort(); err != nil {
			return fmt.Errorf("trial %s: %s of %s: %w", t.ID, s.Scoring(), s.Test(), err)
		}
		n.Scores[s] = v.share(s, have)
	}
	n.Results = nil // now in Scores; they are most of what a large experiment takes
	v.recordOwed(n)
	n.index = len(v.Trials)
	v.Trials = append(v.Trials, n)
	return nil
}

// cleanConfig is a configuration of clean texts: the same map where it is one.
func cleanConfig(config map[string]string) map[string]string {
	clean := true
	for key, value := range config {
		clean = clean && words.Clean(key) == key && words.Clean(value) == value
	}
	if clean && config != nil {
		return config
	}
	out := make(map[string]string, len(config))
	for key, value := range config {
		out[words.Clean(key)] = words.Clean(value)
	}
	return out
}

// share makes values use the list of queries of the trial before, where it is theirs too,
// as it mostly is: 10,000 trials then have one.
func (v *Set) share(at Slot, have Values) Values {
	if known := v.lists[at]; slices.Equal(known, have.Queries) {
		have.Queries = known
	}
	v.lists[at] = have.Queries
	return have
}

// describe files what a trial recorded of a benchmark. Each records the tasks that it
// was evaluated on, which may be some of all.
func (v *Set) describe(name string, b results.Benchmark) {
	if known := v.Benchmarks[name]; known != nil && known.Described {
		b.Tasks = mapsJoined(known.Tasks, b.Tasks)
		b.Groups = mapsJoined(known.Groups, b.Groups)
		b.Warnings = mapsJoined(known.Warnings, b.Warnings)
	}
	v.Benchmarks[name] = &Benchmark{Benchmark: b, Described: true}
}

// mapsJoined holds what two maps hold, nil where both are.
func mapsJoined[V any](a, b map[string]V) map[string]V {
	if a == nil {
		return b
	}
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

// SameSlot counts the results at the beginning that differ in query and value
// only.
func SameSlot(all []results.Result) int {
	first := &all[0]
	for i := range all {
		r := &all[i]
		if r.Measure != first.Measure || r.Side != first.Side || r.Task != first.Task || r.Benchmark != first.Benchmark || r.Aggregate != first.Aggregate {
			return i
		}
	}
	return len(all)
}

// file adds results of one slot to a trial.
func (v *Set) file(n *Trial, display map[string]string, together []results.Result) error {
	first := together[0]
	name, ok := display[first.Benchmark]
	if !ok {
		name = words.Clean(first.Benchmark)
	}
	if v.Benchmarks[name] == nil {
		v.Benchmarks[name] = &Benchmark{Benchmark: results.Benchmark{Name: name}}
	}
	s := Slot{name, words.Clean(first.Task), words.Clean(string(first.Side)), words.Clean(first.Measure)}
	have, ok := n.Scores[s]
	if !ok {
		n.benchmarks = append(n.benchmarks, name)
	}
	if ok && (have.Aggregate || first.Aggregate) || first.Aggregate && len(together) > 1 {
		return fmt.Errorf("%s of %s has a mean without queries beside other values", s.Scoring(), s.Test())
	}
	have.Aggregate = first.Aggregate
	if _, known := v.places[s]; !known {
		v.places[s] = len(v.Slots)
		v.Slots = append(v.Slots, s)
	}
	if known := v.lists[s]; !ok && asks(together, known) {
		have.Queries = slices.Clip(known)
	} else {
		have.Queries = slices.Grow(have.Queries, len(together))
		for i := range together {
			have.Queries = append(have.Queries, together[i].Query)
		}
	}
	have.Values = slices.Grow(have.Values, len(together))
	for i := range together {
		r := &together[i]
		value := math.NaN()
		if r.Value != nil {
			if value = *r.Value; !words.Finite(value) {
				return fmt.Errorf("%s of query %s in %s is %v", r.Measure, r.Query, r.Task, value)
			}
		}
		have.Values = append(have.Values, value)
	}
	n.Scores[s] = have
	return nil
}

// asks says whether results are of these queries, in their order.
func asks(all []results.Result, queries []string) bool {
	return slices.EqualFunc(all, queries, func(r results.Result, query string) bool { return r.Query == query })
}

// sort orders the values by query, so that sums do not depend on the order of
// a file; a query with two values is an error.
func (s Values) sort() error {
	if ascending(s.Queries) {
		return nil
	}
	order := make([]int, len(s.Queries))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(s.Queries[i], s.Queries[j]) })
	queries, values := slices.Clone(s.Queries), slices.Clone(s.Values)
	for to, from := range order {
		s.Queries[to], s.Values[to] = queries[from], values[from]
		if to > 0 && s.Queries[to] == s.Queries[to-1] {
			return fmt.Errorf("query %q has two values", s.Queries[to])
		}
	}
	return nil
}

// ascending reports whether each text is above the one before it.
func ascending(texts []string) bool {
	for i := 1; i < len(texts); i++ {
		if texts[i] <= texts[i-1] {
			return false
		}
	}
	return true
}

func CleanBenchmark(b results.Benchmark) results.Benchmark {
	b.Name, b.Source, b.Revision, b.Licence = words.Clean(b.Name), words.Clean(b.Source), words.Clean(b.Revision), words.Clean(b.Licence)
	tasks := make(map[string]string, len(b.Tasks))
	for name, notes := range b.Tasks {
		tasks[words.Clean(name)] = words.Clean(notes)
	}
	b.Tasks, b.Controls = tasks, words.CleanAll(b.Controls)
	b.Groups = cleanGroups(b.Groups)
	content := maps.Clone(b.Content)
	clear(content)
	for name, of := range b.Content {
		of.Documents, of.Queries, of.Judgments, of.Candidates = words.Clean(of.Documents), words.Clean(of.Queries), words.Clean(of.Judgments), words.Clean(of.Candidates)
		content[words.Clean(name)] = of
	}
	b.Content, b.Path = content, "" // where it lay is no reader's business
	return b
}

// cleanGroups are the groups of tasks; nil where none are recorded.
func cleanGroups(groups map[string][]string) map[string][]string {
	var out map[string][]string
	for task, names := range groups {
		if out == nil {
			out = make(map[string][]string, len(groups))
		}
		out[words.Clean(task)] = words.CleanAll(names)
	}
	return out
}

// owner is what decides which values a trial owes: the experiment evaluates all
// its trials on the same benchmarks, of which each world has its own.
type owner struct{ experiment, world string }

func (t *Trial) owner() owner { return owner{t.Experiment, t.Config[results.World]} }

// Expects says whether a trial was planned to yield a value in slot s: where it
// has finished, whether it was evaluated on the benchmark at all, else whether
// a finished trial of the same owner has a value there.
func (v *Set) Expects(t *Trial, s Slot) bool {
	if len(t.Scores) > 0 {
		return slices.Contains(t.benchmarks, s.Benchmark)
	}
	return v.owed[t.owner()][s]
}

// recordOwed notes the slots of t as owed by every trial of its owner.
func (v *Set) recordOwed(t *Trial) {
	owed := v.owed[t.owner()]
	if owed == nil {
		owed = map[Slot]bool{}
		v.owed[t.owner()] = owed
	}
	for s := range t.Scores {
		owed[s] = true
	}
}

// Finished reports whether a trial has its numbers.
func (t *Trial) Finished() bool { return t.State == results.Done }

// BenchmarkNames lists the benchmarks in the order of their values.
func (v *Set) BenchmarkNames() []string {
	var names []string
	for _, s := range v.Slots {
		names = words.AddNew(names, s.Benchmark)
	}
	return names
}

// SettingKeys lists the keys that make rows of an ablation beside the loss: those
// in which trained systems of one backbone differ. What follows from the backbone,
// such as its learning rate, does not.
func (v *Set) SettingKeys() []string {
	byBackbone := map[string][]*System{}
	keys := map[string]bool{}
	for _, s := range v.Trained() {
		b := s.Config()[results.Backbone]
		byBackbone[b] = append(byBackbone[b], s)
		for key := range s.Config() {
			keys[key] = true
		}
	}
	var out []string
	for _, key := range words.SortedKeys(keys) {
		if slices.Contains([]string{results.Seed, results.Loss, results.Backbone}, key) {
			continue
		}
		for _, alike := range byBackbone {
			if Varies(key, alike) {
				out = append(out, key)
				break
			}
		}
	}
	return out
}

// Trained lists the systems that were trained.
func (v *Set) Trained() []*System {
	var out []*System
	for _, s := range v.Systems {
		if s.Kind == table.Trained {
			out = append(out, s)
		}
	}
	return out
}
