package training

import (
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"infbench/datasets"
	"infbench/training/encoder"
)

// newLike makes an encoder of another family with newEncoder's tokenizer.
func newLike(t testing.TB, kind string, data []datasets.Triplet) *encoder.Encoder {
	t.Helper()
	small := newEncoder(t, data)
	c := encoder.Config{
		ModelType: kind, HiddenAct: "gelu", HiddenSize: 16, IntermediateSize: 32, NumHiddenLayers: 2, NumAttentionHeads: 2,
		MaxPositionEmbeddings: 64, Text: small.Config().Text,
	}
	switch kind {
	case "gemma3_text": // a window in the first layer only, both ways
		c.NumKeyValueHeads, c.HeadDim, c.HiddenAct, c.BothWays = 1, 8, "gelu_pytorch_tanh", true
		c.SlidingWindow, c.LayerTypes = new(6), []string{"sliding_attention", "full_attention"}
	case "llama":
		c.NumKeyValueHeads, c.HiddenAct, c.Text.Pooling = 1, "silu", encoder.Last
	case "nvembed":
		c.NumKeyValueHeads, c.HiddenAct = 1, "silu"
		c.Latent = &encoder.LatentAttention{Latents: 5, Heads: 2, HeadDim: 6, HiddenDim: 16, LatentDim: 16, Normalize: true}
	case "t5":
		c.HeadDim, c.HiddenAct = 8, "gated-gelu"
	}
	enc, err := encoder.New(c, small.Tokenizer(), 1, small.Backend())
	if err != nil {
		t.Fatal(err)
	}
	return enc
}

// TestBucketsAreRounding pads one batch to its longest sequence and to a bucket
// twice as long: loss and gradient agree to float32 rounding.
func TestBucketsAreRounding(t *testing.T) {
	data := colours(8)
	c := toyConfig()
	c.RowsPerGroup = 6
	for _, kind := range []string{"bert", "mpnet", "modernbert", "llama", "gemma3_text", "t5"} {
		p := newProbe(t, c, parsed(t, "uni(P,I)"), newLike(t, kind, data), data)
		want, exact := p.gradients(t)
		for _, b := range p.batches {
			b.tokens.length = 64
		}
		if got := shapeOf(p.batches[0]); !slices.Equal(got, []int{len(p.batches[0].sequences), 16}) {
			t.Fatalf("padded to %v, want a bucket of 16", got)
		}
		got, padded := p.gradients(t)
		near(t, kind+": loss", got, want, 2e-6, 0)
		difference := slices.Concat(padded...)
		for i, g := range slices.Concat(exact...) {
			difference[i] -= g
		}
		near(t, kind+": distance of gradients", length(difference), 0, 0, 1e-5*length(slices.Concat(exact...)))
	}
}

func shapeOf(a arrays) []int {
	ids, _ := a.tokens.pad(a.sequences)
	return ids.Shape().Dimensions
}

func TestPad(t *testing.T) {
	tk := &tokens{encoder: newEncoder(t, colours(8)), length: 40}
	pad := tk.encoder.Tokens().PadID()
	ids, mask := tk.pad([][]int32{{7, 8, 9}, nil, slices.Repeat([]int32{5}, 17)})
	if got := ids.Shape().Dimensions; !slices.Equal(got, []int{3, 24}) {
		t.Fatalf("shape %v, want [3 24]", got)
	}
	for i, id := range tensors.MustCopyFlatData[int32](ids) {
		want, present := pad, false
		switch row, column := i/24, i%24; {
		case row == 0 && column < 3:
			want, present = int32(7+column), true
		case row == 2 && column < 17:
			want, present = 5, true
		}
		if id != want || tensors.MustCopyFlatData[bool](mask)[i] != present {
			t.Errorf("value %d is %d, want %d", i, id, want)
		}
	}
	// The bucket above the longest possible sequence is that sequence's length.
	for longest, want := range map[int]int{1: 16, 16: 16, 33: 40, 40: 40} {
		if ids, _ := tk.pad([][]int32{make([]int32, longest)}); ids.Shape().Dim(1) != want {
			t.Errorf("%d tokens are padded to %d, want %d", longest, ids.Shape().Dim(1), want)
		}
	}
}
