package training

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"infbench/internal/testkit"
	"infbench/training/encoder"
)

// goldenRun is training.json: AdamW steps of torch on a transformers model.
type goldenRun struct {
	Model       string `json:"model_dir"`
	Pooling     encoder.Pooling
	Objective   string
	Temperature float64
	Optimizer   struct {
		Rate    float64 `json:"lr"`
		Beta1   float64
		Beta2   float64
		Epsilon float64 `json:"eps"`
		Decay   float64 `json:"weight_decay"`
	}
	Mask                  [][]int32 `json:"iq_attention_mask"`
	PassageMask           [][]int32 `json:"passage_attention_mask"`
	IQIDs                 [][]int32 `json:"iq_input_ids"`
	PassageIDs            [][]int32 `json:"passage_input_ids"`
	LossAfter             []float64 `json:"loss_after_steps"`
	GlobalNorm            float64   `json:"global_grad_norm_step0"`
	WithoutUsableGradient []string  `json:"params_without_usable_gradient"`
	Entries               []struct {
		Name  string
		Index []int
		Grad  float64 `json:"grad_step0"`
		At0   float64 `json:"value_step0"`
		At1   float64 `json:"value_step1"`
		At5   float64 `json:"value_step5"`
	}
}

// TestTrainingGoldens repeats every golden run, including those of recent architectures, with the
// tolerances of goldens/README.md.
func TestTrainingGoldens(t *testing.T) {
	root := testkit.SharedPath(t, "goldens")
	runs, err := filepath.Glob(filepath.Join(filepath.Dir(root), "goldens*", "train_*", "training.json"))
	if err != nil || len(runs) == 0 {
		t.Fatalf("no training goldens in %s: %v", root, err)
	}
	for _, path := range runs {
		t.Run(filepath.Base(filepath.Dir(path)), func(t *testing.T) {
			var run goldenRun
			readGolden(t, path, &run)
			enc, err := encoder.Open(filepath.Join(filepath.Dir(path), run.Model), openBackend(t))
			if err != nil {
				t.Fatal(err)
			}
			run.check(t, enc)
		})
	}
}

// loss is the objective as a Loss: "infonce" is uni(P), "multi_P_I" multi(P,I).
func (r goldenRun) loss(t *testing.T) Contrastive {
	t.Helper()
	name := "uni:P"
	if r.Objective != "infonce" {
		form, terms, _ := strings.Cut(r.Objective, "_")
		name = form + ":" + strings.ReplaceAll(terms, "_", "+")
	}
	l, err := parseContrastive(name)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func (r goldenRun) check(t *testing.T, enc *encoder.Encoder) {
	t.Helper()
	o := AdamW{
		Beta1: r.Optimizer.Beta1, Beta2: r.Optimizer.Beta2, Epsilon: r.Optimizer.Epsilon,
		WeightDecay: r.Optimizer.Decay, DecayAll: true,
	}
	l, objective := r.loss(t), paper(t, r.Temperature)
	n := len(r.PassageIDs)
	exec, err := model.NewExec(enc.Backend(), enc.Store(),
		func(_ *model.Scope, iq, iqMask, p, pMask, factors *graph.Node) []*graph.Node {
			g := iq.Graph()
			embed := func(ids, mask *graph.Node) *graph.Node { // with the golden's pooling, not the folder's
				return graph.L2Normalize(encoder.Pool(r.Pooling, enc.HiddenStates(g, ids, mask, nil), mask), -1)
			}
			e := r.embedded(embed(p, pMask), embed(iq, iqMask), n)
			loss := scoresOf(l, objective, e).Loss
			var gradients []*graph.Node
			for _, entry := range r.Entries {
				gradients = append(gradients, enc.Variable(entry.Name).NodeValue(g))
			}
			gradients = graph.Gradient(loss, gradients...)
			return append([]*graph.Node{loss, o.Update(enc.Store(), loss, factors)}, gradients...)
		})
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string, index []int) float64 {
		return element(enc.Variable(name).MustValue(), index)
	}
	for step := range r.LossAfter {
		for _, e := range r.Entries {
			want, ok := map[int]float64{0: e.At0, 1: e.At1, 5: e.At5}[step]
			if ok {
				near(t, fmt.Sprintf("%s%v after %d steps", e.Name, e.Index, step), at(e.Name, e.Index), want, 0, 5e-6)
			}
		}
		out, err := exec.Call(r.IQIDs, r.Mask, r.PassageIDs, r.PassageMask, o.Factors(step, r.Optimizer.Rate))
		if err != nil {
			t.Fatal(err)
		}
		near(t, fmt.Sprintf("loss after %d steps", step), float64(tensors.ToScalar[float32](out[0])), r.LossAfter[step], 0, 5e-5)
		if step > 0 {
			continue
		}
		near(t, "global gradient norm", float64(tensors.ToScalar[float32](out[1])), r.GlobalNorm, 1e-3, 0)
		for i, e := range r.Entries {
			near(t, fmt.Sprintf("gradient of %s%v", e.Name, e.Index), element(out[2+i], e.Index), e.Grad, 1e-3, 0)
		}
	}
}

// embedded reads iq vectors: either one for each row, or row j*n+k for instruction j with query
// k.
func (r goldenRun) embedded(p, iq *graph.Node, n int) Embedded {
	if len(r.IQIDs) == n {
		return Embedded{P: p, IQ: iq}
	}
	row := func(j, k int) *graph.Node { return graph.Slice(iq, graph.AxisElem(j*n+k)) }
	var own, instructions []*graph.Node
	for i := range n {
		own = append(own, row(i, i))
		for j := range n {
			if j != i {
				instructions = append(instructions, row(j, i))
			}
		}
	}
	e := Embedded{P: p, IQ: graph.Concatenate(own, 0)}
	e.Instructions = graph.Reshape(graph.Concatenate(instructions, 0), n, n-1, p.Shape().Dim(1))
	e.Counted = graph.OnesLike(graph.ReduceSum(e.Instructions, 2))
	return e
}

// element reads one value of a tensor.
func element(x *tensors.Tensor, index []int) float64 {
	at := 0
	for axis, i := range index {
		at = at*x.Shape().Dim(axis) + i
	}
	return float64(tensors.MustCopyFlatData[float32](x)[at])
}
