package projection

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"infbench/internal/parallel"
)

// TSNE says how a map is made by t-SNE (van der Maaten and Hinton 2008) with the
// forces of far points taken together (Barnes-Hut, van der Maaten 2014). The same
// vectors and settings give the same map on any number of processors.
type TSNE struct {
	Perplexity float64 // about how many neighbours a point heeds
	Iterations int     // 250 of them with exaggerated attraction
	Seed       uint64  // of the start, which is the map by principal components with a little noise
	Theta      float64 // width of a cell over its distance from which it counts as one point; 0: exact
}

// DefaultTSNE has the settings that van der Maaten's and scikit-learn's programs have.
func DefaultTSNE() TSNE { return TSNE{Perplexity: 30, Iterations: 1000, Seed: 1, Theta: 0.5} }

// As scikit-learn 1.x has them; the rate and the start are those of Belkina et al.
// 2019 and of Kobak and Berens 2019.
const (
	exaggeration    = 12.0
	exaggerated     = 250 // iterations
	startDeviation  = 1e-4
	startNoise      = 1e-6
	reducedDim      = 50 // to which longer vectors are brought by their principal components
	neighboursOfOne = 3  // times the perplexity
)

// Embedding is a map that t-SNE made.
type Embedding struct {
	Points []Point
	KL     float64 // divergence of the map's probabilities from the vectors', in nats
	Kept   float64 // share of the variance that the search for neighbours saw
}

// Check refuses settings that n vectors cannot have.
func (o TSNE) Check(n int) error {
	switch {
	case !(o.Perplexity >= 1) || math.IsInf(o.Perplexity, 0):
		return fmt.Errorf("perplexity %g: want at least 1", o.Perplexity)
	case o.Iterations < 1:
		return fmt.Errorf("%d iterations: want at least 1", o.Iterations)
	case o.Theta < 0 || o.Theta > 1:
		return fmt.Errorf("theta %g: want 0 to 1", o.Theta)
	case n <= o.neighbours() || n >= mostRows:
		return fmt.Errorf("perplexity %g wants more than %d vectors and fewer than %d, there are %d", o.Perplexity, o.neighbours(), mostRows, n)
	}
	return nil
}

func (o TSNE) neighbours() int { return int(math.Ceil(neighboursOfOne * o.Perplexity)) }

// Map makes the map. done hears of every iteration.
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

// start shrinks a map to where all points feel each other. Equal points part by noise.
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
	pushed          []Point   // by all others, not yet over the normaliser
	shares          []float64 // of the normaliser
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

// step moves one coordinate. The gain grows while it goes on downhill.
func step(at, velocity, gain *float64, slope, rate, momentum float64) {
	if *velocity*slope < 0 {
		*gain += 0.2
	} else {
		*gain = max(0.01, 0.8**gain)
	}
	*velocity = momentum**velocity - rate**gain*slope
	*at += *velocity
}

// repel fills in what pushes the points apart, and returns the normaliser.
func (m *descent) repel() (z float64) {
	m.tree.build(m.points, m.theta)
	parallel.Ranges(len(m.points), grain, func(from, to int) {
		for _, key := range m.tree.keys[from:to] { // near ones one after the other walk alike
			i := rowOf(key)
			m.pushed[i].X, m.pushed[i].Y, m.shares[i] = m.tree.push(m.points[i])
		}
	})
	for _, share := range m.shares {
		z += share
	}
	return z
}

// slope fills in the gradient of the divergence, 4Σ(a·p−q/z)q(x_i−x_j) with attraction
// a.
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

// divergence is Σ p log(p/q), q being 1/(1+d²) over the normaliser.
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
