package scores

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/runners/results"
)

// Part is the content of one board: benchmarks of one realm that have systems in common,
// and a view of their trials. In the view, labels contain only what distinguishes its
// systems.
type Part struct {
	Realm      Realm
	Benchmarks []string
	View       *Set
	Setting    string // settings that its trials share and other parts do not
	Why        string // why it is not one board with the other parts of its realm; "" if it has none
}

// Split divides the benchmarks into boards. Realms never share a board. Neither do
// benchmarks that no system was run on together, such as generated ones of different
// worlds: their numbers are not comparable.
func (v *Set) Split() []Part {
	var out []Part
	for _, realm := range []Realm{Real, Unrecorded, Synthetic} {
		var parts []Part
		for _, names := range v.connected(v.InRealm(realm)) {
			parts = append(parts, Part{Realm: realm, Benchmarks: names, View: v.restrict(names)})
		}
		for i := range parts {
			parts[i].Setting, parts[i].Why = setting(parts, i), whyApart(parts, i)
		}
		parts = pickedApart(parts)
		out = append(out, parts...)
	}
	v.labelApart(out)
	return out
}

// labelApart makes each label mean one system on all boards. Systems on different boards
// whose labels read alike get their labels in the complete set, but a system has one label
// on every board.
func (v *Set) labelApart(parts []Part) {
	whole := map[string]string{} // identity -> label
	for _, s := range v.Systems {
		whole[Identity(s.Trials[0])] = s.Label
	}
	for changed := true; changed; {
		changed = false
		means, several := map[string]string{}, map[string]bool{} // by the form of a label that is read
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

// pickedApart separates configurations that were picked on the test from those picked on
// held-out queries, on boards of their own.
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

// of returns the view of some of the trials.
func (v *Set) of(trials []*Trial) *Set {
	return &Set{places: v.places, Benchmarks: v.Benchmarks, Slots: v.Slots, Trials: trials, Systems: groupSystems(trials)}
}

// connected groups benchmarks that are joined by systems with trials planned on both, in the order
// of their first benchmark.
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

// shared reports whether a system has trials that are planned on one of the group and on name, such
// as an evaluation for each.
func (v *Set) shared(group []string, name string) bool {
	return slices.ContainsFunc(v.Systems, func(s *System) bool {
		on := func(name string) bool {
			return slices.ContainsFunc(s.Trials, func(t *Trial) bool { return v.plans(t, name) })
		}
		return on(name) && slices.ContainsFunc(group, on)
	})
}

// whyApart describes why part i is not one board with the others: no system is in both. If systems
// differ only in a setting, it names that.
func whyApart(parts []Part, i int) string {
	if len(parts) == 1 {
		return ""
	}
	const first = "A board of its own, as no system was run both on its benchmarks and on those of another board"
	for j := range parts {
		if j == i {
			continue
		}
		for _, s := range parts[i].View.Systems {
			for _, other := range parts[j].View.Systems {
				if a, b := s.Trials[0].Config, other.Trials[0].Config; a[results.Model] == b[results.Model] && a[results.Loss] == b[results.Loss] {
					if key, differs := firstDifference(a, b); differs {
						return first + fmt.Sprintf("; %s has %s here and %s there.", cmp.Or(s.Value(results.Model), s.Label), keyIs(key, s.Value(key)), keyIs(key, other.Value(key)))
					}
				}
			}
		}
	}
	return first + "."
}

// firstDifference returns the first key, of those that distinguish systems, in which two
// configurations differ.
func firstDifference(a, b results.Config) (key string, differs bool) {
	both := maps.Clone(a)
	maps.Copy(both, b)
	for _, key := range words.SortedKeys(both) {
		if key != results.Seed && key != results.Tasks && a[key] != b[key] {
			return key, true
		}
	}
	return "", false
}

// keyIs is "world=2", or "no world".
func keyIs(key, value string) string {
	if value == "" {
		return "no " + key
	}
	return key + "=" + value
}

// plans reports whether a trial should have a value on a benchmark.
func (v *Set) plans(t *Trial, name string) bool {
	return slices.ContainsFunc(v.Slots, func(s Slot) bool { return s.Benchmark == name && t.Expects(s) })
}

// restrict returns the view of some benchmarks and the trials planned on them.
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

// setting lists the keys that have one value in part i and another, or none, in every
// other part.
func setting(parts []Part, i int) string {
	var shared []string
	for _, key := range words.SortedKeys(parts[i].View.constants()) {
		value := parts[i].View.constants()[key]
		distinct := len(parts) > 1
		for j := range parts {
			distinct = distinct && (j == i || parts[j].View.constants()[key] != value)
		}
		if distinct {
			shared = append(shared, key+"="+parts[i].View.shown(key, value))
		}
	}
	return strings.Join(shared, " ")
}

// shown returns a value that all trials have as it is shown.
func (v *Set) shown(key, value string) string {
	if len(v.Systems) > 0 && key != results.Seed {
		return v.Systems[0].Value(key)
	}
	return value
}

// constants returns the keys with one value in all trials, for a common heading.
func (v *Set) constants() map[string]string {
	if len(v.Trials) == 0 {
		return nil
	}
	out := maps.Clone(v.Trials[0].Config)
	maps.DeleteFunc(out, func(key, value string) bool {
		return key == results.Weights || key == results.Tasks || // not a setting that a reader knows
			slices.ContainsFunc(v.Trials, func(t *Trial) bool { return t.Config[key] != value })
	})
	return out
}
