package scores

import (
	"slices"

	"infbench/internal/words"
)

// HeadlineTask is the name of the task that stands for its whole benchmark
// where there is one; the benchmark's other tasks are slices, shown apart and
// never averaged with it.
const HeadlineTask = "headline"

// MainColumns chooses what a leaderboard shows of a benchmark: the combinations
// that are published of it (FollowIR's score, MAIR's means), and every scoring of
// the pair and of its original side where queries come in pairs, else the first
// measure; over the headline task where there is one, else over all tasks that
// have the scoring. A scoring that only some of the tasks have gets a column for
// each of them, so that no mean is over other tasks than its neighbour's; none where means
// that are published of some of the tasks stand for them all.
func (v *Set) MainColumns(name string) []Number {
	scorings, tasks := v.scorings(name), v.Tasks(name)
	if slices.Contains(tasks, HeadlineTask) {
		return scorings
	}
	var whole, rest []Number
	for _, c := range v.Combinations(name) {
		if len(c.Tasks) == len(tasks) {
			whole = append(whole, c.Number)
		} else {
			rest = append(rest, c.Number)
		}
	}
	out := whole
	for _, c := range scorings {
		if len(c.Tasks) < len(tasks) && c.within(rest) {
			continue // those means stand for its tasks
		}
		for _, column := range v.columnsOf(c, len(tasks)) {
			if !slices.ContainsFunc(whole, column.repeats) {
				out = append(out, column)
			}
		}
	}
	return append(out, rest...)
}

// scorings lists what a leaderboard may show of a benchmark, each over all tasks
// that have it; of a benchmark with a headline task over that.
func (v *Set) scorings(name string) []Number {
	var out []Number
	headline, paired := slices.Contains(v.Tasks(name), HeadlineTask), v.paired(name)
	for _, s := range v.Slots {
		other := !paired && len(out) > 0 && out[0].Measure != s.Measure
		if s.Benchmark != name || s.Side == "changed" || other || headline && s.Task != HeadlineTask {
			continue
		}
		i := slices.IndexFunc(out, func(c Number) bool { return c.Measure == s.Measure && c.Side == s.Side })
		if i < 0 {
			out = append(out, Number{Benchmark: name, Side: s.Side, Measure: s.Measure})
			i = len(out) - 1
		}
		out[i].Tasks = append(out[i].Tasks, s.Task)
	}
	return out
}

// columnsOf are the columns that show a scoring of a benchmark of so many tasks.
func (v *Set) columnsOf(c Number, tasks int) []Number {
	switch {
	case v.grouped(c):
		return v.groupMeans(c)
	case len(c.Tasks) == tasks:
		return []Number{c}
	}
	return c.Each()
}

// within reports whether each single number of c is a part of some other.
func (c Number) within(others []Number) bool {
	return !slices.ContainsFunc(c.Slots(), func(at Slot) bool {
		return !slices.ContainsFunc(others, func(other Number) bool { return slices.Contains(other.Slots(), at) })
	})
}

// repeats reports whether c is the same mean under another name.
func (c Number) repeats(other Number) bool {
	if c.ByQuery != other.ByQuery || len(c.Strata()) != len(other.Strata()) {
		return false
	}
	slots := other.Slots()
	return !slices.ContainsFunc(c.Slots(), func(at Slot) bool { return !slices.Contains(slots, at) })
}

// SliceColumns lists one column for each task of a benchmark that has a headline
// task, that one first: its first scoring on each task.
func (v *Set) SliceColumns(name string) []Number {
	main := v.MainColumns(name)
	tasks := v.Tasks(name)
	if !slices.Contains(tasks, HeadlineTask) || len(tasks) < 2 {
		return nil
	}
	out := []Number{main[0]}
	for _, task := range tasks {
		at := Slot{name, task, main[0].Side, main[0].Measure}
		if task != HeadlineTask && slices.Contains(v.Slots, at) {
			out = append(out, at.Column())
		}
	}
	return out
}

// Tasks lists the tasks of a benchmark in the order of the values.
func (v *Set) Tasks(name string) []string {
	var out []string
	for _, s := range v.Slots {
		if s.Benchmark == name {
			out = words.AddNew(out, s.Task)
		}
	}
	return out
}

// paired reports whether a benchmark's queries come in pairs of instructions.
func (v *Set) paired(name string) bool {
	return slices.ContainsFunc(v.Slots, func(s Slot) bool { return s.Benchmark == name && s.Side != "" })
}
