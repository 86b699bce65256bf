package training

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"infbench/training/encoder"
)

// TestResumeAfterManyKills kills one run 20 times, at random steps, by a crash or
// by an ended context, with checkpoints at random intervals, and compares the
// SHA-256 of the final weights with a run in one go. Dropout, accumulation,
// frozen weights, chunks and evaluation are all on.
func TestResumeAfterManyKills(t *testing.T) {
	data := colours(8)
	c := toyConfig()
	c.Epochs, c.RowsPerGroup, c.Accumulate, c.Dropout = 30, 6, 2, 0.1 // 60 steps
	c.Freeze, c.EvaluateEvery, c.WeightDecay = []string{"embeddings.position_embeddings"}, 7, 0.01
	l := parsed(t, "multi(P,I)")
	for _, chunk := range []int{0, 9} {
		c.Chunk = chunk
		evaluate := func(enc *encoder.Encoder) func(int) (float64, error) {
			return func(int) (float64, error) { // of the weights alone
				dst := make([]float32, enc.Dim())
				err := enc.EncodeDocuments(t.Context(), []string{""}, []string{data[0].Positive}, dst)
				return float64(dst[0]), err
			}
		}
		enc := newEncoder(t, data)
		whole, err := Train(t.Context(), c, l, enc, data, Options{OnEvaluate: evaluate(enc)})
		if err != nil {
			t.Fatal(err)
		}
		want := digest(t, enc)
		rng := rand.New(rand.NewPCG(20, uint64(chunk)))
		dir := t.TempDir()
		for kill := range 20 {
			enc := newEncoder(t, data)
			ctx, cancel := context.WithCancel(t.Context())
			left, crash := 1+rng.IntN(5), rng.IntN(2) == 0
			opt := Options{Checkpoint: dir, Every: 1 + rng.IntN(3), OnEvaluate: evaluate(enc), OnStep: func(Step) {
				if left--; left == 0 && crash {
					panic("crash")
				} else if left == 0 {
					cancel()
				}
			}}
			func() {
				defer func() {
					if p := recover(); p != nil && p != "crash" {
						panic(p)
					}
				}()
				if _, err := Train(ctx, c, l, enc, data, opt); !errors.Is(err, context.Canceled) {
					t.Errorf("kill %d: %v", kill, err)
				}
			}()
			cancel()
		}
		last := newEncoder(t, data)
		sum, err := Train(t.Context(), c, l, last, data, Options{Checkpoint: dir, OnEvaluate: evaluate(last)})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("chunk %d: the last of 21 runs began at step %d of %d", chunk, sum.Resumed, sum.Steps)
		if sum.Resumed == 0 || digest(t, last) != want || fmt.Sprint(sum.Curve, sum.Evaluations) != fmt.Sprint(whole.Curve, whole.Evaluations) {
			t.Errorf("chunk %d: resumed at %d; weights equal: %v", chunk, sum.Resumed, digest(t, last) == want)
		}
	}
}
