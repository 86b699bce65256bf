package reports

import (
	"slices"
	"strings"
)

// part is what one board shows: benchmarks of one realm that have trials in
// common, and those trials as a view of their own, so that labels say no more
// than tells its systems apart.
type part struct {
	realm      Realm
	benchmarks []string
	view       *view
	setting    string // what its trials share and those of its neighbours do not
}

// split sorts the benchmarks into boards: realms never share one, and neither do
// benchmarks that no system was run on both of, such as generated ones of
// different worlds, whose numbers do not compare.
func (v *view) split() []part {
	var out []part
	for _, realm := range []Realm{Real, Unrecorded, Synthetic} {
		var parts []part
		for _, names := range v.connected(v.inRealm(realm)) {
			parts = append(parts, part{realm: realm, benchmarks: names, view: v.restrict(names)})
		}
		for i := range parts {
			parts[i].setting = setting(parts, i)
		}
		out = append(out, parts...)
	}
	return out
}

// connected groups benchmarks that are joined by trials planned on both, in the
// order of their first.
func (v *view) connected(names []string) [][]string {
	var groups [][]string
	for _, name := range names {
		together := []string{name}
		var apart [][]string
		for _, g := range groups {
			if v.shared(g, name) {
				together = append(slices.Clone(g), together...)
			} else {
				apart = append(apart, g)
			}
		}
		groups = append(apart, together)
	}
	slices.SortStableFunc(groups, func(a, b []string) int { return slices.Index(names, a[0]) - slices.Index(names, b[0]) })
	return groups
}

// shared reports whether a trial is planned on one of the group and on name.
func (v *view) shared(group []string, name string) bool {
	return slices.ContainsFunc(v.trials, func(t *trial) bool {
		return v.plans(t, name) && slices.ContainsFunc(group, func(other string) bool { return v.plans(t, other) })
	})
}

// plans reports whether a trial owes any value on a benchmark.
func (v *view) plans(t *trial, name string) bool {
	return slices.ContainsFunc(v.slots, func(s slot) bool { return s.Benchmark == name && v.expects(t, s) })
}

// restrict is the view of some benchmarks and the trials planned on them.
func (v *view) restrict(names []string) *view {
	sub := &view{places: v.places, benchmarks: v.benchmarks, owed: v.owed}
	for _, s := range v.slots {
		if slices.Contains(names, s.Benchmark) {
			sub.slots = append(sub.slots, s)
		}
	}
	for _, t := range v.trials {
		if slices.ContainsFunc(sub.slots, func(s slot) bool { return v.expects(t, s) }) {
			sub.trials = append(sub.trials, t)
		}
	}
	sub.systems = groupSystems(sub.trials)
	return sub
}

// setting names the keys that have one value in part i and another, or none, in
// every other part.
func setting(parts []part, i int) string {
	var words []string
	for _, key := range sortedKeys(parts[i].view.constants()) {
		value := parts[i].view.constants()[key]
		distinct := len(parts) > 1
		for j := range parts {
			distinct = distinct && (j == i || parts[j].view.constants()[key] != value)
		}
		if distinct {
			words = append(words, key+"="+value)
		}
	}
	return strings.Join(words, " ")
}

// constants are the keys with the same value in all trials that have them.
func (v *view) constants() map[string]string {
	out, varies := map[string]string{}, map[string]bool{}
	for _, t := range v.trials {
		for key, value := range t.Config {
			if have, ok := out[key]; ok && have != value {
				varies[key] = true
			}
			out[key] = value
		}
	}
	for key := range varies {
		delete(out, key)
	}
	return out
}
