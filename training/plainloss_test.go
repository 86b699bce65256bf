package training

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// plainBatch is the input of a loss as lists: vectors of N anchors with C instruction candidates
// and K queries each.
type plainBatch struct {
	p, iq                 [][]float64
	instructions, queries [][][]float64
	counted               [][]bool
	unit                  bool        // vectors already have length 1
	anchored              []bool      // rows that have a passage; nil: all
	modified              *plainMarks // data of modifiers; nil: none
}

// plainLoss is a loss as defined in goldens/README.md and spec/training.md (section 2), in
// float64 loops: for each row and term the list of candidates' scores, and -log of the positive's
// share in the sum of their exponentials. It shares no code with scoresOf.
func plainLoss(l Contrastive, o Objective, b plainBatch) float64 {
	total, anchors := 0.0, 0.0
	var couples [8][2]float64 // of each list of the form pair: sum and number
	has := func(m int) bool { return b.anchored == nil || b.anchored[m] }
	for i := range b.p {
		if !has(i) {
			continue
		}
		anchors++
		score := func(x, y []float64) float64 {
			length := 1.0
			if !b.unit {
				length = math.Sqrt(dot(x, x) * dot(y, y))
			}
			return dot(x, y) / length / (o.Temperature + o.Epsilon)
		}
		positive := score(b.p[i], b.iq[i])
		share := func(own float64, others []float64) float64 { // own is among the candidates
			sum := 1.0
			for _, s := range others {
				sum += math.Exp(s - own)
			}
			return math.Log(sum)
		}
		// lists are the candidates other than the positive, term by term; repeats counts how
		// often the positive itself occurs in the lists.
		var lists [][]float64
		repeats := 0
		term := func(t Term, list func() []float64) {
			if l.Has(t) {
				lists = append(lists, list())
				repeats++
			}
		}
		term(P, func() (list []float64) {
			for m := range b.p {
				if m != i && has(m) {
					list = append(list, score(b.p[m], b.iq[i]))
				}
			}
			return list
		})
		term(I, func() (list []float64) {
			for c, v := range b.instructions[i] {
				if b.counted[i][c] {
					list = append(list, score(b.p[i], v))
				}
			}
			return list
		})
		term(IQ, func() (list []float64) {
			if o.IQ == QueryOnly {
				for _, v := range b.queries[i] {
					list = append(list, score(b.p[i], v))
				}
				return list
			}
			for k := range b.iq {
				if k != i {
					list = append(list, score(b.p[i], b.iq[k]))
				}
			}
			return list
		})
		term(IP, func() (list []float64) {
			for m := range b.p {
				if !has(m) {
					continue
				}
				if m != i {
					list = append(list, score(b.p[m], b.iq[i]))
				}
				for c, v := range b.instructions[i] {
					if b.counted[i][c] {
						list = append(list, score(b.p[m], v))
					}
				}
			}
			return list
		})
		var queries, passages []float64
		for k := range b.p {
			if k != i && l.Has(ST) {
				queries = append(queries, score(b.iq[i], b.iq[k]))
				if has(k) {
					passages = append(passages, score(b.p[i], b.p[k]))
				}
			}
		}
		if l.Form == Pairwise { // divided by the couples at the end
			for k, list := range append(lists, queries, passages) {
				of := positive
				if k >= len(lists) {
					of = o.Scale()
				}
				for _, s := range list {
					couples[k] = [2]float64{couples[k][0] + math.Log2(1+math.Exp(s-of)), couples[k][1] + 1}
				}
			}
			continue
		}
		if l.Form == Uni {
			for _, list := range lists {
				total += share(positive, list)
			}
			if l.Has(ST) { // the positive is the row with itself, with cosine 1
				total += share(o.Scale(), queries) + share(o.Scale(), passages)
			}
			continue
		}
		if l.Form == Sig { // the positive once; every candidate on its own
			total += math.Log1p(math.Exp(-positive - o.Bias))
			for _, list := range append(lists, queries, passages) {
				for _, s := range list {
					total += math.Log1p(math.Exp(s + o.Bias))
				}
			}
			continue
		}
		all := append(queries, passages...)
		for _, list := range lists {
			all = append(all, list...)
		}
		if o.Duplicates == Keep {
			for range repeats - 1 {
				all = append(all, positive)
			}
		}
		total += share(positive, all)
	}
	for _, c := range couples {
		total += c[0] / max(c[1], 1) * anchors
	}
	return total / anchors
}

