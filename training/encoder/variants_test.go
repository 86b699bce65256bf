package encoder_test

import (
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"infbench/training/encoder"
	"infbench/training/weights"
)

// Settings of config.json that occur in real folders but not in the goldens.

// TestActivations compares with values of PyTorch 1.13's functions, by transformers' names.
func TestActivations(t *testing.T) {
	x := []float32{-12, -3, -1, -.3, 0, .2, 1.5, 4, 11}
	gelu := []float64{0, -0.00404986739, -0.158655286, -0.114626586, 0, 0.115851954, 1.39978909, 3.99987316, 11}
	tanh := []float64{0, -0.00363743305, -0.158807993, -0.114629082, 0, 0.115851425, 1.39957154, 3.9999299, 11}
	silu := []float64{-7.37300943e-05, -0.142277613, -0.268941432, -0.127667248, 0, 0.1099668, 1.22636163, 3.92805505, 10.9998169}
	relu := []float64{0, 0, 0, 0, 0, .2, 1.5, 4, 11}
	want := map[string][]float64{
		"gelu": gelu, "gelu_python": gelu, "gelu_new": tanh, "gelu_fast": tanh, "gelu_pytorch_tanh": tanh, "gelu_accurate": tanh,
		"silu": silu, "swish": silu, "relu": relu,
		"gelu_10":    append(slices.Clone(gelu[:8]), 10),
		"quick_gelu": {-1.61864211e-08, -0.0180713106, -0.154204234, -0.112515867, 0, 0.116857544, 1.39166224, 3.99558496, 11},
		"mish":       {-7.37303199e-05, -0.145647466, -0.30340144, -0.15113318, 0, 0.132598981, 1.40337825, 3.99741292, 11},
		"relu6":      append(slices.Clone(relu[:8]), 6),
		"relu2":      {0, 0, 0, 0, 0, 0.04, 2.25, 16, 121},
		"leaky_relu": {-.12, -.03, -.01, -.003, 0, .2, 1.5, 4, 11},
		"sigmoid":    {6.14417422e-06, 0.0474258736, 0.268941432, 0.425557494, 0.5, 0.549833953, 0.817574441, 0.982013762, 0.999983311},
		"tanh":       {-1, -0.995054781, -0.761594176, -0.291312635, 0, 0.197375327, 0.905148268, 0.999329329, 1},
		"linear":     {-12, -3, -1, -.3, 0, .2, 1.5, 4, 11},
	}
	for name, f := range encoder.Activations() {
		if want[name] == nil {
			t.Errorf("%s is not tested", name)
			continue
		}
		out, err := model.CallOnce(backend(t), model.NewStore(), func(_ *model.Scope, x *graph.Node) *graph.Node { return f(x) }, x)
		if err != nil {
			t.Fatal(err)
		}
		for i, got := range out.Value().([]float32) {
			if !(math.Abs(float64(got)-want[name][i]) <= 2e-6*max(1, math.Abs(want[name][i]))) {
				t.Errorf("%s(%g) = %g, want %g", name, x[i], got, want[name][i])
			}
		}
	}
}

