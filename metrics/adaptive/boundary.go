package adaptive

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/stat/distuv"
)

// furthest is beyond which a standard normal deviate is not looked for: further out lies
// 1e-15.
const furthest = 8

// boundary is the two-sided limit of one contrast at its looks so far: for the deviates
// Z of a Brownian motion W at times t, Z = W/√t, the chance of |Z| reaching its limit at
// any look up to the present one is what was to be spent.
type boundary struct {
	looks int
	last  float64   // limit
	time  float64   // of the last look
	spent float64   // the sum over looks
	at    []float64 // places of W below the limit at that look
	mass  []float64 // the density there of the W that reached no limit, times the weight of the place
}

// look adds a look at a time after the last one, by which so much is to be spent in all,
// and returns its limit: +Inf where nothing is left to spend.
func (b *boundary) look(time, spend float64) (limit float64) {
	limit = math.Inf(1)
	if extra := spend - b.spent; extra > 0 {
		limit = b.limit(time, extra)
	}
	if !math.IsInf(limit, 1) { // else it is left to later looks
		b.spent = spend
	}
	b.advance(time, limit)
	b.looks, b.last = b.looks+1, limit
	return limit
}

// limit is what |Z| reaches with a chance of extra and no limit before, by bisection.
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

// beyond is the chance that no limit was reached before and |Z| reaches this one.
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

// advance moves the density of the W that reached no limit to a look.
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

// places is how many places a density is held at over a width in standard deviations of
// the next step: two or more to each, which gives limits to 1e-6.
func places(width float64) int { return 32 + int(2.5*width) }
