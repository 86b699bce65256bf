package adaptive

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// crossed returns a design of losses × backbones × seeds. Its first contrast is the second
// loss minus the first, pooled over backbones.
func crossed(t testing.TB, losses, backbones, seeds int) *Design {
	t.Helper()
	var levels [][]string
	var cells []int
	for l := range losses {
		for b := range backbones {
			levels = append(levels, []string{fmt.Sprint("loss ", l), fmt.Sprint("backbone ", b), fmt.Sprint("rate of ", b%2)})
			for range seeds {
				cells = append(cells, len(levels)-1)
			}
		}
	}
	var contrasts [][]float64
	for l := 1; l < losses; l++ {
		c := make([]float64, len(levels))
		for b := range backbones {
			c[b], c[l*backbones+b] = -1/float64(backbones), 1/float64(backbones)
		}
		contrasts = append(contrasts, c)
	}
	d, err := NewDesign(levels, cells, contrasts)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// alike returns equal run variances for all systems.
func alike(d *Design, run float64) []float64 {
	out := make([]float64, len(d.Levels))
	for i := range out {
		out[i] = run
	}
	return out
}

// A factor that another factor determines is left out of the model.
func TestNewDesign(t *testing.T) {
	if d := crossed(t, 2, 4, 1); fmt.Sprint(d.factors) != "[0 1]" {
		t.Errorf("factors %v: the rate follows from the backbone", d.factors)
	}
	for name, make := range map[string]func() (*Design, error){
		"other factors":      func() (*Design, error) { return NewDesign([][]string{{"a"}, {"a", "b"}}, nil, nil) },
		"a system too far":   func() (*Design, error) { return NewDesign([][]string{{"a"}}, []int{1}, nil) },
		"other coefficients": func() (*Design, error) { return NewDesign([][]string{{"a"}}, []int{0}, [][]float64{{1, 2}}) },
	} {
		if _, err := make(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// With every cell run once, a contrast is the difference of means, and its variance is that
// of the runs: checked by hand.
func TestBeliefOfAll(t *testing.T) {
	d := crossed(t, 2, 3, 2)
	b := d.Prior(Variances{Run: alike(d, 4), System: 1e6, Alike: 0}, true) // nothing is known about the systems beforehand
	for cell := range d.Cells {
		b.Observe(cell)
	}
	if v := b.Variance(0); math.Abs(v-4./6-4./6) > 1e-3 {
		t.Errorf("variance %v, want 4/6 + 4/6", v)
	}
	for cell, w := range b.Weights(0) {
		if want := math.Copysign(1./6, float64(cell)-5.5); math.Abs(w-want) > 1e-4 {
			t.Errorf("cell %d weighs %v, want %v", cell, w, want)
		}
	}
}

// Observing one cell after the other gives the same result as solving all equations at once:
// prior covariance C, cells at systems S, covariance C - C_S (C_SS + run)⁻¹ C_S'.
func TestBeliefMatchesDirectSolution(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	d := crossed(t, 3, 3, 2)
	v := Variances{Run: alike(d, .5), System: 2, Alike: .5}
	for range 20 {
		cells := r.Perm(len(d.Cells))[:1+r.IntN(len(d.Cells))]
		b, prior := d.Prior(v, true), d.Prior(v, false).covariance
		for _, c := range cells {
			b.Observe(c)
		}
		n, k := len(d.Levels), len(cells)
		with, inner := mat.NewDense(n, k, nil), mat.NewDense(k, k, nil)
		for j, c := range cells {
			for i := range n {
				with.Set(i, j, prior.At(i, d.Cells[c]))
			}
			for i, other := range cells {
				inner.Set(i, j, prior.At(d.Cells[other], d.Cells[c]))
			}
			inner.Set(j, j, inner.At(j, j)+v.Run[d.Cells[c]])
		}
		var gain, off mat.Dense
		if err := gain.Solve(inner, with.T()); err != nil {
			t.Fatal(err)
		}
		off.Mul(with, &gain)
		for c, of := range d.Contrasts {
			x := mat.NewVecDense(n, of)
			want := mat.Inner(x, prior, x) - mat.Inner(x, &off, x)
			if got := b.Variance(c); math.Abs(got-want) > 1e-4*(1+want) {
				t.Fatalf("%d cells, contrast %d: variance %v, want %v", k, c, got, want)
			}
			weights := b.Weights(c)
			for j, cell := range cells {
				want := mat.Dot(x, gain.RowView(j))
				if math.Abs(weights[cell]-want) > 1e-4*(1+math.Abs(want)) {
					t.Fatalf("cell %d weighs %v, want %v", cell, weights[cell], want)
				}
			}
		}
	}
}

// The predicted reduction of a variance by a cell is the actual one.
func TestPredictedReductionsHold(t *testing.T) {
	d := crossed(t, 3, 2, 3)
	b := d.Prior(Variances{Run: alike(d, 1), System: .5, Alike: .5}, false)
	for _, c := range []int{0, 4, 8, 9, 13, 17} {
		b.Observe(c)
	}
	sight := Sight{Belief: b, Asked: []bool{true, true}, Stays: []float64{.1, .2}}
	for _, c := range Choose([]Sight{sight}, []int{1, 2, 3, 5, 6, 7, 10, 11}, 1) {
		before := []float64{b.Variance(0) + .1, b.Variance(1) + .2}
		b.Observe(c.Cell)
		for i, cut := range c.Cuts {
			if kept := 1 - (b.Variance(i)+sight.Stays[i])/before[i]; math.Abs(kept-cut) > 1e-9 {
				t.Errorf("contrast %d: %v was expected, and it is %v", i, cut, kept)
			}
		}
	}
}

// Choose prefers cells of the compared systems, and among them those with the fewest runs.
// Contrasts that are not asked get no cells.
func TestChoose(t *testing.T) {
	d := crossed(t, 3, 2, 4)
	all := rand.New(rand.NewPCG(3, 3)).Perm(len(d.Cells))
	b := d.Prior(Variances{Run: alike(d, 1), System: 4, Alike: .5}, false)
	first := Choose([]Sight{{b, []bool{true, false}, make([]float64, 2)}}, all, 8)
	count := map[int]int{}
	for _, c := range first {
		count[d.Cells[c.Cell]]++
	}
	for system, n := range map[int]int{0: 2, 1: 2, 2: 2, 3: 2, 4: 0, 5: 0} {
		if count[system] != n {
			t.Errorf("system %d was chosen %d times, want %d: %v", system, count[system], n, first)
		}
	}
	if none := Choose([]Sight{{b, []bool{false, false}, make([]float64, 2)}}, all, 8); len(none) > 0 {
		t.Errorf("nothing is asked, and %v is chosen", none)
	}
	if again := Choose([]Sight{{b, []bool{true, false}, make([]float64, 2)}}, all, 8); fmt.Sprint(again) != fmt.Sprint(first) {
		t.Error("the same question has another answer")
	}
	if few := Choose([]Sight{{b, []bool{true, true}, make([]float64, 2)}}, all[:3], 8); len(few) > 3 {
		t.Errorf("%d of 3 cells were chosen", len(few))
	}
}

// Over many systems, the fitted components match the planted ones.
func TestFit(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	d := crossed(t, 8, 6, 3)
	for _, planted := range []float64{0, 4} {
		found := 0.0
		const times = 30
		for range times {
			own, values, cells := make([]float64, len(d.Levels)), make([]float64, len(d.Cells)), make([]int, len(d.Cells))
			for i := range own {
				own[i] = math.Sqrt(planted) * r.NormFloat64()
			}
			for i, system := range d.Cells {
				cells[i], values[i] = i, 50+float64(system/6)+own[system]+r.NormFloat64()
			}
			f := d.Fit(alike(d, 1), cells, values)
			found += f.System * (1 - f.Alike) * (1 - f.Alike) / times // the part of two factors that no main effect explains
			if f.Freedom != 48-8-6+1 {
				t.Fatalf("%v degrees of freedom of 48 systems, 8 losses and 6 backbones", f.Freedom)
			}
		}
		if found < planted/2 || found > planted*2+.1 {
			t.Errorf("planted %v, found %.2f", planted, found)
		}
	}
}
