package encoder_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"infbench/internal/testkit"
	"infbench/training/encoder"
)

// logitTolerance is the tolerance of goldens/README.md: an independent float64 implementation
// agrees to a quarter of it.
const logitTolerance = 5e-5

// headCase is the part of the goldens on heads.
type headCase struct {
	goldenCase
	Logits  [][]float64   `json:"logits"`         // classifiers
	Last    [][]float64   `json:"lm_logits_last"` // causal models
	Decoder [][]int32     `json:"decoder_input_ids"`
	Decoded [][][]float64 `json:"decoder_logits"`
	Words   []int32       `json:"mono_token_ids_true_false"`
	True    []float64     `json:"mono_log_p_true"`
}

// headCases reads the golden cases of every folder that matches pattern.
func headCases(t *testing.T, pattern string) map[string][]headCase {
	t.Helper()
	all := map[string][]headCase{}
	for _, path := range goldenFiles(t, pattern) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var golden struct{ Cases []headCase }
		if err := json.Unmarshal(data, &golden); err != nil {
			t.Fatal(err)
		}
		all[filepath.Dir(path)] = golden.Cases
	}
	return all
}

// evaluate runs a graph over integer matrices.
func evaluate(t *testing.T, m *encoder.Encoder, build func(in []*graph.Node) *graph.Node, args ...any) any {
	t.Helper()
	out, err := model.CallOnce(m.Backend(), m.Store(), func(_ *model.Scope, in []*graph.Node) *graph.Node { return build(in) }, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out.Value()
}

// TestClassifierGoldens compares cross-encoders with transformers' logits; the score of two
// labels is the log probability of the second.
func TestClassifierGoldens(t *testing.T) {
	for dir, cases := range headCases(t, "cross_*") {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			c, err := encoder.OpenCrossEncoder(dir, backend(t))
			if err != nil {
				t.Fatal(err)
			}
			for _, g := range cases {
				types := g.Types
				if types == nil {
					for _, row := range g.IDs {
						types = append(types, make([]int32, len(row)))
					}
				}
				got := evaluate(t, c.Model(), func(in []*graph.Node) *graph.Node { return c.Logits(in[0], in[1], in[2]) }, g.IDs, g.Mask, types)
				if worst := distance2(got.([][]float32), g.Logits); !(worst <= logitTolerance) {
					t.Errorf("%s: logits differ by %g", g.Name, worst)
				}
			}
		})
	}
}

// TestCausalGoldens compares language models with tied and separate output tables with
// transformers' logits at the last token.
func TestCausalGoldens(t *testing.T) {
	checked := 0
	for dir, cases := range headCases(t, "*") {
		if !slices.ContainsFunc(cases, func(c headCase) bool { return c.Last != nil }) {
			continue
		}
		checked++
		t.Run(filepath.Base(dir), func(t *testing.T) {
			m, err := encoder.OpenLanguageModel(dir, backend(t))
			if err != nil {
				t.Fatal(err)
			}
			for _, g := range cases {
				if g.Last == nil {
					continue
				}
				got := evaluate(t, m.Model(), func(in []*graph.Node) *graph.Node { return m.NextLogits(in[0], in[1]) }, g.IDs, g.Mask)
				if worst := distance2(got.([][]float32), g.Last); !(worst <= logitTolerance) {
					t.Errorf("%s: logits differ by %g", g.Name, worst)
				}
			}
		})
	}
	if checked == 0 {
		t.Error("no golden has logits")
	}
}

