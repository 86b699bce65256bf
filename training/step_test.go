package training

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"infbench/datasets"
	"infbench/training/encoder"
	"infbench/training/tokenizer"
)

// BenchmarkStep is the time of one training step of TinyBERT on texts of 20 to
// 30 words. Read ms/step with -cpu 1.
func BenchmarkStep(b *testing.B) {
	data := noise(64)
	tok, err := tokenizer.BuildWordPiece(func(yield func(string) bool) {
		for _, row := range Rows(of(data)) {
			if !yield(row.Instruction + " " + row.Query + " " + row.Passage) {
				return
			}
		}
	}, 1000)
	if err != nil {
		b.Fatal(err)
	}
	for _, loss := range []string{"uni(P)", "multi(P,I)"} {
		for _, groups := range []int{2, 4} {
			b.Run(fmt.Sprintf("%s/rows=%d", loss, 12*groups), func(b *testing.B) {
				enc, err := encoder.New(encoder.TinyBERT(), tok, 1, openBackend(b))
				if err != nil {
					b.Fatal(err)
				}
				c := DefaultConfig()
				c.Groups, c.Epochs = groups, 1000
				l, o := parsed(b, loss), Objective{}
				if o, err = c.Objective(); err != nil {
					b.Fatal(err)
				}
				rows := Rows(of(data))
				sampler, err := newSampler(c, o, l, of(data))
				if err != nil {
					b.Fatal(err)
				}
				tokens := newTokens(enc, "", rows, sampler.draws)
				stepper, err := newStepper(c, o, l, enc, sampler.batchRows())
				if err != nil {
					b.Fatal(err)
				}
				index := -1 // the first step compiles the graph and is not timed
				for step := true; step; step = b.Loop() {
					index++
					arrays, count, err := tokens.arrays(sampler.step(index, 1), sampler.mixed())
					if err != nil {
						b.Fatal(err)
					}
					in := []uploaded{onDevice(b, stepper.program, arrays[0])}
					if _, err := stepper.step(index, 1e-3, in, count); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(tokens.length), "tokens/sequence")
			})
		}
	}
}

// onDevice returns a batch as the arguments of a program.
func onDevice(t testing.TB, p interface {
	upload(arrays) (uploaded, error)
}, in arrays) uploaded {
	t.Helper()
	u, err := p.upload(in)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// noise makes records of random words: 24 a passage, 3 a query, 12 an instruction.
func noise(n int) []datasets.Triplet {
	rng := rand.New(rand.NewPCG(9, 9))
	text := func(words int) string {
		var b strings.Builder
		for range words {
			fmt.Fprintf(&b, "w%d ", rng.IntN(600))
		}
		return b.String()
	}
	var out []datasets.Triplet
	for range n {
		out = append(out, datasets.Triplet{
			InstructionPositive: text(12), InstructionNegative: text(12), QueryPositive: text(3), QueryNegative: text(3),
			Positive: text(24), HardNegative1: text(24), HardNegative2: text(24),
		})
	}
	return out
}