// TestFrequencies compares with transformers' modeling_rope_utils, run on PyTorch 1.13.
func TestFrequencies(t *testing.T) {
	attention := 1.5
	for _, c := range []struct {
		theta                    float64
		width, positions, length int
		r                        *encoder.RopeScaling
		want                     []float64
		factor                   float64
	}{
		{1e6, 16, 32768, 9, &encoder.RopeScaling{Type: "yarn", Factor: 4},
			[]float64{1, 0.177827939, 0.0316227786, 0.00421755994, 0.000500000024, 4.44569851e-05, 7.90569356e-06, 1.40585337e-06}, 1.13862944},
		{1e6, 16, 131072, 9, &encoder.RopeScaling{OldType: "yarn", Factor: 4, Positions: 32768},
			[]float64{1, 0.177827939, 0.0316227786, 0.00421755994, 0.000500000024, 4.44569851e-05, 7.90569356e-06, 1.40585337e-06}, 1.13862944},
		{1e4, 16, 64, 9, &encoder.RopeScaling{Type: "yarn", Factor: 8, Attention: &attention, BetaFast: 8, BetaSlow: 2},
			[]float64{1, 0.177878112, 0.0125000002, 0.00395284733, 0.00124999997, 0.000395284733, 0.000125000006, 3.95284733e-05}, 1.5},
		{500000, 12, 256, 9, &encoder.RopeScaling{Type: "yarn", Factor: 32},
			[]float64{1, 0.0578769445, 0.000393725262, 4.41941702e-05, 4.96062694e-06, 5.5681187e-07}, 1.34657359},
		{1e4, 8, 32, 20, &encoder.RopeScaling{Type: "dynamic", Factor: 2}, []float64{1, .1, .01, .001}, 1},
		{1e4, 8, 32, 48, &encoder.RopeScaling{Type: "dynamic", Factor: 2}, []float64{1, 0.0793700516, 0.00629960513, 0.000500000024}, 1},
		{1e4, 8, 32, 48, &encoder.RopeScaling{Type: "linear", Factor: 4}, []float64{.25, .025, .0025, .00025}, 1},
		{1e4, 8, 32, 48, nil, []float64{1, .1, .01, .001}, 1},
	} {
		got, factor := encoder.Frequencies(c.theta, c.width, c.positions, c.r, c.length)
		if len(got) != len(c.want) || math.Abs(float64(factor)-c.factor) > 1e-7*c.factor {
			t.Fatalf("%+v: %d frequencies, factor %g, want %d, %g", c.r, len(got), factor, len(c.want), c.factor)
		}
		for i := range got {
			if math.Abs(float64(got[i])-c.want[i]) > 5e-7*c.want[i] { // PyTorch's powers are float32
				t.Errorf("%+v: frequency %d is %g, want %g", c.r, i, got[i], c.want[i])
			}
		}
	}
}

// goldenStates runs the network of a folder on the longest case of a golden that has hidden
// states.
func goldenStates(t *testing.T, name, dir string) [][][]float32 {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(goldenFolder(t, name), "golden.json"))
	if err != nil {
		t.Fatal(err)
	}
	var golden struct{ Cases []goldenCase }
	if err := json.Unmarshal(data, &golden); err != nil {
		t.Fatal(err)
	}
	longest := goldenCase{}
	for _, c := range golden.Cases {
		if c.Hidden != nil && (longest.IDs == nil || len(c.IDs[0]) > len(longest.IDs[0])) {
			longest = c
		}
	}
	e, err := encoder.Open(dir, backend(t))
	if err != nil {
		t.Fatal(err)
	}
	return run(t, e, longest)[0].([][][]float32)
}

// apart is the largest difference of states.
func apart(a, b [][][]float32) float64 {
	worst := 0.0
	for i := range a {
		for s := range a[i] {
			for k, v := range a[i][s] {
				worst = max(worst, math.Abs(float64(v)-float64(b[i][s][k])))
			}
		}
	}
	return worst
}

