package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"infbench/bench/results"
)

// Keys of the trial configuration that reports know by name; any other key is
// only ever a value to project on.
const (
	modelKey    = "model"
	lossKey     = "loss"
	seedKey     = "seed"
	worldKey    = "world"
	backboneKey = "backbone"
)

// view is what all tables and charts are made from: the trials of some
// experiments with their values by slot, and the systems they are runs of.
// Every string in it is clean.
type view struct {
	trials     []*trial
	systems    []*system
	slots      []slot       // in the order of the first trial that has them
	places     map[slot]int // in slots of the whole report, as links name them
	benchmarks map[string]*benchmark
	owed       map[owner]map[slot]bool
	notes      []string // that experiments bring along
}

// slot names one thing that was measured.
type slot struct{ Benchmark, Task, Side, Measure string }

// scoring is the measure with its side: "AP@1000 original".
func (s slot) scoring() string { return strings.TrimSpace(s.Measure + " " + s.Side) }

// test is the benchmark and task: "mini-followir/headline".
func (s slot) test() string { return s.Benchmark + "/" + s.Task }

// trial is one planned cell, finished or not.
type trial struct {
	results.Trial
	index      int // among the trials of the whole report, as links name them
	experiment string
	scores     map[slot]scores
	benchmarks []string          // display names, as slots hold them
	described  []string          // those of them that its provenance describes, and others without a value
	shown      map[string]string // display name of a benchmark by its own
}

// scores holds the values of one trial and slot by ascending query ID; nil is
// an undefined value.
type scores struct {
	queries   []string
	values    []*float64
	aggregate bool // the one value is a mean whose queries are not known
}

// mean averages the defined values and counts them.
func (s scores) mean() (mean float64, defined int) {
	for _, v := range s.values {
		if v != nil {
			mean += *v
			defined++
		}
	}
	if defined == 0 {
		return 0, 0
	}
	return mean / float64(defined), defined
}

// benchmark is a benchmark of one revision, as the provenance describes it.
type benchmark struct {
	results.Benchmark
	described bool // false: no finished trial recorded where it comes from
}

// realm says which board a benchmark belongs to.
func (b *benchmark) realm() Realm {
	switch {
	case !b.described:
		return Unrecorded
	case b.Synthetic:
		return Synthetic
	}
	return Real
}

// newView gathers the trials of experiments, each trial ID once. It fails where
// the records contradict each other.
func newView(exps []*results.Experiment) (*view, error) {
	v := &view{places: map[slot]int{}, benchmarks: map[string]*benchmark{}, owed: map[owner]map[slot]bool{}}
	seen := map[string]bool{}
	names, err := benchmarkNames(exps)
	if err != nil {
		return nil, err
	}
	for _, e := range exps {
		v.notes = append(v.notes, cleanAll(e.Notes)...)
		for i := range e.Trials {
			t := &e.Trials[i]
			if t.ID != "" && seen[t.ID] {
				continue
			}
			seen[t.ID] = true
			if err := v.add(e, t, names); err != nil {
				return nil, err
			}
		}
	}
	v.systems = groupSystems(v.trials)
	return v, nil
}

// revisionNames maps benchmark name and revision to the name that slots use.
type revisionNames map[[2]string]string

// benchmarkNames gives each benchmark its own name, with the revision added
// where there is more than one: other data is another benchmark.
func benchmarkNames(exps []*results.Experiment) (revisionNames, error) {
	revisions := map[string][]string{}
	synthetic := map[[2]string]bool{}
	for _, e := range exps {
		for _, t := range e.Trials {
			for _, b := range t.Provenance.Benchmarks {
				key := [2]string{b.Name, b.Revision}
				if known, ok := synthetic[key]; ok && known != b.Synthetic {
					return nil, fmt.Errorf("trial %s: benchmark %s is recorded both as synthetic and as real", t.ID, b.Name)
				}
				synthetic[key] = b.Synthetic
				if !slices.Contains(revisions[b.Name], b.Revision) {
					revisions[b.Name] = append(revisions[b.Name], b.Revision)
				}
			}
		}
	}
	names := revisionNames{}
	for name, all := range revisions {
		short := shortenApart(all)
		for i, r := range all {
			display := clean(name)
			if len(all) > 1 {
				display += " @" + clean(short[i])
			}
			names[[2]string{name, r}] = display
		}
	}
	return names, nil
}

// shorten cuts a commit or hash to what a reader can compare.
func shorten(revision string) string { return prefix(revision, 12) }

// shortenApart shortens revisions, all different, by as little as it takes to
// tell them apart.
func shortenApart(revisions []string) []string {
	for length := 12; ; length++ {
		short := make([]string, len(revisions))
		seen := map[string]bool{}
		for i, r := range revisions {
			short[i] = prefix(r, length)
			seen[short[i]] = true
		}
		if len(seen) == len(revisions) || slices.Equal(short, revisions) {
			return short
		}
	}
}

