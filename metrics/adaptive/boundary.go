package adaptive

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/stat/distuv"
)

// furthest is the largest standard normal deviate considered: the probability beyond it is
// 1e-15.
const furthest = 8

// boundary is the two-sided limit of one contrast at its looks so far. For deviates Z of a
// Brownian motion W at times t, Z = W/√t, the probability that |Z| reaches its limit at any
// look so far equals the alpha to be spent.
type boundary struct {
	looks int
	last  float64   // limit of the last look
	time  float64   // time of the last look
	spent float64   // the sum over looks
	at    []float64 // grid points of W below the limit at that look
	mass  []float64 // density there of the W that reached no limit, times the weight of the grid point
}

// look adds a look at a time after the last one. spend is the cumulative alpha up to this
// look. It returns the look's limit: +Inf if nothing is left to spend.
func (b *boundary) look(time, spend float64) (limit float64) {
	limit = math.Inf(1)
	if extra := spend - b.spent; extra > 0 {
		limit = b.limit(time, extra)
	}
	if !math.IsInf(limit, 1) { // if infinite, the alpha is left to later looks
		b.spent = spend
	}
	b.advance(time, limit)
	b.looks, b.last = b.looks+1, limit
	return limit
}

// limit finds, by bisection, the limit that |Z| reaches with probability extra without having
// reached a limit before.
func (b *boundary) limit(time, extra float64) float64 {
	low, high := 0.0, float64(furthest)
	if b.beyond(time, high) > extra {
		return math.Inf(1)
	}
	for range 40 { // to 1e-11
		if middle := (low + high) / 2; b.beyond(time, middle) > extra {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// beyond returns the probability that no limit was reached before and |Z| reaches this one.
func (b *boundary) beyond(time, limit float64) float64 {
	edge := limit * math.Sqrt(time)
	if b.time == 0 {
		return 2 * distuv.UnitNormal.CDF(-limit)
	}
	sd, sum := math.Sqrt(time-b.time), 0.0
	for i, w := range b.at {
		sum += b.mass[i] * (distuv.UnitNormal.CDF((w-edge)/sd) + distuv.UnitNormal.CDF((-edge-w)/sd))
	}
	return sum
}

// advance moves the density of the W that reached no limit to the next look.
func (b *boundary) advance(time, limit float64) {
	edge, sd := min(limit, furthest)*math.Sqrt(time), math.Sqrt(time-b.time)
	n := places(2 * edge / sd)
	at, mass := make([]float64, n), make([]float64, n)
	quad.Legendre{}.FixedLocations(at, mass, -edge, edge)
	for i, w := range at {
		density := 0.0
		if b.time == 0 {
			density = distuv.UnitNormal.Prob(w/sd) / sd
		}
		for k, from := range b.at {
			density += b.mass[k] * math.Exp(-(w-from)*(w-from)/(2*sd*sd)) / (sd * math.Sqrt(2*math.Pi))
		}
		mass[i] *= density
	}
	b.time, b.at, b.mass = time, at, mass
}

// places returns the number of grid points for a density over a width in standard deviations
// of the next step: more than two per deviation, which gives limits to 1e-6.
func places(width float64) int { return 32 + int(2.5*width) }
