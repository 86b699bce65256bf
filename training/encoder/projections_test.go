package encoder_test

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"infbench/training/encoder"
)

// stir changes the initial weights below a path.
func stir(t *testing.T, e *encoder.Encoder, below string) {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 6))
	found := false
	for v := range e.Store().IterVariables() {
		if !strings.HasPrefix(v.Path(), below) {
			continue
		}
		found = true
		values := tensors.MustCopyFlatData[float32](v.MustValue())
		for i := range values {
			values[i] += float32(0.2 * rng.NormFloat64())
		}
		if err := v.SetValue(tensors.FromFlatDataAndDimensions(values, v.Shape().Dimensions...)); err != nil {
			t.Fatal(err)
		}
	}
	if !found {
		t.Fatalf("no weights below %s", below)
	}
}

// times is x W for rows x and the paper's W; the store holds W transposed.
func times(t *testing.T, e *encoder.Encoder, x [][]float64, layer string) [][]float64 {
	t.Helper()
	w := tensors.MustCopyFlatData[float32](e.Store().GetVariable("/interaction." + layer + ".weight").MustValue())
	d := len(x[0])
	var out [][]float64
	for _, row := range x {
		y := make([]float64, d)
		for o := range d {
			for i, v := range row {
				y[o] += v * float64(w[o*d+i])
			}
		}
		out = append(out, y)
	}
	return out
}

// pooled is the mean of rows, as a single row.
func pooled(x [][]float64) [][]float64 {
	mean := make([]float64, len(x[0]))
	for _, row := range x {
		for d, v := range row {
			mean[d] += v / float64(len(x))
		}
	}
	return [][]float64{mean}
}

// printed is eq. 4 of the paper, term by term in float64: softmax(i W_i (q W_q1)^T / sqrt(D)) q
// W_q2, averaged over the rows of i, at length 1. padding more query tokens have score and value
// zero.
func printed(t *testing.T, e *encoder.Encoder, instruction, query [][]float64, padding int) []float64 {
	t.Helper()
	i, keys, values := times(t, e, instruction, "instruction"), times(t, e, query, "query_key"), times(t, e, query, "query_value")
	d := len(query[0])
	out := make([]float64, d)
	for _, row := range i {
		total := float64(padding)
		sum := make([]float64, d)
		for j := range keys {
			score := 0.0
			for k := range d {
				score += row[k] * keys[j][k]
			}
			share := math.Exp(score / math.Sqrt(float64(d)))
			total += share
			for k := range d {
				sum[k] += share * values[j][k]
			}
		}
		for k := range d {
			out[k] += sum[k] / total / float64(len(i))
		}
	}
	norm := 0.0
	for _, v := range out {
		norm += v * v
	}
	for k := range out {
		out[k] /= math.Sqrt(norm)
	}
	return out
}

// TestLearnedCrossAttention compares eq. 4 on both levels with its definition, alone, together
// and after saving and opening.
func TestLearnedCrossAttention(t *testing.T) {
	queries := []string{text(2, 1), text(30, 2), text(6, 3)}
	instructions := []string{text(9, 5), text(3, 6), text(28, 7)}
	for _, kind := range []encoder.Interaction{
		encoder.CrossAttentionProjected, encoder.CrossAttentionProjectedReferenceMask, encoder.CrossAttentionPooledProjected,
	} {
		e := crossed(t, kind)
		stir(t, e, "/interaction.")
		dir := filepath.Join(t.TempDir(), "model")
		if err := e.Save(dir); err != nil {
			t.Fatal(err)
		}
		back, err := encoder.Open(dir, backend(t))
		if err != nil {
			t.Fatal(err)
		}
		if found, err := encoder.Inspect(dir); err != nil || !found.Runs() {
			t.Errorf("%s: inspected as %+v, %v", kind, found, err)
		}
		got, again := encodePairs(t, e, queries, instructions), encodePairs(t, back, queries, instructions)
		for n := range queries {
			ids := e.Tokens().Query(queries[n], "")
			i, q, padding := states(t, e, e.Tokens().Instruction(instructions[n])), states(t, e, ids), 0
			switch kind {
			case encoder.CrossAttentionPooledProjected:
				i, q = pooled(i), pooled(q)
			case encoder.CrossAttentionProjectedReferenceMask:
				padding = e.Config().Text.MaxQuery - len(ids)
			}
			for d, want := range printed(t, e, i, q, padding) {
				if math.Abs(float64(got[n][d])-want) > 3e-6 {
					t.Fatalf("%s, pair %d, component %d: %v, want %v", kind, n, d, got[n][d], want)
				}
			}
			if !slices.Equal(got[n], again[n]) {
				t.Errorf("%s, pair %d: other vectors after saving", kind, n)
			}
		}
	}
}

// TestPooledIgnoresInstruction: with one key the instruction has no effect.
func TestPooledIgnoresInstruction(t *testing.T) {
	e := crossed(t, encoder.CrossAttentionPooled)
	v := encodePairs(t, e, []string{text(6, 3), text(6, 3), text(6, 3)}, []string{text(4, 1), text(9, 2), ""})
	for d := range v[0] {
		if math.Abs(float64(v[0][d]-v[1][d])) > 1e-6 || math.Abs(float64(v[0][d]-v[2][d])) > 1e-6 {
			t.Fatalf("component %d: %v, %v and %v", d, v[0][d], v[1][d], v[2][d])
		}
	}
}

// TestProjectionsStartAsCoded: before training, eq. 4 equals the reference code's formula, and
// removing the projections leaves no trace of them.
func TestProjectionsStartAsCoded(t *testing.T) {
	e := crossed(t, encoder.CrossAttention)
	n := e.Store().NumVariables()
	q, i := []string{text(6, 3)}, []string{text(4, 1)}
	coded := encodePairs(t, e, q, i)[0]
	if err := e.SetInteraction(encoder.CrossAttentionProjected); err != nil {
		t.Fatal(err)
	}
	for d, v := range encodePairs(t, e, q, i)[0] {
		if math.Abs(float64(v-coded[d])) > 1e-6 {
			t.Fatalf("component %d: %v, coded %v", d, v, coded[d])
		}
	}
	if err := e.SetInteraction(encoder.Concat); err != nil || e.Store().NumVariables() != n {
		t.Errorf("%d weights after, %d before: %v", e.Store().NumVariables(), n, err)
	}
}

func TestMissingProjections(t *testing.T) {
	e := crossed(t, encoder.CrossAttentionProjected)
	dir := filepath.Join(t.TempDir(), "model")
	if err := e.Save(dir); err != nil {
		t.Fatal(err)
	}
	remove(t, filepath.Join(dir, "cross_attention.safetensors"))
	if _, err := encoder.Open(dir, backend(t)); err == nil || !strings.Contains(err.Error(), "cross_attention.safetensors") {
		t.Errorf("opened without projections: %v", err)
	}
	if found, err := encoder.Inspect(dir); err != nil || found.Runs() {
		t.Errorf("runs without projections: %+v, %v", found, err)
	}
}
