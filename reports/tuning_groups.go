package reports

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"infbench/internal/words"
	"infbench/reports/scores"
	"infbench/runners/results"
	"infbench/training/setting"
)

// tuningGroup is a set of configurations that competed with each other: those among which
// one was picked, else those of one method that differ only in numeric training settings.
type tuningGroup struct {
	Systems []*scores.System
	Chosen  *scores.System // nil: none was picked
	Tried   int            // number of configurations, including planned ones that the board does not show
	Axes    []tuningAxis   // settings for which several values were tried
}

// tuningAxis is a setting for which several values were tried.
type tuningAxis struct {
	Key    string
	Values []string // numbers ascending, else in the order of the systems
	Number bool     // all values are numbers
}

// Edge returns the end of the tried range at which a value is: "smallest", "largest", or
// "" for values inside and for texts.
func (a tuningAxis) Edge(value string) string {
	switch {
	case !a.Number:
		return ""
	case value == a.Values[0]:
		return "smallest"
	case value == a.Values[len(a.Values)-1]:
		return "largest"
	}
	return ""
}

// groupsKey is the key of the groups in a set.
type groupsKey struct{}

// tuningGroups groups the trained systems of a view, in the order of their first system.
// The groups must not be changed.
func tuningGroups(v *scores.Set) []*tuningGroup {
	return v.Keep(groupsKey{}, func() any { return groupTuned(v.Trained()) }).([]*tuningGroup)
}

func groupTuned(trained []*scores.System) []*tuningGroup {
	per := perOf(trained)
	tuned := numericKeys(trained)
	index := map[string]*tuningGroup{}
	var out []*tuningGroup
	for _, s := range trained {
		key := groupKey(s, per, tuned)
		g := index[key]
		if g == nil {
			g = &tuningGroup{}
			index[key] = g
			out = append(out, g)
		}
		g.add(s)
	}
	for _, g := range out {
		g.Axes = triedAxes(g.Systems)
	}
	return out
}

// add adds a system.
func (g *tuningGroup) add(s *scores.System) {
	g.Systems = append(g.Systems, s)
	g.Tried = max(g.Tried, len(g.Systems))
	if p := s.Picked(); p.On != "" && g.Chosen == nil {
		g.Chosen = s
		g.Tried = max(g.Tried, p.Among)
	}
}

// experiment returns the first experiment with a run of a system.
func experiment(s *scores.System) string { return s.Trials[0].Experiment }

// perOf returns the keys for which each experiment with picks picked separately.
func perOf(trained []*scores.System) map[string][]string {
	out := map[string][]string{}
	for _, s := range trained {
		if p := s.Picked(); p.Per != "" {
			out[experiment(s)] = strings.Split(p.Per, ",")
		}
	}
	return out
}

// numericKeys lists the training settings that have only numbers as values and can be
// tuned. The settings of an objective are part of the method.
func numericKeys(trained []*scores.System) map[string]bool {
	out := map[string]bool{}
	for _, k := range results.Keys() {
		if k.Group != setting.OfTraining || k.Name == results.Seed || k.Objective {
			continue
		}
		out[k.Name] = !slices.ContainsFunc(trained, func(s *scores.System) bool {
			value, ok := s.Config()[k.Name]
			_, err := strconv.ParseFloat(value, 64)
			return ok && err != nil
		})
	}
	return out
}

// groupKey identifies the group of a system.
func groupKey(s *scores.System, per map[string][]string, tuned map[string]bool) string {
	config := s.Config()
	if keys, ok := per[experiment(s)]; ok {
		parts := []string{"picked", experiment(s)}
		for _, key := range append(slices.Clone(keys), results.World) {
			parts = append(parts, config[key])
		}
		return words.Joined(parts)
	}
	var parts []string
	for _, key := range words.SortedKeys(config) {
		if key != results.Seed && !tuned[key] {
			parts = append(parts, key, config[key])
		}
	}
	return words.Joined(parts)
}

// triedAxes lists the settings in which systems differ.
func triedAxes(systems []*scores.System) []tuningAxis {
	values := map[string][]string{}
	for _, s := range systems {
		for key := range s.Config() {
			values[key] = nil
		}
	}
	delete(values, results.Seed)
	if _, ok := values[results.Backbone]; ok {
		delete(values, results.Model) // the same setting for trained systems
	}
	var out []tuningAxis
	for _, key := range words.SortedKeys(values) {
		a := tuningAxis{Key: key}
		for _, s := range systems {
			a.Values = words.AddNew(a.Values, cmp.Or(s.Config()[key], words.UnsetMark))
		}
		if len(a.Values) > 1 {
			a.order()
			out = append(out, a)
		}
	}
	return out
}

// order sorts the values if all are numbers.
func (a *tuningAxis) order() {
	number := map[string]float64{}
	for _, text := range a.Values {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return
		}
		number[text] = x
	}
	a.Number = true
	slices.SortFunc(a.Values, func(x, y string) int { return cmp.Compare(number[x], number[y]) })
}

// grid identifies the tried values of a group; groups that were tuned equally have the
// same one.
func (g *tuningGroup) grid() string {
	parts := []string{strconv.Itoa(g.Tried)}
	for _, a := range g.Axes {
		parts = append(parts, a.Key, words.Joined(a.Values))
	}
	return words.Joined(parts)
}
