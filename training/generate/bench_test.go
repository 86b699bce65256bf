package generate_test

import (
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"infbench/datasets/chat"
	"infbench/training/encoder"
	"infbench/training/generate"
)

// BenchmarkWrite writes 200 tokens of a story with the cache.
func BenchmarkWrite(b *testing.B) {
	g := open(b, stories(b), generate.Options{})
	written := 0
	for b.Loop() {
		w, err := g.Write(b.Context(), []int32{1}, 200, generate.Sampling{}, nil)
		if err != nil {
			b.Fatal(err)
		}
		written += len(w.IDs)
	}
	b.ReportMetric(float64(written)/b.Elapsed().Seconds(), "tokens/s")
}

// BenchmarkWriteWithoutCache is what BenchmarkWrite saves: the whole text is read for
// every token, in rows of bucketed lengths.
func BenchmarkWriteWithoutCache(b *testing.B) {
	m, err := encoder.OpenLanguageModel(stories(b), backend(b))
	if err != nil {
		b.Fatal(err)
	}
	exec, err := model.NewExec(m.Model().Backend(), m.Model().Store(), func(_ *model.Scope, ids, mask *graph.Node) *graph.Node {
		return graph.ArgMax(m.NextLogits(ids, mask), -1)
	})
	if err != nil {
		b.Fatal(err)
	}
	written := 0
	for b.Loop() {
		text := []int32{1}
		for len(text) <= 200 {
			length := encoder.Bucket(len(text), 512)
			ids, mask := make([]int32, length), make([]int32, length)
			copy(ids, text)
			for i := range text {
				mask[i] = 1
			}
			next, err := exec.Call1([][]int32{ids}, [][]int32{mask})
			if err != nil {
				b.Fatal(err)
			}
			text = append(text, next.Value().([]int32)[0])
		}
		written += 200
	}
	b.ReportMetric(float64(written)/b.Elapsed().Seconds(), "tokens/s")
}

// BenchmarkChoose judges by the probabilities of two answers.
func BenchmarkChoose(b *testing.B) {
	c := openChat(b, stories(b))
	question := []chat.Message{{Role: chat.User, Text: "Once upon a time, there was a little girl named Lily. She loved to play outside in the park. Is it a story?"}}
	for b.Loop() {
		if _, _, err := c.Choose(b.Context(), question, []string{"true", "false"}); err != nil {
			b.Fatal(err)
		}
	}
}
