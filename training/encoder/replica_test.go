package encoder

import (
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"infbench/training/tokenizer"
)

// TestReplica: a replica has the same vectors, keeps them while its original changes, and follows
// after CopyTrained.
func TestReplica(t *testing.T) {
	tok, err := tokenizer.BuildWordPiece(slices.Values([]string{"a b c"}), 50)
	if err != nil {
		t.Fatal(err)
	}
	e, err := New(TinyBERT(), tok, 1, goBackend(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Adapt(LoRA{Rank: 2}, 1); err != nil {
		t.Fatal(err)
	}
	r, err := e.Replica(goBackend(t))
	if err != nil {
		t.Fatal(err)
	}
	vector := func(e *Encoder) []float32 {
		dst := make([]float32, e.Dim())
		if err := e.EncodeQueries(t.Context(), []string{"a b"}, []string{"c"}, dst); err != nil {
			t.Fatal(err)
		}
		return dst
	}
	start := vector(e)
	if !slices.Equal(vector(r), start) {
		t.Error("the replica has other vectors")
	}
	b := e.params.store.GetVariable("/lora/encoder.layer.0.output.dense.B")
	moved := make([]float32, b.Shape().Size())
	for i := range moved {
		moved[i] = float32(i % 3)
	}
	if err := b.SetValue(tensors.FromFlatDataAndDimensions(moved, b.Shape().Dimensions...)); err != nil {
		t.Fatal(err)
	}
	if slices.Equal(vector(e), start) || !slices.Equal(vector(r), start) {
		t.Error("the adapter changes nothing, or the replica changes with its original")
	}
	if err := r.CopyTrained(e); err != nil || !slices.Equal(vector(r), vector(e)) {
		t.Errorf("the replica does not follow: %v", err)
	}
}
