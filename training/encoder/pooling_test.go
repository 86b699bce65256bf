package encoder_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"infbench/training/encoder"
)

// TestWeightedMean by hand: (1*1 + 2*4 + 3*10)/6 over three tokens, on either side of the
// padding; a row of padding is zero.
func TestWeightedMean(t *testing.T) {
	out, err := model.CallOnce(backend(t), model.NewStore(), func(_ *model.Scope, states, mask *graph.Node) *graph.Node {
		return encoder.Pool(encoder.WeightedMean, states, mask)
	}, [][][]float32{{{1}, {4}, {10}, {99}}, {{99}, {1}, {4}, {10}}, {{9}, {9}, {9}, {9}}},
		[][]int32{{1, 1, 1, 0}, {0, 1, 1, 1}, {0, 0, 0, 0}})
	if err != nil {
		t.Fatal(err)
	}
	if worst := distance2(out.Value().([][]float32), [][]float64{{39.0 / 6}, {39.0 / 6}, {0}}); worst > 1e-6 {
		t.Errorf("%v", out)
	}
}

// TestBothWays: without a causal mask the first token sees the last one, and no token sees
// padding.
func TestBothWays(t *testing.T) {
	dir := goldenCopy(t, "llama", "")
	first := func(rows [][]int32, mask [][]int32) [][]float32 {
		e, err := encoder.Open(dir, backend(t))
		if err != nil {
			t.Fatal(err)
		}
		return evaluate(t, e, func(in []*graph.Node) *graph.Node {
			return encoder.Pool(encoder.CLS, e.HiddenStates(in[0].Graph(), in[0], in[1], nil), in[1])
		}, rows, mask).([][]float32)
	}
	rows := [][]int32{{5, 6, 7, 8}, {5, 6, 7, 9}, {5, 6, 7, 8}}
	mask := [][]int32{{1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 0}}
	distance := func(states [][]float32, a, b int) float64 {
		var want []float64
		for _, v := range states[b] {
			want = append(want, float64(v))
		}
		return distance2(states[a:a+1], [][]float64{want})
	}
	causal := first(rows, mask)
	if d := max(distance(causal, 0, 1), distance(causal, 0, 2)); d > 1e-6 {
		t.Errorf("causal: the first token sees later ones: %g", d)
	}
	ownFile(t, dir, map[string]any{"attention": "bidirectional"})
	chosen := first(rows, mask)
	ownFile(t, dir, map[string]any{"attention": "bidirectionel"})
	_, err := encoder.Open(dir, backend(t))
	wantError(t, err, `did you mean "bidirectional"?`)
	if err := os.Remove(filepath.Join(dir, "infbench.json")); err != nil {
		t.Fatal(err)
	}
	damage(t, filepath.Join(dir, "config.json"), replace(`"hidden_size"`, `"is_causal": false, "hidden_size"`))
	both := first(rows, mask)
	if d := distance([][]float32{chosen[0], both[0]}, 0, 1); d != 0 {
		t.Errorf("attention bidirectional and is_causal false differ by %g", d)
	}
	if d := min(distance(both, 0, 1), distance(both, 0, 2)); d < 1e-2 {
		t.Errorf("both ways: the first token does not see the last: %g", d)
	}
	short := first([][]int32{{5, 6, 7}}, [][]int32{{1, 1, 1}})
	if d := distance([][]float32{short[0], both[2]}, 0, 1); d > 1e-5 {
		t.Errorf("both ways: padding is seen: %g", d)
	}
	_, err = encoder.OpenLanguageModel(dir, backend(t))
	wantError(t, err, "is_causal false")
}
