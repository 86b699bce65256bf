package training

import (
	"math"
	"slices"
	"strings"
	"testing"

	"infbench/datasets"
	"infbench/training/encoder"
)

// newCrossed is newEncoder with cross-attention.
func newCrossed(t testing.TB, data []datasets.Triplet) *encoder.Encoder {
	t.Helper()
	enc := newEncoder(t, data)
	if err := enc.SetInteraction(encoder.CrossAttention); err != nil {
		t.Fatal(err)
	}
	return enc
}

// TestCrossedGradientByDifferences covers instruction negatives made from token states of other
// rows.
func TestCrossedGradientByDifferences(t *testing.T) {
	data := colours(8)
	c := toyConfig()
	c.RowsPerGroup, c.Temperature = 6, new(0.5)
	newProbe(t, c, parsed(t, "multi(P,I)"), newCrossed(t, data), data).checkByDifferences(t, "cross-attention")
}

// TestCrossedSequences: instructions and queries are embedded once each, as many as the batch
// has, and pairs refer to their texts.
func TestCrossedSequences(t *testing.T) {
	data := colours(24)
	enc := newCrossed(t, data)
	c := toyConfig()
	c.Negatives.Divisor = 1
	for _, iq := range []IQTerm{Pair, QueryOnly} {
		c.IQTerm = iq
		o, err := c.Objective()
		if err != nil {
			t.Fatal(err)
		}
		rows := Rows(of(data))
		s, err := newSampler(c, o, parsed(t, "multi(P,I,IQ)"), of(data))
		if err != nil {
			t.Fatal(err)
		}
		tk := newTokens(enc, "", rows, true)
		for step := range 6 {
			b := s.batch(step)
			e := tk.encode(b, s.mixed())
			if len(e.sequences) != 12+8+8 || len(e.pairs) != 12+s.mixed() {
				t.Fatalf("%d sequences, %d pairs; want 12 passages, 8 instructions and 8 queries, 12+%d pairs",
					len(e.sequences), len(e.pairs), s.mixed())
			}
			same := func(at int32, j, k int) {
				t.Helper()
				pair := e.pairs[at]
				if !slices.Equal(e.sequences[12+pair[0]], enc.Tokens().Instruction(rows[j].Instruction)) ||
					!slices.Equal(e.sequences[20+pair[1]], enc.Tokens().Query(rows[k].Query, "")) {
					t.Errorf("step %d: pair %v is not instruction %d with query %d", step, pair, j, k)
				}
			}
			for a, i := range b.Rows {
				same(int32(a), i, i)
				for c, j := range b.Instructions[a] {
					same(e.instructions[a][c], j, i)
				}
				if iq == QueryOnly {
					for c, k := range b.Queries[a] {
						same(e.queries[a][c], i, k)
					}
				}
			}
		}
	}
}

// TestCrossedTrainsAsItEncodes compares the first loss of training with uni(P), worked out in
// float64 from the vectors that the encoder returns.
func TestCrossedTrainsAsItEncodes(t *testing.T) {
	data := colours(24)
	c := toyConfig()
	c.Epochs, c.FalseNegatives.Equal = 1, Keep
	enc := newCrossed(t, data)
	p := newProbe(t, c, parsed(t, "uni(P)"), enc, data)
	got, _ := p.gradients(t)

	o, _ := c.Objective()
	rows := Rows(of(data))
	s, err := newSampler(c, o, parsed(t, "uni(P)"), of(data))
	if err != nil {
		t.Fatal(err)
	}
	var queries, instructions, passages []string
	for _, i := range s.batch(0).Rows {
		queries, instructions = append(queries, rows[i].Query), append(instructions, rows[i].Instruction)
		passages = append(passages, rows[i].Passage)
	}
	iq, documents := make([]float32, 12*enc.Dim()), make([]float32, 12*enc.Dim())
	if err := enc.EncodeQueries(t.Context(), queries, instructions, iq); err != nil {
		t.Fatal(err)
	}
	if err := enc.EncodeDocuments(t.Context(), make([]string, 12), passages, documents); err != nil {
		t.Fatal(err)
	}
	want := crossEntropyOf(iq, documents, enc.Dim(), o.Scale())
	near(t, "loss", got, want, 1e-4, 0)
}

// crossEntropyOf is the mean of -log softmax of the diagonal of scaled dot
// products.
func crossEntropyOf(a, b []float32, dim int, scale float64) float64 {
	n, loss := len(a)/dim, 0.0
	for i := range n {
		total, own := 0.0, 0.0
		for k := range n {
			score := 0.0
			for d := range dim {
				score += float64(a[i*dim+d]) * float64(b[k*dim+d])
			}
			total += math.Exp(score * scale)
			if k == i {
				own = score * scale
			}
		}
		loss += (math.Log(total) - own) / float64(n)
	}
	return loss
}

func TestCrossedLearnsAndResumes(t *testing.T) {
	data := colours(24)
	c := toyConfig()
	c.Epochs, c.Dropout, c.Accumulate = 8, 0.05, 2
	l := parsed(t, "uni(P,I)")
	enc := newCrossed(t, data)
	sum, err := Train(t.Context(), c, l, enc, of(data), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if first, last := sum.Curve[0].Loss, sum.Curve[len(sum.Curve)-1].Loss; !(last < first*0.8) {
		t.Errorf("loss went from %v to %v", first, last)
	}
	dir := t.TempDir()
	func() {
		defer func() { _ = recover() }()
		_, _ = Train(t.Context(), c, l, newCrossed(t, data), of(data), Options{Checkpoint: dir, Every: 5, OnStep: func(s Step) {
			if s.Step == 8 {
				panic("crash")
			}
		}})
	}()
	again := newCrossed(t, data)
	rest, err := Train(t.Context(), c, l, again, of(data), Options{Checkpoint: dir, Every: 5})
	if err != nil || rest.Resumed != 5 || digest(t, again) != digest(t, enc) {
		t.Errorf("resumed at %d: other weights, or error %v", rest.Resumed, err)
	}
	if _, err := Train(t.Context(), c, l, newEncoder(t, data), of(data), Options{Checkpoint: dir}); err == nil || !strings.Contains(err.Error(), "encoder") {
		t.Errorf("a run of another interaction is continued: %v", err)
	}
}
