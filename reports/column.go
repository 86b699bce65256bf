package reports

import (
	"fmt"
	"slices"
)

// headlineTask is the name of the task that stands for its whole benchmark
// where there is one; the benchmark's other tasks are slices, shown apart and
// never averaged with it.
const headlineTask = "headline"

// column is a number that a leaderboard shows for each system: one measure on
// one side of some tasks of a benchmark, the unweighted mean over the tasks
// where there are several.
type column struct {
	Benchmark, Side, Measure string
	Tasks                    []string
}

// scoring is the measure with its side.
func (c column) scoring() string { return slot{Side: c.Side, Measure: c.Measure}.scoring() }

// test names what is scored: "mini-followir/headline", or the benchmark and its
// number of tasks.
func (c column) test() string {
	if len(c.Tasks) == 1 {
		return c.Benchmark + "/" + c.Tasks[0]
	}
	return fmt.Sprintf("%s (mean of %d tasks)", c.Benchmark, len(c.Tasks))
}

// heading is the column of a table that shows c.
func (c column) heading() Column {
	return Column{Group: c.test(), Name: c.scoring(), Number: true}
}

// slots lists the slots behind a column.
func (c column) slots() []slot {
	out := make([]slot, len(c.Tasks))
	for i, task := range c.Tasks {
		out[i] = slot{c.Benchmark, task, c.Side, c.Measure}
	}
	return out
}

// gathered returns what a system contributes to a column, planned trials that
// have no values included.
func (v *view) gathered(s *system, c column) *gathered {
	g := &gathered{}
	for _, t := range s.trials {
		for _, at := range c.slots() {
			if v.expects(t, at) {
				g.records = append(g.records, record{view: v, system: s, trial: t, slot: at})
			}
		}
	}
	return g
}

// cell is the number of a system in a column.
func (v *view) cell(s *system, c column) Cell {
	g := v.gathered(s, c)
	if len(g.records) == 0 {
		return Cell{State: Unplanned}
	}
	return g.cell()
}

// mainColumns chooses what a leaderboard shows of a benchmark: every scoring of
// the pair and of its original side where queries come in pairs, else the first
// measure; over the headline task where there is one, else over all tasks that
// have the scoring. A scoring that only some of the tasks have gets a column for
// each of them, so that no mean is over other tasks than its neighbour's.
func (v *view) mainColumns(name string) []column {
	var scorings []column
	tasks := v.tasks(name)
	paired := v.paired(name)
	for _, s := range v.slots {
		if s.Benchmark != name || s.Side == "changed" || (!paired && len(scorings) > 0 && scorings[0].Measure != s.Measure) {
			continue
		}
		if slices.Contains(tasks, headlineTask) && s.Task != headlineTask {
			continue
		}
		i := slices.IndexFunc(scorings, func(c column) bool { return c.Measure == s.Measure && c.Side == s.Side })
		if i < 0 {
			scorings = append(scorings, column{Benchmark: name, Side: s.Side, Measure: s.Measure})
			i = len(scorings) - 1
		}
		scorings[i].Tasks = append(scorings[i].Tasks, s.Task)
	}
	if slices.Contains(tasks, headlineTask) {
		return scorings
	}
	var out []column
	for _, c := range scorings {
		if len(c.Tasks) == len(tasks) {
			out = append(out, c)
			continue
		}
		for _, task := range c.Tasks {
			one := c
			one.Tasks = []string{task}
			out = append(out, one)
		}
	}
	return out
}

// slices lists one column for each task of a benchmark that has a headline
// task, that one first: its first scoring on each task.
func (v *view) sliceColumns(name string) []column {
	main := v.mainColumns(name)
	tasks := v.tasks(name)
	if !slices.Contains(tasks, headlineTask) || len(tasks) < 2 {
		return nil
	}
	out := []column{main[0]}
	for _, task := range tasks {
		at := slot{name, task, main[0].Side, main[0].Measure}
		if task != headlineTask && slices.Contains(v.slots, at) {
			out = append(out, column{Benchmark: name, Side: at.Side, Measure: at.Measure, Tasks: []string{task}})
		}
	}
	return out
}

// tasks lists the tasks of a benchmark in the order of the values.
func (v *view) tasks(name string) []string {
	var out []string
	for _, s := range v.slots {
		if s.Benchmark == name && !slices.Contains(out, s.Task) {
			out = append(out, s.Task)
		}
	}
	return out
}

// paired reports whether a benchmark's queries come in pairs of instructions.
func (v *view) paired(name string) bool {
	return slices.ContainsFunc(v.slots, func(s slot) bool { return s.Benchmark == name && s.Side != "" })
}
