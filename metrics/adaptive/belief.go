package adaptive

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Variances are the variance components of the model.
type Variances struct {
	Run    []float64 // variance of a run around the mean of its system, by system
	System float64   // variance of a system's own part
	Alike  float64   // correlation of that part between systems that differ in one factor, in [0,1)
}

// diffuse is the prior variance of fixed effects, in units of the sum of the components:
// large enough to have no influence, small enough not to lose precision in rounding.
const diffuse = 1e5

// Belief is the distribution of all systems' means given some observed cells.
type Belief struct {
	design     *Design
	of         Variances
	prior      float64       // prior variance of a fixed effect
	covariance *mat.SymDense // covariance of the systems' means
	weights    *mat.Dense    // weight of each cell in the mean of each system; nil if weights are not kept
}

// Prior returns the belief before any cell. With weights, it also keeps each system's mean as
// a weighted sum of cells' values.
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

// Clone returns a copy without weights.
func (b *Belief) Clone() *Belief {
	out := *b
	out.covariance = mat.NewSymDense(b.covariance.SymmetricDim(), nil)
	out.covariance.CopySym(b.covariance)
	out.weights = nil
	return &out
}

// Observe adds a cell to the belief: a step of a Kalman filter with a constant state. varied
// is the prior variance of the cell's value; gain is the change of each system's mean per
// unit of prediction error.
func (b *Belief) Observe(cell int) (varied float64, gain *mat.VecDense) {
	system := b.design.Cells[cell]
	n := b.covariance.SymmetricDim()
	column := mat.NewVecDense(n, nil)
	for i := range n {
		column.SetVec(i, b.covariance.At(i, system))
	}
	varied = column.AtVec(system) + b.of.Run[system]
	gain = mat.NewVecDense(n, nil)
	if varied <= b.prior/diffuse*rounding { // already known
		return 0, gain
	}
	gain.ScaleVec(1/varied, column)
	b.covariance.SymRankOne(b.covariance, -1/varied, column)
	if b.weights != nil {
		_, cells := b.weights.Dims()
		miss := mat.NewVecDense(cells, nil) // prediction error of the cell, as a weighted sum of cells
		miss.ScaleVec(-1, b.weights.RowView(system))
		miss.SetVec(cell, miss.AtVec(cell)+1)
		b.weights.RankOne(b.weights, 1, gain, miss)
	}
	return varied, gain
}

// rounding is the share of a variance that rounding errors can leave.
const rounding = 1e-9

// Variance returns the current variance of a contrast.
func (b *Belief) Variance(contrast int) float64 {
	c := mat.NewVecDense(len(b.design.Levels), b.design.Contrasts[contrast])
	return max(0, mat.Inner(c, b.covariance, c))
}

// Weights returns the coefficients of the cells in the estimate of a contrast.
func (b *Belief) Weights(contrast int) []float64 {
	_, cells := b.weights.Dims()
	out := mat.NewVecDense(cells, nil)
	out.MulVec(b.weights.T(), mat.NewVecDense(len(b.design.Levels), b.design.Contrasts[contrast]))
	return out.RawVector().Data
}

// Estimable reports whether the cells determine a contrast: whether the diffuse variance of
// its fixed effects is gone.
func (b *Belief) Estimable(contrast int) bool {
	return b.Variance(contrast) < b.prior/math.Sqrt(diffuse)
}

// reduction returns the reduction of a contrast's variance by one further run of each of one
// or two systems. with is the covariance of the contrast with the mean of each system.
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

// covariances returns the covariance of each contrast with the mean of each system.
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
