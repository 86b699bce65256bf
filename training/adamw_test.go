package training

import (
	"fmt"
	"math"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	_ "infbench/training/backend"
)

// bowl minimises sum(a*x^2)/2 over a matrix and a vector at once.
var bowl = struct{ matrix, vector, curvature []float64 }{
	matrix:    []float64{1, -2, 0.5, 3},
	vector:    []float64{-1, 0.25},
	curvature: []float64{1, 10, 0.1, 2, 5, 0.01},
}

// run takes n steps from the start of bowl with a learning rate per step and
// returns all weights, the matrix first, and the norms.
func (o AdamW) run(t *testing.T, rates []float64) (weights, norms []float64) {
	t.Helper()
	store := model.NewStore()
	for path, values := range map[string][]float64{"/w": bowl.matrix, "/b": bowl.vector} {
		var flat []float32
		for _, v := range values {
			flat = append(flat, float32(v))
		}
		dims := []int{2, 2}
		if path == "/b" {
			dims = []int{2}
		}
		if _, err := store.CreateVariable(path, tensors.FromFlatDataAndDimensions(flat, dims...)); err != nil {
			t.Fatal(err)
		}
	}
	exec, err := model.NewExec(openBackend(t), store, func(_ *model.Scope, factors *graph.Node) *graph.Node {
		g := factors.Graph()
		w := graph.Reshape(store.GetVariable("/w").NodeValue(g), 4)
		x := graph.Concatenate([]*graph.Node{w, store.GetVariable("/b").NodeValue(g)}, 0)
		var a []float32
		for _, c := range bowl.curvature {
			a = append(a, float32(c))
		}
		loss := graph.MulScalar(graph.ReduceAllSum(graph.Mul(graph.Const(g, a), graph.Square(x))), 0.5)
		return o.Update(store, loss, factors)
	})
	if err != nil {
		t.Fatal(err)
	}
	for step, rate := range rates {
		out, err := exec.Call(o.Factors(step, rate))
		if err != nil {
			t.Fatal(err)
		}
		norms = append(norms, float64(tensors.ToScalar[float32](out[0])))
	}
	for _, path := range []string{"/w", "/b"} {
		for _, v := range tensors.MustCopyFlatData[float32](store.GetVariable(path).MustValue()) {
			weights = append(weights, float64(v))
		}
	}
	return weights, norms
}

// TestAdamW compares with the update written out in float64 from the pseudocode
// in torch's documentation of AdamW and clip_grad_norm_.
func TestAdamW(t *testing.T) {
	rates := []float64{0, 0.01, 0.02, 0.015, 0.01, 0.005}
	for _, o := range []AdamW{
		{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8},
		{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, WeightDecay: 0.1},
		{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, WeightDecay: 0.1, DecayAll: true},
		{Beta1: 0.8, Beta2: 0.95, Epsilon: 1e-3, WeightDecay: 0.1, Clip: 1},
		{Beta1: 0.8, Beta2: 0.95, Epsilon: 1e-3, Clip: 1000},
	} {
		x := append(append([]float64{}, bowl.matrix...), bowl.vector...)
		m, v := make([]float64, 6), make([]float64, 6)
		var norms []float64
		for step, rate := range rates {
			norm := 0.0
			for i := range x {
				norm += math.Pow(bowl.curvature[i]*x[i], 2)
			}
			norm = math.Sqrt(norm)
			norms = append(norms, norm)
			for i := range x {
				gradient := bowl.curvature[i] * x[i]
				if o.Clip > 0 && norm > o.Clip {
					gradient *= o.Clip / (norm + 1e-6)
				}
				if i < 4 || o.DecayAll {
					x[i] -= rate * o.WeightDecay * x[i]
				}
				m[i] = o.Beta1*m[i] + (1-o.Beta1)*gradient
				v[i] = o.Beta2*v[i] + (1-o.Beta2)*gradient*gradient
				mHat := m[i] / (1 - math.Pow(o.Beta1, float64(step+1)))
				vHat := v[i] / (1 - math.Pow(o.Beta2, float64(step+1)))
				x[i] -= rate * mHat / (math.Sqrt(vHat) + o.Epsilon)
			}
		}
		weights, gotNorms := o.run(t, rates)
		for i := range x {
			if math.Abs(weights[i]-x[i]) > 2e-6 {
				t.Errorf("%+v: weight %d is %v, want %v", o, i, weights[i], x[i])
			}
		}
		for i := range norms {
			if math.Abs(gotNorms[i]-norms[i]) > 1e-5*norms[i] {
				t.Errorf("%+v: norm at step %d is %v, want %v", o, i, gotNorms[i], norms[i])
			}
		}
	}
}

// TestAdamWRefusesWhatIsNotFinite lets the rate overflow, then the loss.
func TestAdamWRefusesWhatIsNotFinite(t *testing.T) {
	o := AdamW{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8}
	far, norms := o.run(t, []float64{1e30, 1, 1}) // squares of 1e30 overflow float32
	after, _ := o.run(t, []float64{1e30})
	if !math.IsInf(norms[1], 1) {
		t.Fatalf("norms %v: the second should overflow", norms)
	}
	if fmt.Sprint(far) != fmt.Sprint(after) {
		t.Errorf("steps without a finite gradient moved the weights from %v to %v", after, far)
	}
}
