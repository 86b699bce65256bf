package scores

import (
	"maps"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/runners/results"
)

// Part is what one board shows: benchmarks of one realm that have trials in
// common, and those trials as a view of their own, so that labels say no more
// than tells its systems apart.
type Part struct {
	Realm      Realm
	Benchmarks []string
	View       *Set
	Setting    string // what its trials share and those of its neighbours do not
}

// Split sorts the benchmarks into boards: realms never share one, and neither do
// benchmarks that no system was run on both of, such as generated ones of
// different worlds, whose numbers do not compare.
func (v *Set) Split() []Part {
	var out []Part
	for _, realm := range []Realm{Real, Unrecorded, Synthetic} {
		var parts []Part
		for _, names := range v.connected(v.InRealm(realm)) {
			parts = append(parts, Part{Realm: realm, Benchmarks: names, View: v.restrict(names)})
		}
		for i := range parts {
			parts[i].Setting = setting(parts, i)
		}
		parts = pickedApart(parts)
		out = append(out, parts...)
	}
	v.labelApart(out)
	return out
}

// labelApart makes labels on all boards mean one system each. Systems of several boards
// whose labels read alike get the labels that they have among all systems of the set, but
// one system keeps its label on every board.
func (v *Set) labelApart(parts []Part) {
	whole := map[string]string{} // identity -> label
	for _, s := range v.Systems {
		whole[Identity(s.Trials[0])] = s.Label
	}
	for changed := true; changed; {
		changed = false
		means, several := map[string]string{}, map[string]bool{} // by what a label reads as
		for id, label := range whole {
			means[asRead(label)] = id
		}
		for _, p := range parts {
			for _, s := range p.View.Systems {
				id, read := Identity(s.Trials[0]), asRead(s.Label)
				if known, ok := means[read]; ok && known != id {
					several[read] = true
				}
				means[read] = id
			}
		}
		for _, p := range parts {
			for _, s := range p.View.Systems {
				if label := whole[Identity(s.Trials[0])]; several[asRead(s.Label)] && label != s.Label {
					s.Label, changed = label, true
				}
			}
		}
	}
}

// pickedApart gives configurations that were picked on the test a board of their own
// beside those that were picked on held-out queries.
func pickedApart(parts []Part) []Part {
	var out []Part
	for _, p := range parts {
		picked, trials := apart(p.View.Trials)
		if len(picked) == 1 {
			out = append(out, p)
			continue
		}
		for i, way := range picked {
			one := p
			one.View, one.Setting = p.View.of(trials[i]), strings.TrimSpace(p.Setting+" "+pickedOn(way))
			out = append(out, one)
		}
	}
	return out
}

// of is the view of some of the trials.
func (v *Set) of(trials []*Trial) *Set {
	return &Set{places: v.places, Benchmarks: v.Benchmarks, Slots: v.Slots, Trials: trials, Systems: groupSystems(trials)}
}

// connected groups benchmarks that are joined by trials planned on both, in the
// order of their first.
func (v *Set) connected(names []string) [][]string {
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
func (v *Set) shared(group []string, name string) bool {
	return slices.ContainsFunc(v.Trials, func(t *Trial) bool {
		return v.plans(t, name) && slices.ContainsFunc(group, func(other string) bool { return v.plans(t, other) })
	})
}

// plans reports whether a trial owes any value on a benchmark.
func (v *Set) plans(t *Trial, name string) bool {
	return slices.ContainsFunc(v.Slots, func(s Slot) bool { return s.Benchmark == name && t.Expects(s) })
}

// restrict is the view of some benchmarks and the trials planned on them.
func (v *Set) restrict(names []string) *Set {
	sub := &Set{places: v.places, Benchmarks: v.Benchmarks}
	for _, s := range v.Slots {
		if slices.Contains(names, s.Benchmark) {
			sub.Slots = append(sub.Slots, s)
		}
	}
	for _, t := range v.Trials {
		if slices.ContainsFunc(sub.Slots, func(s Slot) bool { return t.Expects(s) }) {
			sub.Trials = append(sub.Trials, t)
		}
	}
	sub.Systems = groupSystems(sub.Trials)
	return sub
}

// setting names the keys that have one value in part i and another, or none, in
// every other part.
func setting(parts []Part, i int) string {
	var shared []string
	for _, key := range words.SortedKeys(parts[i].View.constants()) {
		value := parts[i].View.constants()[key]
		distinct := len(parts) > 1
		for j := range parts {
			distinct = distinct && (j == i || parts[j].View.constants()[key] != value)
		}
		if distinct {
			shared = append(shared, key+"="+value)
		}
	}
	return strings.Join(shared, " ")
}

// constants are the keys that all trials have with the same value: what a heading over them
// all may say.
func (v *Set) constants() map[string]string {
	if len(v.Trials) == 0 {
		return nil
	}
	out := maps.Clone(v.Trials[0].Config)
	maps.DeleteFunc(out, func(key, value string) bool {
		return key == results.Weights || key == results.Tasks || // name no setting that a reader knows
			slices.ContainsFunc(v.Trials, func(t *Trial) bool { return t.Config[key] != value })
	})
	return out
}
