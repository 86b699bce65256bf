package metrics

import (
	"fmt"
	"strings"
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

// Better reports whether a is strictly better than b. It is false where either is
// NaN, for what is undefined is neither better nor worse than anything, and always
// where neither direction is better.
func (d Direction) Better(a, b float64) bool {
	return d == Higher && a > b || d == Lower && a < b
}

// Oriented is v where a higher value is better, -v where a lower one is, so that of
// two oriented values, and of oriented differences, the higher is better. Where
// neither direction is better it is 0: all are alike.
func (d Direction) Oriented(v float64) float64 {
	switch d {
	case Higher:
		return v
	case Lower:
		return -v
	}
	return 0
}

// directed is a measure whose options say which direction is better.
type directed interface{ direction() Direction }

// DirectionOf is the direction of a measure by its name as results carry it,
// options included: "nDCG@10", "p-MRR", "FollowIR(measure=AP@1000,qrels='original')".
// It is Neither, with an error, where no measure is called so.
func DirectionOf(name string) (Direction, error) {
	m, f, err := parse(name)
	if err != nil {
		return Neither, fmt.Errorf("measure %q: %w", name, err)
	}
	if own, ok := m.(directed); ok {
		return own.direction(), nil
	}
	return f.Direction, nil
}

// ParseSelector returns the measure of that name, if the better of two systems can
// be told by its mean over queries, with the direction that does. The error says why
// another cannot and names the families that can.
func ParseSelector(name string) (Measure, Direction, error) {
	m, err := Parse(name)
	if err != nil {
		return nil, Neither, err
	}
	d, err := DirectionOf(name)
	if err != nil {
		return nil, Neither, err
	}
	why := ""
	if _, special := m.(Summarizer); special {
		why = "is no mean over queries"
	}
	if d == Neither {
		why = "says nothing of better or worse"
	}
	if why != "" {
		return nil, Neither, fmt.Errorf("measure %s %s, so nothing is selected or ranked by it; measures that can: %s", m, why, strings.Join(selectors(), ", "))
	}
	return m, d, nil
}

// selectors lists the families that ParseSelector takes.
func selectors() (names []string) {
	for _, f := range Families() {
		if _, special := f.make(&arguments{}).(Summarizer); !special && f.Direction != Neither {
			names = append(names, f.Name)
		}
	}
	return names
}
