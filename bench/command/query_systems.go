package command

import (
	"fmt"
	"slices"
	"strings"

	"infbench/internal/usage"
	"infbench/reports/queries"
	"infbench/reports/scores"
	"infbench/runners/results"
)

// systemPair is the pair of compared systems; b is nil if a run has only one.
type systemPair struct{ a, b *scores.System }

// both returns the systems of the pair that exist.
func (p systemPair) both() []*scores.System {
	if p.b == nil {
		return []*scores.System{p.a}
	}
	return []*scores.System{p.a, p.b}
}

// withSystems returns the trials of a set by name, plus an entry named by the label of their
// system; labelled are those of its run folder.
func withSystems(v *scores.Set, labelled []results.Named) []results.Named {
	labels := map[string][]string{}
	for _, n := range labelled {
		labels[n.ID] = n.Labels
	}
	all := make([]results.Named, len(v.Trials))
	for i, t := range v.Trials {
		all[i] = results.Named{ID: t.ID, Labels: append(slices.Clone(labels[t.ID]), systemOf(v, t).Label)}
		if long := systemOf(v, t).Long; long != "" {
			all[i].Labels = append(all[i].Labels, long)
		}
	}
	return all
}

func systemOf(v *scores.Set, t *scores.Trial) *scores.System {
	return v.Systems[slices.IndexFunc(v.Systems, func(s *scores.System) bool { return slices.Contains(s.Trials, t) })]
}

// find returns the system with a name, or those of its runs with that name.
func (s *querySet) find(name string) (*scores.System, error) {
	var systems []*scores.System
	var trials []*scores.Trial
	for _, i := range results.Find(s.trials, name) {
		t := s.Trials[i]
		if of := systemOf(s.Set, t); !slices.Contains(systems, of) {
			systems = append(systems, of)
		}
		trials = append(trials, t)
	}
	switch {
	case len(systems) == 0:
		return nil, results.Unknown("system", s.exp.Dir, name, s.Names())
	case len(systems) > 1:
		return nil, results.Ambiguous("system", name, scores.NamesOf(systems))
	case len(trials) < len(systems[0].Trials):
		return s.part(systems[0], trials), nil
	}
	return systems[0], nil
}

// part is a system restricted to some of its runs, named as its first.
func (s *querySet) part(of *scores.System, trials []*scores.Trial) *scores.System {
	label := s.trials[slices.Index(s.Trials, trials[0])].Labels[0]
	return &scores.System{Label: label, Head: of.Head, Kind: of.Kind, Loss: of.Loss, Model: of.Model, Trials: trials}
}

// typed is the pair as --systems takes it.
func (s *querySet) typed(p systemPair) string {
	var all []string
	for _, of := range p.both() {
		if i := slices.Index(s.Systems, of); i >= 0 {
			all = append(all, results.Typed(s.Names(), i))
		} else {
			all = append(all, of.Trials[0].ID) // some of its runs
		}
	}
	return strings.Join(all, ",")
}

// pair finds the systems of --systems, and chooses the rest by the main measure of a query's
// task.
func (s *querySet) pair(names []string, q *queries.Query) (p systemPair, err error) {
	switch len(names) {
	case 0:
		if p.a = queries.First(s.Set, q); p.a == nil {
			return p, fmt.Errorf("%s: no system has a value of %s", s.exp.Dir, q.Test())
		}
	case 1:
		return s.split(names[0], q)
	case 2:
		if p.a, err = s.find(names[0]); err == nil {
			p.b, err = s.find(names[1])
		}
		return p, err
	default:
		return p, usage.Errorf("query: %d --systems: want two", len(names))
	}
	p.b = queries.Against(s.Set, p.a, q)
	return p, nil
}

// split splits A,B. A label may contain commas: the first comma with a system on both sides
// separates.
func (s *querySet) split(text string, q *queries.Query) (p systemPair, err error) {
	if p.a, err = s.find(text); err == nil {
		p.b = queries.Against(s.Set, p.a, q)
		return p, nil
	}
	first := err
	for i, r := range text {
		if r != ',' || !balanced(text[:i]) {
			continue
		}
		var other error
		p.a, err = s.find(text[:i])
		p.b, other = s.find(text[i+1:])
		if err == nil && other == nil {
			return p, nil
		}
		if err == nil {
			err = other
		}
		first = err
	}
	return systemPair{}, first
}

// balanced reports whether every bracket of a text is closed.
func balanced(text string) bool { return strings.Count(text, "(") == strings.Count(text, ")") }
