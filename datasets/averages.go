package datasets

import "slices"

// Average is the mean of one measure over the tasks of a group.
type Average struct {
	Group   string  // a name in Task.Groups, a task's own name, or "" for everything
	Level   int     // its place in Task.Groups; len(Groups) for a task, -1 for everything
	Tasks   int     // tasks in it with at least one value
	Queries int     // values averaged
	Missing int     // judged queries of its tasks without a value
	Queried float64 // mean over queries, each counting alike
	Macro   float64 // mean over its units, each counting alike
}

// Averages groups per-query values (task name -> query ID -> value) by what
// Task.Groups says, and over everything. The units of Macro are the published
// tasks, that is the groups of level unit, each by its mean over queries; MAIR has
// domains at level 0 and published tasks at level 1. Groups without any value
// are left out. The order is: everything, then by level, then as the tasks come.
func Averages(tasks []Task, unit int, values map[string]map[string]float64) []Average {
	a := averager{index: map[[2]any]int{}}
	for i := range tasks {
		t := &tasks[i]
		unitName := t.Name
		if unit < len(t.Groups) {
			unitName = t.Groups[unit]
		}
		a.add("", -1, unitName, t, values[t.Name])
		for level, group := range t.Groups {
			a.add(group, level, unitName, t, values[t.Name])
		}
		if !slices.Contains(t.Groups, t.Name) {
			a.add(t.Name, len(t.Groups), unitName, t, values[t.Name])
		}
	}
	return a.averages()
}

// averager collects sums by group and, within it, by unit.
type averager struct {
	index  map[[2]any]int // (group, level) -> place in groups
	groups []groupSum
}

type groupSum struct {
	Average
	units []string
	sums  map[string]unitSum
}

type unitSum struct {
	sum float64
	n   int
}

// add counts the values of a task, in the order of its queries, for one group.
func (a *averager) add(group string, level int, unit string, t *Task, values map[string]float64) {
	key := [2]any{group, level}
	i, seen := a.index[key]
	if !seen {
		i = len(a.groups)
		a.index[key] = i
		a.groups = append(a.groups, groupSum{Average: Average{Group: group, Level: level}, sums: map[string]unitSum{}})
	}
	g := &a.groups[i]
	before := g.Queries
	for _, q := range t.Queries {
		v, ok := values[q.ID]
		if !ok {
			g.Missing++
			continue
		}
		u, known := g.sums[unit]
		if !known {
			g.units = append(g.units, unit)
		}
		g.sums[unit] = unitSum{u.sum + v, u.n + 1}
		g.Queries++
	}
	if g.Queries > before {
		g.Tasks++
	}
}

// averages turns the sums into means.
func (a *averager) averages() []Average {
	var all []Average
	for _, g := range a.groups {
		if g.Queries == 0 {
			continue
		}
		for _, unit := range g.units {
			u := g.sums[unit]
			g.Queried += u.sum
			g.Macro += u.sum / float64(u.n)
		}
		g.Queried /= float64(g.Queries)
		g.Macro /= float64(len(g.units))
		all = append(all, g.Average)
	}
	slices.SortStableFunc(all, func(x, y Average) int { return x.Level - y.Level })
	return all
}
