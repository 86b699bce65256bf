package scores

import (
	"fmt"
	"slices"

	"infbench/metrics"
	"infbench/reports/table"
)

// HeadlineTask is the name of the task that stands for its whole benchmark
// where there is one; the benchmark's other tasks are slices, shown apart and
// never averaged with it.
const HeadlineTask = "headline"

// Number is a number that a leaderboard shows for each system: one measure on
// one side of some tasks of a benchmark, the unweighted mean over the tasks
// where there are several.
type Number struct {
	Benchmark, Side, Measure string
	Tasks                    []string
}

// Scoring is the measure with its side.
func (c Number) Scoring() string { return Slot{Side: c.Side, Measure: c.Measure}.Scoring() }

// Test names what is scored: "mini-followir/headline", or the benchmark and its
// number of tasks.
func (c Number) Test() string {
	if len(c.Tasks) == 1 {
		return c.Benchmark + "/" + c.Tasks[0]
	}
	return fmt.Sprintf("%s (mean of %d tasks)", c.Benchmark, len(c.Tasks))
}

// Heading is the column of a table that shows c.
func (c Number) Heading() table.Column {
	best := map[metrics.Direction]table.Best{metrics.Higher: table.Highest, metrics.Lower: table.Lowest, metrics.Neither: table.NoBest}[c.Direction()]
	return table.Column{Group: c.Test(), Name: c.Scoring(), Number: true, Best: best}
}

// Direction says which of two values of c is better; of an unknown measure neither is.
func (c Number) Direction() metrics.Direction {
	d, _ := metrics.DirectionOf(c.Measure) // Neither with the error
	return d
}

// Slots lists the slots behind a column.
func (c Number) Slots() []Slot {
	out := make([]Slot, len(c.Tasks))
	for i, task := range c.Tasks {
		out[i] = Slot{c.Benchmark, task, c.Side, c.Measure}
	}
	return out
}

// Stratum is queries that are averaged together, all of them alike: those of one task.
type Stratum struct{ Slots []Slot }

// Strata lists what a number is a weighted mean of.
func (c Number) Strata() []Stratum {
	out := make([]Stratum, len(c.Tasks))
	for i, at := range c.Slots() {
		out[i].Slots = []Slot{at}
	}
	return out
}

// Weights of the strata, which add up to 1; sizes are their numbers of queries.
func (c Number) Weights(sizes []int) []float64 {
	return slices.Repeat([]float64{1 / float64(len(sizes))}, len(sizes))
}

// Gathered returns what a system contributes to a column, planned trials that
// have no values included.
func (v *Set) Gathered(s *System, c Number) *gathered {
	g := &gathered{}
	for _, t := range s.Trials {
		for _, at := range c.Slots() {
			if v.Expects(t, at) {
				g.records = append(g.records, Record{view: v, system: s, trial: t, slot: at})
			}
		}
	}
	return g
}

// Cell is the number of a system in a column.
func (v *Set) Cell(s *System, c Number) Cell {
	g := v.Gathered(s, c)
	if len(g.records) == 0 {
		return Cell{State: Unplanned}
	}
	return g.cell()
}

// MainColumns chooses what a leaderboard shows of a benchmark: every scoring of
// the pair and of its original side where queries come in pairs, else the first
// measure; over the headline task where there is one, else over all tasks that
// have the scoring. A scoring that only some of the tasks have gets a column for
// each of them, so that no mean is over other tasks than its neighbour's.
func (v *Set) MainColumns(name string) []Number {
	var scorings []Number
	tasks := v.Tasks(name)
	paired := v.paired(name)
	for _, s := range v.Slots {
		if s.Benchmark != name || s.Side == "changed" || (!paired && len(scorings) > 0 && scorings[0].Measure != s.Measure) {
			continue
		}
		if slices.Contains(tasks, HeadlineTask) && s.Task != HeadlineTask {
			continue
		}
		i := slices.IndexFunc(scorings, func(c Number) bool { return c.Measure == s.Measure && c.Side == s.Side })
		if i < 0 {
			scorings = append(scorings, Number{Benchmark: name, Side: s.Side, Measure: s.Measure})
			i = len(scorings) - 1
		}
		scorings[i].Tasks = append(scorings[i].Tasks, s.Task)
	}
	if slices.Contains(tasks, HeadlineTask) {
		return scorings
	}
	var out []Number
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
			out = append(out, Number{Benchmark: name, Side: at.Side, Measure: at.Measure, Tasks: []string{task}})
		}
	}
	return out
}

// Tasks lists the tasks of a benchmark in the order of the values.
func (v *Set) Tasks(name string) []string {
	var out []string
	for _, s := range v.Slots {
		if s.Benchmark == name && !slices.Contains(out, s.Task) {
			out = append(out, s.Task)
		}
	}
	return out
}

// paired reports whether a benchmark's queries come in pairs of instructions.
func (v *Set) paired(name string) bool {
	return slices.ContainsFunc(v.Slots, func(s Slot) bool { return s.Benchmark == name && s.Side != "" })
}

// Number is the column of one slot.
func (s Slot) Column() Number {
	return Number{Benchmark: s.Benchmark, Side: s.Side, Measure: s.Measure, Tasks: []string{s.Task}}
}

// Same reports whether two numbers are one.
func (c Number) Same(d Number) bool {
	return c.Benchmark == d.Benchmark && c.Side == d.Side && c.Measure == d.Measure && slices.Equal(c.Tasks, d.Tasks)
}
