package metrics

import (
	"fmt"
	"strings"
	"sync"

	"infbench/metrics/stats"
)

// Direction is the better direction of a measure's values. Ranking, bolding, selection, early
// stopping and gates all use it.
type Direction string

// The directions of measures.
const (
	Higher  Direction = "higher"
	Lower   Direction = "lower"
	Neither Direction = "none" // a count, which is neither good nor bad
)

// Better reports whether a is strictly better than b, by more than rounding (see stats.Tolerance).
// It is false if either is NaN, because an undefined value is neither better nor worse than
// another, and false for measures without a direction.
func (d Direction) Better(a, b float64) bool {
	return d == Higher && stats.Compare(a, b) > 0 || d == Lower && stats.Compare(a, b) < 0
}

// Oriented returns v if higher values are better and -v if lower ones are, so that of two oriented
// values or differences the higher is always better. It returns 0 for measures without a direction:
// all their values are alike.
func (d Direction) Oriented(v float64) float64 {
	switch d {
	case Higher:
		return v
	case Lower:
		return 0 - v // never -0
	}
	return 0
}

// directed is a measure whose options determine its direction.
type directed interface{ direction() Direction }

// familyDirection returns the direction of a measure: the one set by its options, else that of its
// family.
func familyDirection(m Measure) Direction {
	if own, ok := m.(directed); ok {
		return own.direction()
	}
	if f := familyNamed(m.String()); f != nil {
		return f.Direction
	}
	return Neither
}

// DirectionOf returns the direction of a measure by its name as results carry it, options included:
// "nDCG@10", "p-MRR", "FollowIR(measure=AP@1000,qrels='original')". For an unknown name it returns
// Neither and an error.
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

// directions caches the results of DirectionOf, which every verdict calls: name -> Direction.
var directions sync.Map

// Selector returns the direction of a measure whose mean over queries can decide which of two
// systems is better. For other measures it returns an error with the reason and the families that
// can decide.
func Selector(m Measure) (Direction, error) {
	d, why := familyDirection(m), "has no direction (neither a higher nor a lower value is better)"
	if _, special := m.(Summarizer); special && d != Neither {
		d, why = Neither, "is not a mean over queries"
	}
	if d == Neither {
		return d, fmt.Errorf("measure %s %s, so it cannot select or rank; measures that can select: %s", m, why, strings.Join(selectors(), ", "))
	}
	return d, nil
}

// ParseSelector parses a measure's name and returns it with its direction. It fails where Selector
// does.
func ParseSelector(name string) (Measure, Direction, error) {
	m, err := Parse(name)
	if err != nil {
		return nil, Neither, err
	}
	d, err := Selector(m)
	return m, d, err
}

// selectors lists the families that Selector accepts.
func selectors() (names []string) {
	for _, f := range Families() {
		if _, special := f.make(&arguments{}).(Summarizer); !special && f.Direction != Neither {
			names = append(names, f.Name)
		}
	}
	return names
}