// TestConfigSpellings: other spellings of a golden's settings change nothing, and
// other settings do.
func TestConfigSpellings(t *testing.T) {
	folder := func(name string) string { return goldenFolder(t, name) }
	var llama struct {
		Scaling map[string]any `json:"rope_scaling"`
	}
	data, err := os.ReadFile(filepath.Join(folder("llama"), "config.json"))
	if err == nil {
		err = json.Unmarshal(data, &llama)
	}
	if err != nil || llama.Scaling == nil {
		t.Fatalf("llama: rope_scaling %v, %v", llama.Scaling, err)
	}
	later := maps.Clone(llama.Scaling)
	later["rope_theta"] = goldenNumber(t, folder("llama"), "rope_theta")
	global, local := goldenNumber(t, folder("modernbert"), "global_rope_theta"), goldenNumber(t, folder("modernbert"), "local_rope_theta")
	layers := slices.Repeat([]string{"sliding_attention"}, int(goldenNumber(t, folder("modernbert"), "num_hidden_layers")))
	for i := 0; i < len(layers); i += int(goldenNumber(t, folder("modernbert"), "global_attn_every_n_layers")) {
		layers[i] = "full_attention"
	}
	thetas := func(full, sliding float64) map[string]any {
		return map[string]any{"full_attention": map[string]any{"rope_type": "default", "rope_theta": full},
			"sliding_attention": map[string]any{"rope_type": "default", "rope_theta": sliding}}
	}
	sliding := windows(t, "qwen3_sliding")
	for _, c := range []struct {
		golden  string
		changes map[string]any
		same    bool
	}{
		{"llama", map[string]any{"rope_scaling": nil, "rope_theta": nil, "rope_parameters": later, "dtype": "float32", "torch_dtype": nil}, true},
		{"llama", map[string]any{"rope_parameters": llama.Scaling, "rope_scaling": nil}, true},
		{"llama", map[string]any{"hidden_act": nil, "partial_rotary_factor": 1.0}, true},
		{"llama", map[string]any{"rope_scaling": map[string]any{"type": "linear", "factor": 8.0}}, false},
		{"llama", map[string]any{"rope_scaling": map[string]any{"type": "yarn", "factor": 8.0}}, false},
		{"llama", map[string]any{"hidden_act": "gelu_pytorch_tanh"}, false},
		{"mistral_causal", map[string]any{"sliding_window": nil}, true},                    // default: 4096
		{"mistral_causal", map[string]any{"attention_bias": true, "mlp_bias": true}, true}, // not settings of the family
		{"qwen2", map[string]any{"attention_bias": true, "mlp_bias": true}, true},          // not settings of this family
		{"qwen3", map[string]any{"mlp_bias": true}, true},
		{"qwen2", map[string]any{"use_sliding_window": true, "max_window_layers": 1, "sliding_window": 3}, false},
		{"qwen2", map[string]any{"use_sliding_window": true, "max_window_layers": nil, "sliding_window": 3}, true}, // default: 28
		{"qwen2", map[string]any{"use_sliding_window": false, "max_window_layers": 0, "sliding_window": 3}, true},
		{"qwen3_sliding", map[string]any{"layer_types": sliding}, true},
		{"qwen3_sliding", map[string]any{"layer_types": sliding, "max_window_layers": 0}, true}, // layer_types wins
		{"qwen3_sliding", map[string]any{"max_window_layers": len(sliding)}, false},
		{"qwen3_sliding", map[string]any{"sliding_window": nil}, false}, // default: 4096
		{"qwen3_sliding", map[string]any{"is_causal": false}, false},
		{"qwen3_bidirectional", map[string]any{"use_sliding_window": true, "max_window_layers": 0, "sliding_window": 3}, true}, // both ways: no window
		{"qwen3", map[string]any{"rms_norm_eps": nil}, true},
		{"qwen3", map[string]any{"rope_theta": nil, "rope_parameters": map[string]any{"rope_theta": 5e6, "rope_type": "default"}}, false},
		{"qwen3", map[string]any{"rope_scaling": map[string]any{"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 64}}, false},
		{"llama_bidirec", map[string]any{"is_causal": true}, true}, // its class is never causal
		{"bert", map[string]any{"hidden_act": nil, "is_decoder": false, "add_cross_attention": false}, true},
		{"bert", map[string]any{"hidden_act": "gelu_fast"}, false},
		{"modernbert", map[string]any{"global_rope_theta": nil, "local_rope_theta": nil, "rope_parameters": thetas(global, local)}, true},
		{"modernbert", map[string]any{"global_rope_theta": nil, "local_rope_theta": nil, "rope_parameters": thetas(global/20, local)}, false},
		{"modernbert", map[string]any{"global_attn_every_n_layers": nil, "layer_types": layers}, true},
		{"modernbert", map[string]any{"layer_types": slices.Repeat([]string{"full_attention"}, len(layers))}, false},
	} {
		dir := goldenCopy(t, c.golden, "")
		want := goldenStates(t, c.golden, dir)
		rewrite(t, filepath.Join(dir, "config.json"), c.changes)
		if d := apart(goldenStates(t, c.golden, dir), want); c.same && d != 0 || !c.same && d < 1e-4 {
			t.Errorf("%s with %v: states differ by %g", c.golden, c.changes, d)
		}
		e, err := encoder.Open(dir, backend(t))
		if err != nil {
			t.Fatal(err)
		}
		saved := filepath.Join(t.TempDir(), "saved")
		if err := e.Save(saved); err != nil {
			t.Fatal(err)
		}
		if d := apart(goldenStates(t, c.golden, saved), goldenStates(t, c.golden, dir)); d != 0 {
			t.Errorf("%s with %v: the saved folder's states differ by %g", c.golden, c.changes, d)
		}
	}
}

// windows is layer_types equivalent to a golden's other settings.
func windows(t *testing.T, name string) []string {
	t.Helper()
	full, all := int(goldenNumber(t, goldenFolder(t, name), "max_window_layers")), int(goldenNumber(t, goldenFolder(t, name), "num_hidden_layers"))
	return append(slices.Repeat([]string{"full_attention"}, full), slices.Repeat([]string{"sliding_attention"}, all-full)...)
}

// TestConfigRefused: settings that these networks do not support are errors that name them.
func TestConfigRefused(t *testing.T) {
	rope := func(settings ...any) map[string]any {
		object := map[string]any{}
		for i := 0; i < len(settings); i += 2 {
			object[settings[i].(string)] = settings[i+1]
		}
		return map[string]any{"rope_scaling": object}
	}
	sliding := windows(t, "qwen3_sliding")
	for _, c := range []struct {
		golden  string
		changes map[string]any
		want    string
	}{
		{"llama", rope("rope_type", "longrope", "factor", 2), `unknown rope_scaling type "longrope"`},
		{"llama", rope("type", "dynamic"), "rope_scaling dynamic with factor 0"},
		{"llama", rope("type", "yarn", "factor", 2, "mscale", 1), "mscale"},
		{"llama", map[string]any{"partial_rotary_factor": 0.5}, "partial_rotary_factor 0.5 is not supported"},
		{"llama", map[string]any{"rope_theta": nil, "rope_parameters": map[string]any{"rope_type": "default"}}, "rope_parameters without rope_theta"},
		{"llama", map[string]any{"rope_theta": -1}, "rope_theta is -1"},
		{"modernbert", map[string]any{"local_rope_theta": -1}, "local_rope_theta is -1: want a number above 0"},
		{"modernbert", map[string]any{"global_rope_theta": 0}, "global_rope_theta is 0: want a number above 0"},
		{"modernbert", map[string]any{"local_rope_theta": json.RawMessage("null")}, "local_rope_theta is null"},
		{"llama", map[string]any{"num_key_value_heads": 77}, "not a multiple of num_key_value_heads 77"},
		{"llama", map[string]any{"use_sliding_window": true}, "use_sliding_window true is not a setting of LlamaModel"},
		{"qwen2", map[string]any{"use_sliding_window": true, "sliding_window": 0, "max_window_layers": 0}, "sliding_window is 0"},
		{"qwen2", map[string]any{"use_bidirectional_attention": true}, "use_bidirectional_attention true is not a setting of Qwen2Model (use is_causal false)"},
		{"qwen3_sliding", map[string]any{"max_window_layers": -1}, "max_window_layers is -1"},
		{"qwen3_sliding", map[string]any{"max_window_layers": json.RawMessage("null")}, "max_window_layers is null"},
		{"qwen3_sliding", map[string]any{"use_sliding_window": false, "layer_types": sliding}, "layer_types sets sliding_attention for layer "},
		{"qwen3_sliding", map[string]any{"layer_types": []string{"full_attention"}}, "layer_types names 1 of "},
		{"qwen3", map[string]any{"head_dim": nil}, "the configuration needs [128"}, // default: 128, whatever hidden_size
		{"qwen3", map[string]any{"head_dim": 15}, "head_dim 15 is not even"},
		{"qwen3", map[string]any{"head_dim": 16.5}, "config.json: head_dim: number 16.5 where a whole number is wanted"},
		{"qwen3", map[string]any{"is_causal": "no"}, "config.json: is_causal: string where true or false is wanted"},
		{"qwen3", map[string]any{"rms_norm_eps": []int{1}}, "config.json: rms_norm_eps: array where a number is wanted"},
		{"qwen3", map[string]any{"rope_scaling": map[string]any{"factor": "8"}}, "config.json: rope_scaling.factor: string where a number is wanted"},
		{"qwen3", map[string]any{"rope_theta": 0}, "rope_theta is 0"},
		{"qwen3", map[string]any{"num_key_value_heads": nil}, "not a multiple of num_key_value_heads 32"},
		{"qwen2", map[string]any{"num_key_value_heads": nil}, "not a multiple of num_key_value_heads 32"},
		{"mistral", map[string]any{"num_key_value_heads": nil}, "not a multiple of num_key_value_heads 8"},
		{"qwen3", map[string]any{"attention_bias": true}, "missing tensors: layers.0.self_attn.q_proj.bias"},
		{"qwen3", map[string]any{"hidden_act": "silo"}, `did you mean "silu"?`},
		{"qwen3", map[string]any{"model_type": "qwen3_moe"}, `unknown model_type "qwen3_moe" (known: `},
		{"qwen3", map[string]any{"model_type": "qwen2"}, "unknown tensors for model_type qwen2: model.layers.0.self_attn.k_norm.weight"},
		{"llama_bidirec", map[string]any{"rope_scaling": map[string]any{"rope_type": "llama3", "factor": 8.0}}, "rope_scaling llama3 needs"},
		{"qwen2_bidirectional", map[string]any{"model_type": "qwen3"}, "missing tensors: layers.0.self_attn.q_norm.weight"},
		{"bert", map[string]any{"is_decoder": true}, "is_decoder true is not supported"},
		{"bert", map[string]any{"position_embedding_type": "relative_key"}, `position_embedding_type "relative_key" is not supported`},
		{"bert", map[string]any{"hidden_act": "laplace"}, `unknown hidden_act "laplace"`},
		{"xlm_roberta", map[string]any{"add_cross_attention": true}, "add_cross_attention true is not supported"},
		{"modernbert", map[string]any{"layer_types": []string{"full_attention"}}, "layer_types names 1 of "},
		{"modernbert", map[string]any{"num_hidden_layers": 4, "layer_types": slices.Repeat([]string{"full"}, 4)}, `unknown layer type "full"`},
		{"modernbert", map[string]any{"rope_parameters": map[string]any{"full_attention": map[string]any{"rope_theta": 1e4}}}, "without sliding_attention.rope_theta"},
		{"modernbert", map[string]any{"norm_bias": true}, "missing tensors: embeddings.norm.bias"},
		{"t5_relu", map[string]any{"relative_attention_num_buckets": 2}, "2 relative attention buckets"},
	} {
		dir := goldenCopy(t, c.golden, "")
		rewrite(t, filepath.Join(dir, "config.json"), c.changes)
		_, err := encoder.Open(dir, backend(t))
		wantError(t, err, c.want)
	}
}

// TestModernBertBiases: biases of zero change nothing. The bias of the values passes through
// attention unchanged, so it equals a bias of Wo. The bias of the last norm is added.
func TestModernBertBiases(t *testing.T) {
	plain := goldenCopy(t, "modernbert", "")
	want := goldenStates(t, "modernbert", plain)
	base := readTensors(t, plain)
	d, f := int(goldenNumber(t, plain, "hidden_size")), int(goldenNumber(t, plain, "intermediate_size"))
	biased := func(set func(name string, b []float32)) string {
		dir := goldenCopy(t, "modernbert", "")
		rewrite(t, filepath.Join(dir, "config.json"), map[string]any{"attention_bias": true, "mlp_bias": true, "norm_bias": true})
		list := slices.Clone(base)
		for _, w := range base {
			name, ok := strings.CutSuffix(w.Name, ".weight")
			if !ok || strings.Contains(name, "tok_embeddings") {
				continue
			}
			b := make([]float32, w.Shape[0])
			set(name, b)
			list = append(list, weights.Tensor{Name: name + ".bias", Shape: []int{len(b)}, Values: b})
		}
		writeTensors(t, dir, list)
		return dir
	}
	if diff := apart(goldenStates(t, "modernbert", biased(func(string, []float32) {})), want); diff > 1e-6 {
		t.Errorf("biases of zero change states by %g", diff)
	}
	some := make([]float32, d)
	for i := range some {
		some[i] = float32(math.Sin(float64(i + 1)))
	}
	ofValues := biased(func(name string, b []float32) {
		if name == "layers.1.attn.Wqkv" {
			copy(b[2*d:], some)
		}
	})
	after := biased(func(name string, b []float32) {
		if name != "layers.1.attn.Wo" {
			return
		}
		i := slices.IndexFunc(base, func(w weights.Tensor) bool { return w.Name == name+".weight" })
		for o := range b {
			for k, v := range some {
				b[o] += base[i].Values[o*d+k] * v
			}
		}
	})
	moved := goldenStates(t, "modernbert", ofValues)
	if diff := apart(moved, goldenStates(t, "modernbert", after)); diff > 2e-5 || apart(moved, want) < 1e-2 {
		t.Errorf("a bias of values and the one of Wo it amounts to: states differ by %g", diff)
	}
	last := goldenStates(t, "modernbert", biased(func(name string, b []float32) {
		if name == "final_norm" {
			copy(b, some)
		}
	}))
	for i := range last {
		for s := range last[i] {
			for k := range last[i][s] {
				last[i][s][k] -= some[k]
			}
		}
	}
	if diff := apart(last, want); diff > 1e-6 {
		t.Errorf("the last norm's bias is not added: %g", diff)
	}
	gates := goldenStates(t, "modernbert", biased(func(name string, b []float32) {
		if name == "layers.2.mlp.Wi" {
			b[f] = 1
		}
	}))
	if apart(gates, want) < 1e-3 {
		t.Error("the bias of Wi changes nothing")
	}
}

// TestLaterT5: version 5 of transformers writes tie_word_embeddings true for every T5 and stores
// the scale of the states separately.
func TestLaterT5(t *testing.T) {
	for golden, scaled := range map[string]bool{"t5_relu": true, "t5_gated_gelu": false} {
		dir := goldenCopy(t, golden, "")
		logits := func() [][]float32 {
			m, err := encoder.OpenLanguageModel(dir, backend(t))
			if err != nil {
				t.Fatal(err)
			}
			i, err := encoder.Inspect(dir)
			if err != nil || !i.Runs() {
				t.Errorf("%s: %+v, %v", golden, i, err)
			}
			return evaluate(t, m.Model(), func(in []*graph.Node) *graph.Node { return m.NextLogits(in[0], in[1]) },
				[][]int32{{5, 6, 7}}, [][]int32{{1, 1, 1}}).([][]float32)
		}
		want := logits()
		rewrite(t, filepath.Join(dir, "config.json"), map[string]any{"tie_word_embeddings": true, "scale_decoder_outputs": scaled})
		if got := logits(); !slices.Equal(got[0], want[0]) {
			t.Errorf("%s: logits differ", golden)
		}
	}
}
