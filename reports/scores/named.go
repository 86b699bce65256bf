package scores

import "infbench/runners/results"

// Names returns the names of the systems, in their order: by label, by label with complete
// values, and by the ID of their first trial.
func (v *Set) Names() []results.Named { return NamesOf(v.Systems) }

// NamesOf returns the names of some systems.
func NamesOf(systems []*System) []results.Named {
	all := make([]results.Named, len(systems))
	for i, s := range systems {
		all[i] = s.names()
	}
	return all
}

// Named returns the one system that a name means; see results.Find. It returns nil if
// there is none, and an error that lists them if there are several.
func (v *Set) Named(name string) (*System, error) {
	found := results.Find(v.Names(), name)
	switch len(found) {
	case 0:
		return nil, nil
	case 1:
		return v.Systems[found[0]], nil
	}
	several := make([]*System, len(found))
	for i, at := range found {
		several[i] = v.Systems[at]
	}
	return nil, results.Ambiguous("system", name, NamesOf(several))
}