// outcome is a loss as training computes it.
type outcome struct {
	loss, accuracy, mrr float64
	terms               []float64
	gradient            [][]float32 // by every vector, in the order of plainBatch.vectors
}

// built computes a loss with scoresOf; gradients flow through the normalisation
// of the vectors.
func built(t *testing.T, be compute.Backend, l Loss, o Objective, b plainBatch) (res outcome) {
	t.Helper()
	n, d := len(b.p), len(b.p[0])
	flat := func(list [][][]float64) (values []float32, width int) {
		for _, row := range list {
			width = len(row)
			for _, v := range row {
				for _, x := range v {
					values = append(values, float32(x))
				}
			}
		}
		return values, width
	}
	instructions, c := flat(b.instructions)
	queries, k := flat(b.queries)
	var counted []float32
	for _, row := range b.counted {
		for _, on := range row {
			counted = append(counted, indicator(on))
		}
	}
	exec, err := graph.NewExec(be, func(p, iq, instructions, queries, counted *graph.Node) []*graph.Node {
		unit := func(x *graph.Node) *graph.Node {
			if b.unit {
				return x
			}
			return graph.L2Normalize(x, -1)
		}
		e := Embedded{P: unit(p), IQ: unit(iq), Instructions: unit(instructions), Queries: unit(queries), Counted: counted}
		if b.anchored != nil {
			var anchored []float32
			for _, has := range b.anchored {
				anchored = append(anchored, indicator(has))
			}
			e.Anchored = graph.Const(p.Graph(), anchored)
		}
		if b.modified != nil {
			e = b.modified.into(e)
		}
		s := scoresOf(l, o, e)
		out := append([]*graph.Node{s.Loss, s.Accuracy, s.MRR}, graph.Gradient(s.Loss, p, iq, instructions, queries)...)
		return append(out, s.Terms...)
	})
	if err != nil {
		t.Fatal(err)
	}
	defer exec.Finalize()
	out, err := exec.Call(float32s(b.p), float32s(b.iq),
		tensors.FromFlatDataAndDimensions(instructions, n, c, d), tensors.FromFlatDataAndDimensions(queries, n, k, d),
		tensors.FromFlatDataAndDimensions(counted, n, c))
	if err != nil {
		t.Fatal(err)
	}
	scalar := func(x *tensors.Tensor) float64 { return float64(tensors.ToScalar[float32](x)) }
	res.loss, res.accuracy, res.mrr = scalar(out[0]), scalar(out[1]), scalar(out[2])
	for _, of := range out[3:7] {
		for row := range slices.Chunk(tensors.MustCopyFlatData[float32](of), d) {
			res.gradient = append(res.gradient, row)
		}
	}
	for _, term := range out[7:] {
		res.terms = append(res.terms, scalar(term))
	}
	return res
}

// vectors lists all vectors of a batch; they can be changed in place.
func (b plainBatch) vectors() [][]float64 {
	var list [][]float64
	list = append(append(list, b.p...), b.iq...)
	for _, of := range [][][][]float64{b.instructions, b.queries} {
		for _, row := range of {
			list = append(list, row...)
		}
	}
	return list
}

// formulas lists every loss that has a formula: all forms over all valid sets of terms.
func formulas() []Contrastive {
	var list []Contrastive
	for terms := Term(1); terms < IP<<1; terms++ {
		for _, form := range Forms() {
			if l := (Contrastive{form, terms}); l.check() == nil {
				list = append(list, l)
			}
		}
	}
	return list
}

