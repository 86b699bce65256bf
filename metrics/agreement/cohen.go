package agreement

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	"infbench/internal/nearest"
	"infbench/metrics/stats"
)

// Weights defines the disagreement of two labels, by their positions i and j in the order of
// labels (not by their values).
type Weights int

const (
	Unweighted Weights = iota // 1 for any two labels
	Linear                    // |i−j|
	Quadratic                 // (i−j)²
)

// weightNames are the names of the weights, in order.
var weightNames = [...]string{"none", "linear", "quadratic"}

// String returns the name that ParseWeights accepts.
func (w Weights) String() string { return weightNames[w] }

// ParseWeights returns the weights called "none", "linear" or "quadratic".
func ParseWeights(name string) (Weights, error) {
	for i, n := range weightNames {
		if n == name {
			return Weights(i), nil
		}
	}
	return 0, nearest.Unknown("weights", name, weightNames[:])
}

// credit returns the agreement between labels i and j of k, in [0,1]: 1 minus their weight
// divided by the largest weight.
func (w Weights) credit(i, j, k int) float64 {
	if i == j {
		return 1
	}
	apart := math.Abs(float64(i-j)) / float64(k-1)
	switch w {
	case Linear:
		return 1 - apart
	case Quadratic:
		return 1 - apart*apart
	}
	return 0
}

// Table counts the labels that two raters gave to the same items. Cohen's kappa needs nothing
// else, so ratings can be streamed into it.
type Table struct {
	labels int
	n      int
	counts []int // [first·labels + second]
}

// NewTable returns an empty table for labels 0 to labels−1.
func NewTable(labels int) *Table {
	return &Table{labels: labels, counts: make([]int, labels*labels)}
}

// Add counts one item; an item that either rater left Missing does not count.
func (t *Table) Add(first, second int) {
	if first == Missing || second == Missing {
		return
	}
	t.counts[first*t.labels+second]++
	t.n++
}

// Kappa returns Cohen's (1960, weighted 1968) kappa with the interval at level from its
// large-sample standard error (Fleiss, Cohen and Everitt 1969), cut to [-1,1]; with perfect
// agreement the interval has width 0 for any n. The value agrees with scikit-learn's
// cohen_kappa_score(labels=all labels), the standard error with statsmodels' cohens_kappa.
func (t *Table) Kappa(w Weights, level float64) Agreement {
	if t.n == 0 {
		return Agreement{}
	}
	m := t.moments(w)
	a := newAgreement(t.n, m.observed, m.expected)
	value, ok := a.Value.Get()
	if !ok || t.n < 2 || level <= 0 || level >= 1 {
		return a
	}
	half := distuv.UnitNormal.Quantile((1+level)/2) * t.standardError(w, m)
	a.Interval = stats.Interval{Low: max(-1, value-half), High: min(1, value+half), Level: level}
	return a
}

// moments are the shares from which kappa and its standard error are computed.
type moments struct {
	observed, expected float64
	first, second      []float64 // shares of each label
}

func (t *Table) moments(w Weights) moments {
	m := moments{first: make([]float64, t.labels), second: make([]float64, t.labels)}
	for cell, count := range t.counts {
		i, j := cell/t.labels, cell%t.labels
		m.first[i] += float64(count)
		m.second[j] += float64(count)
		m.observed += float64(count) * w.credit(i, j, t.labels)
	}
	for i, p := range m.first {
		for j, q := range m.second {
			m.expected += p * q * w.credit(i, j, t.labels)
		}
	}
	// Counts are integers: dividing last keeps .9 from being .8999...
	n := float64(t.n)
	m.observed /= n
	m.expected /= n * n
	floats.Scale(1/n, m.first)
	floats.Scale(1/n, m.second)
	return m
}

// standardError is equation 8 of Fleiss, Cohen and Everitt (1969).
func (t *Table) standardError(w Weights, m moments) float64 {
	// Credit of each label against the other rater's frequencies.
	ofFirst, ofSecond := make([]float64, t.labels), make([]float64, t.labels)
	for i := range t.labels {
		for j := range t.labels {
			ofFirst[i] += m.second[j] * w.credit(i, j, t.labels)
			ofSecond[i] += m.first[j] * w.credit(j, i, t.labels)
		}
	}
	n := float64(t.n)
	var squares float64
	for cell, count := range t.counts {
		i, j := cell/t.labels, cell%t.labels
		d := w.credit(i, j, t.labels)*(1-m.expected) - (ofFirst[i]+ofSecond[j])*(1-m.observed)
		squares += float64(count) / n * d * d
	}
	centre := m.observed*m.expected - 2*m.expected + m.observed
	variance := (squares - centre*centre) / (n * math.Pow(1-m.expected, 4))
	return math.Sqrt(max(0, variance)) // below 0 by rounding only
}
