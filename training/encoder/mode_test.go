package encoder

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

// Sizes of the networks of families and of their input.
const (
	testRows, testLength        = 3, 5
	testWidth, testInner, testK = 8, 12, 2 // testK heads
)

// families lists a network of two layers of each family.
func families() map[string]Config {
	c := func(kind, act string) Config {
		return Config{
			ModelType: kind, HiddenAct: act, VocabSize: 20, HiddenSize: testWidth, IntermediateSize: testInner,
			NumHiddenLayers: 2, NumAttentionHeads: testK, MaxPositionEmbeddings: 16,
		}
	}
	t5, llama := c("t5", "gated-gelu"), c("llama", "silu")
	t5.HeadDim, llama.NumKeyValueHeads = testWidth/testK, 1
	qwen3 := c("qwen3", "silu")
	qwen3.HeadDim, qwen3.NumKeyValueHeads = 6, 1
	qwen3.UseSlidingWindow, qwen3.SlidingWindow, qwen3.MaxWindowLayers = true, new(2), new(1)
	bothWays := c("mistral", "silu")
	bothWays.Causal = new(false)
	return map[string]Config{
		"bert": c("bert", "gelu"), "distilbert": c("distilbert", "gelu"), "mpnet": c("mpnet", "gelu"), "roberta": c("roberta", "gelu"),
		"modernbert": c("modernbert", "gelu"), "llama": llama, "qwen2": c("qwen2", "silu"), "mistral": c("mistral", "silu"), "t5": t5,
		"qwen3": qwen3, "llama_bidirec": c("llama_bidirec", "silu"), "mistral both ways": bothWays,
	}
}

// outcome is the output of a network for fixed input in a mode.
type outcome struct {
	states    []float32
	gradients [][]float32 // of a function of the states, in the store's order
	draws     []string    // shapes of the dropout draws, in order
	barriers  int         // number of checkpoint barriers
}

