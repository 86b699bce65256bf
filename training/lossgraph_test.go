package training

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// sharedFolder returns a folder of the shared data, or skips the test.
func sharedFolder(t *testing.T, name string) string {
	t.Helper()
	root := os.Getenv("INFBENCH_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "shared")
	}
	dir := filepath.Join(root, name)
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("SKIP: shared data absent at %s", dir)
	}
	return dir
}

// golden reads a shared golden file into v.
func golden(t *testing.T, name string, v any) {
	t.Helper()
	path := filepath.Join(sharedFolder(t, "goldens"), name)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// batch is one batch of vectors as tests hold it: p [N,D], pairs[j][k] = iq_jk.
type batch struct {
	p     [][]float64
	pairs [][][]float64
}

// outcome is a loss with its gradients with respect to the raw vectors.
type outcome struct {
	loss, accuracy, mrr float64
	terms               []float64
	dp                  [][]float32
	dpairs              [][][]float32
}

// evaluate computes a loss the paper's way: every other instruction and every
// other query of the batch are candidates, in the order of rows. Vectors need
// not be normalised; gradients flow through the normalisation.
func evaluate(t testing.TB, b compute.Backend, l Loss, o Objective, in batch) outcome {
	t.Helper()
	n, d := len(in.p), len(in.p[0])
	exec, err := graph.NewExec(b, func(p, pairs *graph.Node) []*graph.Node {
		unitP, unit := graph.L2Normalize(p, -1), graph.L2Normalize(pairs, -1)
		row := func(j, k int) *graph.Node {
			return graph.Slice(unit, graph.AxisElem(j), graph.AxisElem(k), graph.AxisRange())
		}
		stack := func(pick func(i, other int) *graph.Node) *graph.Node {
			var rows []*graph.Node
			for i := range n {
				for other := range n {
					if other != i {
						rows = append(rows, pick(i, other))
					}
				}
			}
			return graph.Reshape(graph.Concatenate(rows, 0), n, n-1, d)
		}
		var own []*graph.Node
		for i := range n {
			own = append(own, row(i, i))
		}
		e := Embedded{
			P:            unitP,
			IQ:           graph.Reshape(graph.Concatenate(own, 0), n, d),
			Instructions: stack(func(i, j int) *graph.Node { return row(j, i) }),
			Queries:      stack(func(i, k int) *graph.Node { return row(i, k) }),
		}
		e.Counted = graph.OnesLike(graph.ReduceSum(e.Instructions, 2))
		s := l.Graph(o, e)
		out := append([]*graph.Node{s.Loss, s.Accuracy, s.MRR}, graph.Gradient(s.Loss, p, pairs)...)
		return append(out, s.Terms...)
	})
	if err != nil {
		t.Fatal(err)
	}
	defer exec.Finalize()
	out, err := exec.Call(float32s(in.p), float32s3(in.pairs))
	if err != nil {
		t.Fatal(err)
	}
	res := outcome{
		loss:     float64(tensors.ToScalar[float32](out[0])),
		accuracy: float64(tensors.ToScalar[float32](out[1])),
		mrr:      float64(tensors.ToScalar[float32](out[2])),
		dp:       out[3].Value().([][]float32),
		dpairs:   out[4].Value().([][][]float32),
	}
	for _, term := range out[5:] {
		res.terms = append(res.terms, float64(tensors.ToScalar[float32](term)))
	}
	return res
}

// paper is the objective of the equations at a temperature.
func paper(t testing.TB, temperature float64) Objective {
	t.Helper()
	o, err := Fidelity("paper", temperature)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// goldenLosses is losses.json: numpy and torch autograd in float64.
type goldenLosses struct {
	Batches []struct {
		P       [][]float64
		IQ      [][][]float64
		Results []struct {
			Variant     string `json:"iq_negative_variant"`
			Temperature float64
			Losses      map[string]float64
			Grad        map[string]struct {
				DP  [][]float64
				DIQ [][][]float64
			}
		}
	}
}

func TestLossGoldens(t *testing.T) {
	var g goldenLosses
	golden(t, "losses.json", &g)
	variants := map[string]IQTerm{"appendix_c_kk": Pair, "main_text_ik": QueryOnly}
	be := openBackend(t)
	gradients := 0
	for i, b := range g.Batches {
		in := batch{b.P, b.IQ}
		for _, r := range b.Results {
			o := paper(t, r.Temperature)
			var ok bool
			if o.IQ, ok = variants[r.Variant]; !ok {
				t.Fatalf("golden names an IQ variant nobody knows: %q", r.Variant)
			}
			for name, want := range r.Losses {
				where := fmt.Sprintf("batch %d, %s, t=%v, %s", i, r.Variant, r.Temperature, name)
				l, err := ParseLoss(strings.Replace(name, "_", ":", 1))
				if err != nil {
					t.Fatal(err)
				}
				got := evaluate(t, be, l, o, in)
				near(t, where, got.loss, want, 1e-5, 0)
				if l.Form == Uni {
					total := 0.0
					for _, v := range got.terms {
						total += v
					}
					near(t, where+" sum of terms", total, want, 1e-5, 0)
				}
				if grad, ok := r.Grad[name]; ok {
					gradients++
					compareGradients(t, where, got, grad.DP, grad.DIQ)
				}
			}
		}
	}
	if gradients == 0 {
		t.Error("the golden file holds no gradients")
	}
}

// compareGradients wants 1e-4 relative to the largest component: float32 cannot
// give components that cancel to nothing a relative precision of their own.
func compareGradients(t *testing.T, where string, got outcome, dp [][]float64, diq [][][]float64) {
	t.Helper()
	scale := 0.0
	for _, rows := range append(slices.Clone(diq), dp) {
		for _, row := range rows {
			for _, v := range row {
				scale = max(scale, math.Abs(v))
			}
		}
	}
	for i := range dp {
		for d := range dp[i] {
			near(t, fmt.Sprintf("%s dp[%d][%d]", where, i, d), float64(got.dp[i][d]), dp[i][d], 0, 1e-4*scale)
		}
	}
	for j := range diq {
		for k := range diq[j] {
			for d := range diq[j][k] {
				near(t, fmt.Sprintf("%s diq[%d][%d][%d]", where, j, k, d), float64(got.dpairs[j][k][d]), diq[j][k][d], 0, 1e-4*scale)
			}
		}
	}
}

// TestReferenceLossGoldens holds the losses to the reference code's values on
// two simulated devices with sampled instruction negatives.
func TestReferenceLossGoldens(t *testing.T) {
	var g struct {
		IQ, P    [][]float64
		Variants [][][]float64      `json:"IQ_variants"`
		Scale    float64            `json:"scale_code"`
		AtScale  map[string]float64 `json:"expected_scale_code"`
		AtScale1 map[string]float64 `json:"expected_scale_1"`
	}
	golden(t, "losses_reference_code.json", &g)
	reference, err := Fidelity("reference", 0.05)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "scale of the reference preset", reference.Scale(), g.Scale, 1e-12, 0)
	unscaled := reference
	unscaled.Temperature, unscaled.Epsilon = 1, 0
	be := openBackend(t)
	for _, set := range []struct {
		o    Objective
		want map[string]float64
	}{{reference, g.AtScale}, {unscaled, g.AtScale1}} {
		for name, want := range set.want {
			o := set.o
			if strings.HasPrefix(name, "multi_dup:") {
				o.Duplicates = Keep
			}
			name = strings.Replace(name, "multi_dup", "multi", 1)
			l, err := ParseLoss(strings.Replace(name, "same_tower", "P+IQ+ST", 1))
			if err != nil {
				t.Fatal(err)
			}
			got := sampled(t, be, l, o, g.P, g.IQ, g.Variants, nil)
			near(t, fmt.Sprintf("%s at scale %.4g (%s)", name, o.Scale(), o.Duplicates), got, want, 1e-5, 0)
		}
	}
}

// sampled is a loss over given instruction candidates, variants[i][0] being
// iq_i itself, of which those with counted 0 are masked (nil: none).
func sampled(t *testing.T, b compute.Backend, l Loss, o Objective, p, iq [][]float64, variants [][][]float64, counted [][]float32) float64 {
	t.Helper()
	others := make([][][]float64, len(variants))
	for i, v := range variants {
		others[i] = v[1:]
	}
	if counted == nil {
		counted = make([][]float32, len(others))
		for i := range counted {
			counted[i] = slices.Repeat([]float32{1}, len(others[i]))
		}
	}
	exec, err := graph.NewExec(b, func(p, iq, instructions, counted *graph.Node) *graph.Node {
		return l.Graph(o, Embedded{P: p, IQ: iq, Instructions: instructions, Counted: counted}).Loss
	})
	if err != nil {
		t.Fatal(err)
	}
	defer exec.Finalize()
	out, err := exec.Call(float32s(p), float32s(iq), float32s3(others), counted)
	if err != nil {
		t.Fatal(err)
	}
	return float64(tensors.ToScalar[float32](out[0]))
}

// extended are the paper's losses and those of the reference code alone.
func extended(t testing.TB) []Loss {
	t.Helper()
	losses := AllLosses()
	for _, name := range []string{"uni(P,IQ,ST)", "multi(P,IQ,ST)", "multi(P,I,IQ,ST)", "multi(P,IP)"} {
		l, err := ParseLoss(name)
		if err != nil {
			t.Fatal(err)
		}
		losses = append(losses, l)
	}
	return losses
}

// TestLossGradientsByCentralDifference checks every loss on a random batch in
// two directions of p and iq: (L(x+h) - L(x-h)) / 2h against the gradient.
func TestLossGradientsByCentralDifference(t *testing.T) {
	be := openBackend(t)
	rng := rand.New(rand.NewPCG(7, 1))
	for _, l := range extended(t) {
		for _, duplicates := range []Duplicates{Mask, Keep} {
			o := paper(t, 0.5)
			o.Duplicates = duplicates
			in, direction := random(rng, 4, 6), random(rng, 4, 6)
			at := evaluate(t, be, l, o, in)
			want := 0.0
			for i := range in.p {
				for d := range in.p[i] {
					want += float64(at.dp[i][d]) * direction.p[i][d]
					for k := range in.pairs[i] {
						want += float64(at.dpairs[i][k][d]) * direction.pairs[i][k][d]
					}
				}
			}
			const h = 1e-2
			up := evaluate(t, be, l, o, moved(in, direction, h)).loss
			down := evaluate(t, be, l, o, moved(in, direction, -h)).loss
			near(t, fmt.Sprintf("%v, duplicates %s", l, duplicates), (up-down)/(2*h), want, 2e-3, 2e-3)
		}
	}
}

// TestLossIsInvariantUnderRowOrder permutes the rows of a batch.
func TestLossIsInvariantUnderRowOrder(t *testing.T) {
	be := openBackend(t)
	rng := rand.New(rand.NewPCG(7, 2))
	for _, l := range extended(t) {
		o := paper(t, 0.1)
		if rng.IntN(2) == 0 {
			o.IQ = QueryOnly
		}
		in := random(rng, 5, 4)
		order := rng.Perm(5)
		var out batch
		for _, i := range order {
			out.p = append(out.p, in.p[i])
			var row [][]float64
			for _, k := range order {
				row = append(row, in.pairs[i][k])
			}
			out.pairs = append(out.pairs, row)
		}
		a, b := evaluate(t, be, l, o, in), evaluate(t, be, l, o, out)
		near(t, l.String(), b.loss, a.loss, 2e-6, 0)
		near(t, l.String()+" accuracy", b.accuracy, a.accuracy, 1e-6, 0)
		near(t, l.String()+" MRR", b.mrr, a.mrr, 1e-6, 0)
	}
}

// TestMaskedInstructionsDoNotCount compares a masked candidate with an absent one.
func TestMaskedInstructionsDoNotCount(t *testing.T) {
	be := openBackend(t)
	rng := rand.New(rand.NewPCG(7, 3))
	in := random(rng, 4, 6)
	iq := make([][]float64, 4)
	full, short := make([][][]float64, 4), make([][][]float64, 4)
	counted := make([][]float32, 4)
	for i := range iq {
		iq[i] = in.pairs[i][i]
		a, b := in.pairs[(i+1)%4][i], in.pairs[(i+2)%4][i]
		full[i] = [][]float64{iq[i], a, b}
		short[i] = [][]float64{iq[i], b}
		counted[i] = []float32{0, 1}
	}
	o := paper(t, 0.5)
	for _, name := range []string{"uni(I)", "uni(P,I)", "multi(P,I,IQ)", "multi(P,IP)"} {
		l, _ := ParseLoss(name)
		near(t, name, sampled(t, be, l, o, in.p, iq, full, counted), sampled(t, be, l, o, in.p, iq, short, nil), 1e-6, 0)
	}
}

// TestAccuracyAndMRRByHand uses unit vectors whose ranks are plain: row 0 finds
// its passage first, row 1 second, row 2 ties with row 0's passage.
func TestAccuracyAndMRRByHand(t *testing.T) {
	x, y := []float64{1, 0}, []float64{0, 1}
	in := batch{p: [][]float64{x, {1, 1}, x}, pairs: make([][][]float64, 3)}
	for j := range in.pairs {
		in.pairs[j] = [][]float64{{1, -0.5}, x, x}
	}
	in.p[0], in.pairs[0][0] = y, y
	// iq_00 = y: passages y, (1,1), x -> rank 1. iq_11 = x: x beats (1,1) -> rank 2.
	// iq_22 = x: its own x is alone at the top -> rank 1.
	got := evaluate(t, openBackend(t), AllLosses()[0], paper(t, 1), in)
	near(t, "accuracy", got.accuracy, 2.0/3, 1e-6, 0)
	near(t, "MRR", got.mrr, (1+0.5+1)/3, 1e-6, 0)
	in.p[1] = x // now row 1 and row 2 tie for the first place: both count as second
	got = evaluate(t, openBackend(t), AllLosses()[0], paper(t, 1), in)
	near(t, "accuracy under ties", got.accuracy, 1.0/3, 1e-6, 0)
	near(t, "MRR under ties", got.mrr, (1+0.5+0.5)/3, 1e-6, 0)
}

// near wants |got-want| <= relative*|want| + absolute.
func near(t *testing.T, what string, got, want, relative, absolute float64) {
	t.Helper()
	if !(math.Abs(got-want) <= relative*math.Abs(want)+absolute) {
		t.Errorf("%s: got %.9g, want %.9g", what, got, want)
	}
}

func random(rng *rand.Rand, n, d int) batch {
	vector := func() []float64 {
		v := make([]float64, d)
		for i := range v {
			v[i] = rng.NormFloat64()
		}
		return v
	}
	var b batch
	for range n {
		b.p = append(b.p, vector())
		var row [][]float64
		for range n {
			row = append(row, vector())
		}
		b.pairs = append(b.pairs, row)
	}
	return b
}

// moved is in + h*direction.
func moved(in, direction batch, h float64) batch {
	add := func(a, b []float64) []float64 {
		sum := slices.Clone(a)
		for i := range sum {
			sum[i] += h * b[i]
		}
		return sum
	}
	var out batch
	for i := range in.p {
		out.p = append(out.p, add(in.p[i], direction.p[i]))
		var row [][]float64
		for k := range in.pairs[i] {
			row = append(row, add(in.pairs[i][k], direction.pairs[i][k]))
		}
		out.pairs = append(out.pairs, row)
	}
	return out
}

func float32s(m [][]float64) [][]float32 {
	out := make([][]float32, len(m))
	for i, row := range m {
		for _, v := range row {
			out[i] = append(out[i], float32(v))
		}
	}
	return out
}

func float32s3(m [][][]float64) [][][]float32 {
	var out [][][]float32
	for _, rows := range m {
		out = append(out, float32s(rows))
	}
	return out
}

// TestReferenceOnlyLosses writes out, in float64 loops, the two formulas of the
// reference code that no golden holds (spec/training.md, section 2): the summed
// same_tower, whose self-similarities are never masked, and map_sum, whose
// candidates are all passages under all instructions and whose only mask is the
// repeated positive.
func TestReferenceOnlyLosses(t *testing.T) {
	const n, d = 4, 5
	in := random(rand.New(rand.NewPCG(7, 4)), n, d)
	o := paper(t, 0.3)
	o.Duplicates = Mask
	unit := func(v []float64) []float64 {
		norm := math.Sqrt(dot(v, v))
		out := slices.Clone(v)
		for i := range out {
			out[i] /= norm
		}
		return out
	}
	score := func(a, b []float64) float64 { return dot(unit(a), unit(b)) / 0.3 }
	softmaxLoss := func(positive float64, candidates []float64) float64 {
		sum := 0.0
		for _, c := range candidates {
			sum += math.Exp(c)
		}
		return math.Log(sum) - positive
	}
	summed, joined := 0.0, 0.0
	for i := range n {
		var qk, kq, qq, kk, all []float64
		for j := range n {
			qk = append(qk, score(in.pairs[i][i], in.p[j]))
			kq = append(kq, score(in.p[i], in.pairs[j][j]))
			qq = append(qq, score(in.pairs[i][i], in.pairs[j][j]))
			kk = append(kk, score(in.p[i], in.p[j]))
			for m := range n { // instruction j with query i against passage m
				if j != i || m != i {
					all = append(all, score(in.pairs[j][i], in.p[m]))
				}
			}
		}
		summed += softmaxLoss(qk[i], qk) + softmaxLoss(kq[i], kq) + softmaxLoss(qq[i], qq) + softmaxLoss(kk[i], kk)
		joined += softmaxLoss(qk[i], append(qk, all...))
	}
	be := openBackend(t)
	for name, want := range map[string]float64{"uni(P,IQ,ST)": summed / n, "multi(P,IP)": joined / n} {
		l, err := ParseLoss(name)
		if err != nil {
			t.Fatal(err)
		}
		near(t, name, evaluate(t, be, l, o, in).loss, want, 1e-5, 0)
	}
}

func dot(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}
