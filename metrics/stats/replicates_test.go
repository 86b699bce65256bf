package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"
)

// By hand: two strata of weights 1/2, values 1 2 3 | 5 7. The mean is (2+6)/2 = 4, its
// variance (1/4)(1/3) + (1/4)(2/2) = 1/3; degrees (1/3)² / ((1/12)²/2 + (1/4)²/1) =
// 0.1111/(0.003472+0.0625) = 1.684.
func TestLayout(t *testing.T) {
	l := Layout{Sizes: []int{3, 2}, Weights: []float64{.5, .5}}
	e, ok := l.Contrast(Term{Coefficient: 1, Values: []float64{1, 2, 3, 5, 7}})
	if !ok || e.Value != 4 || math.Abs(e.StandardError-math.Sqrt(1./3)) > 1e-12 || math.Abs(e.Freedom-1.6842) > 1e-4 {
		t.Errorf("%+v", e)
	}
}

// A gain that is constant within each task does not vary, however different the tasks are and
// whatever the rounding errors.
func TestUniformGain(t *testing.T) {
	l := Layout{Sizes: []int{52, 32, 20}, Weights: []float64{1. / 3, 1. / 3, 1. / 3}}
	a, b := make([]float64, l.Items()), make([]float64, l.Items())
	for i := range a {
		a[i] = math.Sin(float64(i))
		b[i] = a[i] + .1
	}
	e, ok := l.Contrast(Term{Coefficient: 1, Values: b}, Term{Coefficient: -1, Values: a})
	low, high, _ := e.Interval(.95).Get()
	if _, sized := e.Effect.Get(); !ok || sized || math.Abs(low-.1) > 1e-12 || math.Abs(high-.1) > 1e-12 || e.P() > 1e-30 {
		t.Errorf("%+v: [%v, %v], p %v; want .1 without width", e, low, high, e.P())
	}
}

// Runs that differ add their variance divided by their number, minus the part that items
// include. By hand, two runs 0 1 2 and 2 3 4 of one system: means 1 and 3, variance 2, no
// interaction; items 1 2 3 have variance 1. The variance of the mean is 1/3 + 2/2, its
// degrees of freedom (4/3)/((1/3)/2 + 1/1).
func TestReplicates(t *testing.T) {
	l := OneStratum(3)
	r, ok := ReplicatesOf(l, [][]float64{{0, 1, 2}, {2, 3, 4}})
	if !ok || r.Variance != 2 || r.Interaction != 0 {
		t.Fatalf("%+v", r)
	}
	s := Pool([]Replicates{r})
	e, _ := l.Contrast(Term{Coefficient: 1, Values: []float64{1, 2, 3}, Runs: 2, Seeds: &s})
	if math.Abs(e.StandardError-math.Sqrt(1./3+1)) > 1e-12 {
		t.Errorf("standard error %v", e.StandardError)
	}
	if want := (4. / 3) / (1./3/2 + 1./1); math.Abs(e.Freedom-want) > 1e-12 {
		t.Errorf("freedom %v, want %v", e.Freedom, want)
	}
	if _, ok := ReplicatesOf(l, [][]float64{{0, 1, 2}}); ok {
		t.Error("one run gives an estimate of how runs vary")
	}
}

// R: bartlett.test(list(c(1,2,3), c(1,5,9), c(2,2.5,3))) by its formula: variances 1, 16 and
// .25, pooled 5.75, K² = (6 ln 5.75 − 2 ln 1 − 2 ln 16 − 2 ln .25)/(1 + (1.5 − 1/6)/6) =
// (10.4952 − 2.7726)/1.2222 = 6.3186, p = exp(−K²/2) = .0425 with 2 degrees.
func TestBartlett(t *testing.T) {
	s := Pool([]Replicates{{Runs: 3, Variance: 1}, {Runs: 3, Variance: 16}, {Runs: 3, Variance: .25}})
	if p, ok := s.Alike.Get(); !ok || math.Abs(p-math.Exp(-6.31855/2)) > 1e-4 {
		t.Errorf("p %v", s.Alike)
	}
}

// Two one-sided tests at .05 are the 90 % interval inside the band.
func TestWithin(t *testing.T) {
	e := Estimate{Value: .01, StandardError: .02, Freedom: 12}
	for _, band := range []float64{.02, .04, .0456, .046, .06} {
		i := e.Interval(.90)
		if got, want := e.Within(band) <= .05, -band < i.Low && i.High < band; got != want {
			t.Errorf("band %v: %v, interval %v", band, e.Within(band), i)
		}
	}
}

// A further run is in its interval with the stated probability: normal runs, 3 of each of 4
// systems, pooled.
func TestFurther(t *testing.T) {
	const samples = 20_000
	r := rand.New(rand.NewPCG(1, 2))
	inside := 0
	for range samples {
		var all []Replicates
		var first float64
		for system := range 4 {
			runs := []float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
			all = append(all, Replicates{Runs: 3, Variance: stat.Variance(runs, nil)})
			if system == 0 {
				first = stat.Mean(runs, nil)
			}
		}
		s := Pool(all)
		e := Estimate{Value: 2 * first}
		i := e.Further(.95, Term{Coefficient: 2, Runs: 3, Seeds: &s}, Term{Coefficient: -1})
		if i.Contains(2 * r.NormFloat64()) {
			inside++
		}
	}
	if got := float64(inside) / samples; math.Abs(got-.95) > .005 {
		t.Errorf("%.4f of further runs lie inside, want .95", got)
	}
	if i := (Estimate{Value: 1}).Further(.95, Term{Coefficient: 1}); i != (Interval{1, 1, .95}) {
		t.Errorf("interval of an untrained system: %v, want width 0", i)
	}
}