// inMode runs a fresh network of a family.
func inMode(t *testing.T, c Config, adapter *LoRA, rate float64, m Mode) outcome {
	t.Helper()
	e, err := New(c, nil, 7, goBackend(t))
	if err != nil {
		t.Fatal(err)
	}
	if adapter != nil {
		if err := e.Adapt(*adapter, 1); err != nil {
			t.Fatal(err)
		}
	}
	var variables []*model.Variable
	for v := range e.Store().IterVariables() {
		if v.Trainable {
			variables = append(variables, v)
		}
	}
	slices.SortFunc(variables, func(a, b *model.Variable) int { return strings.Compare(a.Path(), b.Path()) })
	var out outcome
	ids, mask := make([]int32, testRows*testLength), make([]bool, testRows*testLength)
	for i := range ids {
		ids[i], mask[i] = int32(3+i*7%17), i%testLength < 3+i/testLength
	}
	exec, err := model.NewExec(e.Backend(), e.Store(), func(_ *model.Scope, ids, mask, key *graph.Node) []*graph.Node {
		m.Dropout = NewDropout(rate, key)
		states := e.StatesOf(Queries, ids, mask, m)
		vectors := Pool(Mean, states, mask)
		var values []*graph.Node
		for _, v := range variables {
			values = append(values, v.NodeValue(ids.Graph()))
		}
		list := append([]*graph.Node{states}, graph.Gradient(graph.ReduceAllSum(graph.Mul(vectors, ramp(vectors))), values...)...)
		for _, node := range ids.Graph().Nodes() {
			switch {
			case node.Type() == graph.NodeTypeOptimizationBarrier:
				out.barriers++
			case node.Type() == graph.NodeTypeSplitNode && node.DType() == dtypes.Uint32: // bits of a generator
				out.draws = append(out.draws, fmt.Sprint(node.Shape().Dimensions))
			}
		}
		return list
	})
	if err != nil {
		t.Fatal(err)
	}
	defer exec.Finalize()
	result, err := exec.Call(tensors.FromFlatDataAndDimensions(ids, testRows, testLength),
		tensors.FromFlatDataAndDimensions(mask, testRows, testLength), []uint64{1, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range result {
		if x.DType() != dtypes.Float32 {
			t.Fatalf("output %d is %s, want float32", i, x.DType())
		}
		values := tensors.MustCopyFlatData[float32](x)
		if i == 0 {
			out.states = values
		} else {
			out.gradients = append(out.gradients, values)
		}
	}
	return out
}

// ramp is 1, 2, 3, ... over all values, in the shape of v.
func ramp(v *graph.Node) *graph.Node {
	n := v.Shape().Size()
	return graph.Reshape(graph.AddScalar(graph.Iota(v.Graph(), shapes.Make(dtypes.Float32, n), 0), 1), v.Shape().Dimensions...)
}

// TestDropoutPlaces lists the places of dropout in each family, by the shapes of its draws, in
// the order of the modules of transformers 4.49 (modeling_*.py, with all rates equal).
func TestDropoutPlaces(t *testing.T) {
	hidden := fmt.Sprint([]int{testRows, testLength, testWidth})
	inner := fmt.Sprint([]int{testRows, testLength, testInner})
	shares := fmt.Sprint([]int{testRows, testK, testLength, testLength})
	layers := func(before []string, layer []string, after ...string) []string {
		return slices.Concat(before, layer, layer, after)
	}
	bert := layers([]string{hidden}, []string{shares, hidden, hidden})
	decoder := layers(nil, []string{shares})
	want := map[string][]string{
		"bert": bert, "roberta": bert, "mpnet": bert,
		"distilbert": layers([]string{hidden}, []string{shares, hidden}),
		"modernbert": layers([]string{hidden}, []string{shares, hidden, inner}),
		"llama":      decoder, "qwen2": decoder, "mistral": decoder,
		"qwen3": decoder, "llama_bidirec": decoder, "mistral both ways": decoder,
		"t5": layers([]string{hidden}, []string{shares, hidden, inner, hidden}, hidden),
	}
	for name, c := range families() {
		got := inMode(t, c, nil, 0.3, Mode{})
		if !slices.Equal(got.draws, want[name]) {
			t.Errorf("%s draws %v, want %v", name, got.draws, want[name])
		}
		if none := inMode(t, c, nil, 0, Mode{}); len(none.draws) > 0 {
			t.Errorf("%s draws %v at rate 0", name, none.draws)
		}
	}
}

// TestAdapterDropout counts the inputs with dropout for the adapter only: two layers' queries and
// values.
func TestAdapterDropout(t *testing.T) {
	got := inMode(t, families()["bert"], &LoRA{Rank: 2, Targets: []string{"query", "value"}, Dropout: 0.5}, 0, Mode{})
	hidden := fmt.Sprint([]int{testRows, testLength, testWidth})
	if !slices.Equal(got.draws, slices.Repeat([]string{hidden}, 4)) {
		t.Errorf("draws %v, want 4 of %s", got.draws, hidden)
	}
}

// TestCheckpointsChangeNothing compares states and gradients bit by bit, without and with
// dropout, which must be drawn again in the same way.
func TestCheckpointsChangeNothing(t *testing.T) {
	for name, c := range families() {
		for _, rate := range []float64{0, 0.3} {
			want := inMode(t, c, nil, rate, Mode{})
			got := inMode(t, c, nil, rate, Mode{Checkpoint: true})
			if want.barriers > 0 || got.barriers == 0 {
				t.Errorf("%s has %d barriers with checkpoints, %d without", name, got.barriers, want.barriers)
			}
			if !slices.Equal(got.states, want.states) {
				t.Errorf("%s, dropout %v: other states", name, rate)
			}
			for i, gradient := range got.gradients {
				if !slices.Equal(gradient, want.gradients[i]) {
					t.Errorf("%s, dropout %v: gradient %d differs", name, rate, i)
				}
			}
		}
	}
}

// TestBFloat16 compares with float32: the relative distance of states and of gradients fits 8
// bits of mantissa (2^-9 per rounding) through two layers and is not zero. T5, whose scores are
// not scaled down, sets the bounds.
func TestBFloat16(t *testing.T) {
	adapter := &LoRA{Rank: 2}
	for name, c := range families() {
		for _, a := range []*LoRA{nil, adapter} {
			want, got := inMode(t, c, a, 0, Mode{}), inMode(t, c, a, 0, Mode{Precision: BFloat16})
			d := relative(got.states, want.states)
			g := relative(slices.Concat(got.gradients...), slices.Concat(want.gradients...))
			if !(d > 1e-4 && d < 0.03 && g > 1e-4 && g < 0.1) {
				t.Errorf("%s, adapter %v: states differ by %.5f, gradients by %.5f", name, a != nil, d, g)
			}
		}
	}
}

// relative is the length of got - want by that of want.
func relative(got, want []float32) float64 {
	var difference, size float64
	for i, w := range want {
		difference += math.Pow(float64(got[i]-w), 2)
		size += math.Pow(float64(w), 2)
	}
	return math.Sqrt(difference / size)
}

// TestCheckDropout: every family but the static one has layers.
func TestCheckDropout(t *testing.T) {
	for name := range architectures() {
		e := Encoder{config: Config{ModelType: name}}
		if err := e.CheckDropout(); (err != nil) != (name == staticType) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
