package scores

import (
	"fmt"
	"slices"

	"infbench/internal/words"
	"infbench/reports/published"
)

// HeadlineTask is the name of the task that represents its benchmark, if there is one. The
// benchmark's other tasks are slices, which are shown separately and never averaged with
// it.
const HeadlineTask = "headline"

// Columns holds the numbers that tables show for one benchmark of a set.
type Columns struct {
	name       string
	benchmarks Benchmarks
	slots      []Slot // slots of the benchmark, in the order of the set
	trials     []*Trial
	asked      []string // measures to show in addition
}

// Columns returns the columns of a benchmark, given its display name.
func (v *Set) Columns(name string) *Columns {
	of := slices.DeleteFunc(slices.Clone(v.Slots), func(s Slot) bool { return s.Benchmark != name })
	return &Columns{name: name, benchmarks: v.Benchmarks, slots: of, trials: v.Trials}
}

// With returns the columns with these measures shown in addition to the default ones.
func (b *Columns) With(measures []string) *Columns {
	with := *b
	with.asked = measures
	return &with
}

// Measures lists the measures that a leaderboard can show: those of its columns, and all
// that any trial has values of.
func (v *Set) Measures() (all []string) {
	for _, name := range v.BenchmarkNames() {
		for _, c := range v.Columns(name).Main() {
			all = words.AddNew(all, c.Measure)
		}
	}
	for _, s := range v.Slots {
		all = words.AddNew(all, s.Measure)
	}
	return all
}

func (b *Columns) about() *Benchmark { return b.benchmarks[b.name] }

// Main returns the numbers that a leaderboard shows for the benchmark. It has the
// published combinations (FollowIR's score, MAIR's means). If queries come in pairs it has
// every scoring of the pair and of its original side, else the first measure and those
// asked for. A number is over the headline task if there is one, else over all tasks that
// have the scoring. A scoring that only some tasks have gets a column for each of them, so
// that all means are over the same tasks. It gets none if published means over those tasks
// represent them.
func (b *Columns) Main() []Number {
	scorings, tasks := b.scorings(), b.Tasks()
	if slices.Contains(tasks, HeadlineTask) {
		return scorings
	}
	var whole, rest []Number
	for _, c := range b.Combinations() {
		if len(c.Tasks) == len(tasks) {
			whole = append(whole, c.Number)
		} else {
			rest = append(rest, c.Number)
		}
	}
	out := whole
	for _, c := range scorings {
		if len(c.Tasks) < len(tasks) && c.within(rest) && !slices.Contains(b.asked, c.Measure) {
			continue // those means represent its tasks
		}
		for _, column := range b.columnsOf(c, len(tasks)) {
			if !slices.ContainsFunc(whole, column.repeats) {
				out = append(out, column)
			}
		}
	}
	return append(out, rest...)
}

// scorings lists the numbers that a leaderboard may show for the benchmark, over the
// headline task if there is one, else each over all tasks that have it.
func (b *Columns) scorings() []Number {
	var out []Number
	headline, paired := slices.Contains(b.Tasks(), HeadlineTask), b.paired()
	for _, s := range b.slots {
		other := !paired && len(out) > 0 && out[0].Measure != s.Measure && !slices.Contains(b.asked, s.Measure)
		if s.Side == "changed" || other || headline && s.Task != HeadlineTask {
			continue
		}
		i := slices.IndexFunc(out, func(c Number) bool { return c.Measure == s.Measure && c.Side == s.Side })
		if i < 0 {
			out = append(out, Number{Benchmark: b.name, Side: s.Side, Measure: s.Measure})
			i = len(out) - 1
		}
		out[i].Tasks = append(out[i].Tasks, s.Task)
	}
	return out
}

// columnsOf returns the columns that show a scoring of the benchmark, which has that many
// tasks.
func (b *Columns) columnsOf(c Number, tasks int) []Number {
	switch {
	case b.benchmarks.grouped(c):
		return b.groupMeans(c)
	case len(c.Tasks) == tasks:
		return []Number{c}
	}
	return c.Each()
}

// within reports whether each task of c is a part of some other number.
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

// Slices returns one column for each task of a benchmark that has a headline task,
// starting with that task: its first scoring on each task.
func (b *Columns) Slices() []Number {
	main, tasks := b.Main(), b.Tasks()
	if !slices.Contains(tasks, HeadlineTask) || len(tasks) < 2 {
		return nil
	}
	out := []Number{main[0]}
	for _, task := range tasks {
		at := Slot{b.name, task, main[0].Side, main[0].Measure}
		if task != HeadlineTask && slices.Contains(b.slots, at) {
			out = append(out, at.Column())
		}
	}
	return out
}

// Means lists the means over several tasks of the benchmark: each task with several
// splits, then the columns of leaderboards.
func (b *Columns) Means() []Number {
	var splits, columns []Number
	for _, c := range b.Main() {
		if len(c.Tasks) < 2 && c.Name == "" {
			continue
		}
		for _, one := range c.Each() {
			if len(one.Tasks) > 1 && !slices.ContainsFunc(splits, one.Same) {
				splits = append(splits, one)
			}
		}
		if !slices.ContainsFunc(splits, c.Same) {
			columns = append(columns, c)
		}
	}
	return append(splits, columns...)
}

// Tasks lists the tasks of the benchmark in the order of the values.
func (b *Columns) Tasks() []string {
	var out []string
	for _, s := range b.slots {
		out = words.AddNew(out, s.Task)
	}
	return out
}

// paired reports whether the benchmark's queries come in pairs of instructions.
func (b *Columns) paired() bool {
	return slices.ContainsFunc(b.slots, func(s Slot) bool { return s.Side != "" })
}

// MeansNotes describes how the means of columns weigh splits and tasks, and names
// benchmarks whose groups of tasks are not recorded.
func MeansNotes(v *Set, columns []Number) []string {
	var out []string
	for _, c := range columns {
		b := v.Benchmarks[c.Benchmark]
		switch {
		case slices.ContainsFunc(c.Parts, func(s Stratum) bool { return len(s.Slots) > 1 }):
			out = words.AddNew(out, fmt.Sprintf("For %s, the value of a task with several splits is the mean over all of their queries.", c.Benchmark))
		case len(c.Tasks) > 1 && c.Name == "" && published.Grouped(b.Name) && !v.Benchmarks.grouped(c):
			out = words.AddNew(out, fmt.Sprintf("For %s, groups of tasks are not recorded, so each split counts as a task. The published means differ.", c.Benchmark))
		}
		if c.ByQuery {
			out = words.AddNew(out, fmt.Sprintf("For %s, the mean by queries weighs all queries equally.", c.Benchmark))
		}
	}
	return out
}
