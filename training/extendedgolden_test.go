package training

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"testing"

	"infbench/datasets/mixture"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// extendedGolden is losses_extended.json: values of float64 loops, checked against the libraries
// that its cases name.
type extendedGolden struct {
	Inputs       []extendedInput
	Cases        []extendedCase
	Regularisers []extendedCase
	Multivector  struct{ Cases []json.RawMessage }
	Sparse       struct{ Cases []json.RawMessage }
	Samplers     map[string]json.RawMessage
}

// extendedInput is a batch of N rows: iq[j][k] is instruction j with query k.
type extendedInput struct {
	Name    string
	N, D    int
	Record  []int32
	vectors // vectors of the trained model
	Guide   vectors
	Text    struct {
		P    []int32
		IQ   [][]int32
		Hard [][]int32
	}
	Teacher struct{ Own, Batch [][]float64 }
}

type vectors struct {
	P    [][]float64
	IQ   [][][]float64
	Hard [][][]float64
}

type extendedCase struct {
	Name, Input, Loss string
	Objective         json.RawMessage
	Value             float64
	ByWidth           map[string][]float64 `json:"by_width"`
	Grad              *extendedGrad
}

type extendedGrad struct {
	P    [][]float64
	Hard [][][]float64
	IQ   []struct {
		J, K int
		G    []float64
	}
}

// notTrained holds the entries of the file that are not implemented, because objectives.md
// (section 10) advises against them, with its reasons.
var notTrained = map[string]string{
	"multivector":   "MaxSim: no evidence for instruction following, and nine tenths of the work is evaluation (section 7)",
	"sparse":        "SPLADE: likewise",
	"no_duplicates": "equal: mask does the same with batches that are a function of seed and number (section 8)",
	"round_robin":   "equal weights of a mixture (section 8); see TestBatchesInPlaceOfSamplers",
	"proportional":  "a mixture without weights (section 8); likewise",
}

// TestExtendedLossGoldens checks the value, the gradient and the values by width of every case. A
// kind or a key that the test does not know fails it.
func TestExtendedLossGoldens(t *testing.T) {
	for _, name := range goldenFiles(t, "regularisers") {
		t.Run(name, func(t *testing.T) {
			var g extendedGolden
			golden(t, name, &g)
			be := openBackend(t)
			gradients := 0
			for _, c := range append(slices.Clone(g.Cases), g.Regularisers...) {
				i := slices.IndexFunc(g.Inputs, func(in extendedInput) bool { return in.Name == c.Input })
				if i < 0 {
					t.Fatalf("%s: no input %q", c.Name, c.Input)
				}
				gradients += c.check(t, be, g.Inputs[i])
			}
			if len(g.Cases) == 0 || gradients == 0 {
				t.Errorf("%d cases with %d gradients in the file", len(g.Cases), gradients)
			}
			for kind := range g.Samplers {
				if notTrained[kind] == "" {
					t.Errorf("unknown sampler %q", kind)
				}
			}
			t.Logf("%d cases, %d gradients; left out: %d of multivector, %d of sparse", len(g.Cases), gradients, len(g.Multivector.Cases), len(g.Sparse.Cases))
		})
	}
}

// check computes a case; it returns 1 if the case has a gradient.
func (c extendedCase) check(t *testing.T, be compute.Backend, in extendedInput) (gradients int) {
	t.Helper()
	where := c.Input + ": " + c.Name
	l, o := c.objective(t)
	got := in.compute(t, be, l, o)
	near(t, where, got.loss, c.Value, 1e-5, 4*0x1p-23*o.Scale())
	if c.Grad != nil {
		c.Grad.compare(t, where, got)
		gradients = 1
	}
	for text, rows := range c.ByWidth {
		width, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		one, want := o, 0.0
		one.Matryoshka = Matryoshka{Dims: []int{width}}
		for _, v := range rows {
			want += v / float64(len(rows))
		}
		near(t, where+" at width "+text, in.compute(t, be, l, one).loss, want, 1e-5, 4*0x1p-23*o.Scale())
	}
	return gradients
}

