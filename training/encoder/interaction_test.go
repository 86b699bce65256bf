package encoder_test

import (
	"errors"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"infbench/internal/nearest"
	"infbench/training/encoder"
)

// crossed returns a tiny encoder with an interaction.
func crossed(t *testing.T, i encoder.Interaction) *encoder.Encoder {
	t.Helper()
	e := tiny(t)
	if err := e.SetInteraction(i); err != nil {
		t.Fatal(err)
	}
	return e
}

func encodePairs(t *testing.T, e *encoder.Encoder, queries, instructions []string) [][]float32 {
	t.Helper()
	dst := make([]float32, len(queries)*e.Dim())
	if err := e.EncodeQueries(t.Context(), queries, instructions, dst); err != nil {
		t.Fatal(err)
	}
	return slices.Collect(slices.Chunk(dst, e.Dim()))
}

// states are the last hidden states of one text, without padding.
func states(t *testing.T, e *encoder.Encoder, ids []int32) [][]float64 {
	t.Helper()
	exec, err := model.NewExec(e.Backend(), e.Store(), func(_ *model.Scope, ids *graph.Node) *graph.Node {
		return e.HiddenStates(ids.Graph(), ids, graph.OnesLike(ids), nil)
	})
	if err != nil {
		t.Fatal(err)
	}
	defer exec.Finalize()
	out, err := exec.Call([][]int32{ids})
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]float64
	for row := range slices.Chunk(tensors.MustCopyFlatData[float32](out[0]), e.Dim()) {
		var r []float64
		for _, v := range row {
			r = append(r, float64(v))
		}
		rows = append(rows, r)
	}
	return rows
}

// attended is the definition written out: for each instruction token a softmax over query tokens,
// with padding more tokens of score mask and value zero; then the mean of the sums, at length 1.
func attended(instruction, query [][]float64, padding int, mask float64) []float64 {
	width := len(query[0])
	out := make([]float64, width)
	for _, token := range instruction {
		total := float64(padding) * math.Exp(mask)
		sum := make([]float64, width)
		for _, other := range query {
			score := 0.0
			for d := range width {
				score += token[d] * other[d]
			}
			share := math.Exp(score / math.Sqrt(float64(width)))
			total += share
			for d := range width {
				sum[d] += share * other[d]
			}
		}
		for d := range width {
			out[d] += sum[d] / total / float64(len(instruction))
		}
	}
	norm := 0.0
	for _, v := range out {
		norm += v * v
	}
	for d := range out {
		out[d] /= math.Sqrt(norm)
	}
	return out
}

// TestCrossAttention compares with the definition (spec of the reference code's
// attention_model.py) in float64, under both masks of evaluation, for pairs of several lengths
// that are encoded together and alone.
func TestCrossAttention(t *testing.T) {
	queries := []string{text(2, 1), text(30, 2), text(6, 3), text(15, 4)}
	instructions := []string{text(9, 5), text(3, 6), text(28, 7), text(14, 8)}
	var vectors [][][]float32
	for _, kind := range []encoder.Interaction{encoder.CrossAttention, encoder.CrossAttentionReferenceMask} {
		e := crossed(t, kind)
		got := encodePairs(t, e, queries, instructions)
		vectors = append(vectors, got)
		for i := range queries {
			ids := e.Tokens().Query(queries[i], "")
			padding := 0
			if kind == encoder.CrossAttentionReferenceMask {
				padding = e.Config().Text.MaxQuery - len(ids)
			}
			want := attended(states(t, e, e.Tokens().Instruction(instructions[i])), states(t, e, ids), padding, -1e-8)
			alone := encodePairs(t, e, queries[i:i+1], instructions[i:i+1])[0]
			for d, w := range want {
				if math.Abs(float64(got[i][d])-w) > 2e-6 || math.Abs(float64(got[i][d]-alone[d])) > 1e-6 {
					t.Fatalf("%s, pair %d, component %d: %v, alone %v, want %v", kind, i, d, got[i][d], alone[d], w)
				}
			}
		}
	}
	if slices.Equal(vectors[0][0], vectors[1][0]) {
		t.Error("the reference's mask changes nothing")
	}
}

// TestCrossAttentionWithoutInstruction: such a query has the same vector as a document.
func TestCrossAttentionWithoutInstruction(t *testing.T) {
	e := crossed(t, encoder.CrossAttention)
	got := encodePairs(t, e, []string{text(5, 1), text(7, 2), text(5, 1)}, []string{"", text(4, 3), "  "})
	want := encodeTexts(t, e, []string{text(5, 1)})
	if !slices.Equal(got[0], want) || !slices.Equal(got[2], want) {
		t.Error("a query without instruction is not pooled as a document")
	}
	if slices.Equal(got[1], encodePairs(t, e, []string{text(7, 2)}, []string{""})[0]) {
		t.Error("the instruction changes nothing")
	}
}

func TestInteractionIsSaved(t *testing.T) {
	for _, name := range encoder.Interactions() {
		e := crossed(t, encoder.Interaction(name))
		dir := filepath.Join(t.TempDir(), "model")
		if err := e.Save(dir); err != nil {
			t.Fatal(err)
		}
		back, err := encoder.Open(dir, backend(t))
		if err != nil {
			t.Fatal(err)
		}
		if got := back.Config().Text.Interaction; string(got) != name {
			t.Errorf("%s comes back as %s", name, got)
		}
		q, i := []string{text(4, 1)}, []string{text(8, 2)}
		if !slices.Equal(encodePairs(t, e, q, i)[0], encodePairs(t, back, q, i)[0]) {
			t.Errorf("%s: other vectors after saving", name)
		}
	}
}

func TestSetInteraction(t *testing.T) {
	e := tiny(t)
	q, i := []string{text(4, 1)}, []string{text(8, 2)}
	concat := encodePairs(t, e, q, i)[0]
	var unknown *nearest.UnknownError
	if err := e.SetInteraction("cross"); !errors.As(err, &unknown) {
		t.Errorf("got %v", err)
	}
	var previous [][]float32
	for _, name := range []encoder.Interaction{encoder.CrossAttention, encoder.CrossAttentionReferenceMask, encoder.CrossAttention, encoder.Concat} {
		if err := e.SetInteraction(name); err != nil {
			t.Fatal(err)
		}
		previous = append(previous, encodePairs(t, e, q, i)[0])
	}
	if slices.Equal(previous[0], previous[1]) || !slices.Equal(previous[0], previous[2]) || !slices.Equal(previous[3], concat) {
		t.Error("vectors do not follow the interaction")
	}
}
