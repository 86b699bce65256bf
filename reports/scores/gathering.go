package scores

import (
	"fmt"
	"math"
	"slices"

	"infbench/internal/words"
	"infbench/runners/results"
)

// New collects the trials of experiments, each trial ID once. It returns an error if the
// records contradict each other.
func New(exps []*results.Experiment) (*Set, error) { return gather(exps, func(*results.Trial) {}) }

// Take is like New but releases the values of the experiments' trials as it goes: in a
// large sweep they take most of the memory. It calls gone with their number.
func Take(exps []*results.Experiment, gone func(values int)) (*Set, error) {
	return gather(exps, func(t *results.Trial) {
		values := len(t.Results)
		t.Results = nil
		gone(values)
	})
}

// gathering makes a set from the trials of experiments, one after the other.
type gathering struct {
	set   *Set
	data  collections
	lists map[Slot][]string       // queries of the last trial with values on a slot
	owed  map[owner]map[Slot]bool // slots in which a trial of an owner has values
}

func gather(exps []*results.Experiment, filed func(*results.Trial)) (*Set, error) {
	data, err := collectionsOf(exps)
	if err != nil {
		return nil, err
	}
	v := &Set{places: map[Slot]int{}, Benchmarks: Benchmarks{}}
	g := &gathering{set: v, data: data, lists: map[Slot][]string{}, owed: map[owner]map[Slot]bool{}}
	seen := map[string]*Trial{}
	in := map[*Trial][]*results.Experiment{}
	for _, e := range exps {
		for i := range e.Trials {
			t := &e.Trials[i]
			if before := seen[t.ID]; t.ID != "" && before != nil {
				before.Selection = weaker(before.Selection, t.Selection)
				in[before] = append(in[before], e)
				continue
			}
			if err := g.add(e, t); err != nil {
				return nil, err
			}
			filed(t)
			added := v.Trials[len(v.Trials)-1]
			seen[t.ID], in[added] = added, []*results.Experiment{e}
		}
	}
	for _, t := range v.Trials {
		t.identified = v.Benchmarks.identified(t)
	}
	v.Trials = withoutRepeats(v.Trials)
	v.leaveOut(exps, in)
	setApart(v.Trials)
	v.Systems = groupSystems(v.Trials)
	return v, nil
}

// leaveOut adds experiments to Repeated if all of their trials repeat others. It adds the
// notes of the remaining experiments to the set.
func (v *Set) leaveOut(exps []*results.Experiment, in map[*Trial][]*results.Experiment) {
	kept := map[*results.Experiment]bool{}
	for _, t := range v.Trials {
		for _, e := range in[t] {
			kept[e] = true
		}
	}
	for _, e := range exps {
		if len(e.Trials) > 0 && !kept[e] {
			v.Repeated = append(v.Repeated, e)
			continue
		}
		v.Notes = append(v.Notes, words.CleanAll(e.Notes)...)
	}
}

// add adds one trial with its values.
func (g *gathering) add(e *results.Experiment, t *results.Trial) error {
	n := &Trial{Trial: *t, Experiment: words.Clean(e.Name), Scores: map[Slot]Values{}}
	n.ID, n.Error = words.Clean(t.ID), words.Clean(t.Error)
	n.Config, n.Labels = cleanConfig(t.Config), cleanLabels(t.Labels)
	n.Shown = map[string]string{}
	for _, b := range t.Provenance.Benchmarks {
		of := g.data[recordKey(&b)]
		name := of.display
		n.Shown[b.Name] = name
		b.Content = of.Content
		g.set.Benchmarks.describe(name, CleanBenchmark(b))
		n.Described = append(n.Described, name)
	}
	for rest := t.Results; len(rest) > 0; {
		together := SameSlot(rest)
		if err := g.file(n, rest[:together]); err != nil {
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
		n.Scores[s] = g.share(s, have)
	}
	n.Results = nil // now in Scores; they take most of the memory of a large experiment
	g.owe(n)
	n.index = len(g.set.Trials)
	g.set.Trials = append(g.set.Trials, n)
	return nil
}

// owe marks the slots of t as owed by every trial of its owner.
func (g *gathering) owe(t *Trial) {
	if g.owed[t.owner()] == nil {
		g.owed[t.owner()] = map[Slot]bool{}
	}
	t.owed = g.owed[t.owner()]
	for s := range t.Scores {
		t.owed[s] = true
	}
}

// share makes values use the previous trial's list of queries if it is equal, which is
// usual: 10,000 trials then share one list.
func (g *gathering) share(at Slot, have Values) Values {
	if known := g.lists[at]; slices.Equal(known, have.Queries) {
		have.Queries = known
	}
	g.lists[at] = have.Queries
	return have
}

// SameSlot returns the number of leading results that differ only in query and value.
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
func (g *gathering) file(n *Trial, together []results.Result) error {
	v, first := g.set, together[0]
	name, ok := n.Shown[first.Benchmark]
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
		return fmt.Errorf("%s of %s has a mean without queries as well as other values", s.Scoring(), s.Test())
	}
	have.Aggregate = first.Aggregate
	if _, known := v.places[s]; !known {
		v.places[s] = len(v.Slots)
		v.Slots = append(v.Slots, s)
	}
	if known := g.lists[s]; !ok && asks(together, known) {
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

// asks reports whether results have these queries, in this order.
func asks(all []results.Result, queries []string) bool {
	return slices.EqualFunc(all, queries, func(r results.Result, query string) bool { return r.Query == query })
}

// cleanConfig returns a configuration with clean texts. It returns the same map if it is
// clean.
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
