package projection

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Components are the directions in which vectors vary most, the strongest first.
type Components struct {
	Shares []float64 // share of the variance per direction
	mean   []float64
	axes   *mat.Dense // one column per direction
}

const (
	exactDim   = 1024 // up to this dimension the full covariance is decomposed: n·d² + d³
	oversample = 10   // extra directions in the subspace iteration
	rounds     = 7    // rounds of the subspace iteration
	chunkRows  = 512  // rows converted to float64 at a time
)

// PCA finds the first k principal components (at most Dim): from the full covariance up to
// 1024 dimensions, and above that by subspace iteration (Halko, Martinsson and Tropp 2011,
// algorithm 4.4) from a fixed start, because d³ would take minutes. A component's largest
// loading is positive, so that the same vectors always give the same signs.
func PCA(v Vectors, k int) (*Components, error) {
	if v.N() < 2 {
		return nil, errors.New("principal components need 2 vectors")
	}
	c := &Components{mean: means(v)}
	total := c.total(v)
	if math.IsNaN(total) || math.IsInf(total, 0) {
		return nil, errors.New("a vector holds a value that is not finite")
	}
	k = min(k, v.Dim)
	start := identity(v.Dim)
	if v.Dim > exactDim {
		start = c.subspace(v, min(k+oversample, v.Dim))
	}
	variances, err := c.within(v, start, k)
	if err != nil {
		return nil, err
	}
	for _, x := range variances {
		c.Shares = append(c.Shares, max(0, x)/max(total, math.SmallestNonzeroFloat64))
	}
	return c, nil
}

// means returns the mean of each dimension.
func means(v Vectors) []float64 {
	sum := make([]float64, v.Dim)
	for i := range v.N() {
		for j, x := range v.Row(i) {
			sum[j] += float64(x)
		}
	}
	floats.Scale(1/float64(v.N()), sum)
	return sum
}

// total returns the sum of squares around the mean.
func (c *Components) total(v Vectors) (sum float64) {
	for rows := range c.chunks(v) {
		for i := range rows.RawMatrix().Rows {
			row := rows.RawRowView(i)
			sum += floats.Dot(row, row)
		}
	}
	return sum
}

// chunks yields rows minus the mean. A chunk is valid until the next.
func (c *Components) chunks(v Vectors) func(yield func(*mat.Dense) bool) {
	return func(yield func(*mat.Dense) bool) {
		values := make([]float64, min(chunkRows, v.N())*v.Dim)
		for from := 0; from < v.N(); from += chunkRows {
			n := min(chunkRows, v.N()-from)
			for i, x := range v.Values[from*v.Dim : (from+n)*v.Dim] {
				values[i] = float64(x) - c.mean[i%v.Dim]
			}
			if !yield(mat.NewDense(n, v.Dim, values[:n*v.Dim])) {
				return
			}
		}
	}
}

func identity(n int) *mat.Dense {
	d := mat.NewDense(n, n, nil)
	for i := range n {
		d.Set(i, i, 1)
	}
	return d
}

// scatter returns XᵀXB for the centred rows X.
func (c *Components) scatter(v Vectors, b *mat.Dense) *mat.Dense {
	_, columns := b.Dims()
	whole := columns == v.Dim // b is the identity
	sum := mat.NewDense(v.Dim, columns, nil)
	var projected, part mat.Dense
	for rows := range c.chunks(v) {
		right := rows
		if !whole {
			projected.Reset()
			projected.Mul(rows, b)
			right = &projected
		}
		part.Reset()
		part.Mul(rows.T(), right)
		sum.Add(sum, &part)
	}
	return sum
}

// subspace finds a basis that contains the strongest directions.
func (c *Components) subspace(v Vectors, size int) *mat.Dense {
	r := rand.New(rand.NewPCG(1, 2))
	basis := mat.NewDense(v.Dim, size, nil)
	for i := range v.Dim * size {
		basis.Set(i/size, i%size, r.NormFloat64())
	}
	for range rounds {
		basis = orthonormal(c.scatter(v, basis))
	}
	return basis
}

// orthonormal returns an orthonormal basis of the span of the columns.
func orthonormal(columns *mat.Dense) *mat.Dense {
	var qr mat.QR
	qr.Factorize(columns)
	n, k := columns.Dims()
	var q mat.Dense
	qr.QTo(&q)
	return mat.DenseCopyOf(q.Slice(0, n, 0, k))
}

// within decomposes the covariance in a basis and keeps its k strongest directions.
func (c *Components) within(v Vectors, basis *mat.Dense, k int) (variances []float64, err error) {
	_, size := basis.Dims()
	small := c.scatter(v, basis)
	if size < v.Dim {
		var inner mat.Dense
		inner.Mul(basis.T(), small)
		small = &inner
	}
	symmetric := mat.NewSymDense(size, nil)
	for i := range size {
		for j := i; j < size; j++ {
			symmetric.SetSym(i, j, (small.At(i, j)+small.At(j, i))/2)
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(symmetric, true) {
		return nil, fmt.Errorf("principal components of %d vectors: the decomposition does not converge", v.N())
	}
	var directions mat.Dense
	eigen.VectorsTo(&directions)
	c.axes = mat.NewDense(v.Dim, k, nil)
	values := eigen.Values(nil) // ascending
	for j := range k {
		var axis mat.VecDense
		axis.MulVec(basis, directions.ColView(size-1-j))
		c.axes.SetCol(j, pointed(axis.RawVector().Data))
		variances = append(variances, values[size-1-j])
	}
	return variances, nil
}

// pointed returns a direction with the sign that makes its largest loading positive, the
// first of equal ones.
func pointed(axis []float64) []float64 {
	most := 0
	for i, x := range axis {
		if math.Abs(x) > math.Abs(axis[most])*(1+1e-9) {
			most = i
		}
	}
	if axis[most] < 0 {
		floats.Scale(-1, axis)
	}
	return axis
}

// Project returns the coordinates of every row on the components.
func (c *Components) Project(v Vectors) Vectors {
	_, k := c.axes.Dims()
	out := Vectors{Values: make([]float32, 0, v.N()*k), Dim: k}
	var placed mat.Dense
	for rows := range c.chunks(v) {
		placed.Reset()
		placed.Mul(rows, c.axes)
		for _, x := range placed.RawMatrix().Data {
			out.Values = append(out.Values, float32(x))
		}
	}
	return out
}

// Map returns the positions of the rows on the first two components; without a second one all
// are on a line.
func (c *Components) Map(v Vectors) []Point {
	placed := c.Project(v)
	out := make([]Point, v.N())
	for i := range out {
		row := placed.Row(i)
		out[i].X = float64(row[0])
		if placed.Dim > 1 {
			out[i].Y = float64(row[1])
		}
	}
	return out
}
