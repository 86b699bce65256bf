package encoder

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
)

// paperLengths draws lengths in tokens of passages and of queries with their instructions:
// lognormal, with the means of InF-IR's words (the paper's Table 1), 1.3 tokens per word, between
// two special tokens.
func paperLengths(n int) (passages, queries []sequence) {
	rng := rand.New(rand.NewPCG(38_759, 2))
	words := func(mean float64) float64 {
		const spread = 0.5
		return math.Exp(math.Log(mean) - spread*spread/2 + spread*rng.NormFloat64())
	}
	text := func(words float64) sequence { return sequence{ids: make([]int32, 2+int(1.3*words))} }
	for range n {
		passages = append(passages, text(words(55.2)))
		queries = append(queries, text(words(35.57)+words(8.06)))
	}
	return passages, queries
}

// paddedShare is the number of tokens computed for each token of a text.
func paddedShare(t testing.TB, b Batching, width, texts int) float64 {
	t.Helper()
	computed, tokens := 0, 0
	by := &batched{model: hollow(width), width: 1, longest: 512, batching: b}
	by.execute = func(ids, _, _ *tensors.Tensor, use func([]float32)) error {
		computed += ids.Shape().Size()
		use(make([]float32, ids.Shape().Dim(0)))
		return nil
	}
	passages, queries := paperLengths(texts)
	for _, list := range [][]sequence{passages, queries} {
		if err := by.run(t.Context(), list, make([]float32, len(list))); err != nil {
			t.Fatal(err)
		}
		for _, s := range list {
			tokens += len(s.ids)
		}
	}
	return float64(computed) / float64(tokens)
}

// TestLittleIsPadded: for texts of the paper's lengths, in runners' usual batches, encoding
// computes at most 1.15 tokens for each token of a text, on a processor and on a card.
func TestLittleIsPadded(t *testing.T) {
	for name, c := range map[string]struct {
		batching     Batching
		width, texts int
	}{
		"processor": {Batching{}, 384, 2048}, "processor, narrow": {Batching{}, 64, 2048},
		"card": {Batching{Tokens: 32768, Small: 2048}, 768, 8192},
	} {
		if share := paddedShare(t, c.batching, c.width, c.texts); !(share <= 1.15) {
			t.Errorf("%s: %.3f tokens computed for one", name, share)
		} else {
			t.Logf("%s: %.3f tokens computed for one", name, share)
		}
	}
}

// BenchmarkPadding counts the tokens that encoding computes on the paper's lengths for each token
// of a text.
func BenchmarkPadding(b *testing.B) {
	share := 0.0
	for b.Loop() {
		share = paddedShare(b, Batching{}, 384, 2048)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(share, "computed/token")
}
