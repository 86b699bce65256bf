package training

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"infbench/datasets"
	"infbench/training/encoder"
)

// TestChunksTrainTheSame compares steps in chunks, even and with a remainder,
// with steps in one piece.
func TestChunksTrainTheSame(t *testing.T) {
	for _, name := range []string{"uni(P,I)", "multi(P,I,IQ)"} {
		c := toyConfig()
		c.Epochs, c.Warmup = 1, 0
		_, want := trainedOn(t, colours(8), c, parsed(t, name), Options{})
		for _, size := range []int{8, 7} {
			c.Chunk = size
			_, got := trainedOn(t, colours(8), c, parsed(t, name), Options{})
			for i, s := range got.Curve {
				where := fmt.Sprintf("%s in chunks of %d, step %d", name, size, i+1)
				near(t, where+" loss", s.Loss, want.Curve[i].Loss, 1e-4, 0)
				near(t, where+" norm", s.GradNorm, want.Curve[i].GradNorm, 1e-3, 0)
				near(t, where+" MRR", s.MRR, want.Curve[i].MRR, 1e-6, 0)
				if fmt.Sprint(len(s.Terms), s.Tokens) != fmt.Sprint(len(want.Curve[i].Terms), want.Curve[i].Tokens) {
					t.Errorf("%s: %+v, want %+v", where, s, want.Curve[i])
				}
			}
		}
	}
}

// TestChunkedGradient compares loss and gradient of a batch in chunks with those in one piece,
// for all ways of making vectors from sequences. Chunks are even, with a remainder, or of few
// shapes, as on a card. The tolerance is 1e-6 of the complete gradient's length and 1e-5 of each
// variable's. Padding alone moves a gradient by more than that, so few shapes, which pad more,
// are compared with one piece that pads as much.
func TestChunkedGradient(t *testing.T) {
	data := colours(8)
	c := toyConfig()
	c.RowsPerGroup, c.Temperature = 6, new(0.5)
	for _, interaction := range encoder.Interactions() {
		for _, separate := range []bool{false, true} {
			enc := designed(t, data, encoder.Interaction(interaction), separate)
			l := parsed(t, "multi(P,I,IQ)")
			whole := func(length int) (float64, map[string][]float32) {
				p := newProbe(t, c, l, enc, data)
				p.batches[0].tokens.length = max(length, p.batches[0].tokens.length)
				return p.byVariable(t)
			}
			const far = 48 // so that there is something to choose
			plain, plainGradient := whole(0)
			padded, paddedGradient := whole(far)
			for _, way := range []struct {
				chunk int
				few   bool
			}{{4, false}, {5, false}, {100, false}, {4, true}, {5, true}} {
				c := c
				c.Chunk = way.chunk
				p, loss, want := newProbe(t, c, l, enc, data), plain, plainGradient
				if way.few {
					loss, want = padded, paddedGradient
					s, in := p.sum.gradient.(*chunked).stepper, p.batches[0]
					in.tokens.length = far
					s.cuts = s.fewShapes([][][]int{s.lengths(in.sequences)}, in.tokens)
				}
				got, gradients := p.byVariable(t)
				where := fmt.Sprintf("%s, separate %t, chunks %+v", interaction, separate, way)
				near(t, where+": loss", got, loss, 1e-6, 0)
				if len(gradients) != len(want) {
					t.Errorf("%s: gradients of %d variables, want %d", where, len(gradients), len(want))
				}
				size, off := 0.0, 0.0
				for path, of := range want {
					d := distance(gradients[path], of)
					size, off = math.Hypot(size, length(of)), math.Hypot(off, d)
					if !(d <= 1e-5*length(of)+1e-8) {
						t.Errorf("%s: gradient of %s is %.3g off, of length %.3g", where, path, d, length(of))
					}
				}
				if !(off <= 1e-6*size) {
					t.Errorf("%s: the gradient is %.3g off, of length %.3g", where, off, size)
				}
			}
		}
	}
}

// designed is newEncoder with an interaction, with weights moved away from their initial values,
// and with shared encoders or with separate encoders that differ.
func designed(t testing.TB, data []datasets.Triplet, i encoder.Interaction, separate bool) *encoder.Encoder {
	t.Helper()
	enc := newEncoder(t, data)
	if err := enc.SetInteraction(i); err != nil {
		t.Fatal(err)
	}
	if separate {
		if err := enc.Separate(); err != nil {
			t.Fatal(err)
		}
	}
	rng := rand.New(rand.NewPCG(3, 1))
	for v := range enc.Store().IterVariables() {
		if !strings.HasPrefix(v.Path(), "/interaction") && !strings.HasPrefix(v.Path(), "/documents") {
			continue
		}
		values := tensors.MustCopyFlatData[float32](v.MustValue())
		for k := range values {
			values[k] += float32(0.1 * rng.NormFloat64())
		}
		if err := v.SetValue(tensors.FromFlatDataAndDimensions(values, v.Shape().Dimensions...)); err != nil {
			t.Fatal(err)
		}
	}
	return enc
}

func distance(a, b []float32) float64 {
	if len(a) != len(b) {
		return math.Inf(1)
	}
	difference := slices.Clone(a)
	for i := range difference {
		difference[i] -= b[i]
	}
	return length(difference)
}
