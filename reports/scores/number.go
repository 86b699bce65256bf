package scores

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/metrics"
	"infbench/reports/table"
)

// Number is a number that a leaderboard shows for each system: a measure on one side of
// some tasks of a benchmark. Over several tasks it is a mean of its strata.
type Number struct {
	Benchmark, Side, Measure string
	Tasks                    []string // all tasks of the number

	// Set for a combination, which has a value only if all of its tasks have one: a mean
	// over fewer tasks is a different number.
	Name    string    // "mean of 126 tasks", "MAIR-5"
	Parts   []Stratum // the strata averaged
	Shares  []float64 // weights of Parts, with sum 1; nil: see ByQuery
	ByQuery bool      // weigh each stratum by its number of queries; else all equally
}

// Scoring returns the measure with its side.
func (c Number) Scoring() string { return Slot{Side: c.Side, Measure: c.Measure}.Scoring() }

// Called returns the task, or the name of the mean over several.
func (c Number) Called() string {
	if c.Name == "" && len(c.Tasks) == 1 {
		return c.Tasks[0]
	}
	return cmp.Or(c.Name, meanOf(len(c.Tasks)))
}

// meanOf names the unweighted mean over some tasks.
func meanOf(tasks int) string { return fmt.Sprintf("mean of %d tasks", tasks) }

// Test returns the name of the test: "mini-followir/headline", or the benchmark and its
// mean over tasks.
func (c Number) Test() string {
	if c.Name == "" && len(c.Tasks) == 1 {
		return c.Benchmark + "/" + c.Tasks[0]
	}
	return fmt.Sprintf("%s (%s)", c.Benchmark, c.Called())
}

// Label names the number: "p-MRR on mini-followir/headline".
func (c Number) Label() string { return c.Scoring() + " on " + c.Test() }

// Same reports whether two numbers are the same.
func (c Number) Same(other Number) bool {
	return c.Benchmark == other.Benchmark && c.Side == other.Side && c.Measure == other.Measure && slices.Equal(c.Tasks, other.Tasks) &&
		(c.Name == other.Name || c.Test() == other.Test())
}

// Key returns the same text for numbers that are the same and weigh the same parts.
func (c Number) Key() string {
	parts := []string{fmt.Sprint(c.Shares, c.ByQuery, c.Parts != nil)}
	for _, s := range c.Parts {
		for _, at := range s.Slots {
			parts = append(parts, at.Benchmark, at.Task, at.Side, at.Measure)
		}
		parts = append(parts, "")
	}
	return words.Joined([]string{c.Benchmark, c.Side, c.Measure, c.Test()}, c.Tasks, parts)
}

// Heading returns the table column that shows c.
func (c Number) Heading() table.Column {
	best := map[metrics.Direction]table.Best{metrics.Higher: table.Highest, metrics.Lower: table.Lowest, metrics.Neither: table.NoBest}[c.Direction()]
	return table.Column{Group: c.Test(), Name: c.Scoring(), Number: true, Best: best, Help: c.Explain()}
}

// Explain describes what the number measures in one line; "" if its measure is unknown.
func (c Number) Explain() string {
	text := metrics.Explain(c.Measure)
	if text == "" && len(c.Parts) > 0 {
		var measures []string
		for _, at := range c.Slots() {
			measures = words.AddNew(measures, at.Measure)
		}
		text = "The mean over tasks, each by its own measure: " + strings.Join(measures, ", ") + "."
	}
	if text != "" && c.Side != "" {
		text += " For the rankings under the " + c.Side + " instructions."
	}
	return text
}

// Direction returns the better direction of c. A mean over several measures has one if
// they agree; an unknown measure has none.
func (c Number) Direction() metrics.Direction {
	d, err := metrics.DirectionOf(c.Measure) // Neither if there is an error
	if err == nil || len(c.Parts) == 0 {
		return d
	}
	slots := c.Slots()
	d, _ = metrics.DirectionOf(slots[0].Measure)
	for _, at := range slots[1:] {
		if other, _ := metrics.DirectionOf(at.Measure); other != d {
			return metrics.Neither
		}
	}
	return d
}

// Slots lists the slots of a number.
func (c Number) Slots() []Slot {
	var out []Slot
	for _, s := range c.Strata() {
		out = append(out, s.Slots...)
	}
	return out
}

// Stratum is a set of queries that are averaged together with equal weight: those of one
// task, or of all splits of one published task. The mean over splits is then weighted by
// their size.
type Stratum struct {
	Slots []Slot
	Name  string // name of the published task if it has several splits
}

// Strata lists the strata of a number.
func (c Number) Strata() []Stratum {
	if c.Parts != nil {
		return c.Parts
	}
	out := make([]Stratum, len(c.Tasks))
	for i, task := range c.Tasks {
		out[i].Slots = []Slot{{c.Benchmark, task, c.Side, c.Measure}}
	}
	return out
}

// Weights returns the weights of the strata, with sum 1; sizes are their numbers of
// queries.
func (c Number) Weights(sizes []int) []float64 {
	if len(c.Shares) == len(sizes) {
		return slices.Clone(c.Shares)
	}
	total := 0
	for _, n := range sizes {
		total += n
	}
	out := make([]float64, len(sizes))
	for i, n := range sizes {
		out[i] = 1 / float64(len(sizes))
		if c.ByQuery {
			out[i] = float64(n) / float64(total)
		}
	}
	return out
}

// Each returns the strata as numbers of their own.
func (c Number) Each() []Number {
	var out []Number
	for _, s := range c.Strata() {
		out = append(out, s.number())
	}
	return out
}

// number returns a stratum as a number.
func (s Stratum) number() Number {
	one := s.Slots[0].Column()
	if len(s.Slots) == 1 {
		return one
	}
	one.Name, one.Parts, one.Tasks = fmt.Sprintf("%s, %d splits", s.Name, len(s.Slots)), []Stratum{s}, nil
	for _, at := range s.Slots {
		one.Tasks = append(one.Tasks, at.Task)
	}
	return one
}

// Column returns the number of one slot.
func (s Slot) Column() Number {
	return Number{Benchmark: s.Benchmark, Side: s.Side, Measure: s.Measure, Tasks: []string{s.Task}}
}
