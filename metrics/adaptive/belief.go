package adaptive

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Variances are the components of the model.
type Variances struct {
	Run    []float64 // of a run about its system, by system
	System float64   // of what is a system's own
	Alike  float64   // correlation of that between systems that differ in one factor, from 0 to below 1
}

// diffuse is the variance that fixed effects have beforehand, in units of the sum of the
// components: so large that it does not count, so small that nothing is lost in rounding.
const diffuse = 1e5

// Belief is what is known of the means of all systems after some cells.
type Belief struct {
	design     *Design
	of         Variances
	prior      float64       // variance of a fixed effect
	covariance *mat.SymDense // of the systems' means
	weights    *mat.Dense    // of each cell in the mean of each system; nil where they are not kept
}

// Prior is what is known before any cell. With weights, which sum of cells' values is the
// mean of a system is kept, too.
func (d *Design) Prior(v Variances, weights bool) *Belief {
	n := len(d.Levels)
	b := &Belief{design: d, of: v, prior: diffuse * (floats.Max(v.Run) + v.System), covariance: mat.NewSymDense(n, nil)}
	for i := range n {
		for j := i; j < n; j++ {
			alike, differ := d.shared(i, j)
			b.covariance.SetSym(i, j, b.prior*float64(1+alike)+v.System*math.Pow(v.Alike, float64(differ)))
		}
	}
	if weights {
		b.weights = mat.NewDense(n, len(d.Cells), nil)
	}
	return b
}

// Clone is a copy that keeps no weights.
func (b *Belief) Clone() *Belief {
	out := *b
	out.covariance = mat.NewSymDense(b.covariance.SymmetricDim(), nil)
	out.covariance.CopySym(b.covariance)
	out.weights = nil
	return &out
}

// Observe takes a cell in: the step of a Kalman filter whose state does not move. What
// varied is the variance that its value had beforehand, and gain what an error of it moves
// each mean by.
func (b *Belief) Observe(cell int) (varied float64, gain *mat.VecDense) {
	system := b.design.Cells[cell]
	n := b.covariance.SymmetricDim()
	column := mat.NewVecDense(n, nil)
	for i := range n {
		column.SetVec(i, b.covariance.At(i, system))
	}
	varied = column.AtVec(system) + b.of.Run[system]
	gain = mat.NewVecDense(n, nil)
	if varied <= b.prior/diffuse*rounding { // known already
		return 0, gain
	}
	gain.ScaleVec(1/varied, column)
	b.covariance.SymRankOne(b.covariance, -1/varied, column)
	if b.weights != nil {
		_, cells := b.weights.Dims()
		miss := mat.NewVecDense(cells, nil) // of the cell, as a sum of cells
		miss.ScaleVec(-1, b.weights.RowView(system))
		miss.SetVec(cell, miss.AtVec(cell)+1)
		b.weights.RankOne(b.weights, 1, gain, miss)
	}
	return varied, gain
}

// rounding is what is left of a variance by rounding alone.
const rounding = 1e-9

// Variance is that of a contrast as it is known.
func (b *Belief) Variance(contrast int) float64 {
	c := mat.NewVecDense(len(b.design.Levels), b.design.Contrasts[contrast])
	return max(0, mat.Inner(c, b.covariance, c))
}

// Weights are the coefficients of the cells in the estimate of a contrast.
func (b *Belief) Weights(contrast int) []float64 {
	_, cells := b.weights.Dims()
	out := mat.NewVecDense(cells, nil)
	out.MulVec(b.weights.T(), mat.NewVecDense(len(b.design.Levels), b.design.Contrasts[contrast]))
	return out.RawVector().Data
}

// Estimable reports whether the cells tell of a contrast at all: whether what they do not
// say of its fixed effects is gone.
func (b *Belief) Estimable(contrast int) bool {
	return b.Variance(contrast) < b.prior/math.Sqrt(diffuse)
}

// reduction is what a further run of each of one or two systems takes off the variance of
// a contrast that has some covariance with the mean of each system.
func (b *Belief) reduction(with []float64, systems []int) float64 {
	least := b.prior / diffuse * rounding
	i := systems[0]
	ii, x := b.covariance.At(i, i)+b.of.Run[i], with[i]
	if len(systems) == 1 {
		if ii <= least {
			return 0
		}
		return x * x / ii
	}
	j := systems[1]
	jj, y, ij := b.covariance.At(j, j)+b.of.Run[j], with[j], b.covariance.At(i, j)
	if determinant := ii*jj - ij*ij; determinant > least*(ii+jj) {
		return (x*x*jj - 2*x*y*ij + y*y*ii) / determinant
	}
	return 0
}

// covariances are those of each contrast with the mean of each system.
func (b *Belief) covariances() [][]float64 {
	n := len(b.design.Levels)
	out := make([][]float64, len(b.design.Contrasts))
	for i, coefficients := range b.design.Contrasts {
		with := mat.NewVecDense(n, nil)
		with.MulVec(b.covariance, mat.NewVecDense(n, coefficients))
		out[i] = with.RawVector().Data
	}
	return out
}