// objective parses the objective of a case, strictly.
func (c extendedCase) objective(t *testing.T) (Contrastive, Objective) {
	t.Helper()
	if c.Loss == "" { // a case of regularisers
		if c.Name != "spread" {
			t.Fatalf("unknown regulariser %q", c.Name)
		}
		return Contrastive{}, Objective{Temperature: 1, Modifiers: Modifiers{Spread: 1}}
	}
	var spec struct {
		Temperature, Epsilon, Bias, Focal float64
		Duplicates                        Duplicates
		FalseNegatives                    struct {
			Equal    Duplicates
			Guide    string
			Margin   float64
			Relative bool
			Own      Duplicates
		} `json:"false_negatives"`
		Hardness   Hardness
		Matryoshka Matryoshka
		Distill    *struct {
			Loss               Divergence
			List               List
			Share              float64
			StudentTemperature float64 `json:"student_temperature"`
			TeacherTemperature float64 `json:"teacher_temperature"`
		}
	}
	d := json.NewDecoder(bytes.NewReader(c.Objective))
	d.DisallowUnknownFields()
	if err := d.Decode(&spec); err != nil {
		t.Fatalf("%s: an objective with unknown keys: %v", c.Name, err)
	}
	o := Objective{Temperature: spec.Temperature, Epsilon: spec.Epsilon, Bias: spec.Bias, Duplicates: spec.Duplicates, IQ: Pair}
	if o.Duplicates == "" {
		o.Duplicates = Mask
	}
	f := spec.FalseNegatives
	o.Modifiers = Modifiers{
		False:    FalseNegatives{Equal: f.Equal == Mask, Guide: f.Guide, Margin: f.Margin, Relative: f.Relative, Own: f.Own == Mask},
		Hardness: spec.Hardness, Focal: spec.Focal, Matryoshka: spec.Matryoshka,
	}
	if k := spec.Distill; k != nil {
		o.Distill = Distill{Teacher: Taught, Loss: k.Loss, List: k.List, Share: k.Share, Temperature: k.TeacherTemperature}
		switch {
		case k.StudentTemperature == 0 || k.StudentTemperature == o.Temperature:
		case k.Share == 1:
			o.Temperature = k.StudentTemperature // the only use of the temperature here
		default:
			t.Fatalf("%s: both the student and the loss have a temperature", c.Name)
		}
	}
	return parsed(t, c.Loss), o
}

// extendedOutcome is a loss with its gradient by the vectors of extendedInput.
type extendedOutcome struct {
	loss float64
	p    [][]float64
	iq   [][][]float64
	hard [][][]float64
}

// compute builds the loss of a batch in which every other row lends its instruction.
func (in extendedInput) compute(t *testing.T, be compute.Backend, l Contrastive, o Objective) (res extendedOutcome) {
	t.Helper()
	n := in.N
	exec, err := graph.NewExec(be, func(inputs []*graph.Node) []*graph.Node {
		g := inputs[0].Graph()
		e := in.embedded(inputs[0], inputs[1], inputs[2])
		if o.False.Guide != "" && o.False.Guide != Self {
			guide := in.embedded(graph.Const(g, flat32(in.Guide.P)), graph.Const(g, flat32(in.Guide.IQ...)), graph.Const(g, flat32(in.Guide.Hard...)))
			e.Guide = &guide
		}
		switch {
		case !o.Distill.On():
		case o.Distill.List == OwnList:
			e.Teacher = graph.Const(g, float32s(in.Teacher.Own))
		default:
			e.Teacher = graph.Const(g, float32s(in.Teacher.Batch))
		}
		var loss *graph.Node
		if l.Terms == 0 {
			loss = o.spreadOut(e, graph.MulScalar(graph.ReduceAllSum(e.P), 0))
		} else {
			loss = scoresOf(l, o, e).Loss
		}
		return append([]*graph.Node{loss}, graph.Gradient(loss, inputs...)...)
	})
	if err != nil {
		t.Fatal(err)
	}
	defer exec.Finalize()
	out, err := exec.Call(flat32(in.P), flat32(in.IQ...), flat32(in.Hard...))
	if err != nil {
		t.Fatal(err)
	}
	res.loss = float64(tensors.ToScalar[float32](out[0]))
	rows := func(of *tensors.Tensor) (list [][]float64) {
		for row := range slices.Chunk(tensors.MustCopyFlatData[float32](of), of.Shape().Dim(-1)) {
			wide := make([]float64, len(row))
			for i, v := range row {
				wide[i] = float64(v)
			}
			list = append(list, wide)
		}
		return list
	}
	res.p = rows(out[1])
	res.iq = slices.Collect(slices.Chunk(rows(out[2]), n))
	if hard := rows(out[3]); len(in.Hard) > 0 {
		res.hard = slices.Collect(slices.Chunk(hard, len(hard)/n))
	}
	return res
}

