package encoder

import (
	"math"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	_ "infbench/training/backend"
)

// goBackend opens the pure Go backend.
func goBackend(t *testing.T) compute.Backend {
	t.Helper()
	b, err := compute.NewWithConfig("go:parallelism=-1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Finalize)
	return b
}

// dropped applies dropout to ones and returns two draws of one graph.
func dropped(t *testing.T, rate float64, key []uint64) (first, second []float32) {
	t.Helper()
	exec, err := graph.NewExec(goBackend(t), func(key *graph.Node) []*graph.Node {
		d := NewDropout(rate, key)
		x := graph.Ones(key.Graph(), shapes.Make(dtypes.Float32, 100, 200))
		return []*graph.Node{d.apply(x), d.apply(x)}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer exec.Finalize()
	out, err := exec.Call(key)
	if err != nil {
		t.Fatal(err)
	}
	return tensors.MustCopyFlatData[float32](out[0]), tensors.MustCopyFlatData[float32](out[1])
}

// TestDropoutDrops counts: among 20,000 values a share of rate is zero, and the others are
// 1/(1-rate), as torch.nn.functional.dropout scales them.
func TestDropoutDrops(t *testing.T) {
	for _, rate := range []float64{0.1, 0.5, 0.9} {
		first, second := dropped(t, rate, []uint64{1, 2, 3})
		again, _ := dropped(t, rate, []uint64{1, 2, 3})
		other, _ := dropped(t, rate, []uint64{1, 2 ^ 1<<40, 3})
		zeros, both, bothOther := 0.0, 0.0, 0.0
		for i, v := range first {
			if v != again[i] {
				t.Fatalf("rate %v: the same key drops other values", rate)
			}
			if v != 0 {
				if math.Abs(float64(v)-1/(1-rate)) > 1e-5/(1-rate) {
					t.Fatalf("rate %v: a kept 1 became %v", rate, v)
				}
				continue
			}
			zeros++
			if second[i] == 0 {
				both++
			}
			if other[i] == 0 {
				bothOther++
			}
		}
		n := float64(len(first))
		for what, share := range map[string][2]float64{
			"dropped":                          {zeros / n, rate},
			"dropped in both draws of a graph": {both / n, rate * rate},
			"dropped under both keys":          {bothOther / n, rate * rate},
		} {
			if tolerance := 5 * math.Sqrt(share[1]*(1-share[1])/n); math.Abs(share[0]-share[1]) > tolerance {
				t.Errorf("rate %v, %s: %v, want %v within %v", rate, what, share[0], share[1], tolerance)
			}
		}
	}
}
