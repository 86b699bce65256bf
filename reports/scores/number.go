package scores

import (
	"cmp"
	"fmt"
	"slices"

	"infbench/internal/words"
	"infbench/metrics"
	"infbench/reports/table"
)

// Number is a number that a leaderboard shows for each system: a measure on one
// side of some tasks of a benchmark. Over several tasks it is a mean of its strata.
type Number struct {
	Benchmark, Side, Measure string
	Tasks                    []string // all that it is over

	// Of a combination, which has a value only where all of its tasks have one: a
	// mean over fewer is another number.
	Name    string    // "mean of 126 tasks", "MAIR-5"
	Parts   []Stratum // what it averages
	Shares  []float64 // by which Parts weigh, adding up to 1; nil: as ByQuery says
	ByQuery bool      // each stratum weighs as many queries as it has; else all weigh alike
}

// Scoring is the measure with its side.
func (c Number) Scoring() string { return Slot{Side: c.Side, Measure: c.Measure}.Scoring() }

// Called is the task, or the name of the mean over several.
func (c Number) Called() string {
	if c.Name == "" && len(c.Tasks) == 1 {
		return c.Tasks[0]
	}
	return cmp.Or(c.Name, meanOf(len(c.Tasks)))
}

// meanOf names the unweighted mean over some tasks.
func meanOf(tasks int) string { return fmt.Sprintf("mean of %d tasks", tasks) }

// Test names what is scored: "mini-followir/headline", or the benchmark and its
// mean over tasks.
func (c Number) Test() string {
	if c.Name == "" && len(c.Tasks) == 1 {
		return c.Benchmark + "/" + c.Tasks[0]
	}
	return fmt.Sprintf("%s (%s)", c.Benchmark, c.Called())
}

// Same reports whether two numbers are one.
func (c Number) Same(other Number) bool {
	return c.Benchmark == other.Benchmark && c.Side == other.Side && c.Measure == other.Measure && slices.Equal(c.Tasks, other.Tasks) &&
		(c.Name == other.Name || c.Test() == other.Test())
}

// Key is one text for numbers that are the same and weigh the same parts.
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

// Heading is the column of a table that shows c.
func (c Number) Heading() table.Column {
	best := map[metrics.Direction]table.Best{metrics.Higher: table.Highest, metrics.Lower: table.Lowest, metrics.Neither: table.NoBest}[c.Direction()]
	return table.Column{Group: c.Test(), Name: c.Scoring(), Number: true, Best: best}
}

// Direction says which of two values of c is better: of a mean over several
// measures what they agree on; of an unknown measure neither is.
func (c Number) Direction() metrics.Direction {
	d, err := metrics.DirectionOf(c.Measure) // Neither with the error
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

// Slots lists the slots behind a column.
func (c Number) Slots() []Slot {
	var out []Slot
	for _, s := range c.Strata() {
		out = append(out, s.Slots...)
	}
	return out
}

// Stratum is queries that are averaged together, all of them alike: those of one
// task, or of all splits of one published task, which makes their mean that of the
// splits weighted by size.
type Stratum struct {
	Slots []Slot
	Name  string // of the published task where it has several splits
}

// Strata lists what a number is a weighted mean of.
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

// Weights of the strata, which add up to 1; sizes are their numbers of queries.
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

// Each lists the strata as numbers of their own.
func (c Number) Each() []Number {
	var out []Number
	for _, s := range c.Strata() {
		out = append(out, s.number())
	}
	return out
}

// number is a stratum by itself.
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

// Column is the number of one slot.
func (s Slot) Column() Number {
	return Number{Benchmark: s.Benchmark, Side: s.Side, Measure: s.Measure, Tasks: []string{s.Task}}
}