// TestDecoderGoldens compares T5's decoder with transformers' logits, and the two words of MonoT5
// with their log probability.
func TestDecoderGoldens(t *testing.T) {
	for dir, cases := range headCases(t, "t5_*") {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			m, err := encoder.OpenLanguageModel(dir, backend(t))
			if err != nil {
				t.Fatal(err)
			}
			for _, g := range cases {
				got := evaluate(t, m.Model(), func(in []*graph.Node) *graph.Node { return m.DecoderLogits(in[0], in[1], in[2]) }, g.IDs, g.Mask, g.Decoder)
				if worst := distance3(got, g.Decoded); !(worst <= logitTolerance) {
					t.Errorf("%s: logits differ by %g", g.Name, worst)
				}
				if g.True == nil {
					continue
				}
				next := evaluate(t, m.Model(), func(in []*graph.Node) *graph.Node { return m.NextLogits(in[0], in[1]) }, g.IDs, g.Mask)
				for i, row := range next.([][]float32) {
					got := encoder.LogProbability(float64(row[g.Words[1]]), float64(row[g.Words[0]]))
					if !(math.Abs(got-g.True[i]) <= logitTolerance) {
						t.Errorf("%s: log p(true) of row %d is %g, want %g", g.Name, i, got, g.True[i])
					}
				}
			}
		})
	}
}

// TestGreedy generates text from the start token with a trained model; the text equals that of
// the model's authors (models/stories260k-hf/SOURCE.md).
func TestGreedy(t *testing.T) {
	dir := testkit.SharedPath(t, "models", "stories260k-hf")
	data, err := os.ReadFile(filepath.Join(dir, "golden.json"))
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		IDs []int32 `json:"greedy_ids"`
	}
	if err := json.Unmarshal(data, &golden); err != nil || len(golden.IDs) < 2 {
		t.Fatalf("%d ids, %v", len(golden.IDs), err)
	}
	m, err := encoder.OpenLanguageModel(dir, backend(t))
	if err != nil {
		t.Fatal(err)
	}
	exec, err := model.NewExec(m.Model().Backend(), m.Model().Store(), func(_ *model.Scope, ids, mask *graph.Node) *graph.Node {
		return graph.ArgMax(m.NextLogits(ids, mask), -1)
	})
	if err != nil {
		t.Fatal(err)
	}
	// One graph: the text grows into a row of padding.
	ids, mask := make([]int32, len(golden.IDs)), make([]int32, len(golden.IDs))
	ids[0] = golden.IDs[0]
	for i := 1; i < len(ids); i++ {
		mask[i-1] = 1
		next, err := exec.Call1([][]int32{ids}, [][]int32{mask})
		if err != nil {
			t.Fatal(err)
		}
		ids[i] = next.Value().([]int32)[0]
	}
	if !slices.Equal(ids, golden.IDs) {
		t.Errorf("ids %v, want %v", ids, golden.IDs)
	}
}

// TestLogProbability by hand: log(1/(1+e^d)), exact for large values.
func TestLogProbability(t *testing.T) {
	for _, c := range []struct{ no, yes, want float64 }{
		{0, 0, -math.Ln2},
		{0, math.Log(3), math.Log(0.75)},
		{1000, 0, -1000},
		{0, 1000, 0},
		{5, 5 + math.Log(1.0/9), math.Log(0.1)},
	} {
		if got := encoder.LogProbability(c.no, c.yes); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("LogProbability(%g, %g) = %g, want %g", c.no, c.yes, got, c.want)
		}
	}
}

// TestOpenRefuses: a folder of one kind does not open as another, and the error names the right
// one.
func TestOpenRefuses(t *testing.T) {
	_, err := encoder.Open(testkit.SharedPath(t, "goldens", "cross_bert_1label"), backend(t))
	wantError(t, err, "BertForSequenceClassification is a cross-encoder")
	_, err = encoder.OpenCrossEncoder(testkit.SharedPath(t, "goldens", "bert"), backend(t))
	wantError(t, err, `class "BertModel" does not score pairs`)
	_, err = encoder.OpenCrossEncoder(testkit.SharedPath(t, "goldens", "t5_relu"), backend(t))
	wantError(t, err, `infbench.json has no judge section with its prompt: write {"judge": {"prompt": `)
	_, err = encoder.OpenLanguageModel(testkit.SharedPath(t, "goldens", "mistral"), backend(t))
	wantError(t, err, `class "MistralModel" is not a language model`)
}

func wantError(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
}
