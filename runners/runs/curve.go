package runs

import (
	"maps"
	"slices"

	"infbench/internal/words"
	"infbench/runners/results"
)

// pointsAtMost is the largest number of points in a curve, however long the training.
const pointsAtMost = 120

// Names of the series of a curve; the loss of a term is Term and its name.
const (
	Loss     = "loss"
	Accuracy = "accuracy"
	GradNorm = "gradient norm"
	Rate     = "tokens/s"
	Term     = "term "
)

// Curve is the course of a training so far, in at most pointsAtMost points. A point is one step
// or the mean of several. The zero value is an empty curve.
type Curve struct {
	Every  int // steps for each point
	points []bucket
	last   int // step that was added last
}

// bucket collects the steps of one point.
type bucket struct {
	number int // the steps number*Every+1 to (number+1)*Every
	sums   map[string]sum
}

type sum struct {
	of float64
	n  int
}

// CurvePoint is a value with its position, the last step of the point.
type CurvePoint struct{ Step, Value float64 }

// Add adds the values of a step. A repeated step, as after a kill, replaces the values from
// there on. Values that are not finite are left out.
func (c *Curve) Add(step int, values map[string]float64) {
	if step < 1 {
		return
	}
	c.Every = max(c.Every, 1)
	if step <= c.last {
		c.points = slices.DeleteFunc(c.points, func(b bucket) bool { return b.number*c.Every+1 >= step })
	}
	c.last = step
	number := (step - 1) / c.Every
	if n := len(c.points); n == 0 || c.points[n-1].number != number {
		if n == pointsAtMost {
			c.halve()
			number = (step - 1) / c.Every
		}
	}
	if n := len(c.points); n == 0 || c.points[n-1].number != number {
		c.points = append(c.points, bucket{number, map[string]sum{}})
	}
	sums := c.points[len(c.points)-1].sums
	for name, v := range values {
		if words.Finite(v) {
			s := sums[name]
			sums[name] = sum{s.of + v, s.n + 1}
		}
	}
}

// also adds a value to an existing step.
func (c *Curve) also(step int, name string, v float64) {
	number := (step - 1) / max(c.Every, 1)
	i, found := slices.BinarySearchFunc(c.points, number, func(b bucket, n int) int { return b.number - n })
	if found && step > 0 && words.Finite(v) {
		s := c.points[i].sums[name]
		c.points[i].sums[name] = sum{s.of + v, s.n + 1}
	}
}

// halve joins each two points to one.
func (c *Curve) halve() {
	c.Every *= 2
	var out []bucket
	for _, b := range c.points {
		b.number /= 2
		if n := len(out); n == 0 || out[n-1].number != b.number {
			out = append(out, b)
			continue
		}
		for name, s := range b.sums {
			was := out[len(out)-1].sums[name]
			out[len(out)-1].sums[name] = sum{was.of + s.of, was.n + s.n}
		}
	}
	c.points = out
}

// Names lists the existing series, sorted.
func (c *Curve) Names() []string {
	all := map[string]bool{}
	for _, b := range c.points {
		for name := range b.sums {
			all[name] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// Series returns the points of a series, by step.
func (c *Curve) Series(name string) []CurvePoint {
	var out []CurvePoint
	for i, b := range c.points {
		if s := b.sums[name]; s.n > 0 {
			step := (b.number + 1) * c.Every
			if i == len(c.points)-1 {
				step = min(step, c.last)
			}
			out = append(out, CurvePoint{float64(step), s.of / float64(s.n)})
		}
	}
	return out
}

// clone returns a copy of the curve.
func (c *Curve) clone() *Curve {
	out := *c
	out.points = slices.Clone(c.points)
	for i := range out.points {
		out.points[i].sums = maps.Clone(out.points[i].sums)
	}
	return &out
}

// values returns the series of a line of train.jsonl. If no accuracy was measured, the
// reciprocal rank is left out, too: it is positive even for a step that ranks nothing first.
func values(s *results.Step) map[string]float64 {
	out := map[string]float64{Loss: s.Loss, GradNorm: s.GradNorm}
	if s.Accuracy != 0 || s.MRR != 0 {
		out[Accuracy] = s.Accuracy
	}
	for name, v := range s.Terms {
		out[Term+name] = v
	}
	return out
}

// reported returns the series of a progress report.
func reported(p *Report) map[string]float64 {
	out := map[string]float64{Loss: p.Loss}
	if p.Step != nil {
		out = values(p.Step)
	}
	if p.Rate > 0 {
		out[Rate] = p.Rate
	}
	return out
}
