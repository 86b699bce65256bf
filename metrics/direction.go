package metrics

import (
	"fmt"
	"strings"
	"sync"

	"infbench/metrics/stats"
)

// Direction says which of two values of a measure is the better one. Whatever
// ranks, bolds, selects, stops early or gates asks it.
type Direction string

// The directions of measures.
const (
	Higher  Direction = "higher"
	Lower   Direction = "lower"
	Neither Direction = "none" // says what there was, not how good it is: counts
)

// Better reports whether a is strictly better than b, by more than rounding (see
// stats.Tolerance). It is false where either is NaN, for what is undefined is neither
// better nor worse than anything, and always where neither direction is better.
func (d Direction) Better(a, b float64) bool {
	return d == Higher && stats.Compare(a, b) > 0 || d == Lower && stats.Compare(a, b) < 0
}

// Oriented is v where a higher value is better, -v where a lower one is, so that of
// two oriented values, and of oriented differences, the higher is better. Where
// neither direction is better it is 0: all are alike.
func (d Direction) Oriented(v float64) float64 {
	switch d {
	case Higher:
		return v
	case Lower:
		return 0 - v // never -0
	}
	return 0
}

// directed is a measure whose options say which direction is better.
type directed interface{ direction() Direction }

// familyDirection is the direction of a measure, that of its family where its options do
// not say otherwise.
func familyDirection(m Measure) Direction {
	if own, ok := m.(directed); ok {
		return own.direction()
	}
	if f := familyNamed(m.String()); f != nil {
		return f.Direction
	}
	return Neither
}

// DirectionOf is the direction of a measure by its name as results carry it,
// options included: "nDCG@10", "p-MRR", "FollowIR(measure=AP@1000,qrels='original')".
// It is Neither, with an error, where no measure is called so.
func DirectionOf(name string) (Direction, error) {
	if known, ok := directions.Load(name); ok {
		return known.(Direction), nil
	}
	m, err := Parse(name)
	if err != nil {
		return Neither, err
	}
	d := familyDirection(m)
	directions.Store(name, d)
	return d, nil
}

// directions are those that were asked for, since every verdict asks: name -> Direction.
var directions sync.Map

// Selector returns the direction of a measure whose mean over queries tells the
// better of two systems. The error says why that of another does not and names the
// families of which it does.
func Selector(m Measure) (Direction, error) {
	d, why := familyDirection(m), "has no direction (neither a higher nor a lower value is better)"
	if _, special := m.(Summarizer); special && d != Neither {
		d, why = Neither, "is no mean over queries"
	}
	if d == Neither {
		return d, fmt.Errorf("measure %s %s, so nothing is selected or ranked by it; measures that can select: %s", m, why, strings.Join(selectors(), ", "))
	}
	return d, nil
}

// ParseSelector returns the measure of that name with its direction if Selector has
// no error for it.
func ParseSelector(name string) (Measure, Direction, error) {
	m, err := Parse(name)
	if err != nil {
		return nil, Neither, err
	}
	d, err := Selector(m)
	return m, d, err
}

// selectors lists the families that Selector takes.
func selectors() (names []string) {
	for _, f := range Families() {
		if _, special := f.make(&arguments{}).(Summarizer); !special && f.Direction != Neither {
			names = append(names, f.Name)
		}
	}
	return names
}
