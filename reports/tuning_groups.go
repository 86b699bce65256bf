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

// tuningGroup is a set of configurations that competed with each other, or might have:
// those among which one was picked, else those of one method that differ only in numbers
// of training.
type tuningGroup struct {
	Systems []*scores.System
	Chosen  *scores.System // nil: none was picked
	Tried   int            // configurations, those of the plan that the board does not show among them
	Axes    []tuningAxis   // settings of which several values were tried
}

// tuningAxis is a setting of which several values were tried.
type tuningAxis struct {
	Key    string
	Values []string // numbers ascending, else in the order of the systems
	Number bool     // all of them are
}

// Edge says at which end of the tried numbers a value lies: "smallest", "largest", or
// "" for one inside and for what is no number.
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

// groupsKey is that of Groups, for what a set keeps.
type groupsKey struct{}

// tuningGroups groups the trained systems of a view, in the order of their first. The
// groups may not be changed.
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

// add enters a system.
func (g *tuningGroup) add(s *scores.System) {
	g.Systems = append(g.Systems, s)
	g.Tried = max(g.Tried, len(g.Systems))
	if p := s.Picked(); p.On != "" && g.Chosen == nil {
		g.Chosen = s
		g.Tried = max(g.Tried, p.Among)
	}
}

// experiment is the first that has a run of a system.
func experiment(s *scores.System) string { return s.Trials[0].Experiment }

// perOf is what each experiment that picked anything picked for.
func perOf(trained []*scores.System) map[string][]string {
	out := map[string][]string{}
	for _, s := range trained {
		if p := s.Picked(); p.Per != "" {
			out[experiment(s)] = strings.Split(p.Per, ",")
		}
	}
	return out
}

// numericKeys lists the settings of training that have only numbers as values and are
// tuned; the settings of an objective are part of the method.
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

// groupKey names the group of a system.
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
		delete(values, results.Model) // the same, of what was trained
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

// order sorts numbers.
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

// grid is what was tried of a group, the same for groups that were tuned equally.
func (g *tuningGroup) grid() string {
	parts := []string{strconv.Itoa(g.Tried)}
	for _, a := range g.Axes {
		parts = append(parts, a.Key, words.Joined(a.Values))
	}
	return words.Joined(parts)
}
