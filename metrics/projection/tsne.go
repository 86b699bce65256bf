package projection

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"infbench/internal/parallel"
)

// TSNE holds the settings of a t-SNE map (van der Maaten and Hinton 2008) with the forces of
// far points merged (Barnes-Hut, van der Maaten 2014). The same vectors and settings give the
// same map on any number of processors.
type TSNE struct {
	Perplexity float64 // about the number of neighbours of a point
	Iterations int     // the first 250 with exaggerated attraction
	Seed       uint64  // seed of the noise added to the start, which is the map by principal components
	Theta      float64 // width of a cell over its distance from which it counts as one point; 0: exact
}

// DefaultTSNE returns the default settings of van der Maaten's and scikit-learn's programs.
func DefaultTSNE() TSNE { return TSNE{Perplexity: 30, Iterations: 1000, Seed: 1, Theta: 0.5} }

// Constants of scikit-learn 1.x; the rate and the start are those of Belkina et al. 2019 and
// of Kobak and Berens 2019.
const (
	exaggeration    = 12.0
	exaggerated     = 250 // iterations
	startDeviation  = 1e-4
	startNoise      = 1e-6
	reducedDim      = 50 // longer vectors are reduced to this dimension by principal components
	neighboursOfOne = 3  // times the perplexity
)

// Embedding is a map that t-SNE made.
type Embedding struct {
	Points []Point
	KL     float64 // divergence of the map's probabilities from the vectors', in nats
	Kept   float64 // share of the variance that the search for neighbours used
}

// Check returns an error for settings that are not valid for n vectors.
func (o TSNE) Check(n int) error {
	switch {
	case !(o.Perplexity >= 1) || math.IsInf(o.Perplexity, 0):
		return fmt.Errorf("perplexity %g: want at least 1", o.Perplexity)
	case o.Iterations < 1:
		return fmt.Errorf("%d iterations: want at least 1", o.Iterations)
	case o.Theta < 0 || o.Theta > 1:
		return fmt.Errorf("theta %g: want 0 to 1", o.Theta)
	case n <= o.neighbours() || n >= mostRows:
		return fmt.Errorf("perplexity %g needs more than %d vectors and fewer than %d, but there are %d", o.Perplexity, o.neighbours(), mostRows, n)
	}
	return nil
}

func (o TSNE) neighbours() int { return int(math.Ceil(neighboursOfOne * o.Perplexity)) }

// Map makes the map. It calls done after every iteration.
func (o TSNE) Map(ctx context.Context, v Vectors, done func(iteration int)) (*Embedding, error) {
	if err := o.Check(v.N()); err != nil {
		return nil, err
	}
	c, err := PCA(v, reducedDim)
	if err != nil {
		return nil, err
	}
	out := &Embedding{Points: o.start(c.Map(v)), Kept: 1}
	if v.Dim > reducedDim {
		out.Kept = 0
		for _, share := range c.Shares {
			out.Kept += share
		}
		v = c.Project(v)
	}
	m := &descent{points: out.Points, p: newAffinities(neighbours(v, o.neighbours()), o.Perplexity), theta: o.Theta}
	err = m.run(ctx, o.Iterations, done)
	out.KL = m.divergence()
	return out, err
}

// start shrinks a map until all points affect each other. Noise separates equal points.
func (o TSNE) start(points []Point) []Point {
	var square float64
	for _, p := range points {
		square += p.X * p.X
	}
	deviation := math.Sqrt(square / float64(len(points)))
	if deviation == 0 {
		deviation = 1
	}
	r := rand.New(rand.NewPCG(o.Seed, 0x75e1))
	for i := range points {
		points[i].X = points[i].X/deviation*startDeviation + startNoise*r.NormFloat64()
		points[i].Y = points[i].Y/deviation*startDeviation + startNoise*r.NormFloat64()
	}
	return points
}

// descent is the state of gradient descent.
type descent struct {
	points          []Point
	p               *affinities
	theta           float64
	tree            quadtree
	pushed          []Point   // force of all other points, not yet divided by the normaliser
	shares          []float64 // share of the normaliser
	gradient        []Point
	velocity, gains []Point
}

// run descends with momentum and a gain for each coordinate (Jacobs 1988).
func (m *descent) run(ctx context.Context, iterations int, done func(int)) error {
	n := len(m.points)
	m.pushed, m.shares, m.gradient = make([]Point, n), make([]float64, n), make([]Point, n)
	m.velocity, m.gains = make([]Point, n), make([]Point, n)
	for i := range m.gains {
		m.gains[i] = Point{1, 1}
	}
	rate := max(float64(n)/exaggeration/4, 50)
	for i := range iterations {
		if err := ctx.Err(); err != nil {
			return err
		}
		attraction, momentum := 1.0, 0.8
		if i < exaggerated {
			attraction, momentum = exaggeration, 0.5
		}
		m.slope(attraction)
		for j := range m.points {
			step(&m.points[j].X, &m.velocity[j].X, &m.gains[j].X, m.gradient[j].X, rate, momentum)
			step(&m.points[j].Y, &m.velocity[j].Y, &m.gains[j].Y, m.gradient[j].Y, rate, momentum)
		}
		done(i + 1)
	}
	return nil
}

// step moves one coordinate. Its gain grows while it keeps moving downhill.
func step(at, velocity, gain *float64, slope, rate, momentum float64) {
	if *velocity*slope < 0 {
		*gain += 0.2
	} else {
		*gain = max(0.01, 0.8**gain)
	}
	*velocity = momentum**velocity - rate**gain*slope
	*at += *velocity
}

// repel computes the repulsive forces and returns the normaliser.
func (m *descent) repel() (z float64) {
	m.tree.build(m.points, m.theta)
	parallel.Ranges(len(m.points), grain, func(from, to int) {
		for _, key := range m.tree.keys[from:to] { // consecutive points are near each other and visit the same cells
			i := rowOf(key)
			m.pushed[i].X, m.pushed[i].Y, m.shares[i] = m.tree.push(m.points[i])
		}
	})
	for _, share := range m.shares {
		z += share
	}
	return z
}

// slope computes the gradient of the divergence, 4Σ(a·p−q/z)q(x_i−x_j) with attraction a.
func (m *descent) slope(attraction float64) {
	z := m.repel()
	parallel.Ranges(len(m.points), grain, func(from, to int) {
		for i := from; i < to; i++ {
			at, pull := m.points[i], Point{}
			for k := m.p.starts[i]; k < m.p.starts[i+1]; k++ {
				other := m.points[m.p.columns[k]]
				pq := m.p.p[k] / (1 + at.distance2(other))
				pull.X += pq * (at.X - other.X)
				pull.Y += pq * (at.Y - other.Y)
			}
			m.gradient[i].X = 4 * (attraction*pull.X - m.pushed[i].X/z)
			m.gradient[i].Y = 4 * (attraction*pull.Y - m.pushed[i].Y/z)
		}
	})
}

// divergence returns Σ p log(p/q), where q is 1/(1+d²) divided by the normaliser.
func (m *descent) divergence() (sum float64) {
	z := m.repel()
	for i, at := range m.points {
		for k := m.p.starts[i]; k < m.p.starts[i+1]; k++ {
			if p := m.p.p[k]; p > 0 {
				sum += p * math.Log(p*z*(1+at.distance2(m.points[m.p.columns[k]])))
			}
		}
	}
	return sum
}