// embedded lays the vectors of a batch out, p [N,D], iq [N*N,D], hard [N*n,D] or [1,D].
func (in extendedInput) embedded(p, iq, hard *graph.Node) Embedded {
	n, g := in.N, p.Graph()
	unit := func(x *graph.Node) *graph.Node { return graph.L2Normalize(x, -1) }
	var own []int32
	var instructions, queries, lenders [][]int32
	for i := range n {
		own = append(own, int32(i*n+i))
		instructions, queries, lenders = append(instructions, nil), append(queries, nil), append(lenders, nil)
		for j := range n {
			if j != i {
				instructions[i], queries[i] = append(instructions[i], int32(j*n+i)), append(queries[i], int32(i*n+j))
				lenders[i] = append(lenders[i], in.Record[j])
			}
		}
	}
	texts := func(at [][]int32) [][]int32 {
		out := make([][]int32, len(at))
		for i, row := range at {
			for _, k := range row {
				out[i] = append(out[i], in.Text.IQ[int(k)/n][int(k)%n])
			}
		}
		return out
	}
	pick := func(at any) *graph.Node { return unit(graph.Gather(iq, graph.InsertAxes(graph.Const(g, at), -1))) }
	e := Embedded{P: unit(p), IQ: pick(own), Instructions: pick(instructions), Queries: pick(queries)}
	e.Counted = graph.OnesLike(graph.ReduceSum(e.Instructions, 2))
	e.Labels = &Labels{
		Records: graph.Const(g, in.Record), Passages: graph.Const(g, in.Text.P), Pairs: graph.Const(g, texts([][]int32{own})[0]),
		Instructions: graph.Const(g, texts(instructions)), Lenders: graph.Const(g, lenders),
		Queries: graph.Const(g, texts(queries)), QueryLenders: graph.Const(g, lenders),
	}
	if len(in.Hard) > 0 {
		each := len(in.Hard[0])
		e.Negatives = graph.Reshape(unit(hard), n, each, hard.Shape().Dim(1))
		e.Mined = graph.OnesLike(graph.ReduceSum(e.Negatives, 2))
		e.Labels.Negatives = graph.Const(g, in.Text.Hard)
	}
	return e
}

// flat32 lists the vectors of lists one after the other, or one zero vector if there are none.
func flat32(lists ...[][]float64) (all [][]float32) {
	for _, list := range lists {
		all = append(all, float32s(list)...)
	}
	if all == nil {
		return [][]float32{{0}}
	}
	return all
}

// compare wants 1e-4 relative to the largest component; pairs that the file does not
// list have no gradient.
func (g extendedGrad) compare(t *testing.T, where string, got extendedOutcome) {
	t.Helper()
	largest := 0.0
	for _, rows := range append(slices.Clone(g.Hard), g.P) {
		for _, row := range rows {
			for _, v := range row {
				largest = max(largest, math.Abs(v))
			}
		}
	}
	want := make([][][]float64, len(got.iq))
	for j := range want {
		want[j] = make([][]float64, len(got.iq[j]))
	}
	for _, pair := range g.IQ {
		want[pair.J][pair.K] = pair.G
		for _, v := range pair.G {
			largest = max(largest, math.Abs(v))
		}
	}
	compareRows(t, where+" dp", got.p, g.P, 1e-4*largest)
	for j := range want {
		compareRows(t, fmt.Sprintf("%s diq[%d]", where, j), got.iq[j], want[j], 1e-4*largest)
	}
	for i := range g.Hard {
		compareRows(t, fmt.Sprintf("%s dhard[%d]", where, i), got.hard[i], g.Hard[i], 1e-4*largest)
	}
}

// compareRows compares two lists of vectors; nil is a vector of zeros.
func compareRows(t *testing.T, where string, got, want [][]float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d vectors, want %d", where, len(got), len(want))
	}
	for i := range want {
		for d, v := range got[i] {
			expected := 0.0
			if want[i] != nil {
				expected = want[i][d]
			}
			near(t, fmt.Sprintf("%s[%d][%d]", where, i, d), v, expected, 0, tolerance)
		}
	}
}

// Batches of one source replace the library's samplers. Without weights an epoch has as many
// batches of each source as proportional has. With equal weights it has equally many of each
// source, as round_robin has until it ends early.
func TestBatchesInPlaceOfSamplers(t *testing.T) {
	for _, name := range goldenFiles(t, "samplers") {
		var g extendedGolden
		golden(t, name, &g)
		for kind, weight := range map[string]float64{"proportional": 0, "round_robin": 1} {
			var sampler struct {
				BatchesOf [][][]int `json:"batches_of"`
				Batches   [][]int
			}
			if err := json.Unmarshal(g.Samplers[kind], &sampler); err != nil || len(sampler.Batches) == 0 {
				t.Fatal(name, kind, err)
			}
			c := Config{Epochs: 1, RowsPerGroup: len(sampler.Batches[0]), Groups: 1, Batches: OneSource}
			var sizes []mixture.Size
			var want, of []int // batches of each source; the source of each record
			for i, batches := range sampler.BatchesOf {
				n := len(batches) * c.RowsPerGroup
				sizes = append(sizes, mixture.Size{Source: mixture.Source{Weight: weight}, Records: n})
				want, of = append(want, len(batches)), append(of, slices.Repeat([]int{i}, n)...)
			}
			for c.Seed = range 20 {
				order, err := c.Order(sizes)
				if err != nil {
					t.Fatal(err)
				}
				got := make([]int, len(sizes))
				for b := range order.PerEpoch() {
					got[of[order.Batch(b)[0]]]++
				}
				if kind == "proportional" && (!slices.Equal(got, want) || order.PerEpoch() != len(sampler.Batches)) || kind == "round_robin" && slices.Max(got)-slices.Min(got) > 1 {
					t.Errorf("%s, seed %d: %v batches of the sources, want %v", kind, c.Seed, got, want)
				}
			}
		}
	}
}