// randomPlain makes a batch of 1 to 6 anchors with 1 to 5 candidates of each kind. odd selects
// special batches that texts can produce: none of the instructions counts; all passages are the
// same; instructions and queries repeat the anchor's own.
func randomPlain(rng *rand.Rand, odd string) plainBatch {
	n, c, k, d := 1+rng.IntN(6), 1+rng.IntN(5), 1+rng.IntN(5), 2+rng.IntN(8)
	vectors := random(rng, n, d)
	b := plainBatch{p: vectors.p}
	for i := range n {
		b.iq = append(b.iq, vectors.pairs[i][i])
		b.instructions = append(b.instructions, random(rng, c, d).p)
		b.queries = append(b.queries, random(rng, k, d).p)
		on := make([]bool, c)
		for j := range on {
			on[j] = odd != "none counts" && rng.IntN(3) > 0
		}
		b.counted = append(b.counted, on)
		switch odd {
		case "equal passages":
			b.p[i] = slices.Clone(b.p[0])
		case "own repeated":
			b.instructions[i][rng.IntN(c)] = slices.Clone(b.iq[i])
			b.queries[i][rng.IntN(k)] = slices.Clone(b.iq[i])
		case "rows without a passage":
			b.anchored = append(b.anchored, i == 0 || rng.IntN(2) == 0)
		}
	}
	return b
}

// TestLossesAsWritten compares every loss, with every option and at temperatures from the
// reference code's to the paper's, with plainLoss, and each component of its gradient with
// central differences of plainLoss.
//
// A loss close to 0 is the difference of large scores, so float32 leaves only a few units in the
// last place of a score.
func TestLossesAsWritten(t *testing.T) {
	be := openBackend(t)
	softmaxes, pairs := rand.New(rand.NewPCG(8, 1)), rand.New(rand.NewPCG(8, 2))
	for _, odd := range []string{"", "none counts", "equal passages", "own repeated", "rows without a passage"} {
		for _, l := range formulas() {
			for _, duplicates := range []Duplicates{Mask, Keep} {
				rng := softmaxes
				if l.Form == Pairwise {
					rng = pairs
				}
				b := randomPlain(rng, odd)
				o := Objective{
					Temperature: []float64{0.02, 0.05, 0.2, 1}[rng.IntN(4)], Epsilon: []float64{0, 1e-4}[rng.IntN(2)],
					Duplicates: duplicates, IQ: []IQTerm{Pair, QueryOnly}[rng.IntN(2)], Bias: -5 * rng.Float64(),
				}
				where := fmt.Sprintf("%s %v of %d rows, %+v", odd, l, len(b.p), o)
				got := built(t, be, l, o, b)
				near(t, where, got.loss, plainLoss(l, o, b), 1e-5, 4*0x1p-23*o.Scale())
				checkSlopes(t, where, func() float64 { return plainLoss(l, o, b) }, o, b, got.gradient)
			}
		}
	}
}

// checkSlopes compares a gradient with central differences of a loss in float64, within
// 1e-4 of its largest component.
func checkSlopes(t *testing.T, where string, plain func() float64, o Objective, b plainBatch, gradient [][]float32) {
	t.Helper()
	largest := 0.0
	for _, row := range gradient {
		for _, g := range row {
			largest = max(largest, math.Abs(float64(g)))
		}
	}
	const h = 1e-6
	for i, v := range b.vectors() {
		for d := range v {
			start := v[d]
			v[d] = start + h
			up := plain()
			v[d] = start - h
			slope := (up - plain()) / (2 * h)
			v[d] = start
			near(t, fmt.Sprintf("%s: slope %d of vector %d", where, d, i), float64(gradient[i][d]), slope, 0, 1e-4*largest+1e-7*o.Scale())
		}
	}
}
