package training

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/compute"
)

// batch is one batch of vectors in the form of the tests: p [N,D], pairs[j][k] = iq_jk.
type batch struct {
	p     [][]float64
	pairs [][][]float64
}

// everyOther is a batch as the paper defines it: every other instruction and every other query
// are candidates, in the order of rows.
func (b batch) everyOther() plainBatch {
	out := plainBatch{p: b.p}
	for i := range b.p {
		var instructions, queries [][]float64
		var counted []bool
		for other := range b.p {
			if other != i {
				instructions, queries = append(instructions, b.pairs[other][i]), append(queries, b.pairs[i][other])
				counted = append(counted, true)
			}
		}
		out.iq = append(out.iq, b.pairs[i][i])
		out.instructions, out.queries = append(out.instructions, instructions), append(out.queries, queries)
		out.counted = append(out.counted, counted)
	}
	return out
}

// evaluate computes a loss over every other instruction and query.
func evaluate(t *testing.T, be compute.Backend, l Contrastive, o Objective, in batch) outcome {
	t.Helper()
	return built(t, be, l, o, in.everyOther())
}

// paper is the objective of the equations at a temperature.
func paper(t testing.TB, temperature float64) Objective {
	t.Helper()
	o, err := Fidelity("paper")
	if err != nil {
		t.Fatal(err)
	}
	o.Temperature = temperature
	return o
}

// extended returns the paper's losses and the losses that only the reference code has.
func extended(t testing.TB) []Contrastive {
	t.Helper()
	losses := AllLosses()
	for _, name := range []string{"uni(P,IQ,ST)", "multi(P,IQ,ST)", "multi(P,I,IQ,ST)", "multi(P,IP)"} {
		l, err := parseContrastive(name)
		if err != nil {
			t.Fatal(err)
		}
		losses = append(losses, l)
	}
	return losses
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

// TestAccuracyAndMRRByHand uses unit vectors with obvious ranks: row 0 finds its passage first,
// row 1 second, row 2 ties with row 0's passage.
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

// A row without a passage does not count in accuracy and MRR, and the placeholder for its passage
// does not compete with other passages.
func TestAccuracyOfAnchors(t *testing.T) {
	x, y := []float64{1, 0}, []float64{0, 1}
	b := plainBatch{p: [][]float64{y, x, x}, iq: [][]float64{x, x, x}, anchored: []bool{true, true, false}}
	for range b.p {
		b.instructions, b.queries, b.counted = append(b.instructions, [][]float64{y}), append(b.queries, [][]float64{y}), append(b.counted, []bool{true})
	}
	// Row 0 finds its y behind x of row 1; row 1 its x first, as x of row 2 does not count.
	got := built(t, openBackend(t), AllLosses()[0], paper(t, 1), b)
	near(t, "accuracy", got.accuracy, 1.0/2, 1e-6, 0)
	near(t, "MRR", got.mrr, (1.0/2+1)/2, 1e-6, 0)
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

func float32s(m [][]float64) [][]float32 {
	out := make([][]float32, len(m))
	for i, row := range m {
		for _, v := range row {
			out[i] = append(out[i], float32(v))
		}
	}
	return out
}

func dot(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}