// prefix is the first n characters of s, or all of it.
func prefix(s string, n int) string {
	runes := []rune(s)
	return string(runes[:min(n, len(runes))])
}

// add files one trial with its values.
func (v *view) add(e *results.Experiment, t *results.Trial, names revisionNames) error {
	n := &trial{Trial: *t, experiment: clean(e.Name), scores: map[slot]scores{}}
	n.ID, n.Error = clean(t.ID), clean(t.Error)
	n.Config = make(map[string]string, len(t.Config))
	for key, value := range t.Config {
		n.Config[clean(key)] = clean(value)
	}
	display := map[string]string{}
	n.shown = display
	for _, b := range t.Provenance.Benchmarks {
		name := names[[2]string{b.Name, b.Revision}]
		display[b.Name] = name
		v.benchmarks[name] = &benchmark{Benchmark: cleanBenchmark(b), described: true}
		n.described = append(n.described, name)
	}
	for rest := t.Results; len(rest) > 0; {
		together := sameSlot(rest)
		if err := v.file(n, display, rest[:together]); err != nil {
			return fmt.Errorf("trial %s: %w", t.ID, err)
		}
		rest = rest[together:]
	}
	slices.Sort(n.benchmarks)
	n.benchmarks = slices.Compact(n.benchmarks)
	for s, have := range n.scores {
		if err := have.sort(); err != nil {
			return fmt.Errorf("trial %s: %s of %s: %w", t.ID, s.scoring(), s.test(), err)
		}
	}
	v.recordOwed(n)
	n.index = len(v.trials)
	v.trials = append(v.trials, n)
	return nil
}

// sameSlot counts the results at the beginning that differ in query and value
// only.
func sameSlot(all []results.Result) int {
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
func (v *view) file(n *trial, display map[string]string, together []results.Result) error {
	first := together[0]
	name, ok := display[first.Benchmark]
	if !ok {
		name = clean(first.Benchmark)
	}
	if v.benchmarks[name] == nil {
		v.benchmarks[name] = &benchmark{Benchmark: results.Benchmark{Name: name}}
	}
	s := slot{name, clean(first.Task), clean(string(first.Side)), clean(first.Measure)}
	have, ok := n.scores[s]
	if !ok {
		n.benchmarks = append(n.benchmarks, name)
	}
	if ok && (have.aggregate || first.Aggregate) || first.Aggregate && len(together) > 1 {
		return fmt.Errorf("%s of %s has a mean without queries beside other values", s.scoring(), s.test())
	}
	have.aggregate = first.Aggregate
	if _, known := v.places[s]; !known {
		v.places[s] = len(v.slots)
		v.slots = append(v.slots, s)
	}
	have.queries, have.values = slices.Grow(have.queries, len(together)), slices.Grow(have.values, len(together))
	for i := range together {
		r := &together[i]
		if r.Value != nil && !finite(*r.Value) {
			return fmt.Errorf("%s of query %s in %s is %v", r.Measure, r.Query, r.Task, *r.Value)
		}
		have.queries = append(have.queries, r.Query)
		have.values = append(have.values, r.Value)
	}
	n.scores[s] = have
	return nil
}

// sort orders the values by query, so that sums do not depend on the order of
// a file; a query with two values is an error.
func (s scores) sort() error {
	if ascending(s.queries) {
		return nil
	}
	order := make([]int, len(s.queries))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(s.queries[i], s.queries[j]) })
	queries, values := slices.Clone(s.queries), slices.Clone(s.values)
	for to, from := range order {
		s.queries[to], s.values[to] = queries[from], values[from]
		if to > 0 && s.queries[to] == s.queries[to-1] {
			return fmt.Errorf("query %q has two values", s.queries[to])
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

func cleanBenchmark(b results.Benchmark) results.Benchmark {
	b.Name, b.Source, b.Revision, b.Licence = clean(b.Name), clean(b.Source), clean(b.Revision), clean(b.Licence)
	tasks := make(map[string]string, len(b.Tasks))
	for name, notes := range b.Tasks {
		tasks[clean(name)] = clean(notes)
	}
	b.Tasks = tasks
	return b
}

// owner is what decides which values a trial owes: the experiment evaluates all
// its trials on the same benchmarks, of which each world has its own.
type owner struct{ experiment, world string }

func (t *trial) owner() owner { return owner{t.experiment, t.Config[worldKey]} }

// expects says whether a trial was planned to yield a value in slot s: where it
// has finished, whether it was evaluated on the benchmark at all, else whether
// a finished trial of the same owner has a value there.
func (v *view) expects(t *trial, s slot) bool {
	if len(t.scores) > 0 {
		return slices.Contains(t.benchmarks, s.Benchmark)
	}
	return v.owed[t.owner()][s]
}

// recordOwed notes the slots of t as owed by every trial of its owner.
func (v *view) recordOwed(t *trial) {
	owed := v.owed[t.owner()]
	if owed == nil {
		owed = map[slot]bool{}
		v.owed[t.owner()] = owed
	}
	for s := range t.scores {
		owed[s] = true
	}
}
