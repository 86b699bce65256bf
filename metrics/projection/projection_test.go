package projection

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// clusters returns n vectors of d values around centres at distance apart, in units of their
// deviation. The vectors take the centres in turn.
func clusters(n, d, centres int, apart float64, seed uint64) Vectors {
	r := rand.New(rand.NewPCG(seed, 0))
	middle := make([]float64, centres*d)
	for i := range middle {
		middle[i] = apart * r.NormFloat64()
	}
	v := Vectors{Dim: d}
	for i := range n {
		for j := range d {
			v.Values = append(v.Values, float32(middle[i%centres*d+j]+r.NormFloat64()))
		}
	}
	return v
}

// scattered returns n positions on a map.
func scattered(n int, spread float64, seed uint64) []Point {
	r := rand.New(rand.NewPCG(seed, 1))
	out := make([]Point, n)
	for i := range out {
		out[i] = Point{spread * r.NormFloat64(), spread * r.NormFloat64()}
	}
	return out
}

func near64(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

// Components and shares are those of gonum's stat.PC, which uses a singular value
// decomposition, with the sign that the doc comment specifies.
func TestPCA(t *testing.T) {
	v := clusters(300, 7, 3, 2, 1)
	c, err := PCA(v, 3)
	if err != nil {
		t.Fatal(err)
	}
	rows := mat.NewDense(v.N(), v.Dim, nil)
	for i, x := range v.Values {
		rows.Set(i/v.Dim, i%v.Dim, float64(x))
	}
	var pc stat.PC
	if !pc.PrincipalComponents(rows, nil) {
		t.Fatal("gonum has no components")
	}
	var want mat.Dense
	pc.VectorsTo(&want)
	all := 0.0
	for _, x := range pc.VarsTo(nil) {
		all += x
	}
	for j := range 3 {
		near64(t, "share", c.Shares[j], pc.VarsTo(nil)[j]/all, 1e-9)
		axis := pointed(mat.Col(nil, j, &want))
		for i, x := range mat.Col(nil, j, c.axes) {
			near64(t, "loading", x, axis[i], 1e-6)
		}
	}
}

// The search for components in many dimensions gives the same result as the full
// decomposition.
func TestPCAOfManyDimensions(t *testing.T) {
	v := clusters(500, 80, 6, 1, 2)
	c, err := PCA(v, 2)
	if err != nil {
		t.Fatal(err)
	}
	found := &Components{mean: c.mean}
	if _, err := found.within(v, found.subspace(v, 2+oversample), 2); err != nil {
		t.Fatal(err)
	}
	a, b := c.Map(v), found.Map(v)
	for i := range a {
		near64(t, "x", b[i].X, a[i].X, 1e-3)
		near64(t, "y", b[i].Y, a[i].Y, 1e-3)
	}
	long, err := PCA(clusters(60, exactDim+1, 3, 1, 1), 2)
	if err != nil || len(long.Shares) != 2 || long.Shares[0] < 0.2 {
		t.Errorf("of %d dimensions: %v, %v", exactDim+1, long, err)
	}
}

func TestPCARefuses(t *testing.T) {
	nan := float32(math.NaN())
	for name, v := range map[string]Vectors{"one vector": {[]float32{1, 2}, 2}, "no number": {[]float32{1, 2, nan, 3}, 2}} {
		if _, err := PCA(v, 2); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	line, err := PCA(Vectors{[]float32{1, 2, 4}, 1}, 2)
	if err != nil || line.Map(Vectors{[]float32{1, 2, 4}, 1})[2].Y != 0 {
		t.Errorf("vectors of one value lie on no line: %v", err)
	}
	same := Vectors{[]float32{1, 2, 1, 2, 1, 2}, 2}
	if c, err := PCA(same, 2); err != nil || c.Shares[0] != 0 || c.Map(same)[1] != (Point{}) {
		t.Errorf("of equal vectors: %v, %v", c, err)
	}
}

// Neighbours are those of the definition.
func TestNeighbours(t *testing.T) {
	v := clusters(700, 9, 4, 1, 3)
	for i, found := range neighbours(v, 12) {
		var all []near
		for j := range v.N() {
			if j != i {
				all = append(all, near{int32(j), distance2(v.Row(i), v.Row(j))})
			}
		}
		slices.SortFunc(all, nearer)
		if !slices.Equal(found, all[:12]) {
			t.Fatalf("neighbours of %d are %v, want %v", i, found, all[:12])
		}
	}
}

// The weights of a row have the requested perplexity, also for distances that are huge, tiny
// or partly equal; equal distances have equal weights.
func TestCalibrate(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, scale := range []float64{1e-12, 1, 1e12} {
		row := make([]near, 90)
		for i := range row {
			row[i].d2 = scale * (3 + r.Float64())
		}
		row[1].d2 = row[0].d2
		entropy := 0.0
		for _, w := range calibrate(row, 30) {
			entropy -= w * math.Log(w)
		}
		near64(t, "perplexity", math.Exp(entropy), 30, 1e-4)
	}
	for _, w := range calibrate(make([]near, 90), 30) {
		near64(t, "weight of one of 90 equal", w, 1.0/90, 1e-12)
	}
}

// Joint probabilities are those of the definition.
func TestAffinities(t *testing.T) {
	v := clusters(60, 4, 3, 2, 4)
	a := newAffinities(neighbours(v, 15), 5)
	conditional := make([][]float64, v.N())
	for i, row := range neighbours(v, 15) {
		conditional[i] = make([]float64, v.N())
		for k, w := range calibrate(row, 5) {
			conditional[i][row[k].row] = w
		}
	}
	sum := 0.0
	got := make([]float64, v.N()*v.N())
	for i := range v.N() {
		for k := a.starts[i]; k < a.starts[i+1]; k++ {
			got[i*v.N()+int(a.columns[k])] = a.p[k]
			sum += a.p[k]
		}
	}
	near64(t, "sum", sum, 1, 1e-12)
	for i := range v.N() {
		for j := range v.N() {
			near64(t, "p", got[i*v.N()+j], (conditional[i][j]+conditional[j][i])/float64(2*v.N()), 1e-12)
		}
	}
}

// exact computes the gradient and the divergence by their definitions over all pairs.
func exact(points []Point, a *affinities, attraction float64) (gradient []Point, divergence float64) {
	n, z := len(points), 0.0
	p := make([]float64, n*n)
	for i := range n {
		for k := a.starts[i]; k < a.starts[i+1]; k++ {
			p[i*n+int(a.columns[k])] = a.p[k]
		}
		for j := range n {
			if i != j {
				z += 1 / (1 + points[i].distance2(points[j]))
			}
		}
	}
	gradient = make([]Point, n)
	for i := range n {
		for j := range n {
			if i == j {
				continue
			}
			w := 1 / (1 + points[i].distance2(points[j]))
			f := 4 * (attraction*p[i*n+j] - w/z) * w
			gradient[i].X += f * (points[i].X - points[j].X)
			gradient[i].Y += f * (points[i].Y - points[j].Y)
			if p[i*n+j] > 0 {
				divergence += p[i*n+j] * math.Log(p[i*n+j]*z/w)
			}
		}
	}
	return gradient, divergence
}

// The gradient is that of the definition if no cells are merged, and near it otherwise. It is
// the slope of the divergence.
func TestGradient(t *testing.T) {
	v := clusters(400, 6, 4, 2, 5)
	m := &descent{points: scattered(v.N(), 10, 6), p: newAffinities(neighbours(v, 45), 15)}
	m.pushed, m.shares, m.gradient = make([]Point, v.N()), make([]float64, v.N()), make([]Point, v.N())
	for theta, tolerance := range map[float64]float64{0: 1e-12, 0.5: 0.02} {
		for _, attraction := range []float64{1, exaggeration} {
			m.theta = theta
			m.slope(attraction)
			want, divergence := exact(m.points, m.p, attraction)
			var off, size float64
			for i, g := range m.gradient {
				off, size = off+g.distance2(want[i]), size+want[i].distance2(Point{})
			}
			if share := math.Sqrt(off / size); !(share < tolerance) {
				t.Errorf("theta %g: gradient off by %g of its length", theta, share)
			}
			near64(t, "divergence", m.divergence(), divergence, tolerance)
		}
	}
	m.theta = 0
	m.slope(1)
	const h = 1e-5
	for _, i := range []int{0, 17, 399} {
		slope := func(x *float64) float64 {
			was := *x
			*x = was + h
			_, above := exact(m.points, m.p, 1)
			*x = was - h
			_, below := exact(m.points, m.p, 1)
			*x = was
			return (above - below) / (2 * h)
		}
		near64(t, "slope along x", m.gradient[i].X, slope(&m.points[i].X), 1e-8)
		near64(t, "slope along y", m.gradient[i].Y, slope(&m.points[i].Y), 1e-8)
	}
}

// mapped returns a map by t-SNE with few iterations.
func mapped(t *testing.T, v Vectors, o TSNE) *Embedding {
	t.Helper()
	e, err := o.Map(context.Background(), v, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Clusters that are well apart stay apart: the neighbours of a point belong to its own
// cluster. The map is better than principal components, and these are better than a
// projection on a random plane.
func TestTSNEKeepsClusters(t *testing.T) {
	v := clusters(600, 20, 12, 3, 7)
	e := mapped(t, v, TSNE{Perplexity: 15, Iterations: 500, Seed: 1, Theta: 0.5})
	for i := range e.Points {
		for _, other := range onMap(e.Points, i, 10) {
			if int(other.row)%12 != i%12 {
				t.Fatalf("point %d of cluster %d is next to one of cluster %d", i, i%12, other.row%12)
			}
		}
	}
	c, err := PCA(v, 2)
	if err != nil {
		t.Fatal(err)
	}
	trust := func(points []Point) Fidelity {
		f, err := Trust(v, points, 10, v.N(), 1)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	tsne, pca, random := trust(e.Points), trust(c.Map(v)), trust(RandomPlane(v, 1))
	if !(tsne.Trust > 0.97 && tsne.Trust > pca.Trust && pca.Trust > random.Trust+0.02 && tsne.Overlap > pca.Overlap && pca.Overlap > random.Overlap) {
		t.Errorf("t-SNE %+v, principal components %+v, random plane %+v", tsne, pca, random)
	}
}

// One seed gives one map on any number of processors; another seed gives another map.
func TestTSNEIsDeterministic(t *testing.T) {
	v := clusters(700, 60, 5, 1, 8) // more than reducedDim
	o := TSNE{Perplexity: 10, Iterations: 300, Seed: 1, Theta: 0.5}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	one := mapped(t, v, o)
	runtime.GOMAXPROCS(7)
	many := mapped(t, v, o)
	if !slices.Equal(one.Points, many.Points) || one.KL != many.KL {
		t.Error("maps differ by the number of processors")
	}
	if !(one.Kept > 0.5 && one.Kept < 1) {
		t.Errorf("kept %v of the variance", one.Kept)
	}
	o.Seed = 2
	if other := mapped(t, v, o); slices.Equal(one.Points, other.Points) {
		t.Error("another seed gives the same map")
	}
}

// Equal vectors also have a map, with finite positions.
func TestTSNEOfEqualVectors(t *testing.T) {
	v := Vectors{Values: make([]float32, 200*3), Dim: 3}
	for i := range 20 {
		v.Values[i*3] = float32(i)
	}
	e := mapped(t, v, TSNE{Perplexity: 5, Iterations: 400, Seed: 1, Theta: 0.5})
	for _, p := range e.Points {
		if size := p.distance2(Point{}); math.IsNaN(size) || math.IsInf(size, 0) {
			t.Fatalf("a place is %v", p)
		}
	}
}

func TestTSNERefuses(t *testing.T) {
	v := clusters(90, 3, 2, 1, 1)
	for _, o := range []TSNE{{30, 10, 1, 0.5}, {0, 10, 1, 0.5}, {math.NaN(), 10, 1, 0.5}, {5, 0, 1, 0.5}, {5, 10, 1, 2}} {
		if _, err := o.Map(context.Background(), v, func(int) {}); err == nil {
			t.Errorf("%+v of %d vectors: no error", o, v.N())
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	_, err := TSNE{5, 1000, 1, 0.5}.Map(ctx, v, func(i int) {
		if i == 3 {
			stop()
		}
		if i > 3 {
			t.Error("goes on when stopped")
		}
	})
	if err == nil {
		t.Error("no error when stopped")
	}
}

// Trust follows the definitions. A map equal to the vectors has 1, for all points or a
// sample, and a sample's values are near those of all points.
func TestTrust(t *testing.T) {
	v, points := clusters(150, 5, 3, 1, 9), scattered(150, 1, 9)
	for _, k := range []int{1, 5, 40} {
		got, err := Trust(v, points, k, 150, 1)
		if err != nil {
			t.Fatal(err)
		}
		trust, overlap := trustByDefinition(v, points, k)
		near64(t, "trustworthiness", got.Trust, trust, 1e-12)
		near64(t, "overlap", got.Overlap, overlap, 1e-12)
	}
	flat := Vectors{Dim: 2}
	for _, p := range scattered(2000, 1, 2) {
		flat.Values = append(flat.Values, float32(p.X), float32(p.Y))
	}
	truth := make([]Point, flat.N())
	for i := range truth {
		truth[i] = Point{float64(flat.Values[2*i]), float64(flat.Values[2*i+1])}
	}
	if f, err := Trust(flat, truth, 10, 300, 1); err != nil || f.Trust < 0.99999 || f.Overlap < 0.999 || f.Points != 300 {
		t.Errorf("of the truth: %+v, %v", f, err)
	}
	noisy := slices.Clone(truth)
	for i, p := range scattered(len(truth), 0.2, 3) {
		noisy[i] = Point{truth[i].X + p.X, truth[i].Y + p.Y}
	}
	some, _ := Trust(flat, noisy, 10, 500, 1)
	all, _ := Trust(flat, noisy, 10, 2000, 1)
	near64(t, "trustworthiness of a sample", some.Trust, all.Trust, 0.005)
	near64(t, "overlap of a sample", some.Overlap, all.Overlap, 0.02)
	if _, err := Trust(v, points, 75, 10, 1); err == nil {
		t.Error("75 neighbours of 150: no error")
	}
}

// trustByDefinition computes scikit-learn's trustworthiness, and the mean overlap, from
// sorted lists of all distances.
func trustByDefinition(v Vectors, points []Point, k int) (trust, overlap float64) {
	n := v.N()
	order := func(i int, apart func(i, j int) float64) []near {
		var all []near
		for j := range n {
			if j != i {
				all = append(all, near{int32(j), apart(i, j)})
			}
		}
		slices.SortFunc(all, nearer)
		return all
	}
	var beyond, shared int
	for i := range n {
		truth := order(i, func(i, j int) float64 { return distance2(v.Row(i), v.Row(j)) })
		for _, p := range order(i, func(i, j int) float64 { return points[i].distance2(points[j]) })[:k] {
			rank := 1 + slices.IndexFunc(truth, func(o near) bool { return o.row == p.row })
			if beyond += max(0, rank-k); rank <= k {
				shared++
			}
		}
	}
	return 1 - float64(beyond)*2/float64(n*k*(2*n-3*k-1)), float64(shared) / float64(n*k)
}

func TestUnit(t *testing.T) {
	v := Vectors{[]float32{3, 4, 0, -2}, 2}
	if err := v.Unit(); err != nil || !slices.Equal(v.Values, []float32{0.6, 0.8, 0, -1}) {
		t.Errorf("%v, %v", v.Values, err)
	}
	if err := (Vectors{[]float32{1, 0, 0, 0}, 2}).Unit(); err == nil {
		t.Error("a zero vector has a direction")
	}
}

// BenchmarkTSNE measures an iteration on 30,000 points distributed as on a map.
func BenchmarkTSNE(b *testing.B) {
	v := clusters(30_000, 50, 40, 1, 1)
	m := &descent{points: scattered(v.N(), 30, 1), p: newAffinities(neighbours(v, 90), 30), theta: 0.5}
	b.ResetTimer()
	if err := m.run(context.Background(), b.N, func(int) {}); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkNeighbours(b *testing.B) {
	v := clusters(30_000, 50, 40, 1, 1)
	for b.Loop() {
		neighbours(v, 90)
	}
}

func BenchmarkTrust(b *testing.B) {
	v, points := clusters(30_000, 384, 40, 1, 1), scattered(30_000, 1, 1)
	for b.Loop() {
		if _, err := Trust(v, points, 10, 1000, 1); err != nil {
			b.Fatal(err)
		}
	}
}
