package training

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"infbench/training/encoder"
)

// TestGradientsOfAllLosses checks the gradient of every loss with respect to all weights at once
// by central differences, for each way of making the vectors of a batch, with both kinds of IQ
// term.
func TestGradientsOfAllLosses(t *testing.T) {
	data := colours(4)
	for _, way := range []struct {
		interaction encoder.Interaction
		separate    bool
		chunk       int
	}{
		{encoder.Concat, true, 5},
		{encoder.CrossAttentionProjected, false, 0},
		{encoder.CrossAttention, true, 7},
	} {
		enc := designed(t, data, way.interaction, way.separate)
		for n, l := range extended(t) {
			c := toyConfig()
			c.RowsPerGroup, c.Temperature, c.Chunk, c.Seed = 6, new(0.5), way.chunk, int64(n)
			if n%2 == 1 && l.Has(IQ) {
				c.IQTerm = QueryOnly
			}
			p := newProbe(t, c, l, enc, data)
			p.checkSlope(t, fmt.Sprintf("%s, separate %t, chunk %d, %s", way.interaction, way.separate, way.chunk, l))
			p.sum.finalize()
		}
	}
}

// checkSlope compares the gradient along a direction in the space of all weights, half of it the
// gradient's own, with a central difference.
func (p *probe) checkSlope(t *testing.T, where string) {
	t.Helper()
	_, gradients := p.byVariable(t)
	size := 0.0
	for _, of := range gradients {
		size = math.Hypot(size, length(of))
	}
	rng := rand.New(rand.NewPCG(2, 2))
	directions, slope, norm := map[string][]float32{}, 0.0, 0.0
	variables := distinct(p.sum.variables)
	count := 0
	for _, v := range variables {
		count += v.Shape().Size()
	}
	for _, v := range variables {
		of := gradients[v.Path()]
		direction := make([]float32, len(of))
		for k, g := range of {
			d := float64(g)/size + rng.NormFloat64()/math.Sqrt(float64(count))
			direction[k] = float32(d)
			slope, norm = slope+float64(g)*d, norm+d*d
		}
		directions[v.Path()] = direction
	}
	at := func(h float64) float64 {
		start := map[string]*tensors.Tensor{}
		for _, v := range variables {
			values := tensors.MustCopyFlatData[float32](v.MustValue())
			start[v.Path()] = tensors.FromFlatDataAndDimensions(append([]float32{}, values...), v.Shape().Dimensions...)
			for k, d := range directions[v.Path()] {
				values[k] += float32(h * float64(d) / math.Sqrt(norm))
			}
			if err := v.SetValue(tensors.FromFlatDataAndDimensions(values, v.Shape().Dimensions...)); err != nil {
				t.Fatal(err)
			}
		}
		loss, _ := p.gradients(t)
		for _, v := range variables {
			if err := v.SetValue(start[v.Path()]); err != nil {
				t.Fatal(err)
			}
		}
		return loss
	}
	const h = 1e-2
	near(t, where, (at(h)-at(-h))/(2*h), slope/math.Sqrt(norm), 0.02, 1e-3)
}
