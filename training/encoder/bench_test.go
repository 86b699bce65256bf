package encoder_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"infbench/metrics/kernel"
	"infbench/training/encoder"
	"infbench/training/tokenizer"
)

// wordTokenizer knows the words w0 to w<n-1>.
func wordTokenizer(t testing.TB, n int) *tokenizer.Tokenizer {
	t.Helper()
	var words []string
	for i := range n {
		words = append(words, fmt.Sprintf("w%d", i))
	}
	tok, err := tokenizer.BuildWordPiece(slices.Values([]string{strings.Join(words, " ")}), n+40)
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

func tiny(t testing.TB) *encoder.Encoder {
	t.Helper()
	e, err := encoder.New(encoder.TinyBERT(), wordTokenizer(t, 600), 42, backend(t))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// batchOf returns ids [rows,length] and a mask with random lengths.
func batchOf(rows, length, vocab int) (ids, mask *tensors.Tensor) {
	source := rand.New(rand.NewPCG(1, 2))
	x, m := make([]int32, rows*length), make([]int32, rows*length)
	for r := range rows {
		for k := range length/2 + source.IntN(length/2) + 1 {
			x[r*length+k], m[r*length+k] = int32(source.IntN(vocab)), 1
		}
	}
	return tensors.FromFlatDataAndDimensions(x, rows, length), tensors.FromFlatDataAndDimensions(m, rows, length)
}

// BenchmarkEncode embeds 32 texts of 128 tokens in networks of random weights and reports the
// best time, in float32 and, if the processor has kernels for it, in bfloat16. make peers shows it
// next to PyTorch.
func BenchmarkEncode(b *testing.B) {
	for _, c := range []struct {
		name                             string
		layers, width, heads, vocabulary int
	}{
		{"small", 4, 128, 4, 8000},
		{"MiniLM-L6", 6, 384, 12, 30522},
	} {
		b.Run(c.name, func(b *testing.B) {
			config := encoder.TinyBERT()
			config.HiddenSize, config.NumHiddenLayers, config.NumAttentionHeads = c.width, c.layers, c.heads
			config.IntermediateSize, config.HiddenAct = 4*c.width, "gelu"
			config.MaxPositionEmbeddings, config.VocabSize = 512, c.vocabulary
			const rows, length = 32, 128
			config.Text.MaxDocument = length
			e, err := encoder.New(config, wordTokenizer(b, 600), 1, backend(b))
			if err != nil {
				b.Fatal(err)
			}
			text := strings.Join(slices.Repeat([]string{"w1 w22 w333 w44"}, length/4), " ") // and the tokenizer cuts it
			texts, dst := slices.Repeat([]string{text}, rows), make([]float32, rows*c.width)
			for _, precision := range []encoder.Precision{encoder.Float32, encoder.BFloat16} {
				if precision == encoder.BFloat16 && !kernel.HasBFloat16() {
					continue // takes minutes
				}
				b.Run(string(precision), func(b *testing.B) {
					if err := e.SetPrecision(precision); err != nil {
						b.Fatal(err)
					}
					best := time.Duration(math.MaxInt64)
					for step := true; step; step = b.Loop() { // the first also compiles the graph
						start := time.Now()
						if err := e.EncodeDocuments(b.Context(), make([]string, rows), texts, dst); err != nil {
							b.Fatal(err)
						}
						best = min(best, time.Since(start))
					}
					b.ReportMetric(best.Seconds(), "s/batch")
					b.ReportMetric(rows*length/best.Seconds(), "tokens/s")
				})
			}
		})
	}
}

// BenchmarkForward embeds a training batch of TinyBERT, 96 texts of 32 tokens.
func BenchmarkForward(b *testing.B) {
	benchmark(b, func(e *encoder.Encoder, v *graph.Node) *graph.Node { return v })
}

// BenchmarkGradient also computes the gradient of every weight.
func BenchmarkGradient(b *testing.B) {
	benchmark(b, func(e *encoder.Encoder, v *graph.Node) *graph.Node {
		scores := graph.DotGeneral(v, []int{1}, nil, v, []int{1}, nil)
		total := graph.ScalarZero(v.Graph(), v.DType())
		for _, g := range e.Store().RootScope().BuildTrainableVariablesGradientsGraph(graph.ReduceAllSum(graph.Square(scores))) {
			total = graph.Add(total, graph.ReduceAllSum(g))
		}
		return total
	})
}

func benchmark(b *testing.B, finish func(*encoder.Encoder, *graph.Node) *graph.Node) {
	e := tiny(b)
	exec, err := model.NewExec(e.Backend(), e.Store(), func(_ *model.Scope, ids, mask *graph.Node) *graph.Node {
		return finish(e, e.Embed(ids.Graph(), ids, mask))
	})
	if err != nil {
		b.Fatal(err)
	}
	ids, mask := batchOf(96, 32, 600)
	if _, err := exec.Call1(ids, mask); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := exec.Call1(ids, mask); err != nil {
			b.Fatal(err)
		}
	}
}
